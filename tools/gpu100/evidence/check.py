"""What CI asks of the evidence: every file whole, in its place, possible, anonymous, and current.

A file's own seal is checked where it is read. It catches an accident, a merge, an edit by hand. It
is no signature: whoever edits a record can seal it again. So what a record says is also held against
itself (:mod:`sound`), against the course, and against other machines (:mod:`majority`); the rest is
a reviewer's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from gpu100.decode import encode
from gpu100.errors import EvidenceError, plural
from gpu100.evidence.declared import undeclared
from gpu100.evidence.key import is_written
from gpu100.evidence.majority import odd_ones, unexplained
from gpu100.evidence.privacy import identifying
from gpu100.evidence.sound import machine_problems, problems, unheld
from gpu100.evidence.status import best_per_gpu, pinned_nvrtc, standing_on, standings
from gpu100.evidence.store import FOLDER, MACHINE_FILE, MOST_BYTES, EvidenceStore, MachineEvidence, oversized
from gpu100.model.course import Course
from gpu100.model.differs import Note
from gpu100.paths import Layout

__all__ = ["MOST_BYTES", "Report", "check_evidence", "objections", "require"]

PLACE = re.compile(rf"{FOLDER}/({re.escape(MACHINE_FILE)}|fidelity(-table)?\.json|day\d{{2,3}}-\w+\.json)", re.ASCII)
"""Every file below evidence/, from there."""


@dataclass
class Report:
    """What was looked at, and what is wrong with it."""

    machines: int = 0
    records: int = 0
    compared: int = 0
    """Exact results that could be held against another machine's."""
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    """What is worth knowing, and wrong in nobody's eyes."""

    def __str__(self) -> str:
        looked = f"{plural(self.records, 'record')} of {plural(self.machines, 'machine')}"
        return f"{looked} checked, {plural(len(self.problems), 'problem')}"


def check_evidence(course: Course, layout: Layout, notes: Sequence[Note] = (), now: datetime | None = None) -> Report:
    """Everything that is wrong with the evidence, told at once."""
    store = EvidenceStore(layout.evidence)
    report = Report()
    machines = store.read(lambda error: report.problems.append(str(error)))
    report.machines = len(machines)
    report.records = sum(len(evidence.records) for evidence in machines)
    report.problems += _misplaced(store)
    for evidence in machines:
        report.problems += objections(course, layout, evidence, now)
        if values := unheld(course, evidence):
            name = evidence.machine.gpu.name
            report.remarks.append(f"no bandwidth is on record for an {name}: {', '.join(values)} held to its SMs alone")
    odd, report.compared = odd_ones(machines)
    report.problems += unexplained(odd, notes)
    report.problems += _unfit(course, layout, machines)
    report.problems = list(dict.fromkeys(report.problems))
    return report


def objections(course: Course, layout: Layout, evidence: MachineEvidence, now: datetime | None = None) -> Iterator[str]:
    """What speaks against one machine's evidence, whatever else there is."""
    where = evidence.folder
    yield from (f"{where}: {said}" for said in machine_problems(evidence.machine))
    yield from (f"{where}/{MACHINE_FILE}: {said}" for said in identifying(encode(evidence.machine)))
    if evidence.fidelity:
        yield from (f"{where}/fidelity.json: {said}" for said in identifying(encode(evidence.fidelity.measurement)))
    for record in evidence.records:
        day = course.day(record.day)
        program = day.program(record.program) if day else None
        if day is None or program is None:
            yield f"{where}: day {record.day} has no program {record.program!r}"
            continue
        yield from (f"{where}: {said}" for said in problems(evidence, record, course, now or datetime.now(UTC)))
        name = f"{record.program} of day {record.day}"
        yield from (f"{where}: {name}: {said}" for said in identifying(encode(record)))
        # Of an older version of the program the course has no declarations any more.
        if is_written(layout, day, program) and not standing_on(layout, day, program, evidence).stale:
            yield from (f"{where}: {name}: {said}" for said in undeclared(record, day, program))


def _misplaced(store: EvidenceStore) -> Iterator[str]:
    """Files that no machine's folder should hold, links, and files of a size that no record has."""
    for path in sorted(store.root.rglob("*")):
        shown = path.relative_to(store.root).as_posix()
        if path.is_symlink():
            yield f"{shown} is a link"
        elif path.is_file() and not PLACE.fullmatch(shown):
            half = path.name.startswith(".") and ".json." in path.name
            why = "is half a file, which a killed capture left; the next one removes it"
            yield f"{shown} {why if half else 'does not belong in evidence/'}"
        elif path.is_file() and (said := oversized(path, shown)):
            yield said


def _unfit(course: Course, layout: Layout, machines: tuple[MachineEvidence, ...]) -> Iterator[str]:
    """Published days whose evidence on the reference GPU, as their page shows it, is not fresh or not whole."""
    on_reference = tuple(at for at in machines if at.machine.gpu.slug == course.reference_gpu)
    nvrtc = pinned_nvrtc(layout)
    for day in course.days:
        for program in day.programs if day.status == "published" else ():
            if not is_written(layout, day, program):
                yield f"{day.tag} is published, and {program.name} has not been written"
                continue
            found = best_per_gpu(standings(layout, day, program, on_reference), course.reference_gpu, nvrtc)
            what = f"{day.tag} is published, and {program.name} on the {course.reference_gpu}"
            if not found:
                yield f"{what} is not fresh: missing"
            for at in found:
                if at.state != "fresh":
                    yield f"{what} is not fresh: {at.why or at.state}"
                elif at.failed_lanes:
                    yield f"{what}: {at.why}"


def require(report: Report) -> None:
    """Raise if there is anything wrong, or if nothing was there to check.

    Raises:
        EvidenceError: with every problem in its message.
    """
    if not report.records and not report.problems:
        raise EvidenceError("there is no record to check", hint="make evidence, on a machine with a GPU")
    if report.problems:
        raise EvidenceError("\n".join([str(report), *report.problems]))
