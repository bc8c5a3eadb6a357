"""Races in shared memory: every one is found, and nothing else is called one."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
import simt_reference as reference
from gpu100.device.simt.faults import Fault
from gpu100.device.simt.memory.access import Access
from gpu100.device.simt.memory.device_memory import DeviceMemory
from gpu100.device.simt.memory.lanes import Lanes
from hypothesis import given, settings
from hypothesis import strategies as st

SHARED = 32


@dataclass(frozen=True)
class Look:
    """One thread's access to one granule."""

    thread: int
    granule: int
    kind: str
    """``read``, ``write``, ``same`` (a write that changes nothing) or ``atomic``."""
    time: int


@dataclass
class Block:
    """What happened in one block, in full."""

    memory: bytearray = field(default_factory=lambda: bytearray(b"\xff" * SHARED))
    written: set[int] = field(default_factory=set)
    looks: list[Look] = field(default_factory=list)
    barrier: int = 0
    warps: dict[int, int] = field(default_factory=dict)

    def races(self, new: Look) -> bool:
        return any(self._race(old, new) for old in self.looks)

    def _race(self, old: Look, new: Look) -> bool:
        if old.granule != new.granule or old.thread == new.thread or old.time < self.barrier:
            return False
        same_warp = old.thread // 32 == new.thread // 32
        if same_warp and old.time < self.warps.get(new.thread // 32, 0):
            return False
        kinds = {old.kind, new.kind}
        return new.kind != "same" and not kinds <= {"read", "same"} and kinds != {"atomic"}


class Model:
    """The definition, thread by thread and access by access."""

    def __init__(self, lanes: Lanes, granule: int) -> None:
        self.lanes = lanes
        self.granule = granule
        self.blocks = [Block() for _ in range(lanes.blocks)]
        self.time = 1

    def access(self, kind: str, lanes: list[int], offsets: list[int], values: list[int], size: int) -> str | None:
        """Do it; what is wrong with it, if anything."""
        who = [divmod(lane, self.lanes.threads_per_block) for lane in lanes]
        spans = [range(offset // self.granule, (offset + size) // self.granule) for offset in offsets]
        if kind != "store" and any(
            granule not in self.blocks[block].written
            for (block, _), span in zip(who, spans, strict=True)
            for granule in span
        ):
            return "uninitialized"
        looks = [
            (block, Look(thread, granule, self._class(kind, block, granule, offset, value, size), self.time))
            for (block, thread), span, offset, value in zip(who, spans, offsets, values, strict=True)
            for granule in span
        ]
        if any(self.blocks[block].races(look) for block, look in looks):
            return "race"
        if kind == "store":
            writes = {(block, offset): value for (block, _), offset, value in zip(who, offsets, values, strict=True)}
            if any(writes[block, o] != v for (block, _), o, v in zip(who, offsets, values, strict=True)):
                return "race"
        for block, look in looks:
            self.blocks[block].looks.append(look)
        for (block, _), offset, value, span in zip(who, offsets, values, spans, strict=True):
            memory = self.blocks[block].memory
            old = int.from_bytes(memory[offset : offset + size], "little")
            if kind == "store":
                memory[offset : offset + size] = value.to_bytes(size, "little")
                self.blocks[block].written |= set(span)
            elif kind == "atomic":
                memory[offset : offset + size] = ((old + value) % 256**size).to_bytes(size, "little")
        return None

    def _class(self, kind: str, block: int, granule: int, offset: int, value: int, size: int) -> str:
        if kind != "store":
            return {"load": "read", "atomic": "atomic"}[kind]
        there, begin = self.blocks[block], granule * self.granule
        new = value.to_bytes(size, "little")[begin - offset : begin - offset + self.granule]
        same = there.memory[begin : begin + self.granule] == new
        return "same" if same and granule in there.written else "write"

    def barrier(self, blocks: set[int]) -> None:
        self.time += 1
        for block in blocks:
            self.blocks[block].barrier = self.time

    def warp_sync(self, lanes: list[int]) -> None:
        self.time += 1
        for lane in lanes:
            block, thread = divmod(lane, self.lanes.threads_per_block)
            self.blocks[block].warps[thread // 32] = self.time


NAMES = {"load": "ld.shared.u32", "store": "st.shared.u32", "atomic": "atom.shared.add.u32"}
SIZES = (1, 2, 4, 8)


class Pair:
    """The model of a device beside the definition."""

    def __init__(self, lanes: Lanes, granule: int) -> None:
        self.lanes = lanes
        self.model = Model(lanes, granule)
        self.numbers = {(kind, size): n for n, (kind, size) in enumerate((k, s) for k in NAMES for s in SIZES)}
        sites = [reference.site(NAMES[kind], "shared", size, line=n) for (kind, size), n in self.numbers.items()]
        self.access = Access(DeviceMemory(4096), sites, shared_bytes=SHARED, local_bytes=0, granule=granule)
        self.access.begin(lanes)

    def step(self, kind: str, X: np.ndarray | None, offsets: np.ndarray, values: np.ndarray, size: int) -> str | None:  # noqa: N803
        """Do it in both; what both say is wrong with it."""
        lanes = np.arange(self.lanes.count) if X is None else X
        expected = self.model.access(kind, lanes.tolist(), offsets.tolist(), values.tolist(), size)
        found = None
        try:
            self._do(kind, X, offsets, values.astype(f"u{size}"), self.numbers[kind, size])
        except Fault as fault:
            found = fault.kind
        assert found == expected
        return found

    def _do(self, kind: str, X: np.ndarray | None, offsets: np.ndarray, values: np.ndarray, site: int) -> None:  # noqa: N803
        offsets = offsets[:1] if (offsets == offsets[0]).all() else offsets
        if kind == "load":
            self.access.load(site, "shared", offsets.astype(np.uint32), X, None, values.dtype, 1)
        elif kind == "store":
            self.access.store(site, "shared", offsets.astype(np.uint32), X, None, (values,))
        else:
            args = (offsets.astype(np.uint32), X, None, values.dtype, (values,), False)
            self.access.atomic(site, "shared", "add", *args)


def lanes_of(draw: st.DrawFn, rng: np.random.Generator, lanes: Lanes) -> np.ndarray | None:
    """Who takes part: all, the same threads of each block, any, or one."""
    how = draw(st.sampled_from(("all", "alike", "any", "one", "one of each", "warp")))
    threads = lanes.threads_per_block
    if how == "all":
        return None
    if how == "one":
        return np.array([int(rng.integers(lanes.count))])
    if how in ("one of each", "warp"):
        some = np.arange(threads) == rng.integers(threads)
        if how == "warp":
            some = np.arange(threads) // 32 == rng.integers(threads // 32 + (threads % 32 > 0))
        return np.flatnonzero(np.tile(some, lanes.blocks))
    some = rng.random(threads if how == "alike" else lanes.count) < 0.2
    some[rng.integers(len(some))] = True
    return np.flatnonzero(np.tile(some, lanes.blocks) if how == "alike" else some)


def where(draw: st.DrawFn, rng: np.random.Generator, lanes: Lanes, X: np.ndarray | None, size: int) -> np.ndarray:  # noqa: N803
    numbers = np.arange(lanes.count) if X is None else X
    thread, units = numbers % lanes.threads_per_block, draw(st.sampled_from((SHARED // size, 2, 1)))
    how = draw(st.sampled_from(("one", "own", "shifted", "random", "random alike")))
    if how == "one":
        return np.full(len(numbers), rng.integers(units)) * size
    if how == "random":
        return rng.integers(units, size=len(numbers)) * size
    if how == "random alike":
        return rng.integers(units, size=lanes.threads_per_block)[thread] * size
    return (thread + (0 if how == "own" else rng.integers(units))) % units * size


def play(data: st.DataObject, sizes: tuple[int, ...], threads: tuple[int, ...]) -> None:
    """A random kernel until it goes wrong."""
    draw = data.draw
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    lanes = Lanes(0, draw(st.integers(1, 3)), (draw(st.sampled_from(threads)), 1, 1), (3, 1, 1))
    pair = Pair(lanes, min(sizes))
    if draw(st.booleans()):
        one = np.arange(lanes.blocks) * lanes.threads_per_block
        for unit in range(SHARED // max(sizes)):
            at = np.full(len(one), unit * max(sizes))
            assert pair.step("store", one, at, np.zeros(len(one), np.uint64), max(sizes)) is None
        pair.access.barrier(None)
        pair.model.barrier(set(range(lanes.blocks)))
    for _ in range(draw(st.integers(1, 12))):
        event = draw(st.sampled_from(("load", "store", "store", "atomic", "load", "barrier", "some", "sync", "fence")))
        if event == "barrier":
            pair.access.barrier(None)
            pair.model.barrier(set(range(lanes.blocks)))
        elif event == "some":
            blocks = np.unique(rng.integers(lanes.blocks, size=2))
            pair.access.barrier(blocks)
            pair.model.barrier(set(blocks.tolist()))
        else:
            X = lanes_of(draw, rng, lanes)  # noqa: N806
            numbers = np.arange(lanes.count) if X is None else X
            if event == "sync":
                pair.access.warp_sync(X)
                pair.model.warp_sync(numbers.tolist())
            elif event == "fence":
                pair.access.fence(X)
                pair.model.barrier(set((numbers // lanes.threads_per_block).tolist()))
            else:
                size = draw(st.sampled_from(sizes))
                offsets = where(draw, rng, lanes, X, size)
                values = rng.integers(draw(st.sampled_from((1, 2, 200))), size=len(offsets)).astype(np.uint64)
                if pair.step(event, X, offsets, values, size):
                    return


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_races_of_few_threads(data: st.DataObject) -> None:
    play(data, (4,), (3, 4, 34))


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_races_of_two_warps(data: st.DataObject) -> None:
    play(data, (4, 8), (64,))


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_races_of_bytes_and_words(data: st.DataObject) -> None:
    play(data, data.draw(st.sampled_from(((1, 2, 4), (2, 4), (1, 8)))), (5, 40))


class Kernel:
    """Two blocks of 64 threads, one instruction after the other."""

    def __init__(self, *names: str, blocks: int = 2) -> None:
        self.lanes = Lanes(0, blocks, (64, 1, 1), (blocks, 1, 1))
        self.sites = [reference.site(name, "shared", 4, line=10 + n) for n, name in enumerate(names)]
        self.access = Access(DeviceMemory(4096), self.sites, shared_bytes=1024, local_bytes=0, granule=4)
        self.access.begin(self.lanes)
        self.thread = np.arange(self.lanes.count) % 64

    def run(self, site: int, offset: np.ndarray | int, who: np.ndarray | None = None, value: int | None = None) -> None:
        """One instruction; without a value the threads write their own numbers."""
        X = None if who is None else np.flatnonzero(who)  # noqa: N806
        offset = np.atleast_1d(np.asarray(offset, np.uint32))
        offset = offset if X is None or len(offset) == 1 else offset[X]
        kind = self.sites[site].kind
        values = (self.thread + 1 if value is None else np.array([value])).astype(np.uint32)
        values = values if X is None or len(values) == 1 else values[X]
        if kind == "load":
            self.access.load(site, "shared", offset, X, None, np.dtype("u4"))
        elif kind == "store":
            self.access.store(site, "shared", offset, X, None, (values,))
        else:
            self.access.atomic(site, "shared", "add", offset, X, None, np.dtype("u4"), (values,), True)

    def fault(self, *args: object, **named: object) -> Fault:
        with pytest.raises(Fault) as caught:
            self.run(*args, **named)  # type: ignore[arg-type]
        return caught.value


def test_both_threads_and_lines_are_told() -> None:
    kernel = Kernel("st.shared.u32", "ld.shared.u32")
    kernel.run(0, 4 * kernel.thread)
    fault = kernel.fault(1, 4 * (kernel.thread ^ 33))
    assert fault.kind == "race"
    assert "block (0, 0, 0), thread (0, 0, 0) at k.cu:11: reads in shared memory" in fault.message
    assert "what thread (33, 0, 0) wrote at k.cu:10; no __syncthreads() between" in fault.message


def test_a_barrier_orders() -> None:
    kernel = Kernel("st.shared.u32", "ld.shared.u32")
    kernel.run(0, 4 * kernel.thread)
    kernel.access.barrier(None)
    kernel.run(1, 4 * (kernel.thread ^ 33))


def test_a_warps_own_barrier_orders_its_lanes_alone() -> None:
    kernel = Kernel("st.shared.u32", "ld.shared.u32")
    kernel.run(0, 4 * kernel.thread)
    assert "no __syncwarp() or __syncthreads() between" in kernel.fault(1, 4 * (kernel.thread ^ 1)).message
    kernel.access.warp_sync(None)
    kernel.run(1, 4 * (kernel.thread ^ 1))
    assert "no __syncthreads() between" in kernel.fault(1, 4 * (kernel.thread ^ 32)).message


def test_the_last_reader_writes() -> None:
    """All read, and the thread that read last writes: the others' reads are not forgotten."""
    for last in (0, 63):
        kernel = Kernel("st.shared.u32", "ld.shared.u32", "st.shared.u32")
        kernel.run(0, 0, kernel.thread == 5)
        kernel.access.barrier(None)
        kernel.run(1, 0)
        kernel.run(1, 0, kernel.thread == last)
        assert "writes in shared memory what thread" in kernel.fault(2, 0, kernel.thread == last).message


def test_a_reader_of_another_warp_is_not_forgotten() -> None:
    """Whoever of their own warp has read since, and though that warp is synchronized."""
    kernel = Kernel("st.shared.u32", "ld.shared.u32", "st.shared.u32")
    kernel.run(0, 0, kernel.thread == 5)
    kernel.access.barrier(None)
    for reader in (40, 0, 1, 2):
        kernel.run(1, 0, kernel.thread == reader)
    kernel.access.warp_sync(None)
    assert "what thread (40, 0, 0) read" in kernel.fault(2, 0, kernel.thread == 1).message


def test_an_instruction_that_races_with_itself() -> None:
    kernel = Kernel("st.shared.u32")
    kernel.run(0, 64, value=7)
    fault = kernel.fault(0, 0)
    assert "another value" in fault.message
    assert "thread (63, 0, 0)" in fault.message


def test_only_one_block_of_several_races() -> None:
    """While all blocks do the same, a write may change something in one of them alone."""
    kernel = Kernel("st.shared.u32", "st.shared.u32", "ld.shared.u32")
    kernel.run(0, 0, kernel.thread == 0, value=1)
    kernel.access.barrier(None)
    values = np.array([1, 3], np.uint32)
    X = np.flatnonzero(kernel.thread == 0)  # noqa: N806
    kernel.access.store(1, "shared", np.array([0], np.uint32), X, None, (values,))
    fault = kernel.fault(2, 0, kernel.thread == 1)
    assert fault.place is not None
    assert fault.place.block == (1, 0, 0)


def test_a_write_that_changes_one_block_alone_is_a_look_in_the_others() -> None:
    kernel = Kernel("st.shared.u32", "st.shared.u32", "ld.shared.u32", "st.shared.u32", blocks=3)
    first = np.flatnonzero(kernel.thread == 0)
    kernel.run(0, 0, kernel.thread == 0, value=1)
    kernel.access.barrier(None)
    kernel.access.store(1, "shared", np.array([0], np.uint32), first, None, (np.array([1, 3, 1], np.uint32),))
    block = np.arange(kernel.lanes.count) // 64
    kernel.run(2, 0, (kernel.thread == 1) & (block != 1))
    late = kernel.fault(3, 0, (kernel.thread == 2) & (block == 2), value=5)
    assert "what thread (1, 0, 0) read at k.cu:12" in late.message
    look = kernel.fault(3, 0, (kernel.thread == 2) & (block == 1), value=5)
    assert "what thread (0, 0, 0) wrote at k.cu:11" in look.message
    fault = kernel.fault(2, 0, (kernel.thread == 2) & (block > 0))
    assert fault.place is not None
    assert fault.place.block == (1, 0, 0)


@pytest.mark.parametrize("name", ["ld.volatile.shared.u32", "ld.relaxed.cta.shared.u32", "ld.acquire.cta.shared.u32"])
def test_reads_that_are_meant_to_see_others(name: str) -> None:
    kernel = Kernel("st.shared.u32", name)
    kernel.run(0, 0, kernel.thread == 0)
    kernel.run(1, 0)


def test_atomics_race_with_plain_accesses_alone() -> None:
    kernel = Kernel("st.shared.u32", "atom.shared.add.u32", "ld.shared.u32")
    kernel.run(0, 4 * kernel.thread)
    assert "updates in shared memory what thread (0, 0, 0) wrote" in kernel.fault(1, 0).message
    kernel.access.barrier(None)
    kernel.run(1, 4 * (kernel.thread % 4))
    kernel.run(1, 4 * (kernel.thread % 3))
    assert "reads in shared memory what thread" in kernel.fault(2, 4 * (kernel.thread % 2)).message


def test_shared_memory_is_not_zeroed() -> None:
    kernel = Kernel("st.shared.u32", "ld.shared.u32")
    kernel.run(0, 4 * kernel.thread, kernel.thread < 60)
    kernel.access.barrier(None)
    fault = kernel.fault(1, 4 * kernel.thread)
    assert fault.kind == "uninitialized"
    assert "at the block's shared memory + 240, which nobody has written" in fault.message
    assert fault.place is not None
    assert fault.place.thread == (60, 0, 0)


def test_a_look_at_what_is_there_is_remembered() -> None:
    """A write that changes nothing, by one of several blocks, and another's write after it."""
    kernel = Kernel("st.shared.u32", "st.shared.u32", "ld.shared.u32", "st.shared.u32")
    kernel.run(0, 4 * kernel.thread, kernel.thread < 2, value=1)
    kernel.access.barrier(None)
    first = np.flatnonzero(kernel.thread == 0)
    kernel.access.store(1, "shared", np.array([0], np.uint32), first, None, (np.array([1, 3], np.uint32),))
    block = np.arange(kernel.lanes.count) // 64
    kernel.run(2, 4, (kernel.thread == 9) & (block == 0))
    fault = kernel.fault(3, 0, (kernel.thread == 2) & (block == 0), value=5)
    assert "what thread (0, 0, 0) wrote at k.cu:11" in fault.message


def test_what_two_warps_read_is_forgotten_at_a_barrier() -> None:
    """Of granules that two warps have read no more is noted, until the next barrier."""
    kernel = Kernel("st.shared.u32", "ld.shared.u32", "st.shared.u32")
    block = np.arange(kernel.lanes.count) // 64
    kernel.run(0, 4 * kernel.thread)
    kernel.access.barrier(None)
    kernel.run(1, 0, (kernel.thread % 32 == 3) & (block == 0))
    kernel.run(2, 400, (kernel.thread == 0) & (block == 0))
    kernel.access.barrier(None)
    for offset in (8, 0):
        kernel.run(1, offset, (kernel.thread == 5) & (block == 0))
        kernel.run(2, 404 + offset, (kernel.thread == 0) & (block == 0))
    assert "what thread (5, 0, 0) read" in kernel.fault(2, 0, (kernel.thread == 3) & (block == 0), value=9).message


def test_one_reader_does_not_stand_for_another() -> None:
    kernel = Kernel("st.shared.u32", "ld.shared.u32", "st.shared.u32")
    block = np.arange(kernel.lanes.count) // 64
    kernel.run(0, 4 * kernel.thread)
    kernel.access.barrier(None)
    for reader in (0, 40):
        kernel.run(1, 0, (kernel.thread == reader) & (block == 0))
        kernel.run(2, 400 + 4 * reader, (kernel.thread == reader) & (block == 0))
    assert "what thread (40, 0, 0) read" in kernel.fault(2, 0, (kernel.thread == 0) & (block == 0), value=9).message


def test_a_new_chunk_starts_anew() -> None:
    kernel = Kernel("st.shared.u32", "ld.shared.u32")
    kernel.run(0, 4 * kernel.thread)
    kernel.run(1, 4 * kernel.thread)
    kernel.access.begin(kernel.lanes)
    assert kernel.fault(1, 4 * kernel.thread).kind == "uninitialized"
    kernel.run(0, 4 * (kernel.thread ^ 1))


def test_the_chunk_before_leaves_nothing_that_could_be_the_same() -> None:
    kernel = Kernel("st.shared.u32", "ld.shared.u32")
    kernel.run(0, 4 * kernel.thread)
    kernel.access.begin(kernel.lanes)
    kernel.run(0, 4 * kernel.thread, kernel.thread == 1)
    kernel.access.barrier(None)
    kernel.run(0, 4 * kernel.thread, kernel.thread < 2)
    assert "what thread (0, 0, 0) wrote" in kernel.fault(1, 0, kernel.thread == 5).message
