"""``e4m3`` and ``e5m2``: floats of eight bits, two to a register of sixteen."""

from __future__ import annotations

import numpy as np

from gpu100.device.simt.decode.arithmetic.rounding import Lanes

_NAN = 0x7F


def _values(exponent_bits: int, fraction_bits: int, largest: int) -> Lanes:
    """What the bit patterns without a sign stand for, up to the largest finite one."""
    patterns = np.arange(largest + 1)
    exponent, fraction = patterns >> fraction_bits, patterns & (1 << fraction_bits) - 1
    normal = exponent > 0
    bias = 2 ** (exponent_bits - 1) - 1
    values: Lanes = np.ldexp(fraction + (normal << fraction_bits), np.maximum(exponent, 1) - bias - fraction_bits)
    return values


_FINITE = {"e4m3x2": _values(4, 3, 0x7E), "e5m2x2": _values(5, 2, 0x7B)}
_BETWEEN = {name: (values[1:] + values[:-1]) / 2 for name, values in _FINITE.items()}


def _decoded(name: str) -> Lanes:
    """All 256 patterns as bits of ``f16``."""
    half = np.full(128, np.nan, np.float16)
    finite = _FINITE[name]
    half[: len(finite)] = finite
    if name == "e5m2x2":
        half[len(finite)] = np.inf
    bits = half.view(np.uint16)
    bits[np.isnan(half)] = 0x7FFF
    return np.concatenate([bits, np.where(np.isnan(half), bits, bits | 0x8000)])


_AS_HALF = {name: _decoded(name) for name in _FINITE}


def to_fp8(high: Lanes, low: Lanes, name: str) -> Lanes:
    """Two floats to nearest, at most the largest finite number."""
    packed: Lanes = _encoded(high, name) << np.uint16(8) | _encoded(low, name)
    return np.atleast_1d(packed)


def _encoded(value: Lanes, name: str) -> Lanes:
    size, between = np.abs(value), _BETWEEN[name]
    index = np.searchsorted(between, size)
    tie = size == between[np.minimum(index, len(between) - 1)]
    # Of two neighbours at one distance the even one: searchsorted has taken the lower.
    rounded = index + (tie & (index & 1 == 1) & (index < len(between)))
    coded = np.where(np.isnan(value), _NAN, rounded | np.signbit(value) * 128)
    return coded.astype(np.uint16)


def from_fp8(packed: Lanes, name: str) -> Lanes:
    """Two floats of eight bits as two ``f16`` in a register."""
    table = _AS_HALF[name]
    low, high = table.take(packed & 0xFF), table.take(packed >> 8)
    both: Lanes = low.astype(np.uint32) | high.astype(np.uint32) << np.uint32(16)
    return np.atleast_1d(both)
