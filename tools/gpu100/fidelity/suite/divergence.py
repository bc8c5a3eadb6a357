"""Lanes of one warp that go different ways."""

from __future__ import annotations

import numpy as np

from gpu100.fidelity.case import Argument, Case, Make, Out, Seeded, Values

N = 2048
TURNS = 24


def _churn(value: Values, turns: Values, factor: int) -> Values:
    value = value.copy()
    for turn in range(int(turns.max())):
        on = turn < turns
        value[on] = value[on] * np.uint32(factor) + (value[on] >> np.uint32(7))
    return value


def _two_ways(seeded: Seeded, first: Values) -> tuple[Argument, ...]:
    data, turns = seeded.words(N), np.full(N, TURNS)
    other = _churn(data ^ np.uint32(0x5BD1E995), turns, 22695477)
    return data, Out(np.where(first, _churn(data, turns, 1664525), other)), np.int32(TURNS)


def _odd_even(seeded: Seeded) -> tuple[Argument, ...]:
    return _two_ways(seeded, np.arange(N) % 2 == 0)


def _by_warp(seeded: Seeded) -> tuple[Argument, ...]:
    return _two_ways(seeded, np.arange(N) // 32 % 2 == 0)


def _ragged(seeded: Seeded) -> tuple[Argument, ...]:
    data, turns = seeded.words(N), seeded.ints(N, 64)
    return data, turns, Out(_churn(data, turns, 1664525))


def _collatz(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.ints(1024, 2000, start=1)
    value, steps = data.astype(np.int64), np.zeros(1024, np.int32)
    while (on := value != 1).any():
        value = np.where(on, np.where(value % 2 == 1, 3 * value + 1, value // 2), value)
        steps += on.astype(np.int32)
    return data, Out(steps)


def _mandelbrot(_: Seeded) -> tuple[Argument, ...]:
    size, most = 96, 60
    cell = np.arange(size, dtype=np.float32) * np.float32(0.03125)
    cr, ci = np.meshgrid(cell - np.float32(2), cell - np.float32(1.5))
    zr, zi = np.zeros_like(cr), np.zeros_like(ci)
    turns, on = np.zeros(cr.shape, np.int32), np.ones(cr.shape, bool)
    for _turn in range(most):
        rr, ii = zr * zr, zi * zi
        on &= ~(rr + ii > np.float32(4))
        zr, zi = np.where(on, rr - ii + cr, zr), np.where(on, np.float32(2) * zr * zi + ci, zi)
        turns += on.astype(np.int32)
    return Out(turns), np.int32(size), np.int32(most)


def _four_ways(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.words(N).view(np.int32)
    value, i = data.copy(), np.arange(N, dtype=np.int32)
    for turn in range(8):
        way = (value >> np.int32(turn)) & np.int32(3)
        third = np.trunc(value / 3.0).astype(np.int32)  # C rounds to zero; a double holds it exactly
        ways = [value * np.int32(5) + np.int32(1), (value ^ np.int32(0x2F0B4C47)) - np.int32(turn), third + i, -value]
        value = np.choose(way, ways).astype(np.int32)
    return data, Out(value), np.int32(8)


def _case(name: str, teaches: str, make: Make, grid: tuple[int, ...], block: tuple[int, ...]) -> Case:
    return Case(name=name, source="divergence", kernel=name, grid=grid, block=block, teaches=teaches, make=make)


CASES: tuple[Case, ...] = (
    _case("odd_even", "Odd and even lanes take turns: half a warp works.", _odd_even, (16,), (128,)),
    _case("by_warp", "The same branch where a warp's lanes agree: whole warps work.", _by_warp, (16,), (128,)),
    _case("ragged_loop", "A loop lasts as long as its warp's longest lane.", _ragged, (16,), (128,)),
    _case("collatz", "A loop whose length nobody knows beforehand.", _collatz, (8,), (128,)),
    _case("mandelbrot", "Neighbors that need different numbers of turns.", _mandelbrot, (6, 6), (16, 16)),
    _case("four_ways", "A switch inside a loop: up to four arms for each turn.", _four_ways, (16,), (128,)),
)
