"""What the expressions of a page may name, bound to the course and the page's day."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gpu100.content.practice import PracticeFiles
from gpu100.errors import nearest
from gpu100.evidence.status import Standing
from gpu100.model.course import Course, Day, ProgramSpec
from gpu100.model.fidelity import FidelityTable
from gpu100.model.instructions import Instructions
from gpu100.model.quiz import Quiz
from gpu100.model.source import Source
from gpu100.render.env import render
from gpu100.render.evidence_pages import EvidenceNames
from gpu100.render.expressions import Block, ExpressionError, Inline
from gpu100.render.fidelity import FidelityNames
from gpu100.render.instructions import InstructionNames
from gpu100.render.lookup import Lookup, LookupNames
from gpu100.render.map import course_days, course_map, start
from gpu100.render.panel import evidence_panel
from gpu100.render.plots import PlotNames
from gpu100.render.practice import PracticeNames
from gpu100.render.provoked import Found, provoked
from gpu100.render.recorded import Recorded
from gpu100.render.reference import Reference, ReferenceNames
from gpu100.render.run import Published, RunNames
from gpu100.render.sanitizer import SanitizerNames
from gpu100.render.terms import PageTerms
from gpu100.render.value import NOT_MEASURED, ShownValue, shown_value
from gpu100.render.widgets import WidgetNames
from gpu100.render.widgets.evidence import KnownGpu
from gpu100.render.words import DayView, day_view


@dataclass(frozen=True)
class Site:
    """All that any page may show, loaded once a build."""

    course: Course
    standings: Mapping[tuple[int, str], tuple[Standing, ...]]
    """By day and program: one record per GPU, the reference GPU first."""
    sources: Mapping[str, Source]
    written: frozenset[int]
    """Days that have a page."""
    reference: Reference = field(default_factory=Reference)
    lookup: Lookup = field(default_factory=Lookup)
    fidelity: FidelityTable | None = None
    """How the SIMT model compares with the reference GPU."""
    instructions: Instructions | None = None
    """What of PTX the model has."""
    gpus: tuple[KnownGpu, ...] = ()
    """What widgets know of GPUs."""
    plots: Path | None = None
    """Where drawn plots are kept between builds."""
    kernels: Mapping[tuple[int, str], str] = field(default_factory=dict)
    """By day and program: its ``.cu``, as readers see it."""
    practices: Mapping[int, PracticeFiles] = field(default_factory=dict)
    """By day: the exercise's files."""
    recorded: Recorded = field(default_factory=Recorded)
    """Every machine's evidence, for its own pages."""

    def provoked(self) -> Found:
        """What records know of errors, by the errors' ids."""
        return provoked(self.course, self.standings, self.lookup.errors.values())

    def view(self, day: Day) -> DayView:
        """The day with what evidence makes of its status."""
        return day_view(self.course, day, [self.standings.get((day.number, p.name), ()) for p in day.programs])


@dataclass(frozen=True)
class PageNames:
    """The functions that one page's expressions call.

    Every method raises :class:`ExpressionError` for a name that is not declared.
    """

    site: Site
    path: str
    """The page's source, from docs/: links are relative to it."""
    shown_day: Day | None = None
    quiz_of_day: Quiz | None = None
    url: Callable[[str], str] | None = None
    """A page's address as this page has to link it, by its source from docs/. What is HTML already
    needs it; links in sentences are resolved by the host, which knows them for links."""
    published: Published = field(default_factory=Published)
    values: dict[str, dict[str, ShownValue]] = field(default_factory=dict)
    """What follows the reader's choice of GPU and was shown so far: by GPU, then by reference."""

    def names(self) -> dict[str, Callable[..., Inline | Block]]:
        """By the name that a page uses."""
        reference_gpu, facts = self.site.course.reference_gpu, self.site.reference.facts
        return {
            "course_days": self.course_days,
            "course_map": self.course_map,
            "day": self.day,
            "evidence": self.evidence,
            "header": self.header,
            "predictions": self.predictions,
            "quiz": self.quiz,
            "source": self.source,
            "start": self.start,
            "value": self.value,
            **EvidenceNames(self.site.course, self.site.recorded, self._linked_day, self._existing).names(),
            **FidelityNames(self.site.fidelity).names(),
            **InstructionNames(self.site.instructions).names(),
            **ReferenceNames(self.site.reference, self.site.sources, self._in_html, self._linked_day).names(),
            **LookupNames(
                self.site.lookup, self.site.sources, self._relative, self._linked_day, self.site.provoked
            ).names(),
            **PracticeNames(self._day, self.site.practices, self.site.standings, self.values, self._existing).names(),
            **PlotNames(self._day, self.site.standings, reference_gpu, facts, self.site.plots).names(),
            **self._run_names().names(),
            **SanitizerNames(self._day, self._program, self.site.standings).names(),
            **WidgetNames(self.site.gpus, self._in_html).names(),
        }

    def header(self) -> Block:
        """The day's facts, below its title."""
        day = self._day()
        needs = [
            (needed, self._link_in_html(needed)) for number in day.needs if (needed := self.site.course.day(number))
        ]
        at = next(iter(self._standings_of_day()), None)
        shown = at.machine.gpu if at else None
        reference = self.site.course.reference_gpu
        return Block(render("header.html", view=self.site.view(day), needs=needs, shown=shown, reference=reference))

    def value(self, name: str, at: Any = None, *, day: int | None = None, unit: bool = True) -> Inline:
        """A program's value: ``value("warp_slots.blocks", 32)``, with its unit unless told otherwise.

        The program is one of this page's day, or of another ``day``.

        The text is the first GPU's; those of the others go into the page's data, so that the
        sentence can follow the reader's choice.
        """
        program, _, short = name.partition(".")
        of = self._day() if day is None else self.site.course.day(day)
        if of is None:
            raise ExpressionError(f"there is no day {day}")
        spec = self._program(program, of).value(short)
        if spec is None:
            known = [f"{p.name}.{v.name}" for p in of.programs for v in p.values]
            raise ExpressionError(f"{name!r} is not declared in course.toml", hint=nearest(name, known))
        standings = self.site.standings.get((of.number, program), ())
        shown = {s.machine.gpu.slug: shown_value(s, spec, at, unit=unit) for s in standings}
        first = next(iter(shown.values()), NOT_MEASURED)
        reference = name + (f"@{at}" if at is not None else "") + ("" if unit else " bare")
        if of is not self.shown_day:
            reference = f"{of.tag} {reference}"
        for gpu, text in shown.items():
            self.values.setdefault(gpu, {})[reference] = text
        attributes = {"class": first.classes, "title": first.title, "data-value": reference}
        attributes["data-of"] = next(iter(shown), "")
        return Inline(first.text, attributes={key: text for key, text in attributes.items() if text})

    def _run_names(self) -> RunNames:
        recorded = {at.machine.gpu.slug: at.machine.gpu for found in self.site.standings.values() for at in found}
        reference = self.site.course.reference_gpu
        gpus = sorted(recorded.values(), key=lambda gpu: (gpu.slug != reference, gpu.slug))
        return RunNames(
            program=self._program,
            day=self._day,
            gpus=tuple(gpus),
            kernels=self.site.kernels,
            published=self.published,
            link=self._in_html,
            relative=self._relative,
            values=self.values,
        )

    def data(self) -> str:
        """The page's data for scripts: every value it shows, on every GPU; empty where one will do."""
        gpus = list(dict.fromkeys([*self._gpus(), *self.values])) if self.values else []
        if len(gpus) < 2:
            return ""
        data = {gpu: {name: asdict(value) for name, value in self.values.get(gpu, {}).items()} for gpu in gpus}
        return render("data.html", data=data)

    def _gpus(self) -> list[str]:
        """Every GPU that ran any program of the day, the reference GPU first."""
        return list(dict.fromkeys(standing.machine.gpu.slug for standing in self._standings_of_day()))

    def _standings_of_day(self) -> list[Standing]:
        """Those of all its programs, the reference GPU's first."""
        day, reference = self._day(), self.site.course.reference_gpu
        found = [at for program in day.programs for at in self.site.standings.get((day.number, program.name), ())]
        return sorted(found, key=lambda at: (at.machine.gpu.slug != reference, at.machine.gpu.slug))

    def evidence(self, program: str) -> Block:
        """The panel: what the program printed on each GPU, and how its predictions came out."""
        spec = self._program(program)
        day = self._day()
        key = (day.number, program)
        drifts = self.site.recorded.drifts.get(key, ())
        verdicts = self._existing("evidence/drift.md")
        return Block(evidence_panel(day, spec, self.site.standings.get(key, ()), drifts, verdicts))

    def predictions(self) -> Block:
        """The day's claims with their reasons, as they stood before the run."""
        return Block(render("predictions.html", predictions=self._day().predict))

    def quiz(self) -> Block:
        """The day's quiz."""
        if self.quiz_of_day is None:
            raise ExpressionError(
                f"{self._day().tag} has no quiz", hint=f"write content/quizzes/{self._day().tag}.toml"
            )
        return Block(render("quiz.html", quiz=self.quiz_of_day, tag=self._day().tag))

    def source(self, id: str) -> Inline:
        """A citation: its section, and the day it was looked at."""
        source = self.site.sources.get(id)
        if source is None:
            raise ExpressionError(f"no source is called {id!r}", hint=nearest(id, self.site.sources))
        label = ", ".join(filter(None, (source.section or source.title, source.looked_at)))
        title = f"{source.publisher}: {', '.join(filter(None, (source.title, source.version, source.section)))}"
        attributes = {"class": "source", "title": title}
        if not source.address:
            return Inline(label, tag="cite", attributes=attributes)
        return Inline(label, tag="a", attributes=attributes | {"href": source.address})

    def day(self, number: int, *, titled: bool = False) -> Inline:
        """Another day by its number, its title one pointer away; a link where it has a page.

        Where ``titled``, the title is read and not pointed at, and a day without a page is called planned.
        """
        day = self.site.course.day(number)
        if day is None:
            raise ExpressionError(f"there is no day {number}")
        attributes = {"class": "day"} if titled else {"class": "day", "title": day.title}
        text = f"day {number}, {day.title}" if titled else f"day {number}"
        if link := self._link(day):
            return Inline(text, tag="a", attributes=attributes | {"href": link}, capital=True)
        if titled:
            return Inline(f"{text} (planned)", attributes=attributes, capital=True)
        return Inline(text, attributes=attributes | {"title": f"{day.title} (not written yet)"}, capital=True)

    def terms(self) -> PageTerms | None:
        """What the page may link of the glossary."""
        return self.site.lookup.on(self.path, self._relative, self.shown_day.number if self.shown_day else None)

    def course_map(self) -> Block:
        """All hundred days at a glance."""
        return Block(course_map(self.site.course, self.site.view, self._link_in_html))

    def course_days(self) -> Block:
        """All hundred days by module, with what is known of each."""
        return Block(course_days(self.site.course, self.site.view, self._link_in_html))

    def start(self) -> Block:
        """Where to begin, or to go on."""
        return Block(start(self.site.course, self._link_in_html))

    def _link(self, day: Day) -> str | None:
        if day.number not in self.site.written:
            return None
        return self._relative(day.page.as_posix())

    def _link_in_html(self, day: Day) -> str | None:
        """The same where the host does not see a link, only HTML."""
        link = self._link(day)
        return self.url(day.page.as_posix()) if link and self.url else link

    def _in_html(self, page: str) -> str:
        """A page's address, as HTML has to hold it."""
        return self.url(page) if self.url else self._relative(page)

    def _existing(self, page: str) -> str:
        """The same where the site has it."""
        return self._in_html(page) if page in self.published.files else ""

    def _linked_day(self, number: int) -> tuple[Day, str | None]:
        day = self.site.course.day(number)
        if day is None:
            raise ExpressionError(f"there is no day {number}", hint="a file of content/ names it")
        return day, self._link_in_html(day)

    def _relative(self, page: str) -> str:
        return posixpath.relpath(page, posixpath.dirname(self.path) or ".")

    def _day(self) -> Day:
        if self.shown_day is None:
            raise ExpressionError("this page belongs to no day, so it has no evidence of its own")
        return self.shown_day

    def _program(self, name: str, of: Day | None = None) -> ProgramSpec:
        day = of or self._day()
        if program := day.program(name):
            return program
        known = [program.name for program in day.programs]
        raise ExpressionError(f"{day.tag} has no program {name!r}", hint=nearest(name, known))
