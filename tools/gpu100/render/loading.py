"""Everything a build shows, read once from the course's files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpu100.content.citations import load_citations
from gpu100.content.course import load_course
from gpu100.content.error_reference import load_error_reference
from gpu100.content.facts import load_facts
from gpu100.content.glossary import load_glossary
from gpu100.content.halves import missing_files, missing_halves
from gpu100.content.questions import load_questions
from gpu100.content.sources import load_sources
from gpu100.errors import CourseError
from gpu100.evidence.key import source_of
from gpu100.evidence.status import Standing, best_per_gpu, standings
from gpu100.evidence.store import EvidenceStore, MachineEvidence
from gpu100.model.course import Course, Day
from gpu100.model.source import Source
from gpu100.paths import Layout
from gpu100.render.lookup import Lookup
from gpu100.render.page import Site
from gpu100.render.reference import FACTS, Reference


def load_site(layout: Layout) -> Site:
    """The course with its evidence.

    Raises:
        CourseError: a file of the course is wrong, or missing.
        EvidenceError: a record is refused.
    """
    course = load_course(layout)
    if problems := list(missing_halves(layout, course)):
        raise CourseError("\n".join(str(problem) for problem in problems))
    return site_of(layout, course, EvidenceStore(layout.evidence).read())


def site_of(layout: Layout, course: Course, machines: tuple[MachineEvidence, ...]) -> Site:
    """What pages may show of the course, with the evidence of ``machines``.

    A program that lacks a file has no evidence: what it was made from cannot be told.

    Raises:
        ContentError: sources.toml is wrong, or missing; another of content/'s files is wrong.
    """
    sources = load_sources(layout)
    lookup = Lookup(
        glossary=load_glossary(layout, course, sources),
        errors=load_error_reference(layout, course, sources),
    )
    return Site(
        course=course,
        standings=_standings(layout, course, machines),
        sources=sources,
        written=frozenset(day.number for day in course.days if (layout.docs / day.page).is_file()),
        reference=_reference(layout, course, sources, lookup),
        lookup=lookup,
    )


def _reference(layout: Layout, course: Course, sources: Mapping[str, Source], lookup: Lookup) -> Reference:
    facts = load_facts(layout, sources, {day.number for day in course.days})
    return Reference(
        facts=facts,
        questions=load_questions(layout),
        cited=load_citations(layout, course, {FACTS: facts.sources(), **lookup.sources()}),
    )


def _standings(
    layout: Layout, course: Course, machines: tuple[MachineEvidence, ...]
) -> dict[tuple[int, str], tuple[Standing, ...]]:
    return {
        (day.number, program.name): best_per_gpu(standings(layout, day, program, machines), course.reference_gpu)
        for day in course.days
        for program in day.programs
        if source_of(layout, day, program).is_file() and not list(missing_files(layout, day, program))
    }


@dataclass(frozen=True)
class Shortfall:
    """A published day whose evidence on the reference GPU is not what it should be."""

    day: Day
    message: str
    fatal: bool
    """Missing stops every build; stale or failed is shown with its mark, and stops a strict one."""


def shortfalls(site: Site) -> Iterator[Shortfall]:
    """What the published days lack."""
    reference = site.course.reference_gpu
    for day in site.course.days:
        if day.status != "published":
            continue
        for program in day.programs:
            found = site.standings.get((day.number, program.name), ())
            at = next((standing for standing in found if standing.machine.gpu.slug == reference), None)
            what = f"{day.tag} is published, and {program.name} on the {reference} is"
            if at is None:
                yield Shortfall(day, f"{what} not measured yet", fatal=True)
            elif at.state != "fresh":
                yield Shortfall(day, f"{what} {at.state}: {at.why}", fatal=False)
