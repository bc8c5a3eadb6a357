"""A capture as it is told on a terminal: on each GPU of this machine, program by program, lane by lane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import typer
from rich.table import Table

from gpu100.capture.gpus import alike, gpu_names, only
from gpu100.capture.held import held
from gpu100.capture.lanes import OtherLane, lacking
from gpu100.capture.machine import describe_machine
from gpu100.capture.plan import Job, due, took
from gpu100.capture.precompile import precompile
from gpu100.capture.remaining import Remaining
from gpu100.capture.run import Step, capture
from gpu100.cli.console import out, shown
from gpu100.errors import plural
from gpu100.evidence.status import State
from gpu100.evidence.store import EvidenceStore
from gpu100.model.machine import Machine
from gpu100.model.record import Record
from gpu100.paths import Layout

INTERRUPTED = 130
"""What a shell reports for a command that Ctrl-C ended."""

UNFRESH: frozenset[State] = frozenset({"missing", "stale", "failed", "unsupported"})


@dataclass
class Capturing:
    """What was asked for, and what came of it."""

    jobs: list[Job]
    layout: Layout
    store: EvidenceStore
    lanes: Sequence[OtherLane]
    states: frozenset[State] = frozenset()
    """Only programs whose record is in one of these; by default all that are not fresh, or lack a lane."""
    force: bool = False
    records: list[Record] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)

    def everywhere(self, machine: Machine) -> None:
        """Capture on ``machine``, and once more for each GPU of another name that is in it."""
        groups = alike(gpu_names()) if machine.gpus > 1 else []
        if len(groups) < 2:
            self.on(machine)
            return
        for group in groups:
            with only(group):
                self.on(describe_machine(self.layout.root))

    def on(self, machine: Machine) -> None:
        """Capture what is due on one machine."""
        folder = self.store.write_machine(machine)
        self.folders.append(folder)
        with held(folder):
            self._into(folder, machine)

    def _into(self, folder: Path, machine: Machine) -> None:
        read = self.store.read(lambda error: out.print(f"left out: {shown(error.message)}", soft_wrap=True))
        evidence = next(at for at in read if self.store.root / at.folder == folder)
        jobs, kept = self.jobs, dict[str, Record]()
        if not self.force:
            jobs = due(self.jobs, self.layout, evidence, self.states or UNFRESH)
        if not self.force and not self.states:
            kept = lacking(self.jobs, self.layout, evidence, self.lanes)
            jobs = [job for job in self.jobs if job in jobs or job.name in kept]
        toolchain = f"driver {machine.driver.version}, NVRTC {machine.software.nvrtc}"
        out.print(f"{machine.gpu.name}, {toolchain}: {plural(len(jobs), 'program')} to capture")
        if not jobs:
            out.print("Nothing is due; --force captures what is fresh too.")
            return
        for name in precompile(jobs, self.layout, machine):
            out.print(f"{name}: does not compile")
        # Another machine's times are better than none; what this one took counts last.
        committed = self.store.root == self.layout.evidence
        known = read if committed else EvidenceStore(self.layout.evidence).read(lambda error: None)
        before = took(record for at in (*known, evidence) for record in at.records)
        remaining = Remaining(jobs, self.layout, self.lanes, kept, before)
        records: dict[str, Record] = {}
        try:
            for step in capture(
                jobs, self.layout, machine, self.store, folder, lanes=self.lanes, kept=kept, before=before
            ):
                records[step.job.name] = step.record
                _tell(step, remaining.after(step))
        except KeyboardInterrupt:
            out.print("Stopped. What was captured is kept; the same command goes on from here.")
            raise typer.Exit(INTERRUPTED) from None
        finally:
            self.records += records.values()
            _summarize(list(records.values()))

    @property
    def failed(self) -> bool:
        """Whether a program failed, or a lane of one."""
        return any(map(_failed, self.records))


def _failed(record: Record) -> bool:
    if record.status not in ("ok", "unsupported", "skipped"):
        return True
    return any(lane.status == "failed" for lane in record.lanes.values())


def _tell(step: Step, left: float) -> None:
    """What a step came to, and about how long the others take."""
    soon = f", about {left:.0f} s left" if left >= 1 else ""
    if step.lane == "run":
        out.print(f"{step.job.name}: {step.record.status} in {step.record.seconds:.1f} s{soon}")
        return
    lane = step.record.lanes[step.lane]
    said = shown(f": {lane.reason}") if lane.reason else f" in {lane.seconds:.1f} s{soon}"
    out.print(f"{step.job.name}, {step.lane}: {lane.status.replace('-', ' ')}{said}", soft_wrap=True)


def _summarize(records: list[Record]) -> None:
    table = Table("program", "status", "lanes", "predictions", "why")
    for record in records:
        outcomes = [judgement.outcome for judgement in record.predictions.values()]
        said = ", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in dict.fromkeys(outcomes))
        lanes = ", ".join(f"{name} {lane.status.replace('-', ' ')}" for name, lane in record.lanes.items())
        name = f"day {record.day} {record.program}"
        table.add_row(name, record.status, lanes, said, shown(record.reason or ""))
    out.print(table)
