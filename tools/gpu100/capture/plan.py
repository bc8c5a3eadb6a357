"""What to capture: every written program, or those whose evidence asks for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpu100.evidence.key import source_of
from gpu100.evidence.status import Standing, State, standing_on
from gpu100.evidence.store import MachineEvidence
from gpu100.model.course import Day, ProgramSpec
from gpu100.model.record import Record
from gpu100.paths import Layout

Part = tuple[int, str, str]
"""What a capture does at a time: day, program, and lane; ``run`` for the run."""


@dataclass(frozen=True)
class Job:
    """One program to capture."""

    day: Day
    program: ProgramSpec

    @property
    def name(self) -> str:
        return f"{self.day.tag} {self.program.name}"

    def part(self, lane: str) -> Part:
        return self.day.number, self.program.name, lane


def jobs_of(days: tuple[Day, ...], layout: Layout) -> list[Job]:
    """Every program of ``days`` that has been written, in order."""
    jobs = [Job(day, program) for day in days for program in day.programs]
    return [job for job in jobs if source_of(layout, job.day, job.program).is_file()]


def due(jobs: list[Job], layout: Layout, evidence: MachineEvidence, states: frozenset[State]) -> list[Job]:
    """Those of ``jobs`` whose record on this machine is in one of ``states``.

    A capture that was stopped goes on where it stopped: what it finished is fresh.
    """
    return [job for job in jobs if standing(job, layout, evidence).state in states]


def standing(job: Job, layout: Layout, evidence: MachineEvidence) -> Standing:
    """Where the program stands on the machine."""
    return standing_on(layout, job.day, job.program, evidence)


def took(records: Iterable[Record]) -> dict[Part, float]:
    """Seconds that each part of ``records`` took; of the last where several have it."""
    found: dict[Part, float] = {}
    for record in records:
        if record.attempts:
            found[record.day, record.program, "run"] = record.seconds
        found |= {(record.day, record.program, name): lane.seconds for name, lane in record.lanes.items()}
    return found
