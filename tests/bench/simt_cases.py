"""Launches by which the SIMT model is timed, each checked before a time of it counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Dim = tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """One launch: arrays and numbers as the kernel takes them."""

    kernel: str
    grid: Dim
    block: Dim
    args: tuple[Array | np.int32, ...]
    right: Callable[[list[Array]], bool]
    """Whether the arrays are what they should be, afterwards."""
    name: str = ""

    @property
    def title(self) -> str:
        return self.name or self.kernel


def large() -> list[Case]:
    """Launches of 16 K threads and more."""
    side = (16, 16)
    return [
        _vadd(4096),
        _grid_stride(256),
        _stride8(512),
        _odd_even(512),
        _transpose("transpose", 16),
        _transpose("transpose_padded", 16),
        _reduce_shuffle(256),
        _reduce_tree(1024),
        _matmul("matmul", 16, side),
        _matmul("matmul_tiled", 16, side),
        _histogram(64),
        _scan(1024),
        _stencil(32),
        _mandelbrot(16),
        _horner(256),
        _sort_local(64),
    ]


def small() -> list[Case]:
    """Launches of one block of 256 threads."""
    return [
        _vadd(1),
        _grid_stride(1, 1 << 14),
        _odd_even(1),
        _transpose("transpose", 1),
        _reduce_shuffle(1, 1 << 13),
        _reduce_tree(1),
        _matmul("matmul", 1, (16, 16), 16),
        _matmul("matmul_tiled", 1, (16, 16), 16),
        _histogram(1, 1 << 13),
        _scan(1),
        _mandelbrot(1),
        _horner(1),
        _sort_local(1),
    ]


def _floats(*shape: int) -> Array:
    return np.random.default_rng(7).random(shape, np.float32)


def _integers(count: int, top: int = 1000) -> Array:
    return np.random.default_rng(7).integers(0, top, count, np.int32)


def _vadd(blocks: int) -> Case:
    n = 256 * blocks
    a, b = _floats(n), _floats(n)[::-1].copy()
    args = (a, b, np.zeros_like(a), np.int32(n - 3 * (blocks > 1)))
    return Case("vadd", (blocks,), (256,), args, lambda r: np.array_equal(r[2][: n - 3], (a + b)[: n - 3]))


def _grid_stride(blocks: int, n: int = 1 << 20) -> Case:
    a = _floats(n)
    want = np.float32(2) * a + np.float32(1)
    return Case("grid_stride", (blocks,), (256,), (a, np.zeros_like(a), np.int32(n)), lambda r: _near(r[1], want))


def _stride8(blocks: int) -> Case:
    n = 256 * blocks
    a = _floats(n)
    want = a[np.arange(n) * 8 & (n - 1)]
    return Case("stride8", (blocks,), (256,), (a, np.zeros_like(a), np.int32(n)), lambda r: np.array_equal(r[1], want))


def _odd_even(blocks: int) -> Case:
    n = 256 * blocks
    a = _floats(n)
    want = a.astype(np.float64)
    for _ in range(32):
        want[1::2] = want[1::2] * 1.0001 + 0.5
        want[::2] = want[::2] * 0.9999 - 0.5
    return Case("odd_even", (blocks,), (256,), (a, np.zeros_like(a), np.int32(n)), lambda r: _near(r[1], want))


def _transpose(kernel: str, tiles: int) -> Case:
    n = 32 * tiles
    a = _floats(n, n)
    args = (a, np.zeros_like(a), np.int32(n))
    return Case(kernel, (tiles, tiles), (32, 8), args, lambda r: np.array_equal(r[1], a.T))


def _reduce_shuffle(blocks: int, n: int = 1 << 20) -> Case:
    a = _floats(n)
    args = (a, np.zeros(1, np.float32), np.int32(n))
    return Case("reduce_shuffle", (blocks,), (256,), args, lambda r: _near(r[1], a.sum(dtype=np.float64)))


def _reduce_tree(blocks: int) -> Case:
    n = 256 * blocks
    a = _floats(n)
    want = a.reshape(-1, 256).sum(axis=1, dtype=np.float64)
    args = (a, np.zeros(blocks, np.float32), np.int32(n))
    return Case("reduce_tree", (blocks,), (256,), args, lambda r: _near(r[1], want))


def _matmul(kernel: str, blocks: int, block: Dim, n: int = 256) -> Case:
    a, b = _floats(n, n), _floats(n, n).T.copy()
    args = (a, b, np.zeros_like(a), np.int32(n))
    return Case(kernel, (blocks, blocks), block, args, lambda r: _near(r[2], a @ b), f"{kernel} {n}^3")


def _histogram(blocks: int, n: int = 1 << 18) -> Case:
    values = _integers(n, 256)
    want = np.bincount(values, minlength=256)
    args = (values, np.zeros(256, np.int32), np.int32(n))
    return Case("histogram", (blocks,), (256,), args, lambda r: np.array_equal(r[1], want))


def _scan(blocks: int) -> Case:
    values = _integers(256 * blocks)
    want = values.reshape(-1, 256).cumsum(axis=1).ravel()
    args = (values, np.zeros_like(values), np.int32(len(values)))
    return Case("scan", (blocks,), (256,), args, lambda r: np.array_equal(r[1], want))


def _stencil(blocks: int) -> Case:
    n = 16 * blocks
    a = _floats(n, n)
    want = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1])
    args = (a, np.zeros_like(a), np.int32(n))
    return Case("stencil", (blocks, blocks), (16, 16), args, lambda r: _near(r[1][1:-1, 1:-1], want))


def _mandelbrot(blocks: int) -> Case:
    n = 16 * blocks
    args = (np.zeros((n, n), np.int32), np.int32(n), np.int32(200))
    return Case("mandelbrot", (blocks, blocks), (16, 16), args, lambda r: bool(r[0].max() == 200 and r[0].min() > 0))


def _horner(blocks: int) -> Case:
    x = _floats(256 * blocks).astype(np.float64)
    want = np.zeros_like(x)
    for _ in range(16):
        want = want * x + 0.25
    args = (x, np.zeros_like(x), np.int32(len(x)))
    return Case("horner", (blocks,), (256,), args, lambda r: _near(r[1], want), "horner, double")


def _sort_local(blocks: int) -> Case:
    values = _integers(8 * 256 * blocks)
    want = np.sort(values.reshape(-1, 8), axis=1).ravel()
    args = (values, np.zeros_like(values), np.int32(len(values)))
    return Case("sort_local", (blocks,), (256,), args, lambda r: np.array_equal(r[1], want), "sort, local array")


def _near(got: Array, want: Array) -> bool:
    return bool(np.allclose(got, want, rtol=1e-4, atol=1e-5))
