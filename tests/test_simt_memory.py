"""Device memory of the model: allocations, what is initialised, and what a big one costs."""

from __future__ import annotations

import resource
import sys

import numpy as np
import pytest
from gpu100.device.simt.memory.device_memory import ALIGNMENT, NULL_PAGE, POISON, RED_ZONE, DeviceMemory
from gpu100.errors import DeviceError
from hypothesis import given, settings
from hypothesis import strategies as st


def test_what_is_written_is_read() -> None:
    memory = DeviceMemory(1 << 20)
    data = memory.allocate(400, "a")
    memory.write(data.address, np.arange(100, dtype=np.float32))
    assert (memory.read(data.address, 400).view(np.float32) == np.arange(100)).all()
    assert (memory.view(np.dtype("f4"))[data.address // 4 + 7]) == 7
    memory.write(data.address + 4, b"\1\2\3")
    assert memory.read(data.address + 4, 4).tolist() == [1, 2, 3, 63]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory is counted in other units")
def test_gigabytes_cost_nothing_until_they_are_touched() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    memory = DeviceMemory(8 << 30)
    data = memory.allocate(6 << 30, "big")
    memory.write(data.address + (5 << 30), np.ones(1000, np.uint8))
    assert memory.read(data.address + (5 << 30), 1)[0] == 1
    memory.free(data.address)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


def test_initialised_is_what_somebody_wrote() -> None:
    memory = DeviceMemory(1 << 20)
    data = memory.allocate(1000, "a")
    assert data.ready == data.address
    memory.fill(data.address, 1000)
    assert data.ready == data.address
    assert (memory.read(data.address, 1000) == POISON).all()
    memory.write(data.address + 500, np.zeros(500, np.uint8))
    assert data.ready == data.address
    memory.settle()
    assert data.ready == data.address
    memory.write(data.address, np.zeros(500, np.uint8))
    memory.settle()
    assert data.ready == data.end
    assert not data.sparse


def test_fill_can_initialise() -> None:
    memory = DeviceMemory(1 << 20)
    data = memory.allocate(1000, "a")
    memory.fill(data.address, 1000, 0, initialized=True)
    assert data.ready == data.end


def test_too_much() -> None:
    memory = DeviceMemory(1 << 20)
    memory.allocate(1 << 19, "half")
    with pytest.raises(DeviceError) as caught:
        memory.allocate(3 << 18, "more")
    assert caught.value.name == "CUDA_ERROR_OUT_OF_MEMORY"
    assert "768" in caught.value.message
    assert '"more"' in caught.value.message
    assert "has 1" in caught.value.message
    assert "512" in caught.value.message


@pytest.mark.parametrize("address", [0, NULL_PAGE, 1 << 40])
def test_the_host_keeps_within_allocations(address: int) -> None:
    memory = DeviceMemory(1 << 20)
    data = memory.allocate(100, "a")
    with pytest.raises(DeviceError):
        memory.read(address, 1)
    with pytest.raises(DeviceError):
        memory.write(data.address + 99, b"ab")
    with pytest.raises(DeviceError):
        memory.free(data.address + 1)


def test_nothing_is_an_allocation_too() -> None:
    memory = DeviceMemory(1 << 20)
    empty, other = memory.allocate(0, "empty"), memory.allocate(4, "other")
    assert empty.address != other.address
    assert memory.read(empty.address, 0).size == 0
    memory.free(empty.address)


def test_freed_space_is_used_again_only_when_it_must() -> None:
    memory = DeviceMemory(64 << 20)
    first = memory.allocate(1 << 20, "first")
    memory.write(first.address, np.ones(1 << 20, np.uint8))
    memory.free(first.address)
    assert memory.free_bytes == 64 << 20
    assert memory.freed_at(first.address + 5) is first
    taken = [memory.allocate(60 << 20, "big")]
    assert taken[0].address > first.end
    for _ in range(5):
        memory.write(taken[0].address + 1, b"x")
        memory.free(taken.pop().address)
        taken.append(memory.allocate(60 << 20, "big"))
        assert not memory.written[taken[0].address : taken[0].end].any()
    assert memory.freed_at(taken[0].address) is None
    assert taken[0].ready == taken[0].address


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3 << 20), st.integers(0, 99)), max_size=40))
def test_allocations_keep_apart(steps: list[tuple[bool, int, int]]) -> None:
    memory = DeviceMemory(8 << 20)
    held = {}
    for allocate, size, which in steps:
        if allocate:
            try:
                new = memory.allocate(size, "x")
            except DeviceError:
                assert size > memory.free_bytes - ALIGNMENT
                continue
            memory.write(new.address, np.full(size, which, np.uint8))
            held[new.address] = new, which
        elif held:
            address = list(held)[which % len(held)]
            memory.free(address)
            del held[address]
    ordered = sorted(held)
    assert [allocation.address for allocation in memory.allocations] == ordered
    for address, after in zip(ordered, [*ordered, len(memory.arena)][1:], strict=True):
        allocation, value = held[address]
        assert address % ALIGNMENT == 0
        assert allocation.end + RED_ZONE <= after
        assert memory.find(address + allocation.nbytes // 2) is allocation
        assert (memory.read(address, allocation.nbytes) == value).all()
    assert memory.free_bytes == (8 << 20) - sum(max(-(-a.nbytes // 256), 1) * 256 for a, _ in held.values())
