"""Shuffles, votes and matches."""

from __future__ import annotations

import numpy as np

from gpu100.fidelity.case import Argument, Case, Make, Out, Seeded, Values

N = 2048
LANES = np.arange(32)


def _reduce(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.floats(N)
    part = data.reshape(-1, 32)
    while part.shape[1] > 1:
        half = part.shape[1] // 2
        part = part[:, :half] + part[:, half:]
    return data, Out(part[:, 0].copy())


def _scan(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.ints(N, 1000)
    return data, Out(np.cumsum(data.reshape(-1, 32), axis=1, dtype=np.int32).ravel())


def _kinds(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.ints(N, 1_000_000)
    rows = data.reshape(-1, 32)
    asked = np.take_along_axis(rows, (rows & 31).astype(np.int64), axis=1)
    down = np.where(LANES % 4 < 2, LANES + 2, LANES)
    mixed = rows[:, LANES ^ 5]
    for other in (asked, rows[:, (LANES & ~7) + 3], rows[:, down]):
        mixed = mixed * np.int32(31) + other
    return data, Out(mixed.ravel())


def _bits(rows: Values) -> Values:
    """A word of each row's 32 truth values."""
    words: Values = (rows.astype(np.uint64) << LANES.astype(np.uint64)).sum(axis=1).astype(np.uint32)
    return words


def _votes(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.ints(N, 1000)
    rows = data.reshape(-1, 32)
    odd = rows & 1
    word = _bits(odd) ^ ((rows > 900).any(axis=1).astype(np.uint32) << np.uint32(1))
    word ^= (rows > 10).all(axis=1).astype(np.uint32) << np.uint32(2)
    before = (np.cumsum(odd, axis=1) - odd).astype(np.uint32)
    return data, Out((word[:, None] + before).view(np.int32).ravel())


def _matches(seeded: Seeded) -> tuple[Argument, ...]:
    # In every second warp all lanes agree on the thousands.
    data = seeded.ints(N, 1000) + np.where(np.arange(N) // 32 % 2 == 1, seeded.ints(N, 2) * 1000, 0).astype(np.int32)
    rows = data.reshape(-1, 32)
    rest = rows % 7
    alike = np.stack([_bits(rest == rest[:, [lane]]) for lane in LANES], axis=1)
    same = (rows // 1000 == rows[:, [0]] // 1000).all(axis=1).astype(np.uint32)[:, None]
    whole = same * np.uint32(0xFFFFFFFF)
    return data, Out((alike ^ (whole >> np.uint32(3)) ^ same).view(np.int32).ravel())


def _tiles(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.ints(N, 1000)
    return data, Out(data.reshape(-1, 16).sum(axis=1, dtype=np.int32))


def _case(name: str, teaches: str, make: Make) -> Case:
    return Case(name=name, source="warps", kernel=name, grid=(16,), block=(128,), teaches=teaches, make=make)


CASES: tuple[Case, ...] = (
    _case("shuffle_reduce", "A warp adds up by shuffles: no shared memory, one store.", _reduce),
    _case("shuffle_scan", "A warp's running sums.", _scan),
    _case("shuffle_kinds", "Every kind of shuffle, also within parts of a warp.", _kinds),
    _case("votes", "Ballot, any and all.", _votes),
    _case("matches", "Lanes find those with the same value.", _matches),
    _case("tile_reduce", "A cooperative group of 16 lanes: two sums a warp.", _tiles),
)
