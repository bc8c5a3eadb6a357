"""Integer operations that NumPy has no operator for."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu100.device.simt.decode.arithmetic.rounding import Booleans, Lanes

_WIDER: dict[Any, Any] = {
    np.dtype(np.uint16): np.uint32,
    np.dtype(np.int16): np.int32,
    np.dtype(np.uint32): np.uint64,
    np.dtype(np.int32): np.int64,
}
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


def select(condition: Booleans, a: Lanes, b: Lanes) -> Lanes:
    """``a`` where the condition holds, else ``b``; both unsigned.

    Without a branch, unlike ``np.where``, which is six times slower where lanes differ at random.
    """
    mask = np.negative(condition.astype(a.dtype))
    chosen: Lanes = ((a ^ b) & mask) ^ b
    return chosen


def add_sat(a: Lanes, b: Lanes) -> Lanes:
    """``a + b`` of ``s32``, held at the ends of the range."""
    return saturated(np.add(a, b, dtype=np.int64), np.int32)


def sub_sat(a: Lanes, b: Lanes) -> Lanes:
    """``a - b`` of ``s32``, held at the ends of the range."""
    return saturated(np.subtract(a, b, dtype=np.int64), np.int32)


def saturated(value: Lanes, dtype: type[np.integer[Any]]) -> Lanes:
    """Integers in another type, held at the ends of its range."""
    to, source = np.iinfo(dtype), np.iinfo(value.dtype)
    return np.clip(value, max(to.min, source.min), min(to.max, source.max)).astype(dtype)


def mul_hi(a: Lanes, b: Lanes) -> Lanes:
    """The upper half of the product."""
    wider = _WIDER.get(a.dtype)
    if wider:
        return (np.multiply(a, b, dtype=wider) >> a.dtype.itemsize * 8).astype(a.dtype)
    if a.dtype == np.uint64:
        return _mul_hi64(a, b)
    upper = _mul_hi64(a.astype(np.uint64), b.astype(np.uint64)).astype(np.int64)
    # As unsigned numbers negative ones are 2**64 too large.
    corrected: Lanes = upper - (b & (a >> 63)) - (a & (b >> 63))
    return corrected


def _mul_hi64(a: Lanes, b: Lanes) -> Lanes:
    a_low, a_high, b_low, b_high = a & _LOW, a >> _HALF, b & _LOW, b >> _HALF
    middle = a_high * b_low + (a_low * b_low >> _HALF)
    other = a_low * b_high + (middle & _LOW)
    upper: Lanes = a_high * b_high + (middle >> _HALF) + (other >> _HALF)
    return upper


def mul24_lo(a: Lanes, b: Lanes) -> Lanes:
    """The lower 32 of the 48 bits that the lower 24 bits of each give."""
    return _product24(a, b).astype(a.dtype)


def mul24_hi(a: Lanes, b: Lanes) -> Lanes:
    """The upper 32 of those 48 bits."""
    return (_product24(a, b) >> 16).astype(a.dtype)


def _product24(a: Lanes, b: Lanes) -> Lanes:
    product: Lanes = np.multiply(a << 8 >> 8, b << 8 >> 8, dtype=_WIDER[a.dtype])
    return product


def div(a: Lanes, b: Lanes) -> Lanes:
    """The quotient, rounded towards zero; all ones where ``b`` is 0, as GPUs have it."""
    if a.dtype.itemsize <= 4:
        # The quotient in f64 is closer to the true one than that is to any other integer.
        quotient = (a / b.astype(np.float64)).astype(np.int64).astype(a.dtype)
        return _or_ones(quotient, b)
    if a.dtype == np.uint64:
        return _or_ones(a // np.where(b == 0, b.dtype.type(1), b), b)
    size = np.abs(a).view(np.uint64) // np.abs(np.where(b == 0, b.dtype.type(1), b)).view(np.uint64)
    negative = ((a ^ b) >> 63).view(np.uint64)
    return _or_ones(((size ^ negative) - negative).view(np.int64), b)


def rem(a: Lanes, b: Lanes) -> Lanes:
    """What :func:`div` leaves, with the sign of ``a``; all ones where ``b`` is 0."""
    return _or_ones(a - div(a, b) * b, b)


def _or_ones(value: Lanes, divisor: Lanes) -> Lanes:
    zero = divisor == 0
    return np.where(zero, ~value.dtype.type(0), value) if zero.any() else value


def distance(a: Lanes, b: Lanes) -> Lanes:
    """``|a - b|``, wrapped around like any difference."""
    return np.maximum(a, b) - np.minimum(a, b)


def dp4a(a: Lanes, b: Lanes) -> Lanes:
    """The sum of the products of four bytes each, as ``u32``."""
    return _dot((_field(a, index, 8) for index in range(4)), (_field(b, index, 8) for index in range(4)))


def dp2a_lo(a: Lanes, b: Lanes) -> Lanes:
    """Two halves of ``a`` times the lower two bytes of ``b``."""
    return _dot((_field(a, index, 16) for index in range(2)), (_field(b, index, 8) for index in range(2)))


def dp2a_hi(a: Lanes, b: Lanes) -> Lanes:
    """Two halves of ``a`` times the upper two bytes of ``b``."""
    return _dot((_field(a, index, 16) for index in range(2)), (_field(b, index, 8) for index in range(2, 4)))


def _field(value: Lanes, index: int, bits: int) -> Lanes:
    """One field, extended as the dtype's sign says, as ``u32``."""
    return (value << 32 - bits * (index + 1) >> 32 - bits).astype(np.uint32)


def _dot(a: Any, b: Any) -> Lanes:
    total: Lanes = sum((x * y for x, y in zip(a, b, strict=True)), np.zeros(1, np.uint32))
    return total
