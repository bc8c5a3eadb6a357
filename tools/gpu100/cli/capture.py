"""``gpu100 evidence capture``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from gpu100.capture.machine import describe_machine
from gpu100.capture.run import capture, jobs_of
from gpu100.cli.console import out
from gpu100.content.course import load_course
from gpu100.errors import UsageError, plural
from gpu100.evidence.bundle import pack
from gpu100.evidence.store import EvidenceStore
from gpu100.model.course import Course, Day
from gpu100.model.record import Record
from gpu100.paths import find_root


def capture_evidence(
    days: Annotated[list[int] | None, typer.Argument(help="Days to capture; all by default.")] = None,
    into: Annotated[Path | None, typer.Option("--out", help="Where evidence goes, if not evidence/.")] = None,
    bundle: Annotated[Path | None, typer.Option(help="Also pack what was captured into this .tar.gz.")] = None,
) -> None:
    """Run programs on this machine's GPU, each twice, and record what they did."""
    layout = find_root()
    jobs = jobs_of(_chosen(load_course(layout), days or []), layout)
    if not jobs:
        raise UsageError("there is no program to capture")
    machine = describe_machine(layout.root)
    store = EvidenceStore(into or layout.evidence)
    toolchain = f"driver {machine.driver.version}, NVRTC {machine.software.nvrtc}"
    out.print(f"{machine.gpu.name}, {toolchain}: {plural(len(jobs), 'program')}")

    records: list[Record] = []
    for job, record in capture(jobs, layout, machine, store):
        records.append(record)
        name = f"{job.day.tag} {job.program.name}"
        out.print(f"{len(records)}/{len(jobs)} {name}: {record.status} in {record.seconds:.1f} s")
    _summarize(records)
    if bundle:
        count = pack(store.root, bundle, [store.root / machine.gpu.slug / machine.folder])
        out.print(f"{bundle}: {plural(count, 'file')}")
    if any(record.status not in ("ok", "unsupported", "skipped") for record in records):
        raise typer.Exit(1)


def _chosen(course: Course, numbers: list[int]) -> tuple[Day, ...]:
    for number in numbers:
        if course.day(number) is None:
            raise UsageError(f"there is no day {number}")
    return tuple(day for day in course.days if not numbers or day.number in numbers)


def _summarize(records: list[Record]) -> None:
    table = Table("program", "status", "predictions", "why")
    for record in records:
        outcomes = [judgement.outcome for judgement in record.predictions.values()]
        said = ", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in dict.fromkeys(outcomes))
        table.add_row(f"day {record.day} {record.program}", record.status, said, escape(record.reason or ""))
    out.print(table)
