"""Where an axis has its numbers: few, round, and round in twos where a GPU counts in twos."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from gpu100.render.plots.parts import whole
from gpu100.units import byte_size, number


def linear_ticks(values: Iterable[float], most: int) -> list[float]:
    """Round numbers from 0 to the farthest of ``values``, at most ``most`` of them besides 0.

    Counts that end at a power of two, or three times one, are divided in twos: 16, 32, 48, 64.
    """
    numbers = list(values)
    top, low = max(*numbers, 0), min(*numbers, 0)
    if top == low:
        return [0]
    binary = low == 0 and all(float(value).is_integer() for value in numbers) and _is_binary(int(top))
    for step in _doublings() if binary else _decimal_steps((top - low) / most / 10):
        if (top - low) / step <= most and not (binary and top % step):
            return [step * i for i in range(-int(-low / step + 1e-9), int(top / step + 1e-9) + 1)]
    raise AssertionError("steps grow without end")


def log_ticks(values: Iterable[float], most: int) -> list[float]:
    """Powers within ``values``: of two where all are, else of ten, or 1, 2, 5 where those are too few."""
    numbers = list(values)
    low, high = min(numbers), max(numbers)
    if all(_is_power_of_two(value) for value in numbers):
        exponents = range(round(math.log2(low)), round(math.log2(high)) + 1)
        return [2.0**exponent for exponent in _thinned(exponents, most)]
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    fine = [digit * 10.0**exponent for exponent in decades for digit in (1, 2, 5)]
    for choice in (fine, [10.0**exponent for exponent in decades]):
        inside = [tick for tick in choice if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]
        if 2 <= len(inside) <= most:
            return inside
    return [10.0**exponent for exponent in _thinned(decades, most)]


def tick_text(value: float, unit: str) -> str:
    """The number at a tick: sizes in KiB and MiB, others as pages show them."""
    shown = whole(value)
    return byte_size(shown) if unit == "bytes" and isinstance(shown, int) else number(shown)


def _thinned(exponents: range, most: int) -> list[int]:
    """Every one, or every second, third ... such that the last is among them."""
    stride = -(-len(exponents) // most)
    return list(exponents[::-1][::stride])[::-1]


def _doublings() -> Iterator[float]:
    step = 1.0
    while True:
        yield step
        step *= 2


def _decimal_steps(least: float) -> Iterator[float]:
    exponent = math.floor(math.log10(least))
    while True:
        yield from (digit * 10.0**exponent for digit in (1, 2, 2.5, 5))
        exponent += 1


def _is_binary(top: int) -> bool:
    if top < 8:
        return False
    while top % 2 == 0:
        top //= 2
    return top in (1, 3)


def _is_power_of_two(value: float) -> bool:
    return value > 0 and math.log2(value).is_integer()
