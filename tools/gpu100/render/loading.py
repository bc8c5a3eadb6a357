"""Everything a build shows, read once from the course's files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpu100.content.citations import load_citations
from gpu100.content.course import load_course
from gpu100.content.error_reference import load_error_reference
from gpu100.content.facts import load_facts
from gpu100.content.glossary import load_glossary
from gpu100.content.halves import missing_halves
from gpu100.content.instructions import load_instructions
from gpu100.content.practice import exercises
from gpu100.content.questions import load_questions
from gpu100.content.sources import load_sources
from gpu100.errors import CourseError
from gpu100.evidence.key import source_of
from gpu100.evidence.status import Standing, best_per_gpu, pinned_nvrtc
from gpu100.evidence.store import EvidenceStore, MachineEvidence
from gpu100.includes import without_markers
from gpu100.model.course import Course, Day, ProgramSpec
from gpu100.model.fidelity import FidelityTable
from gpu100.model.source import Source
from gpu100.paths import Layout
from gpu100.render.lookup import Lookup
from gpu100.render.page import Site
from gpu100.render.recorded import everywhere, gather
from gpu100.render.reference import FACTS, Reference
from gpu100.render.widgets.evidence import known_gpus


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
    all_found = everywhere(layout, course, machines)
    nvrtc = pinned_nvrtc(layout)
    found = {key: best_per_gpu(at, course.reference_gpu, nvrtc) for key, at in all_found.items()}
    reference = _reference(layout, course, sources, lookup)
    return Site(
        course=course,
        standings=found,
        sources=sources,
        written=frozenset(day.number for day in course.days if (layout.docs / day.page).is_file()),
        reference=reference,
        lookup=lookup,
        fidelity=_fidelity(course, machines),
        instructions=load_instructions(layout),
        gpus=known_gpus(machines, found, course.reference_gpu, reference.facts),
        plots=layout.plots,
        kernels={
            (day.number, program.name): without_markers(path.read_bytes())
            for day in course.days
            for program in day.programs
            if (path := source_of(layout, day, program).with_suffix(".cu")).is_file()
        },
        practices={files.day.number: files for files in exercises(layout, course)},
        recorded=gather(layout, machines, all_found, found),
    )


def _fidelity(course: Course, machines: tuple[MachineEvidence, ...]) -> FidelityTable | None:
    """The comparison of the SIMT model with the reference GPU, by its newest measurement."""
    measured = [at.fidelity for at in machines if at.fidelity and at.machine.gpu.slug == course.reference_gpu]
    return max(measured, key=lambda found: found.measurement.started).table if measured else None


def _reference(layout: Layout, course: Course, sources: Mapping[str, Source], lookup: Lookup) -> Reference:
    facts = load_facts(layout, sources, {day.number for day in course.days})
    return Reference(
        facts=facts,
        questions=load_questions(layout),
        cited=load_citations(layout, course, {FACTS: facts.sources(), **lookup.sources()}),
    )


@dataclass(frozen=True)
class Shortfall:
    """A published day whose evidence on the reference GPU is not what it should be."""

    day: Day
    message: str
    fatal: bool
    """Missing stops every build; stale or failed, as a whole or in a lane, is shown with its mark, and stops
    a strict one."""


def shortfalls(site: Site) -> Iterator[Shortfall]:
    """What the published days lack."""
    reference = site.course.reference_gpu
    for day in site.course.days:
        if day.status != "published":
            continue
        for program in day.programs:
            found = site.standings.get((day.number, program.name), ())
            at = next((standing for standing in found if standing.machine.gpu.slug == reference), None)
            what = f"{day.tag} is published, and {program.name} on the {reference}"
            if at is None:
                yield Shortfall(day, f"{what} is not measured yet", fatal=True)
            elif at.state != "fresh":
                yield Shortfall(day, f"{what} is {at.state}: {at.why}", fatal=False)
            else:
                yield from (
                    Shortfall(day, f"{what} is recorded without {name}, which course.toml declares", fatal=True)
                    for name in _unrecorded(program, at)
                )
                if at.failed_lanes:
                    yield Shortfall(day, f"{what}: {at.why}", fatal=False)


def _unrecorded(program: ProgramSpec, at: Standing) -> Iterator[str]:
    """What a program declares, and its record lacks: declared since then, or misspelled."""
    record = at.record
    for kind, declared, recorded in (
        ("value", [value.name for value in program.values], record.values if record else {}),
        ("series", [series.name for series in program.series], record.series if record else {}),
    ):
        yield from (f"{kind} {name!r}" for name in declared if name not in recorded)
