"""What the expressions of a page may name, bound to the course and the page's day."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from gpu100.errors import nearest
from gpu100.evidence.status import Standing
from gpu100.model.course import Course, Day, ProgramSpec
from gpu100.model.quiz import Quiz
from gpu100.model.source import Source
from gpu100.render.env import render
from gpu100.render.expressions import Block, ExpressionError, Inline
from gpu100.render.lookup import Lookup, LookupNames
from gpu100.render.map import course_map
from gpu100.render.panel import evidence_panel
from gpu100.render.reference import Reference, ReferenceNames
from gpu100.render.terms import PageTerms
from gpu100.render.value import NOT_MEASURED, ShownValue, shown_value
from gpu100.render.words import DayView, day_view


def lab_page(day: Day, program: ProgramSpec) -> str:
    """The page of a program's notebook, from docs/."""
    return f"labs/{day.tag}-{program.name}.ipynb"


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
    values: dict[str, dict[str, ShownValue]] = field(default_factory=dict)
    """What :meth:`value` has shown so far: by GPU, then by reference."""

    def names(self) -> dict[str, Callable[..., Inline | Block]]:
        """By the name that a page uses."""
        return {
            "course_map": self.course_map,
            "day": self.day,
            "evidence": self.evidence,
            "header": self.header,
            "lab": self.lab,
            "predictions": self.predictions,
            "quiz": self.quiz,
            "source": self.source,
            "value": self.value,
            **ReferenceNames(self.site.reference, self.site.sources, self._in_html, self._linked_day).names(),
            **LookupNames(self.site.lookup, self.site.sources, self._relative, self._linked_day).names(),
        }

    def header(self) -> Block:
        """The day's facts, below its title."""
        day = self._day()
        needs = [
            (needed, self._link_in_html(needed)) for number in day.needs if (needed := self.site.course.day(number))
        ]
        return Block(render("header.html", view=self.site.view(day), needs=needs))

    def value(self, name: str, at: Any = None, *, unit: bool = True) -> Inline:
        """A program's value: ``value("warp_slots.blocks", 32)``, with its unit unless told otherwise.

        The text is the first GPU's; those of the others go into the page's data, so that the
        sentence can follow the reader's choice.
        """
        program, _, short = name.partition(".")
        spec = self._program(program).value(short)
        if spec is None:
            known = [f"{p.name}.{v.name}" for p in self._day().programs for v in p.values]
            raise ExpressionError(f"{name!r} is not declared in course.toml", hint=nearest(name, known))
        standings = self.site.standings.get((self._day().number, program), ())
        shown = {s.machine.gpu.slug: shown_value(s, spec, at, unit=unit) for s in standings}
        first = next(iter(shown.values()), NOT_MEASURED)
        reference = name + (f"@{at}" if at is not None else "") + ("" if unit else " bare")
        for gpu, text in shown.items():
            self.values.setdefault(gpu, {})[reference] = text
        attributes = {"class": first.classes, "title": first.title, "data-value": reference}
        return Inline(first.text, attributes={key: text for key, text in attributes.items() if text})

    def lab(self, program: str) -> Inline:
        """A link to the program's notebook."""
        spec = self._program(program)
        page = lab_page(self._day(), spec)
        return Inline(f"{program} as a notebook", tag="a", attributes={"href": self._relative(page)})

    def data(self) -> str:
        """The page's data for scripts: every value it shows, on every GPU; empty where one will do."""
        gpus = self._gpus() if self.values else []
        if len(gpus) < 2:
            return ""
        data = {gpu: {name: asdict(value) for name, value in self.values.get(gpu, {}).items()} for gpu in gpus}
        return render("data.html", data=data)

    def _gpus(self) -> list[str]:
        """Every GPU that ran any program of the day, the reference GPU first."""
        day, reference = self._day(), self.site.course.reference_gpu
        of_programs = (self.site.standings.get((day.number, program.name), ()) for program in day.programs)
        gpus = {standing.machine.gpu.slug for found in of_programs for standing in found}
        return sorted(gpus, key=lambda gpu: (gpu != reference, gpu))

    def evidence(self, program: str) -> Block:
        """The panel: what the program printed on each GPU, and how its predictions came out."""
        spec = self._program(program)
        day = self._day()
        return Block(evidence_panel(day, spec, self.site.standings.get((day.number, program), ())))

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

    def day(self, number: int) -> Inline:
        """Another day by its number, its title one pointer away; a link where it has a page."""
        day = self.site.course.day(number)
        if day is None:
            raise ExpressionError(f"there is no day {number}")
        attributes = {"class": "day", "title": day.title}
        if link := self._link(day):
            return Inline(f"day {number}", tag="a", attributes=attributes | {"href": link})
        return Inline(f"day {number}", attributes=attributes | {"title": f"{day.title} (not written yet)"})

    def terms(self) -> PageTerms | None:
        """What the page may link of the glossary."""
        return self.site.lookup.on(self.path, self._relative, self.shown_day.number if self.shown_day else None)

    def course_map(self) -> Block:
        """All hundred days, where they stand."""
        return Block(course_map(self.site.course, self.site.view, self._link_in_html))

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

    def _program(self, name: str) -> ProgramSpec:
        day = self._day()
        if program := day.program(name):
            return program
        known = [program.name for program in day.programs]
        raise ExpressionError(f"{day.tag} has no program {name!r}", hint=nearest(name, known))
