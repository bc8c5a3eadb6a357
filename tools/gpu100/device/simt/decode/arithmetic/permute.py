"""``prmt``: four bytes chosen among the eight of two registers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpu100.device.simt.decode.arithmetic.rounding import Lanes


def prmt_index(a: Lanes, b: Lanes, selector: Lanes) -> Lanes:
    """Each four bits of the selector name a byte; the highest asks for its sign alone."""
    if selector.size == 1:
        return _by_constant(a, b, int(selector.item()))
    both = _both(a, b)
    result: Lanes = np.zeros(1, np.uint32)
    for place in range(4):
        choice = selector >> 4 * place
        byte = (both >> ((choice & 7) * np.uint32(8)).astype(np.uint64)).astype(np.uint32) & 0xFF
        sign = (byte >> 7) * np.uint32(0xFF)
        negative = np.negative(choice >> 3 & 1)
        result = result | ((byte & ~negative | sign & negative) << 8 * place)
    return result


def _by_constant(a: Lanes, b: Lanes, selector: int) -> Lanes:
    """The same choice in all lanes, as is usual: bytes that move equally far are moved together."""
    masks: dict[tuple[int, int], int] = {}
    result: Lanes = np.zeros(1, np.uint32)
    for place in range(4):
        choice = selector >> 4 * place & 15
        source, byte = divmod(choice & 7, 4)
        if choice & 8:
            sign = (b if source else a) >> 8 * byte + 7 & 1
            result = result | sign * np.uint32(0xFF << 8 * place)
        else:
            key = source, place - byte
            masks[key] = masks.get(key, 0) | 0xFF << 8 * place
    for (source, up), mask in masks.items():
        value = b if source else a
        moved = value << 8 * up if up > 0 else value >> -8 * up
        result = result | moved & np.uint32(mask)
    return result


def _both(a: Lanes, b: Lanes) -> Lanes:
    both: Lanes = a.astype(np.uint64) | (b.astype(np.uint64) << np.uint64(32))
    return both


def _chosen(a: Lanes, b: Lanes, places: Iterable[Lanes]) -> Lanes:
    both = _both(a, b)
    result: Lanes = np.zeros(1, np.uint32)
    for place, byte in enumerate(places):
        taken = (both >> (byte * np.uint32(8)).astype(np.uint64)).astype(np.uint32) & 0xFF
        result = result | (taken << 8 * place)
    return result


def prmt_f4e(a: Lanes, b: Lanes, selector: Lanes) -> Lanes:
    """Four bytes from one on, forwards."""
    return _chosen(a, b, ((selector & 3) + np.uint32(k) for k in range(4)))


def prmt_b4e(a: Lanes, b: Lanes, selector: Lanes) -> Lanes:
    """Four bytes from one on, backwards."""
    return _chosen(a, b, ((selector & 3) - np.uint32(k) & 7 for k in range(4)))


def prmt_rc8(a: Lanes, b: Lanes, selector: Lanes) -> Lanes:
    """One byte four times."""
    return _chosen(a, b, (selector & 3 for _ in range(4)))


def prmt_ecl(a: Lanes, b: Lanes, selector: Lanes) -> Lanes:
    """Bytes 0 to 3, of which none is below the selected one."""
    return _chosen(a, b, (np.maximum(selector & 3, np.uint32(k)) for k in range(4)))


def prmt_ecr(a: Lanes, b: Lanes, selector: Lanes) -> Lanes:
    """Bytes 0 to 3, of which none is above the selected one."""
    return _chosen(a, b, (np.minimum(selector & 3, np.uint32(k)) for k in range(4)))


def prmt_rc16(a: Lanes, b: Lanes, selector: Lanes) -> Lanes:
    """The lower or the upper half twice."""
    return _chosen(a, b, ((selector & 1) * np.uint32(2) + np.uint32(k & 1) for k in range(4)))
