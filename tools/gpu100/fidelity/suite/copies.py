"""One element in, one element out."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from gpu100.fidelity.case import Argument, Case, Make, Out, Seeded

GRID, BLOCK = (16,), (256,)
N = 4096


def _plain(seeded: Seeded, *, per_thread: int = 1) -> tuple[Argument, ...]:
    data = seeded.floats(per_thread * N)
    return data, Out(data)


def _stride(seeded: Seeded, *, step: int) -> tuple[Argument, ...]:
    data = seeded.floats(N * step)
    return data, Out(data[::step].copy()), np.int32(step)


def _to_stride(seeded: Seeded, *, step: int) -> tuple[Argument, ...]:
    data, before = seeded.floats(N), seeded.floats(N * step)
    after = before.copy()
    after[::step] = data
    return data, Out(after, before), np.int32(step)


def _offset(seeded: Seeded, *, shift: int) -> tuple[Argument, ...]:
    data = seeded.floats(N + shift)
    return data, Out(data[shift:].copy()), np.int32(shift)


def _bytes(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.words(N).astype(np.uint8)
    return data, Out(data)


def _shorts(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.words(N + 3).astype(np.uint16).view(np.int16)
    return data, Out(data[3:].copy()), np.int32(3)


def _doubles(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.doubles(N)
    return data, Out(data)


def _broadcast(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.floats(N // 32)
    return data, Out(np.repeat(data, 32))


def _ragged(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.floats(1000)
    return data, Out(np.float32(2) * data), np.int32(1000)


def _grid_stride(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.floats(10_007)
    return data, Out(data + np.float32(1)), np.int32(10_007)


def _gather(seeded: Seeded) -> tuple[Argument, ...]:
    data, order = seeded.floats(N), seeded.order(N)
    return data, order, Out(data[order])


def _scatter(seeded: Seeded) -> tuple[Argument, ...]:
    data, order = seeded.floats(N), seeded.order(N)
    result = np.empty_like(data)
    result[order] = data
    return data, order, Out(result)


def _odd(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.floats(83 * 37)
    return data, Out(data * data), np.int32(83), np.int32(37)


def _case(name: str, kernel: str, teaches: str, make: Make, **more: Any) -> Case:
    launch = {"grid": GRID, "block": BLOCK} | more
    return Case(name=name, source="copies", kernel=kernel, teaches=teaches, make=make, **launch)


def _strides() -> tuple[Case, ...]:
    return tuple(
        _case(
            f"copy_stride_{step}",
            "copy_stride",
            f"A load of every {step}. float spreads a warp over {min(32, 4 * step)} sectors; the store stays at 4.",
            functools.partial(_stride, step=step),
        )
        for step in (2, 4, 8, 32)
    )


CASES: tuple[Case, ...] = (
    _case("copy_float", "copy_float", "Neighbors read neighbors: 4 sectors a request, all of them used.", _plain),
    *_strides(),
    _case(
        "copy_to_stride_8",
        "copy_to_stride",
        "A store with a step of 8 floats: each lane has a sector of its own.",
        functools.partial(_to_stride, step=8),
    ),
    _case(
        "copy_offset_1",
        "copy_offset",
        "One element off: every request touches a fifth sector.",
        functools.partial(_offset, shift=1),
    ),
    _case(
        "copy_offset_8",
        "copy_offset",
        "Off by a whole sector: still 4, since a sector is what is fetched, not a line.",
        functools.partial(_offset, shift=8),
    ),
    _case(
        "copy_float2",
        "copy_float2",
        "8 bytes a lane: one request, 8 sectors.",
        functools.partial(_plain, per_thread=2),
    ),
    _case(
        "copy_float4",
        "copy_float4",
        "16 bytes a lane: one request, 16 sectors.",
        functools.partial(_plain, per_thread=4),
    ),
    _case("copy_bytes", "copy_bytes", "One byte a lane: a warp fits into one sector.", _bytes),
    _case(
        "copy_shorts_offset_3", "copy_shorts", "Two bytes a lane, off by six bytes: 3 sectors instead of 2.", _shorts
    ),
    _case("copy_double", "copy_double", "8 bytes a lane: 8 sectors.", _doubles),
    _case("broadcast", "broadcast", "All lanes read one word: one sector.", _broadcast),
    _case(
        "ragged_tail",
        "ragged_tail",
        "1000 elements for 1024 threads: the last warp works with 8 lanes and reads one sector.",
        _ragged,
        grid=(4,),
    ),
    _case(
        "grid_stride",
        "grid_stride",
        "10,007 elements for blocks of 100 threads, whose last warp has 4 lanes.",
        _grid_stride,
        grid=(8,),
        block=(100,),
    ),
    _case("gather", "gather", "A load at random places: nearly as many sectors as lanes.", _gather),
    _case("scatter", "scatter", "A store at random places.", _scatter),
    _case(
        "odd_blocks",
        "odd_blocks",
        "Blocks of 10 × 5 threads: warps that span rows, and a picture that no block divides.",
        _odd,
        grid=(9, 8),
        block=(10, 5),
    ),
)
