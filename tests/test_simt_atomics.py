"""Atomics of many lanes at once: heavy contention, long chains of compare-and-swap, halves of words."""

from __future__ import annotations

import numpy as np
import pytest
import simt_reference as reference
from gpu100.device.simt.faults import NotModeled
from gpu100.device.simt.memory import atomics
from hypothesis import given, settings
from hypothesis import strategies as st

OPS = ("add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec")


def same(memory: np.ndarray, index: np.ndarray, op: str, operands: tuple[np.ndarray, ...]) -> None:
    """All three ways agree: lane by lane, with old values, without."""
    count = max(len(index), *(len(operand) for operand in operands))
    expected = memory.copy()
    with np.errstate(over="ignore"):
        full = [np.broadcast_to(operand, count) for operand in operands]
        old = reference.atomics(expected, np.broadcast_to(index, count).tolist(), op, full)
    for want in (True, False):
        there = memory.copy()
        got = atomics.apply(there, index, count, op, operands, want)
        assert there.tobytes() == expected.tobytes()
        assert (got is not None) == want
        if got is not None:
            assert got.tobytes() == np.array(old, memory.dtype).tobytes()


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(OPS),
    st.sampled_from(("u4", "i4", "u8", "i8", "f4", "f8")),
    st.integers(1, 200),
    st.sampled_from((1, 2, 5, 100)),
    st.sampled_from((2, 5, 1000)),
    st.integers(0, 2**32),
)
def test_lane_by_lane(op: str, dtype: str, count: int, elements: int, most: int, seed: int) -> None:
    if dtype[0] == "f":
        op = {"cas": "cas", "exch": "exch"}.get(op, "add")
    rng = np.random.default_rng(seed)
    memory = rng.integers(most, size=elements).astype(dtype)
    index = rng.integers(elements, size=count)
    operands = tuple(rng.integers(most, size=count).astype(dtype) for _ in range(1 + (op == "cas")))
    if dtype[0] == "f" and op == "add":
        operands = (rng.normal(size=count).astype(dtype),)
    same(memory, index, op, operands)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(("inc", "dec")), st.integers(0, 12), st.integers(0, 9), st.integers(1, 60))
def test_counters_that_go_round(op: str, held: int, limit: int, count: int) -> None:
    memory = np.array([held, 2**32 - 1], np.uint32)
    for limits in (limit, 2**32 - 1):
        same(memory, np.arange(count) % 2, op, (np.full(count, limits, np.uint32),))
        same(memory, np.array([0]), op, (np.full(count, limits, np.uint32),))


def test_wrapping() -> None:
    same(np.array([2**32 - 3], np.uint32), np.array([0]), "add", (np.arange(100, dtype=np.uint32),))
    same(np.array([2**63 - 1], np.int64), np.zeros(9, np.int64), "add", (np.arange(9),))


def test_tickets_of_many_lanes() -> None:
    memory = np.array([5], np.uint32)
    got = atomics.apply(memory, np.array([0]), 1 << 15, "add", (np.array([1], np.uint32),), True)
    assert got is not None
    assert (got == 5 + np.arange(1 << 15)).all()
    assert memory[0] == 5 + (1 << 15)


@pytest.mark.parametrize("count", [50, 3000])
def test_a_chain_of_successes(count: int) -> None:
    """Each lane expects what the lane before it leaves."""
    lane = np.arange(count, dtype=np.uint32)
    same(np.array([0, 7], np.uint32), np.array([0]), "cas", (lane, lane + 1))
    same(np.array([0, 7], np.uint32), (lane % 2).astype(np.int64), "cas", (lane // 2, lane // 2 + 1))


def test_a_lock_is_taken_once() -> None:
    memory = np.zeros(4, np.uint32)
    index = np.arange(4096) % 4
    got = atomics.apply(memory, index, 4096, "cas", (np.zeros(1, np.uint32), np.ones(1, np.uint32)), True)
    assert got is not None
    assert np.flatnonzero(got == 0).tolist() == [0, 1, 2, 3]


def test_sums_in_lane_order() -> None:
    """Rounding depends on the order, which is the lanes'."""
    rng = np.random.default_rng(0)
    values = (rng.normal(size=5000) * 10.0 ** rng.integers(-6, 6, size=5000)).astype(np.float32)
    same(np.zeros(3, np.float32), np.array([1]), "add", (values,))
    same(np.zeros(3, np.float32), rng.integers(3, size=5000), "add", (values,))
    same(np.zeros(3000, np.float32), rng.integers(3000, size=5000), "add", (values,))


def test_halves_of_words() -> None:
    halves = np.array([1.5, -2, 3, 1024], np.float16)
    values = np.array([0.25, 1, 0.5, 0.25] * 3, np.float16)
    for want in (True, False):
        memory = halves.view(np.uint32).copy()
        index = np.array([0, 1, 0, 1, 0, 1])
        old = atomics.apply(memory, index, 6, "add.f16x2", (values.view(np.uint32),), want)
        assert memory.view(np.float16).tolist() == [1.5 + 0.75, 1, 3 + 1.5, 1024]
        if old is not None:
            assert old.view(np.float16).tolist() == [1.5, -2, 3, 1024, 1.75, -1, 3.5, 1024, 2, 0, 4, 1024]


def test_bfloat16_rounds_to_even() -> None:
    memory = np.array([0x4380], np.uint16)  # 256, whose neighbours are 2 apart
    for value, expected in ((0x3F80, 0x4380), (0x4040, 0x4382), (0x3F80, 0x4382)):  # 1, 3, 1
        atomics.apply(memory, np.array([0]), 1, "add.bf16", (np.array([value], np.uint16),), False)
        assert memory[0] == expected


def test_unknown_operations_are_told() -> None:
    with pytest.raises(NotModeled):
        atomics.apply(np.zeros(1), np.array([0]), 1, "mul", (np.zeros(1),), False)
