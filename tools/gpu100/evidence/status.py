"""What of the course is measured where, and whether it still holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from gpu100.evidence.key import program_key, why_stale
from gpu100.evidence.store import MachineEvidence
from gpu100.model.course import Course
from gpu100.paths import Layout

State = Literal["fresh", "stale", "failed", "missing"]


@dataclass(frozen=True)
class ProgramState:
    """One program on one machine."""

    day: int
    program: str
    machine: str
    state: State
    why: str = ""


def states(course: Course, layout: Layout, machines: tuple[MachineEvidence, ...]) -> Iterator[ProgramState]:
    """Every written program's state on every machine.

    Stale comes before failed: what an older program did says nothing about today's.
    """
    for day in course.days:
        for program in day.programs:
            if not (layout.root / day.folder / f"{program.name}.py").is_file():
                continue
            key = program_key(layout, day, program)
            for evidence in machines:
                record = evidence.record(day.number, program.name)
                stale = why_stale(record, key) if record else None
                state: State = "missing"
                if record:
                    state = "stale" if stale else ("fresh" if record.status == "ok" else "failed")
                why = stale or (record.reason if record else "") or ""
                yield ProgramState(day.number, program.name, evidence.folder, state, why)
