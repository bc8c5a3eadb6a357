"""Between integers and floats."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu100.device.simt.decode.arithmetic.rounding import Lanes, narrowed, step, to_bf16, to_f16, to_odd, two_sum


def rni(value: Lanes) -> Lanes:
    """To the nearest integer, ties to even."""
    return np.rint(value)


def rzi(value: Lanes) -> Lanes:
    """Towards zero."""
    return np.trunc(value)


def rmi(value: Lanes) -> Lanes:
    """Down."""
    return np.floor(value)


def rpi(value: Lanes) -> Lanes:
    """Up."""
    return np.ceil(value)


_WHOLE = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}


def to_integer(value: Lanes, dtype: type[np.integer[Any]], mode: str, *, nan_is_zero: bool) -> Lanes:
    """A float as integer, held at the ends of the range; a NaN is 0 or the highest bit alone."""
    whole = _WHOLE[mode](value)
    range = np.iinfo(dtype)
    # Both are powers of two, or 0, and so exact in every float type but f16, which is widened before.
    low, high = value.dtype.type(range.min), value.dtype.type(2.0 ** (range.bits - (range.min < 0)))
    inside = (whole >= low) & (whole < high)
    result = whole.astype(dtype)
    if inside.all():
        return result
    result = np.where(inside, result, np.where(whole >= high, dtype(range.max), dtype(range.min)))
    nan = dtype(0) if nan_is_zero else dtype(range.min if range.min else 1 << (range.bits - 1))
    return np.where(np.isnan(value), nan, result)


def _exactly(value: Lanes) -> tuple[Lanes, Lanes]:
    """An integer as the nearest ``f64`` and what that lost."""
    if value.dtype.itemsize < 8:
        exact: Lanes = np.asarray(value.astype(np.float64))
        return exact, np.zeros_like(exact)
    upper = np.asarray((value >> 32).astype(np.float64)) * 2.0**32
    return two_sum(upper, (value & 0xFFFFFFFF).astype(np.float64))


def f64_from_integer(value: Lanes, mode: str) -> Lanes:
    """An integer as ``f64``."""
    if mode == "rn":
        return value.astype(np.float64)
    nearest, lost = _exactly(value)
    return step(nearest, lost > 0, lost < 0, mode)


def f32_from_integer(value: Lanes, mode: str) -> Lanes:
    """An integer as ``f32``."""
    if mode == "rn":
        return value.astype(np.float32)
    return narrowed(to_odd(*_exactly(value)), mode)


def f16_from_integer(value: Lanes, mode: str) -> Lanes:
    """An integer as ``f16``."""
    return to_f16(to_odd(*_exactly(value)), mode)


def bf16_from_integer(value: Lanes, mode: str) -> Lanes:
    """An integer as ``bf16``."""
    return to_bf16(to_odd(*_exactly(value)), mode)
