"""What a plot shows, before anything is drawn: panels, lines, limits. No files, no matplotlib."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpu100.model.record import Point, Series

MOST_LINES = 3
"""Series in one panel: more are told apart neither in gray nor at 360 pixels."""


@dataclass(frozen=True)
class Line:
    """One series as one GPU recorded it."""

    gpu: str
    """Its slug."""
    gpu_name: str
    """Without its maker's name."""
    place: int
    """The GPU's place among all that the course has: it has the same marker and dashes in every plot."""
    tone: int
    """The series' place in its panel."""
    label: str
    """What stands at the line's end."""
    what: str
    """What its y is, with its unit."""
    series: Series

    @property
    def points(self) -> tuple[Point, ...]:
        return self.series.points


@dataclass(frozen=True)
class LimitLine:
    """A number that a curve cannot pass, as a line across a panel."""

    value: float
    label: str
    gpu: str
    """Whose limit it is; empty where it is every GPU's."""


@dataclass(frozen=True)
class Panel:
    """Series of one unit over the plot's x."""

    heading: str
    lines: tuple[Line, ...]
    limits: tuple[LimitLine, ...] = ()


@dataclass(frozen=True)
class Plot:
    """Panels, one below the other, over one x."""

    panels: tuple[Panel, ...]
    x_label: str
    x_unit: str
    chosen: str
    """The GPU that is emphasized until the reader has chosen one."""
    log_x: bool = False
    log_y: bool = False
    steps: bool = False
    """Whether a value holds from behind the point before up to its own, as whole warps do for threads."""

    @property
    def lines(self) -> tuple[Line, ...]:
        return tuple(line for panel in self.panels for line in panel.lines)

    @property
    def measured(self) -> bool:
        """Whether any of it has a spread."""
        return any(line.series.kind == "measured" for line in self.lines)


def whole(value: float) -> int | float:
    """``1024.0`` -> ``1024``: a record's points are floats, whatever they count."""
    return int(value) if float(value).is_integer() else value


def with_unit(words: str, unit: str) -> str:
    """``Copy rate`` -> ``Copy rate, GB/s``; left alone where the words name the unit already."""
    if not words:
        return unit
    named = re.search(rf"(?<!\w){re.escape(unit)}(?!\w)", words, re.IGNORECASE)
    return words if named else f"{words}, {unit}"
