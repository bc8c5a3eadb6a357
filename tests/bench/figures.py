"""A figure with its limit, and timing that a noisy machine cannot tilt."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    what: str
    value: float
    limit: float
    unit: str
    spread: tuple[float, float]
    how: str
    """What it was computed from."""

    @property
    def met(self) -> bool:
        return self.value <= self.limit


Times = dict[str, list[float]]
"""Seconds by contestant, one per round."""


def in_turn(measure: Callable[[T], float], contestants: Mapping[str, T], rounds: int) -> Times:
    """Every contestant once a round, A B A B: what slows the machine down meets all of them."""
    times: Times = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, contestant in contestants.items():
            times[name].append(measure(contestant))
    return times


def ratio(what: str, times: Times, name: str, to: str, limit: float) -> Figure:
    """``name`` over ``to``: the median of the rounds' own ratios, whose halves ran under the same load."""
    by_round = [mine / its for mine, its in zip(times[name], times[to], strict=True)]
    how = ", ".join(f"{who} {statistics.median(times[who]):.2f} s" for who in (name, to))
    return median(what, by_round, limit, "x", how)


def median(what: str, samples: Sequence[float], limit: float, unit: str, how: str) -> Figure:
    return Figure(what, statistics.median(samples), limit, unit, (min(samples), max(samples)), how)


def table(figures: Sequence[Figure]) -> str:
    """The figures as text, one a line."""
    head = ("figure", "value", "limit", "spread", "", "from")
    rows = [head] + [
        (
            figure.what,
            f"{figure.value:.2f} {figure.unit}",
            f"{figure.limit:g} {figure.unit}",
            f"{figure.spread[0]:.2f} to {figure.spread[1]:.2f}",
            "met" if figure.met else "MISSED",
            figure.how,
        )
        for figure in figures
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(lines)
