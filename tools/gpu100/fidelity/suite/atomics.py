"""Threads that change one word together."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu100.fidelity.case import Argument, Case, Make, Out, Seeded

N = 2048


def _histogram(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.words(N).view(np.int32)
    counts = np.bincount(data & 63, minlength=64).astype(np.int32)
    return data, Out(counts, np.zeros(64, np.int32))


def _apart(seeded: Seeded) -> tuple[Argument, ...]:
    data, before = seeded.ints(N, 1000), seeded.ints(8 * N, 1000)
    after = before.copy()
    after[::8] += data
    return data, Out(after, before), Out(before[::8].copy()), np.int32(8)


def _kinds(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.words(N).view(np.int32)
    before = np.repeat(np.array([-(2**31), 2**31 - 1, 0, 0], np.int32), 8)
    after = before.copy()
    at = data & 7
    np.maximum.at(after, at, data)
    np.minimum.at(after, at + 8, data)
    np.bitwise_xor.at(after, at + 16, data)
    np.bitwise_or.at(after, at + 24, (np.uint32(1) << (data & 31).astype(np.uint32)).view(np.int32))
    return data, Out(after, before)


def _float(seeded: Seeded) -> tuple[Argument, ...]:
    data, where = seeded.floats(N), seeded.ints(N, 16)
    sums = np.zeros(16)
    np.add.at(sums, where, data.astype(np.float64))
    return data, where, Out(sums.astype(np.float32), np.zeros(16, np.float32))


def _swap(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.ints(N, 1000)
    words = np.ones(64, np.uint32)
    np.multiply.at(words, np.arange(N) & 63, (2 * data + 1).astype(np.uint32))
    return data, Out(words, np.ones(64, np.uint32))


def _case(name: str, teaches: str, make: Make, **more: Any) -> Case:
    return Case(
        name=name,
        source="atomics",
        kernel=name,
        grid=(8,),
        block=(256,),
        teaches=teaches,
        make=make,
        **more,
    )


CASES: tuple[Case, ...] = (
    _case("histogram_shared", "Counts in shared memory, then one global atomic a bin.", _histogram),
    _case("histogram_global", "Every count is a global atomic.", _histogram),
    _case("atomic_apart", "The old value is wanted, and every lane has a sector of its own.", _apart),
    _case("atomic_kinds", "Maximum, minimum, exclusive or, or: their results need no order.", _kinds),
    _case(
        "atomic_float",
        "Floats added in an order that nobody promises: right to a tolerance.",
        _float,
        tolerance=1e-5,
    ),
    _case(
        "compare_and_swap",
        "A product by compare-and-swap: lanes that lose try again.",
        _swap,
        uncounted="how often a thread has to try again depends on when the others come",
    ),
)
