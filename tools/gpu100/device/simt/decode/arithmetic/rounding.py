"""Rounding once: exact sums, rounding to odd and directed rounding.

A result that is first rounded to odd with at least two bits more than wanted can be rounded to its
final width in any mode, and is then right: an inexact value never looks like a tie or like exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Lanes = NDArray[Any]
Booleans = NDArray[np.bool_]

UNSIGNED: dict[Any, Any] = {
    np.dtype(np.float16): np.uint16,
    np.dtype(np.float32): np.uint32,
    np.dtype(np.float64): np.uint64,
}
"""The unsigned type that has a float's bits."""


def two_sum(a: Lanes, b: Lanes) -> tuple[Lanes, Lanes]:
    """``a + b`` rounded, and what the rounding lost, exactly (Knuth)."""
    total = a + b
    of_b = total - a
    return total, (a - (total - of_b)) + (b - of_b)


def to_odd(value: Lanes, lost: Lanes) -> Lanes:
    """``value + lost``, of which ``value`` is the nearest, rounded to odd.

    An inexact value whose last bit is even is moved by one place, towards what it lost.
    """
    if not lost.any():
        return value
    size = value.dtype.itemsize
    bits = value.view(f"i{size}")
    # +1 for away from zero, where both have one sign, else -1.
    place = ((bits ^ lost.view(bits.dtype)) >> 8 * size - 1) | 1
    # Not where the value is infinite or a NaN: what it lost is then a NaN.
    moved: Lanes = place * (~bits & 1) * (np.abs(lost) > 0) + bits
    return moved.view(value.dtype)


def step(nearest: Lanes, above: Booleans, below: Booleans, mode: str) -> Lanes:
    """The directed rounding of a value that is above or below its ``nearest``, or that itself."""
    infinity = nearest.dtype.type(np.inf)
    if mode == "rp":
        return np.where(above, np.nextafter(nearest, infinity), nearest)
    if mode == "rm":
        return np.where(below, np.nextafter(nearest, -infinity), nearest)
    too_far = (below & (nearest > 0)) | (above & (nearest < 0))
    return np.where(too_far, np.nextafter(nearest, nearest.dtype.type(0)), nearest)


def narrowed(value: Lanes, mode: str = "rn") -> Lanes:
    """An ``f64`` as ``f32``."""
    return _narrow(value, np.float32, mode)


def to_f16(value: Lanes, mode: str = "rn") -> Lanes:
    """An ``f32`` or ``f64`` as ``f16``; a NaN becomes 0x7FFF, as that of an ``f32`` does on a GPU."""
    result = _narrow(value, np.float16, mode)
    nan = value != value
    if nan.any():
        return np.where(nan, np.uint16(0x7FFF).view(np.float16), result)
    return result


def _narrow(value: Lanes, dtype: type[np.floating[Any]], mode: str) -> Lanes:
    nearest: Lanes = np.asarray(value.astype(dtype))
    if mode == "rn":
        return nearest
    back = nearest.astype(value.dtype)
    return step(nearest, value > back, value < back, mode)


def from_bf16(bits: Lanes) -> Lanes:
    """``bf16`` as ``f32``, of which it is the upper half."""
    widened: Lanes = np.asarray(bits.astype(np.uint32) << np.uint32(16))
    return widened.view(np.float32)


def to_bf16(value: Lanes, mode: str = "rn") -> Lanes:
    """An ``f32`` or ``f64`` as ``bf16``; a NaN becomes 0x7FFF, as that of an ``f32`` does on a GPU."""
    if value.dtype == np.float64:
        single: Lanes = np.asarray(value.astype(np.float32))
        # The sign alone: what was lost may be too small for an f32.
        value = to_odd(single, np.sign(value - single).astype(np.float32))
    bits: Lanes = np.asarray(value).view(np.uint32)
    if mode == "rn":
        result = ((bits + (np.uint32(0x7FFF) + ((bits >> 16) & 1))) >> 16).astype(np.uint16)
    else:
        inexact = (bits & 0xFFFF) != 0
        negative = bits >> 31 == 1
        outward = inexact & (negative if mode == "rm" else ~negative) if mode != "rz" else np.bool_(False)
        result = ((bits >> 16) + outward).astype(np.uint16)
    nan = value != value
    return np.asarray(np.where(nan, np.uint16(0x7FFF), result) if nan.any() else result)
