"""Fused multiply-add: one rounding, which NumPy has no function for."""

from __future__ import annotations

import numpy as np

from gpu100.device.simt.decode.arithmetic import exact
from gpu100.device.simt.decode.arithmetic.rounding import Booleans, Lanes, narrowed, step, to_odd, two_sum

_TINY = np.float32(2.0**-126)
_SPLIT = np.float64(2.0**27 + 1)
_LARGE = np.float64(2.0**900)
_SMALL = np.float64(2.0**-900)


def fma32(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """``a * b + c`` in ``f32``.

    In ``f64`` the product is exact, so only the sum can round before the conversion rounds again.
    That goes wrong only where the sum looks like a tie between two ``f32``.
    """
    product = a.astype(np.float64) * b.astype(np.float64)
    addend = c.astype(np.float64)
    total = product + addend
    result: Lanes = np.asarray(total.astype(np.float32))
    # Among normal numbers a tie has bit 28 alone of the 29 that f32 lacks; closer to zero any may be one.
    low = np.asarray(total).view(np.int64) & 0x1FFFFFFF
    tie: Booleans = low == 0x10000000
    size = np.abs(result)
    if not size.min() >= _TINY:
        tie |= ~(size >= _TINY) & (total != 0) & (total == total)
    if tie.any():
        _repair(result, tie, product, addend)
    return result


def _repair(result: Lanes, where: Booleans, product: Lanes, addend: Lanes) -> None:
    """Round the lanes in ``where`` again, with what the sum lost."""
    index = np.flatnonzero(where)
    product = np.broadcast_to(product, result.shape)[index]
    addend = np.broadcast_to(addend, result.shape)[index]
    result[index] = to_odd(*two_sum(product, addend)).astype(np.float32)


def fma_odd(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """``a * b + c`` of ``f32`` lanes as ``f64`` rounded to odd, to be narrowed once."""
    product = np.asarray(a.astype(np.float64) * b.astype(np.float64))
    return to_odd(*two_sum(product, c.astype(np.float64)))


def fma32_directed(a: Lanes, b: Lanes, c: Lanes, mode: str) -> Lanes:
    """``a * b + c`` in ``f32``, rounded up, down or towards zero."""
    result = narrowed(fma_odd(a, b, c), mode)
    if mode != "rm":
        return result
    product = a.astype(np.float64) * b.astype(np.float64)
    # Rounding down, what cancels is -0; only +0 and +0 make +0.
    cancelled = (result == 0) & (product == -c) & (np.signbit(product) != np.signbit(c))
    return np.where(cancelled, np.float32(-0.0), result)


def add_directed(a: Lanes, b: Lanes, mode: str) -> Lanes:
    """``a + b`` rounded up, down or towards zero."""
    return (fma64_directed if a.dtype == np.float64 else fma32_directed)(a, np.ones(1, a.dtype), b, mode)


def sub_directed(a: Lanes, b: Lanes, mode: str) -> Lanes:
    """``a - b`` rounded up, down or towards zero."""
    return add_directed(a, np.negative(b), mode)


def mul_directed(a: Lanes, b: Lanes, mode: str) -> Lanes:
    """``a * b`` rounded up, down or towards zero."""
    if a.dtype == np.float64:
        return exact.directed("mul", mode, a, b)
    return narrowed(a.astype(np.float64) * b.astype(np.float64), mode)


def div_directed(a: Lanes, b: Lanes, mode: str) -> Lanes:
    """``a / b`` rounded up, down or towards zero."""
    if a.dtype == np.float64:
        return exact.directed("div", mode, a, b)
    nearest = np.asarray(a / b)
    back = nearest.astype(np.float64) * b.astype(np.float64)
    more, less = a.astype(np.float64) > back, a.astype(np.float64) < back
    positive = b > 0
    above, below = np.where(positive, more, less), np.where(positive, less, more)
    # An infinite quotient of numbers is an overflow, unless it is one by zero.
    overflow = np.isinf(nearest) & np.isfinite(a) & (b != 0)
    above, below = above & ~np.isinf(nearest), below & ~np.isinf(nearest)
    return step(nearest, above | (overflow & (nearest < 0)), below | (overflow & (nearest > 0)), mode)


def sqrt_directed(a: Lanes, mode: str) -> Lanes:
    """The square root, rounded up, down or towards zero."""
    if a.dtype == np.float64:
        return exact.directed("sqrt", mode, a)
    nearest = np.asarray(np.sqrt(a))
    square = nearest.astype(np.float64) * nearest.astype(np.float64)
    return step(nearest, square < a, square > a, mode)


def fma64(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """``a * b + c`` in ``f64``, through sums and products without error (Boldo and Melquiond).

    Lanes whose parts could leave the range of exponents are computed one by one.
    """
    product = np.asarray(a * b)
    size = np.abs(product)
    safe = (size > _SMALL) & (size < _LARGE) & (np.abs(c) < _LARGE) & (np.abs(a) < _LARGE) & (np.abs(b) < _LARGE)
    upper, lower = two_sum(np.asarray(c), _lost(a, b, product))
    total, rest = two_sum(product, upper)
    result: Lanes = total + to_odd(*two_sum(rest, lower))
    if not safe.all():
        _one_by_one(result, ~safe, a, b, c)
    return result


def _one_by_one(result: Lanes, where: Booleans, a: Lanes, b: Lanes, c: Lanes) -> None:
    index = np.flatnonzero(where)
    a, b, c = (np.broadcast_to(value, result.shape)[index] for value in (a, b, c))
    result[index] = exact.fma(a, b, c)


def fma64_directed(a: Lanes, b: Lanes, c: Lanes, mode: str) -> Lanes:
    """``a * b + c`` in ``f64``, rounded up, down or towards zero."""
    return exact.directed("fma", mode, a, b, c)


def _lost(a: Lanes, b: Lanes, product: Lanes) -> Lanes:
    """``a * b - product``, exactly (Dekker)."""
    a_high, b_high = _upper_half(a), _upper_half(b)
    a_low, b_low = a - a_high, b - b_high
    lost: Lanes = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
    return lost


def _upper_half(value: Lanes) -> Lanes:
    scaled = value * _SPLIT
    half: Lanes = scaled - (scaled - value)
    return half
