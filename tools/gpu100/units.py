"""Numbers and units as people read them: the only place that rounds for display."""

from __future__ import annotations

import re

NO_BREAK = "\u00a0"
DIGITS = 4
"""Significant digits of a float on a page."""

_PLURAL = re.compile(r"[a-z]{3,}s")  # a word, not ms or GB/s


def number(value: bool | int | float | str) -> str:
    """``8448`` -> ``8,448``; ``50.0`` -> ``50``; ``0.98437`` -> ``0.9844``."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, str):
        return value
    if value != 0 and not 1e-3 <= abs(value) < 10**DIGITS - 0.5:
        return f"{value:,.0f}" if abs(value) >= 1 else f"{value:.{DIGITS - 1}g}"
    text = f"{value:.{DIGITS}g}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def quantity(value: bool | int | float | str, unit: str) -> str:
    """``number`` with its unit: ``32 blocks``, ``1 block``, ``50%``."""
    if not unit:
        return number(value)
    if unit == "%":
        return f"{number(value)}%"
    one = type(value) is int and value == 1 and _PLURAL.fullmatch(unit)
    return f"{number(value)}{NO_BREAK}{_singular(unit) if one else unit}"


def _singular(unit: str) -> str:
    """``block`` of ``blocks``, ``canary`` of ``canaries``."""
    return unit.removesuffix("ies") + "y" if unit.endswith("ies") else unit.removesuffix("s")


def byte_size(count: int) -> str:
    """``62914560`` -> ``60 MiB``: in binary multiples, exactly where it divides."""
    size = float(count)
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return quantity(round(size, 1), unit)
        size /= 1024
    return quantity(round(size, 1), "GiB")
