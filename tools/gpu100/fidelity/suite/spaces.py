"""Local arrays and constants."""

from __future__ import annotations

import numpy as np

from gpu100.fidelity.case import Argument, Case, Make, Out, Seeded

N = 2048
WEIGHTS = np.array(
    [
        *(0.5, 0.25, -1, 2, 0.125, -0.5, 3, 1.5, -2, 0.75, 1, -0.25, 4, -3, 0.375, 2.5),
        *(-1.5, 5, 0, -4, 1.25, 6, -0.75, 8, 0.625, -6, 1.75, -8, 0.875, 7, -7, 9),
    ],
    np.float32,
)
"""The kernels' own constants."""


def _uniform(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.floats(N)
    total = np.zeros(N, np.float32)
    for weight in WEIGHTS:
        total = total + weight * data
    return data, Out(total), np.int32(32)


def _by_lane(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.floats(N)
    return data, Out(data * WEIGHTS[(np.arange(N) + 5) & 31]), np.int32(5)


def _lookup(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.ints(N, 1 << 20)
    k = np.arange(64, dtype=np.int32)
    table = (data[:, None] * (k + np.int32(1))) ^ k
    rows = np.arange(N)
    return data, Out(table[rows, data & 63] + table[rows, (data >> 6) & 63])


def _sort(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.ints(8 * N, 1000)
    return data, Out(np.sort(data.reshape(N, 8), axis=1).ravel())


def _case(name: str, teaches: str, make: Make) -> Case:
    return Case(name=name, source="spaces", kernel=name, grid=(16,), block=(128,), teaches=teaches, make=make)


CASES: tuple[Case, ...] = (
    _case("constant_uniform", "All lanes read one constant at a time: no global load but the input's.", _uniform),
    _case("constant_by_lane", "Each lane another constant: still no global load.", _by_lane),
    _case("local_lookup", "A thread's own table with an index that only the run knows: local memory.", _lookup),
    _case("local_sort", "Sorting a thread's own eight numbers in local memory.", _sort),
)
