"""Shared memory, eight and sixteen bytes for each lane: how a warp's request is cut."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from gpu100.fidelity.case import Argument, Case, Make, Out, Seeded, Values
from gpu100.fidelity.suite.shared import anywhere, in_order, shuffled

N = 128
T = np.arange(N, dtype=np.int32)
Choose = Callable[[Seeded], Values]


def _double(seeded: Seeded, *, choose: Choose) -> tuple[Argument, ...]:
    data, at = seeded.doubles(N), choose(seeded)
    return data, at, Out(data[at])


def _double_some(seeded: Seeded, *, choose: Choose) -> tuple[Argument, ...]:
    data, at = seeded.doubles(N), choose(seeded)
    return data, at, Out(np.where(at < 0, 0.0, data[at]))


def _double_scatter(seeded: Seeded, *, choose: Choose) -> tuple[Argument, ...]:
    data, at = seeded.doubles(N), choose(seeded)
    result = np.empty_like(data)
    result[at] = data
    return data, at, Out(result)


def _quad(seeded: Seeded, *, choose: Choose) -> tuple[Argument, ...]:
    data, at = seeded.floats(4 * N).reshape(N, 4), choose(seeded)
    return data, at, Out(data[at])


def _quad_scatter(seeded: Seeded, *, choose: Choose) -> tuple[Argument, ...]:
    data, at = seeded.floats(4 * N).reshape(N, 4), choose(seeded)
    result = np.empty_like(data)
    result[at] = data
    return data, at, Out(result)


def _rule(at: Values) -> Choose:
    return lambda _: at.astype(np.int32)


def _half_alike(_: Seeded) -> Values:
    first = T % 32 < 16
    return (T // 32 * 32 + np.where(first, T % 32 // 2, T % 32)).astype(np.int32)


def _shuffled_in_warps(seeded: Seeded) -> Values:
    """Each warp its own 32 elements, in random order."""
    return np.concatenate([seeded.order(32) + np.int32(32 * warp) for warp in range(N // 32)]).astype(np.int32)


def _case(name: str, kernel: str, teaches: str, make: Make, size: int) -> Case:
    return Case(
        name=name,
        source="shared",
        kernel=kernel,
        grid=(1,),
        block=(N,),
        teaches=teaches,
        make=make,
        shared_bytes=size * N,
    )


_DOUBLES: tuple[tuple[str, str, Choose], ...] = (
    ("in_order", "256 bytes in order: two wavefronts, half a warp each.", in_order),
    ("halves_alike", "Both halves of a warp read the same 16 elements.", _rule(T // 32 * 32 + T % 16)),
    ("neighbors_alike", "Two neighboring lanes read the same element.", _rule(T // 32 * 32 + T % 32 // 2)),
    ("second_neighbors_alike", "Lanes two apart read the same element.", _rule(T // 4 * 2 + T % 2)),
    ("fourth_neighbors_alike", "Lanes four apart read the same element.", _rule(T // 8 * 4 + T % 4)),
    ("first_half_alike", "Neighbors read the same element, but only in the first half of a warp.", _half_alike),
    ("all_alike", "A warp reads one element.", _rule(T // 32)),
    ("step_2", "Every second element: conflicts inside each half.", _rule(2 * T % N + 2 * T // N)),
    ("step_16", "Every sixteenth element: all in two banks.", _rule(16 * T % N + 16 * T // N)),
    ("shuffled_in_warps", "A warp's own elements in random order.", _shuffled_in_warps),
    ("shuffled", "All elements in random order.", shuffled),
    ("anywhere", "At random; some elements more than once.", anywhere),
)
_SOME: tuple[tuple[str, str, Choose], ...] = (
    ("even_lanes", "Only even lanes read, in order: each half has 8 lanes.", _rule(np.where(T % 2, -1, T))),
    ("first_half", "Only the first 16 lanes of a warp read.", _rule(np.where(T % 32 < 16, T, -1))),
    ("even_close", "Even lanes read 16 neighbors.", _rule(np.where(T % 2, -1, T // 32 * 32 + T % 32 // 2))),
)
_QUADS: tuple[tuple[str, str, Choose], ...] = (
    ("in_order", "512 bytes in order: four wavefronts, a quarter of a warp each.", in_order),
    ("quarters_alike", "All quarters of a warp read the same 8 elements.", _rule(T // 32 * 32 + T % 8)),
    ("neighbors_alike", "Two neighboring lanes read the same element.", _rule(T // 32 * 32 + T % 32 // 2)),
    ("second_neighbors_alike", "Lanes two apart read the same element.", _rule(T // 4 * 2 + T % 2)),
    ("fourth_neighbors_alike", "Lanes four apart read the same element.", _rule(T // 8 * 4 + T % 4)),
    ("first_half_alike", "Neighbors read the same element, but only in the first half of a warp.", _half_alike),
    ("all_alike", "A warp reads one element.", _rule(T // 32)),
    ("step_2", "Every second element: conflicts inside each quarter.", _rule(2 * T % N + 2 * T // N)),
    ("shuffled_in_warps", "A warp's own elements in random order.", _shuffled_in_warps),
    ("anywhere", "At random; some elements more than once.", anywhere),
)

CASES: tuple[Case, ...] = (
    *(
        _case(f"double_{name}", "shared_double", text, functools.partial(_double, choose=choose), 8)
        for name, text, choose in _DOUBLES
    ),
    *(
        _case(f"double_{name}", "shared_double_some", text, functools.partial(_double_some, choose=choose), 8)
        for name, text, choose in _SOME
    ),
    *(
        _case(f"float4_{name}", "shared_float4", text, functools.partial(_quad, choose=choose), 16)
        for name, text, choose in _QUADS
    ),
    _case(
        "double_store_shuffled",
        "shared_double_scatter",
        "The same cut for stores of eight bytes.",
        functools.partial(_double_scatter, choose=shuffled),
        8,
    ),
    _case(
        "float4_store_shuffled",
        "shared_float4_scatter",
        "The same cut for stores of sixteen bytes.",
        functools.partial(_quad_scatter, choose=_shuffled_in_warps),
        16,
    ),
)
