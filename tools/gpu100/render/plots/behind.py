"""What stands behind a picture: its numbers as a table, and its course in words."""

from __future__ import annotations

from dataclasses import dataclass

from gpu100.model.record import Point
from gpu100.render.plots.parts import Line, Plot, whole
from gpu100.units import number


@dataclass(frozen=True)
class Column:
    """A column of the table."""

    gpu: str
    heading: str
    cells: tuple[str, ...]
    """Empty where there is no point at that x."""


@dataclass(frozen=True)
class Group:
    """The columns of one series."""

    heading: str
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Table:
    """Every point of a plot."""

    xs: tuple[str, ...]
    groups: tuple[Group, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(column for group in self.groups for column in group.columns)


def table_of(plot: Plot) -> Table:
    """A row for each x, the columns of each series side by side, a GPU's after the other's."""
    xs = sorted({point.x for line in plot.lines for point in line.points})
    groups: dict[str, list[Column]] = {}
    for line in plot.lines:
        groups.setdefault(line.what, []).extend(_columns(line, xs))
    return Table(
        xs=tuple(_shown(x) for x in xs),
        groups=tuple(Group(heading, tuple(columns)) for heading, columns in groups.items()),
    )


def description(plot: Plot) -> str:
    """The plot in words, for who does not see it."""
    said = []
    for panel in plot.panels:
        said += [f"{line.gpu_name}: {line.what}: {_course_of(line, plot.x_unit)}." for line in panel.lines]
        said += [f"Limit: {limit.label}." for limit in panel.limits]
    return " ".join(said)


def _columns(line: Line, xs: list[float]) -> list[Column]:
    at = {point.x: point for point in line.points}
    middle = tuple(_shown(at[x].y) if x in at else "" for x in xs)
    if line.series.kind == "exact":
        return [Column(line.gpu, line.gpu_name, middle)]
    spread = tuple(_spread(at[x]) if x in at else "" for x in xs)
    return [
        Column(line.gpu, f"{line.gpu_name}, median", middle),
        Column(line.gpu, "20th to 80th percentile", spread),
    ]


def _spread(point: Point) -> str:
    low, high = point.bounds
    return f"{_shown(low)} to {_shown(high)}"


def _course_of(line: Line, x_unit: str) -> str:
    first, last = line.points[0], line.points[-1]
    text = f"{_shown(first.y)} at {_shown(first.x)} {x_unit}"
    for word, point in (
        ("lowest", min(line.points, key=lambda point: point.y)),
        ("highest", max(line.points, key=lambda point: point.y)),
    ):
        if point.y not in (first.y, last.y):
            text += f", {word} {_shown(point.y)} at {_shown(point.x)}"
    return f"{text}, {_shown(last.y)} at {_shown(last.x)}"


def _shown(value: float) -> str:
    return number(whole(value))
