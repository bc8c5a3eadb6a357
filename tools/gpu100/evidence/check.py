"""What CI asks of the evidence: every file whole, in its place, of a program that exists, and current."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from gpu100.errors import EvidenceError, plural
from gpu100.evidence.fidelity import MEASUREMENT_FILE, TABLE_FILE
from gpu100.evidence.key import source_of
from gpu100.evidence.status import standings
from gpu100.evidence.store import MACHINE_FILE, EvidenceStore, MachineEvidence
from gpu100.model.course import Course
from gpu100.paths import Layout

_PLACE = re.compile(rf"[^/]+/[^/]+/({re.escape(MACHINE_FILE)}|fidelity(-table)?\.json|day\d{{2,3}}-\w+\.json)")
MOST_BYTES = 512 << 10
"""Of one record: what a page can use, many times over."""
MOST_SUITE_BYTES = 1 << 20
"""Of a file of the fidelity suite, which holds hundreds of launches."""


@dataclass
class Report:
    """What was looked at, and what is wrong with it."""

    machines: int = 0
    records: int = 0
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        looked = f"{plural(self.records, 'record')} of {plural(self.machines, 'machine')}"
        return f"{looked} checked, {plural(len(self.problems), 'problem')}"


def check_evidence(course: Course, layout: Layout) -> Report:
    """Everything that is wrong with the evidence, told at once."""
    store = EvidenceStore(layout.evidence)
    report = Report()
    machines = store.read(lambda error: report.problems.append(str(error)))
    report.machines = len(machines)
    report.records = sum(len(evidence.records) for evidence in machines)
    report.problems += _misplaced(store)
    for evidence in machines:
        report.problems += _unknown(course, evidence)
    report.problems += _unfit(course, layout, machines)
    return report


def _misplaced(store: EvidenceStore) -> Iterator[str]:
    """Files that no machine's folder should hold, links, and files of a size that no record has."""
    for path in sorted(store.root.rglob("*")):
        shown = path.relative_to(store.root).as_posix()
        if path.is_symlink():
            yield f"{shown} is a link"
        elif path.is_file() and not _PLACE.fullmatch(shown):
            yield f"{shown} does not belong in evidence/"
        elif path.is_file() and path.stat().st_size > (most := _most_bytes(path.name)):
            yield f"{shown} has {path.stat().st_size:,} bytes; a record has at most {most:,}"


def _most_bytes(name: str) -> int:
    return MOST_SUITE_BYTES if name in (MEASUREMENT_FILE, TABLE_FILE) else MOST_BYTES


def _unknown(course: Course, evidence: MachineEvidence) -> Iterator[str]:
    """Records of programs that the course does not have."""
    for record in evidence.records:
        day = course.day(record.day)
        if day is None or day.program(record.program) is None:
            yield f"{evidence.folder}: day {record.day} has no program {record.program!r}"


def _unfit(course: Course, layout: Layout, machines: tuple[MachineEvidence, ...]) -> Iterator[str]:
    """Published days whose evidence on the reference GPU is not fresh."""
    for day in course.days:
        for program in day.programs if day.status == "published" else ():
            if not source_of(layout, day, program).is_file():
                yield f"{day.tag} is published, and {program.name} has not been written"
                continue
            at = [s for s in standings(layout, day, program, machines) if s.machine.gpu.slug == course.reference_gpu]
            if not any(standing.state == "fresh" for standing in at):
                why = at[0].why or at[0].state if at else "missing"
                yield f"{day.tag} is published, and {program.name} on the {course.reference_gpu} is not fresh: {why}"


def require(report: Report) -> None:
    """Raise if there is anything wrong, or if nothing was there to check.

    Raises:
        EvidenceError: with every problem in its message.
    """
    if not report.records and not report.problems:
        raise EvidenceError("there is no record to check", hint="make evidence, on a machine with a GPU")
    if report.problems:
        raise EvidenceError("\n".join([str(report), *report.problems]))
