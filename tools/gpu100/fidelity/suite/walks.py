"""The same data in another order."""

from __future__ import annotations

import numpy as np

from gpu100.fidelity.case import Argument, Case, Make, Out, Seeded, Values

WIDTH, HEIGHT = 64, 1024


def _added_up(table: Values) -> Values:
    """The sum of every row, added from left to right, as a thread does it."""
    total = np.zeros(len(table), np.float32)
    for column in range(table.shape[1]):
        total += table[:, column]
    return total


def _rows(seeded: Seeded) -> tuple[Argument, ...]:
    table = seeded.floats(WIDTH * HEIGHT).reshape(HEIGHT, WIDTH)
    return table, Out(_added_up(table)), np.int32(WIDTH)


def _columns(seeded: Seeded) -> tuple[Argument, ...]:
    table = seeded.floats(WIDTH * HEIGHT).reshape(WIDTH, HEIGHT)
    return table, Out(_added_up(table.T)), np.int32(HEIGHT), np.int32(WIDTH)


def _structs(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.floats(3 * 2048)
    return data, Out(data + np.float32(0.5)), np.float32(0.5)


def _arrays(seeded: Seeded) -> tuple[Argument, ...]:
    parts = [seeded.floats(2048) for _ in range(3)]
    return (*parts, *(Out(part + np.float32(0.5)) for part in parts), np.float32(0.5))


def _transpose(seeded: Seeded) -> tuple[Argument, ...]:
    table = seeded.floats(64 * 64).reshape(64, 64)
    return table, Out(table.T.copy()), np.int32(64)


def _case(name: str, teaches: str, make: Make, grid: tuple[int, ...], block: tuple[int, ...]) -> Case:
    return Case(name=name, source="walks", kernel=name, grid=grid, block=block, teaches=teaches, make=make)


CASES: tuple[Case, ...] = (
    _case(
        "sum_rows",
        "A thread per row: the lanes of a request are a row apart, each in a sector of its own.",
        _rows,
        (4,),
        (256,),
    ),
    _case("sum_columns", "A thread per column: the same sums from 4 sectors a request.", _columns, (4,), (256,)),
    _case("move_structs", "An array of structs of 12 bytes: each field costs 12 sectors.", _structs, (8,), (256,)),
    _case("move_arrays", "The same fields in arrays of their own: 4 sectors each.", _arrays, (8,), (256,)),
    _case("transpose_naive", "Rows in, columns out: the store has a sector per lane.", _transpose, (2, 2), (32, 32)),
    _case(
        "transpose_tile",
        "Through a 32 × 32 tile: 4 sectors both ways, but its columns lie in one bank, 32 wavefronts.",
        _transpose,
        (2, 2),
        (32, 32),
    ),
    _case(
        "transpose_padded",
        "Through a 32 × 33 tile: one wavefront for a row and one for a column.",
        _transpose,
        (2, 2),
        (32, 32),
    ),
)
