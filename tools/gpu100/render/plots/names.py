"""``{{ plot("program.series", caption="...") }}``: recorded series as a picture, with the table behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from markupsafe import Markup

from gpu100.errors import nearest
from gpu100.evidence.status import Standing
from gpu100.model.course import Day, SeriesSpec
from gpu100.model.facts import Facts
from gpu100.model.record import Series
from gpu100.render.env import render
from gpu100.render.expressions import Block, ExpressionError, Inline
from gpu100.render.plots.behind import description, table_of
from gpu100.render.plots.kept import pictures
from gpu100.render.plots.limits import Limit, Standings, limit_of
from gpu100.render.plots.parts import MOST_LINES, Line, Panel, Plot, with_unit
from gpu100.render.plots.svg import ID
from gpu100.render.words import short_name


@dataclass(frozen=True)
class Asked:
    """A series that a page asks for, with every record of it."""

    name: str
    """With its program's: ``warp_slots.resident_warps``."""
    spec: SeriesSpec
    found: tuple[tuple[Standing, Series], ...]


@dataclass(frozen=True)
class PlotNames:
    """The function that one page's expressions call to show a plot."""

    day: Callable[[], Day]
    """The page's; raises where it belongs to none."""
    standings: Standings
    reference_gpu: str
    facts: Facts
    folder: Path | None
    """Where drawn plots are kept."""
    shown: list[str] = field(default_factory=list)
    """What has been shown so far: ids are the page's own."""

    def names(self) -> dict[str, Callable[..., Inline | Block]]:
        """By the name that a page uses."""
        return {"plot": self.plot}

    def plot(
        self,
        *series: str,
        caption: str,
        title: str = "",
        limits: str | Sequence[str] = (),
        log: str = "",
        steps: bool = False,
    ) -> Block:
        """One series or several: those of one unit share a panel, others stand below, over the same x.

        ``caption`` says what to see, on whatever GPU. ``limits`` are drawn in as lines, each where
        its unit is: values of the day ("warp_slots.warp_slots"), or limits of facts.toml by their
        ids ("warps_per_sm"). ``log`` is "x", "y" or "xy". With ``steps`` a value holds from behind
        the point before up to its own.
        """
        if not series:
            raise ExpressionError("plot() names no series", hint='plot("program.series", caption="...")')
        if log not in ("", "x", "y", "xy"):
            raise ExpressionError(f"log={log!r} names no axis", hint='"x", "y" or "xy"')
        asked = [self._asked(name) for name in series]
        named = [limits] if isinstance(limits, str) else limits
        drawn_in = [limit_of(name, self.day(), self.standings, self.facts) for name in named]
        heading = title or "; ".join(dict.fromkeys(one.spec.what for one in asked))
        words = {"id": self._id(series[0]), "title": title, "name": heading, "caption": caption}
        if not any(one.found for one in asked):
            return Block(render("plot-missing.html", **words))
        plot = assemble(asked, drawn_in, self._places(), log=log, steps=steps)
        return Block(self._figure(plot, asked, words))

    def _figure(self, plot: Plot, asked: list[Asked], words: dict[str, str]) -> str:
        places = self._places()
        found = {at.machine.gpu.slug: at for one in asked for at, _ in one.found}
        shown = {gpu: found[gpu] for gpu in sorted(found, key=lambda gpu: places[gpu])}
        of_course = {at.machine.gpu.slug: at.machine.gpu for found in self.standings.values() for at in found}
        return render(
            "plot.html",
            **words,
            plot=plot,
            about=description(plot),
            # What svg.tidy wrote; all text in it is escaped there.
            pictures=[
                (picture, Markup(picture.inner.replace(ID, f"{words['id']}-{picture.name}-")))  # noqa: S704
                for picture in pictures(plot, self.folder)
            ],
            table=table_of(plot),
            shown=shown,
            absent=[gpu for slug, gpu in of_course.items() if slug not in shown],
        )

    def _asked(self, name: str) -> Asked:
        day = self.day()
        first, _, short = name.partition(".")
        program = day.program(first)
        spec = next((one for one in program.series if one.name == short), None) if program else None
        if spec is None:
            known = [f"{p.name}.{one.name}" for p in day.programs for one in p.series]
            said = "is a value, and a plot shows series" if program and program.value(short) else "is no series"
            raise ExpressionError(f"{name!r} {said}: course.toml declares none of that name", hint=nearest(name, known))
        standings = self.standings.get((day.number, first), ())
        found = ((at, at.record.series.get(short)) for at in standings if at.record)
        return Asked(name, spec, tuple((at, series) for at, series in found if series))

    def _places(self) -> dict[str, int]:
        """Every GPU's among all that the course has, the reference GPU first."""
        gpus = {at.machine.gpu.slug for found in self.standings.values() for at in found}
        return {gpu: i for i, gpu in enumerate(sorted(gpus, key=lambda gpu: (gpu != self.reference_gpu, gpu)))}

    def _id(self, series: str) -> str:
        self.shown.append(series)
        again = self.shown.count(series)
        return "plot-" + series.replace(".", "-") + (f"-{again}" if again > 1 else "")


def assemble(asked: list[Asked], limits: list[Limit], places: dict[str, int], *, log: str, steps: bool) -> Plot:
    """What ``asked`` found, as panels by unit.

    Raises:
        ExpressionError: it fits no common picture; the series is named, and the GPU.
    """
    _refuse_logs(asked, log)
    x_unit = _common([(one, at, series.x_unit) for one in asked for at, series in one.found])
    by_unit: dict[str, list[Asked]] = {}
    for one in asked:
        if one.found:
            unit = _common([(one, at, series.y_unit) for at, series in one.found])
            by_unit.setdefault(unit, []).append(one)
    if lost := next((limit for limit in limits if limit.unit not in by_unit), None):
        raise ExpressionError(f"limit {lost.name!r} is in {lost.unit}, and the series in {', '.join(by_unit)}")
    gpus = {at.machine.gpu.slug: short_name(at.machine.gpu.name) for one in asked for at, _ in one.found}
    return Plot(
        panels=tuple(
            Panel(
                heading=with_unit(of[0].spec.what if len({one.spec.what for one in of}) == 1 else "", unit),
                lines=_lines(of, places),
                limits=tuple(line for limit in limits if limit.unit == unit for line in limit.lines(gpus)),
            )
            for unit, of in by_unit.items()
        ),
        x_label=with_unit(asked[0].spec.by, x_unit),
        x_unit=x_unit,
        chosen=min(gpus, key=lambda gpu: places[gpu]),
        log_x="x" in log,
        log_y="y" in log,
        steps=steps,
    )


def _lines(of: list[Asked], places: dict[str, int]) -> tuple[Line, ...]:
    """The lines of one panel."""
    if len(of) > MOST_LINES:
        raise ExpressionError(f"{len(of)} series in one panel cannot be told apart", hint="make it two plots")
    several = len({at.machine.gpu.slug for one in of for at, _ in one.found}) > 1
    lines = []
    for tone, one in enumerate(of):
        for at, series in one.found:
            gpu, short = at.machine.gpu, one.spec.name.replace("_", " ")
            name = short_name(gpu.name)
            what = with_unit(one.spec.what, series.y_unit)
            lines.append(
                Line(
                    gpu=gpu.slug,
                    gpu_name=name,
                    place=places[gpu.slug],
                    tone=tone,
                    label=name if len(of) == 1 else f"{short}, {name}" if several else short,
                    what=what if len(of) == 1 else f"{what}: {short}",
                    series=series,
                )
            )
    return tuple(lines)


def _common(units: list[tuple[Asked, Standing, str]]) -> str:
    """The unit that all have."""
    first, at, unit = units[0]
    for other, there, its_unit in units:
        if its_unit != unit:
            here, there_too = (f"{one.name} on {on.machine.gpu.name}" for one, on in ((first, at), (other, there)))
            raise ExpressionError(f"{here} is in {unit}, {there_too} in {its_unit}: they share no axis")
    return unit


def _refuse_logs(asked: list[Asked], log: str) -> None:
    """A logarithmic axis has no place for 0 and less."""
    for one in asked:
        for at, series in one.found:
            reach = {
                "x": [point.x for point in series.points],
                "y": [value for point in series.points for value in (point.y, *point.bounds)],
            }
            for axis in log:
                if min(reach[axis]) <= 0:
                    where = f"{one.name} on {at.machine.gpu.name}"
                    raise ExpressionError(f"{where} has {axis} of 0 or less, which a logarithmic axis has no place for")
