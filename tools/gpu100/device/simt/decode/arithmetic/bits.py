"""Bits counted, found, moved and reversed."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu100.device.simt.decode.arithmetic.rounding import Lanes

_REVERSED = np.array([int(f"{byte:08b}"[::-1], 2) for byte in range(256)], np.uint8)
_ALL = np.uint32(0xFFFFFFFF)


def join(*parts: Lanes) -> Lanes:
    """The bits of parts as one register, the first lowest."""
    size = parts[0].dtype.itemsize
    dtype = np.dtype(f"u{size * len(parts)}").type
    first, *rest = (part.view(f"u{size}").astype(dtype) for part in parts)
    for index, other in enumerate(rest, 1):
        first = first | (other << dtype(8 * size * index))
    return np.atleast_1d(first)


def part(whole: Lanes, index: int, dtype: type[np.unsignedinteger[Any]]) -> Lanes:
    """One part of a register."""
    bits = 8 * np.dtype(dtype).itemsize
    return (whole >> bits * index if index else whole).astype(dtype)


def halves(value: Lanes, dtype: type[np.generic]) -> Lanes:
    """A register of 32 bits as two columns of 16, the lower half first."""
    return np.ascontiguousarray(value).view(dtype).reshape(-1, 2)


def whole(columns: Lanes) -> Lanes:
    """Two columns of 16 bits as registers of 32."""
    return np.ascontiguousarray(columns).view(np.uint32).reshape(-1)


def popc(value: Lanes) -> Lanes:
    """How many bits are set."""
    return np.bitwise_count(value).astype(np.uint32)


def clz(value: Lanes) -> Lanes:
    """How many zeros come before the highest bit that is set; the width where none is."""
    return np.uint32(8 * value.dtype.itemsize - 1) - bfind(value)


def bfind(value: Lanes) -> Lanes:
    """Where the highest bit is that differs from the sign, or that is set; all ones where none is."""
    if value.dtype.kind == "i":
        value = (value ^ (value >> 8 * value.dtype.itemsize - 1)).astype(f"u{value.dtype.itemsize}")
    # Without the bit below its highest one, a number cannot be rounded up to a power of two.
    alone = np.asarray((value & ~(value >> 1)).astype(np.float64))
    found = (alone.view(np.int64) >> 52) - 1023
    return np.asarray(np.maximum(found, -1).astype(np.uint32))


def bfind_shift(value: Lanes) -> Lanes:
    """How far to shift left until that bit is the highest; all ones where there is none."""
    found = bfind(value)
    return np.where(found == _ALL, _ALL, np.uint32(8 * value.dtype.itemsize - 1) - found)


def brev(value: Lanes) -> Lanes:
    """The bits in reverse."""
    value = np.ascontiguousarray(value)
    return _REVERSED.take(value.view(np.uint8)).view(value.dtype).byteswap()


def bfe(value: Lanes, start: Lanes, length: Lanes) -> Lanes:
    """A field of bits; in signed lanes filled with its highest bit that is in the register."""
    bits = 8 * value.dtype.itemsize
    word = np.dtype(f"u{value.dtype.itemsize}").type
    start, length = _place(start, bits).astype(word), _place(length, bits).astype(word)
    plain = value.astype(word)
    mask = _mask(length)
    field = (plain >> start) & mask
    if value.dtype.kind == "u":
        return field
    top = np.minimum(np.maximum(start + length, word(1)) - word(1), word(bits - 1))
    filled = np.negative((plain >> top) & word(1)) & ~(mask & (~word(0) >> start))
    return np.asarray(np.where(length == 0, word(0), field | filled).astype(value.dtype))


def bfi(field: Lanes, into: Lanes, start: Lanes, length: Lanes) -> Lanes:
    """``into`` with a field of bits replaced; what would lie above the register is dropped."""
    word = field.dtype.type
    bits = 8 * field.dtype.itemsize
    start, length = _place(start, bits).astype(word), _place(length, bits).astype(word)
    mask = _mask(length) << start
    replaced: Lanes = (into & ~mask) | ((field << start) & mask)
    return replaced


def _place(given: Lanes, bits: int) -> Lanes:
    """PTX allows up to 255; beyond that a GPU drops the upper bits of one for 32 bits alone."""
    place: Lanes = given & 0xFF if bits == 32 else np.minimum(given, 0xFF)
    return place


def _mask(length: Lanes) -> Lanes:
    """That many ones; NumPy shifts a one out altogether where the width is reached."""
    word = length.dtype.type
    ones: Lanes = np.left_shift(word(1), length) + ~word(0)
    return ones


def bmsk_clamp(start: Lanes, length: Lanes) -> Lanes:
    """``length`` ones from bit ``start`` up."""
    ones: Lanes = _mask(length) << start
    return ones


def bmsk_wrap(start: Lanes, length: Lanes) -> Lanes:
    """The same with both taken modulo 32."""
    return bmsk_clamp(start & 31, length & 31)


def fns(mask: Lanes, base: Lanes, offset: Lanes) -> Lanes:
    """The place of the n-th bit that is set, counted up or down from ``base``; all ones if none is."""
    mask, base, offset = np.broadcast_arrays(*(np.atleast_1d(value) for value in (mask, base, offset)))
    found = np.where((offset == 0) & ((mask >> base & 1) == 1), base, _ALL)
    place, left = base.astype(np.int64), np.abs(offset.astype(np.int64))
    towards = np.sign(offset).astype(np.int64)
    for _ in range(32):
        inside = (place >= 0) & (place < 32) & (left > 0)
        hit = inside & ((mask >> np.clip(place, 0, 31).astype(np.uint32) & 1) == 1)
        left = left - hit
        found = np.where(hit & (left == 0), place.astype(np.uint32), found)
        place = place + towards
    return found
