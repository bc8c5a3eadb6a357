"""Plots as SVG through matplotlib, which is imported when something is drawn and not before.

A plot is drawn for two widths, since text that is legible on a phone would be loud on a desk. All
places are worked out here, in the picture's own units, which are pixels at its natural width.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu100.render.plots.axes import linear_ticks, log_ticks, tick_text
from gpu100.render.plots.look import COLORS, DASHES, MARKERS, Size
from gpu100.render.plots.parts import Line, Panel, Plot
from gpu100.render.plots.svg import tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FEW = 24
"""Up to so many points each has its whiskers; beyond, the band says it."""
_LETTER = 0.57
"""How wide a letter is of a plain font, in its size; digits and a few letters on average."""
_LABEL_STEP = 1.25
"""How far apart names at the ends of lines are at least, in the size of the font."""

_HEAD, _GAP, _FOOT = 1.9, 1.2, 3.1
"""Above a panel, between two, and below the last; in the size of the font."""


@dataclass(frozen=True)
class Picture:
    """A drawn plot."""

    name: str
    width: int
    height: int
    inner: str
    """What stands inside the svg element; ids begin with :data:`gpu100.render.plots.svg.ID`."""


def draw(plot: Plot, size: Size) -> Picture:
    """``plot`` at that size: the same bytes for the same plot."""
    import matplotlib
    from matplotlib.figure import Figure

    height = _height(plot, size)
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # whatever the reader of this has in a matplotlibrc
        matplotlib.rcParams.update(
            {"svg.fonttype": "none", "svg.hashsalt": "gpu100", "path.simplify": False, "font.size": size.font}
        )
        figure = Figure(figsize=(size.width / 72, height / 72), dpi=72, frameon=False)
        _Drawing(figure, plot, size, height).draw()
        written = io.StringIO()
        figure.savefig(written, format="svg", metadata={"Date": None})
    return Picture(size.name, size.width, height, tidy(written.getvalue(), {c: role for role, c in COLORS.items()}))


def _panel_height(plot: Plot, size: Size) -> int:
    return size.panel if len(plot.panels) == 1 else size.panels


def _height(plot: Plot, size: Size) -> int:
    count = len(plot.panels)
    between = count * _HEAD + (count - 1) * _GAP + _FOOT
    return round(count * _panel_height(plot, size) + between * size.font)


class _Drawing:
    """One picture in the making."""

    def __init__(self, figure: Figure, plot: Plot, size: Size, height: int) -> None:
        self.figure, self.plot, self.size, self.height = figure, plot, size, height
        xs = [point.x for line in plot.lines for point in line.points]
        self.x_ticks = log_ticks(xs, size.x_ticks) if plot.log_x else linear_ticks(xs, size.x_ticks)
        self.y_ticks = [self._y_ticks(panel) for panel in plot.panels]
        units = [panel.lines[0].series.y_unit for panel in plot.panels]
        numbers = [tick_text(y, unit) for ticks, unit in zip(self.y_ticks, units, strict=True) for y in ticks]
        self.left = self._width(numbers) + 0.7 * size.font
        self.right = size.width - self._width(line.label for line in plot.lines) - 1.1 * size.font
        self.x_range = self._range(xs, plot.log_x)

    def draw(self) -> None:
        top = self.height
        panel_height = _panel_height(self.plot, self.size)
        for place, panel in enumerate(self.plot.panels):
            top -= round(_HEAD * self.size.font)
            last = place == len(self.plot.panels) - 1
            self._panel(panel, self.y_ticks[place], top, panel_height, last=last)
            top -= panel_height + round(_GAP * self.size.font)

    def _width(self, texts: Iterable[str]) -> float:
        return max(len(text) for text in texts) * _LETTER * self.size.font

    def _y_ticks(self, panel: Panel) -> list[float]:
        values = [value for line in panel.lines for value in _reach(line)] + [limit.value for limit in panel.limits]
        if self.plot.log_y:
            return log_ticks(values, self.size.y_ticks)
        return linear_ticks(values, self.size.y_ticks)

    @staticmethod
    def _range(values: list[float], log: bool) -> tuple[float, float]:
        low, high = min(values), max(values)
        return (low, high) if log or low < 0 else (0.0, high)

    def _panel(self, panel: Panel, ticks: list[float], top: int, height: int, *, last: bool) -> None:
        axes = self._axes(panel, top, height)
        self._text(0 if self.left < 60 else self.left, top + 0.95 * self.size.font, panel.heading, "ink", gid="heading")
        for tick in ticks:
            self._number_at(axes, tick, panel.lines[0].series.y_unit)
        self._x_axis(axes, top - height, last=last)
        for limit in panel.limits:
            self._limit(axes, limit.value, limit.label, limit.gpu)
        for line in sorted(panel.lines, key=lambda line: line.gpu == self.plot.chosen):
            self._line(axes, line)
        self._labels(axes, panel, top - height)

    def _axes(self, panel: Panel, top: int, height: int) -> Axes:
        box = (
            self.left / self.size.width,
            (top - height) / self.height,
            (self.right - self.left) / self.size.width,
            height / self.height,
        )
        axes = self.figure.add_axes(box)
        axes.set_axis_off()
        axes.set_xscale("log" if self.plot.log_x else "linear")
        axes.set_yscale("log" if self.plot.log_y else "linear")
        axes.set_xlim(*self.x_range)
        values = [value for line in panel.lines for value in _reach(line)] + [limit.value for limit in panel.limits]
        low, high = self._range(values, self.plot.log_y)
        if self.plot.log_y:
            low, high = low / 1.15, high * 1.15
        # A limit's words stand above it.
        room = height / (height - 1.6 * self.size.font) if panel.limits and not self.plot.log_y else 1.02
        axes.set_ylim(low, low + (high - low) * room)
        return axes

    def _at(self, axes: Axes, x: float, y: float) -> tuple[float, float]:
        placed = axes.transData.transform((x, y))
        return float(placed[0]), float(placed[1])

    def _text(self, x: float, y: float, text: str, role: str, *, gid: str, align: str = "left") -> None:
        self.figure.text(
            x / self.size.width,
            y / self.height,
            text,
            color=COLORS[role],
            ha=align,
            va="baseline",
            fontsize=self.size.font,
            gid=f"{gid} -" if " " not in gid else gid,
            parse_math=False,
        )

    def _stroke(self, xs: list[float], ys: list[float], role: str, width: float, **how: Any) -> None:
        from matplotlib.lines import Line2D

        figure = [[x / self.size.width for x in xs], [y / self.height for y in ys]]
        how = {"solid_capstyle": "butt", "dash_capstyle": "butt"} | how
        transform = self.figure.transFigure
        self.figure.add_artist(Line2D(*figure, transform=transform, color=COLORS[role], linewidth=width, **how))

    def _number_at(self, axes: Axes, tick: float, unit: str) -> None:
        """A number beside the panel, and a rule across it."""
        _, y = self._at(axes, self.x_range[0], tick)
        floor = not self.plot.log_y and tick == 0
        if not floor:
            self._stroke([self.left, self.right], [y, y], "rule", 1, zorder=0)
        text = tick_text(tick, unit)
        self._text(self.left - 0.5 * self.size.font, y - 0.35 * self.size.font, text, "soft", gid="tick", align="right")

    def _x_axis(self, axes: Axes, bottom: int, *, last: bool) -> None:
        size = self.size.font
        self._stroke([self.left, self.right], [bottom, bottom], "edge", 1, zorder=1)
        free = float(self.size.width)
        for tick in reversed(self.x_ticks):  # the last one has its number for certain
            x, _ = self._at(axes, tick, axes.get_ylim()[0])
            self._stroke([x, x], [bottom, bottom - 0.35 * size], "edge", 1, zorder=1)
            text = tick_text(tick, self.plot.x_unit)
            half = self._width([text]) / 2
            if last and (x + half <= free or tick == self.x_ticks[-1]):
                self._text(x, bottom - 1.45 * size, text, "soft", gid="tick", align="center")
                free = x - half - 0.3 * size
        if last:
            words = self.plot.x_label.removesuffix(", bytes")  # the numbers say KiB and MiB
            self._text(self.right, bottom - 2.85 * size, words, "soft", gid="axis", align="right")

    def _limit(self, axes: Axes, value: float, label: str, gpu: str) -> None:
        _, y = self._at(axes, self.x_range[0], value)
        gid = f"limit {gpu or '-'}{' chosen' if gpu == self.plot.chosen else ''}"
        self._stroke([self.left, self.right], [y, y], "ink", 1, zorder=2, dashes=(2, 2), gid=gid)
        self._text(self.right, y + 0.4 * self.size.font, label, "ink", gid=gid, align="right")

    def _gid(self, line: Line) -> str:
        return f"series {line.gpu} tone-{line.tone}" + (" chosen" if line.gpu == self.plot.chosen else "")

    def _line(self, axes: Axes, line: Line) -> None:
        xs, ys = [point.x for point in line.points], [point.y for point in line.points]
        gid, color = self._gid(line), COLORS["line"]
        if line.series.kind == "measured":
            self._spread(axes, line, xs)
        dashes = DASHES[line.place % len(DASHES)]
        lead = 1 if self.plot.steps else 0  # the first step begins at the axis
        axes.plot(
            [self.x_range[0]] * lead + xs,
            ys[:lead] + ys,
            markevery=slice(lead, None),
            drawstyle="steps-pre" if self.plot.steps else "default",
            linewidth=1.6,
            linestyle=(0, dashes) if dashes else "-",
            marker=MARKERS[line.place % len(MARKERS)],
            markersize=self.size.marker,
            markeredgewidth=1.1,
            markerfacecolor=COLORS["paper"] if line.tone == 1 else color,
            markerfacecoloralt=COLORS["paper"],
            fillstyle="bottom" if line.tone == 2 else "full",
            color=color,
            clip_on=False,
            solid_joinstyle="miter" if self.plot.steps else "round",
            gid=gid,
        )

    def _spread(self, axes: Axes, line: Line, xs: list[float]) -> None:
        low, high = zip(*(point.bounds for point in line.points), strict=True)
        color, gid = COLORS["line"], self._gid(line)
        axes.fill_between(xs, low, high, color=color, linewidth=0, alpha=0.18, clip_on=False, gid=f"{gid} band")
        if len(xs) <= _FEW:
            axes.vlines(xs, low, high, color=color, linewidth=1.6, clip_on=False, gid=f"{gid} whiskers")

    def _labels(self, axes: Axes, panel: Panel, bottom: int) -> None:
        """Each line's name at its end; where ends are close, the names make room for each other."""
        size = self.size.font
        ends = {line: self._at(axes, line.points[-1].x, line.points[-1].y) for line in panel.lines}
        heights = apart([end[1] for end in ends.values()], least=_LABEL_STEP * size, floor=bottom + 0.35 * size)
        for (line, (x, _)), y in zip(ends.items(), heights, strict=True):
            self._text(x + 0.75 * size, y - 0.35 * size, line.label, "line", gid=f"{self._gid(line)} name")


def apart(wanted: list[float], *, least: float, floor: float) -> list[float]:
    """Heights near those wanted, in their order, none closer to another than ``least`` or below ``floor``."""
    order = sorted(range(len(wanted)), key=lambda place: wanted[place])
    groups: list[tuple[int, float]] = []  # how many names, and where the lowest is
    for place in order:
        count, low = 1, max(wanted[place], floor)
        while groups and low < groups[-1][1] + least * groups[-1][0]:
            below, other = groups.pop()
            middle = (other + least * (below - 1) / 2) * below + (low + least * (count - 1) / 2) * count
            count += below
            low = max(middle / count - least * (count - 1) / 2, floor)
        groups.append((count, low))
    heights = [low + least * step for count, low in groups for step in range(count)]
    return [heights[order.index(place)] for place in range(len(wanted))]


def _reach(line: Line) -> list[float]:
    """All heights that a line and its spread take."""
    return [value for point in line.points for value in (point.y, *point.bounds)]
