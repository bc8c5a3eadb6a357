"""Whether a measured value became faster or slower, said only where its spread and the clock allow it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from gpu100.model.record import Measured, Series

PaceVerdict = Literal["same", "faster", "slower", "ambiguous", "not comparable"]

LEAST = 0.01
"""Medians nearer than this share are the same, however narrow their spreads: one machine's own
sessions lie that far apart, and nobody acts on less."""

_CYCLES = frozenset({"cycles", "clock cycles"})
_TIMES = frozenset({"s", "ms", "us", "µs", "ns"})
_RATE = re.compile(r".+/\s*(?:s|ms|us|µs|ns)")


@dataclass(frozen=True)
class Pace:
    """A verdict, and what keeps it from being a plainer one."""

    verdict: PaceVerdict
    why: str = ""


Interval = tuple[float, float]


def pace(then: Measured, now: Measured) -> Pace:
    """``now`` against ``then``, by the intervals from the 20th to the 80th percentile.

    Where they are apart, they have to be apart in clock cycles as well, or a clock that ran higher
    would pass for a better program. A ratio has no cycles: of its two parts one may follow the clock
    and the other not, as a kernel and a copy over the link. Nor has what the host timed: its processor,
    its memory and the link are in that time too, so programs record no clock beside it.
    """
    if throttled := [*then.throttled, *now.throttled]:
        return Pace("not comparable", f"the clock was held back: {', '.join(dict.fromkeys(throttled))}")
    if then.better != now.better:
        return Pace("not comparable", "better means lower in one record and higher in the other")
    before, after = (then.p20, then.p80), (now.p20, now.p80)
    seen = _gap(before, after)
    if not seen or abs(now.value - then.value) <= LEAST * abs(then.value):
        return Pace("same")
    if then.unit not in _CYCLES:
        if not _is_clocked(then.unit):
            return Pace("ambiguous", "apart, and no clock confirms it for what is neither a time nor a rate")
        if then.sm_clock_mhz is None or now.sm_clock_mhz is None:
            return Pace("ambiguous", "apart, and no SM clock was recorded beside it")
        cycles = [_in_cycles(*pair) for pair in ((before, then), (after, now))]
        if _gap(*cycles) != seen:
            return Pace("ambiguous", "apart in time, and not in clock cycles")
    return Pace("faster" if (seen < 0) == (then.better == "lower") else "slower")


def pace_of_series(then: Series, now: Series) -> Pace:
    """Two measured series over the same x: the same, or ambiguous, since a series records no clock."""
    pairs = list(zip(then.points, now.points, strict=True))
    apart = sum(bool(_gap(p.bounds, q.bounds)) and abs(q.y - p.y) > LEAST * abs(p.y) for p, q in pairs)
    if not apart:
        return Pace("same")
    return Pace("ambiguous", f"{apart} of {len(pairs)} points apart, and a series records no clock")


def _gap(before: Interval, after: Interval) -> int:
    """1 where ``after`` lies above ``before``, -1 where below, 0 where they touch."""
    return (after[0] > before[1]) - (after[1] < before[0])


def _is_clocked(unit: str) -> bool:
    return unit in _TIMES or _RATE.fullmatch(unit) is not None


def _in_cycles(interval: Interval, measured: Measured) -> Interval:
    """Cycles for a time; for a rate, what it did a cycle."""
    clock = measured.sm_clock_mhz or 0.0
    low, high = (end * clock if measured.unit in _TIMES else end / clock if clock else 0.0 for end in interval)
    return low, high
