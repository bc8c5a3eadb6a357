"""Blocks that work together through shared memory and barriers."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu100.fidelity.case import Argument, Case, Make, Out, Seeded, Values


def _interleaved(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.ints(8 * 256, 1000)
    return data, Out(data.reshape(8, 256).sum(axis=1, dtype=np.int32))


def _sequential(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.floats(8 * 256)
    part = data.reshape(8, 256)
    while part.shape[1] > 1:
        half = part.shape[1] // 2
        part = part[:, :half] + part[:, half:]
    return data, Out(part[:, 0].copy())


def _scan(seeded: Seeded, *, block: int = 256) -> tuple[Argument, ...]:
    data = seeded.ints(8 * block, 1000)
    return data, Out(np.cumsum(data.reshape(8, block), axis=1, dtype=np.int32).ravel())


def _scan_odd(seeded: Seeded) -> tuple[Argument, ...]:
    return _scan(seeded, block=80)


def _last_block(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.ints(16 * 128, 1000)
    partial = data.reshape(16, 128).sum(axis=1, dtype=np.int32)
    tickets = Out(np.array([16], np.uint32), np.zeros(1, np.uint32))
    return data, Out(partial), tickets, Out(partial.sum(dtype=np.int32, keepdims=True))


def _stencil_1d(seeded: Seeded) -> tuple[Argument, ...]:
    n = 16 * 128
    data = seeded.floats(n + 6)
    total = np.zeros(n, np.float32)
    for k in range(7):
        total += data[k : k + n]
    return data, Out(total)


def _stencil_2d(seeded: Seeded) -> tuple[Argument, ...]:
    cells = seeded.floats(66 * 66).reshape(66, 66)
    inner = cells[1:-1, 1:-1]
    around = (cells[:-2, 1:-1] + cells[2:, 1:-1]) + (cells[1:-1, :-2] + cells[1:-1, 2:])
    return cells, Out(np.float32(0.5) * inner + np.float32(0.125) * around), np.int32(64)


def _matmul(seeded: Seeded) -> tuple[Argument, ...]:
    a, b = (seeded.floats(64 * 64).reshape(64, 64) for _ in range(2))
    product: Values = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
    return a, b, Out(product), np.int32(64)


def _case(name: str, teaches: str, make: Make, grid: tuple[int, ...], block: tuple[int, ...], **more: Any) -> Case:
    named: dict[str, Any] = {"kernel": name} | more
    return Case(name=name, source="blocks", grid=grid, block=block, teaches=teaches, make=make, **named)


CASES: tuple[Case, ...] = (
    _case(
        "tree_interleaved",
        "A tree whose partners move apart: bank conflicts grow with every level.",
        _interleaved,
        (8,),
        (256,),
        shared_bytes=1024,
    ),
    _case(
        "tree_sequential",
        "A tree whose partners close up: no conflicts, and whole warps fall idle.",
        _sequential,
        (8,),
        (256,),
        shared_bytes=1024,
    ),
    _case("block_scan", "Running sums of a block between two rows.", _scan, (8,), (256,), shared_bytes=2048),
    _case(
        "block_scan_of_80",
        "The same with 80 threads, two and a half warps.",
        _scan_odd,
        (8,),
        (80,),
        kernel="block_scan",
        shared_bytes=640,
    ),
    _case("last_block", "The block that takes the last ticket adds up for all.", _last_block, (16,), (128,)),
    _case("stencil_1d", "A tile with three cells more on each side.", _stencil_1d, (16,), (128,)),
    _case("stencil_2d", "Tiles of 18 × 18 loaded by 256 threads.", _stencil_2d, (4, 4), (16, 16)),
    _case(
        "matmul_naive",
        "A thread per element: rows of b are shared by a warp's lanes, elements of a by half a warp.",
        _matmul,
        (4, 4),
        (16, 16),
        tolerance=1e-5,
    ),
    _case(
        "matmul_tiled",
        "Through two tiles of 16 × 16: what lies in a row of the first one, machine code may read four at a time.",
        _matmul,
        (4, 4),
        (16, 16),
        tolerance=1e-5,
    ),
)
