"""``gpu100 evidence capture``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from gpu100.capture.machine import describe_machine
from gpu100.capture.plan import Job, due, jobs_of, seconds_left
from gpu100.capture.precompile import precompile
from gpu100.capture.run import capture
from gpu100.cli.console import out
from gpu100.cli.modeled import compare_on_model
from gpu100.content.course import load_course
from gpu100.errors import NoDevice, UsageError, nearest, plural
from gpu100.evidence.bundle import pack
from gpu100.evidence.status import State
from gpu100.evidence.store import EvidenceStore, MachineEvidence
from gpu100.model.course import Course, Day
from gpu100.model.device import MODEL, VARIABLE, DeviceSpec
from gpu100.model.gpus import PROFILES
from gpu100.model.machine import Machine
from gpu100.model.record import Record
from gpu100.paths import Layout, find_root

INTERRUPTED = 130
"""What a shell reports for a command that Ctrl-C ended."""

UNFRESH: frozenset[State] = frozenset({"missing", "stale", "failed", "unsupported"})


def capture_evidence(
    days: Annotated[list[int] | None, typer.Argument(help="Days to capture; all by default.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="A program to capture, by name; may be repeated.")] = None,
    stale: Annotated[bool, typer.Option("--stale", help="Only what is stale.")] = False,
    failed: Annotated[bool, typer.Option("--failed", help="Only what failed.")] = False,
    force: Annotated[bool, typer.Option("--force", help="What is fresh too.")] = False,
    into: Annotated[Path | None, typer.Option("--out", help="Where evidence goes, if not evidence/.")] = None,
    bundle: Annotated[Path | None, typer.Option(help="Also pack this machine's evidence into this .tar.gz.")] = None,
    device: Annotated[
        str | None, typer.Option(envvar=VARIABLE, help="gpu, or model, model:t4, ...: no evidence, a comparison.")
    ] = None,
) -> None:
    """Run programs on this machine's GPU, each twice, and record what they did.

    What is fresh is left alone, so a capture that was stopped goes on where it stopped. Without a
    GPU, every program runs on the SIMT model, and what it does is compared with the evidence.
    """
    layout = find_root()
    course = load_course(layout)
    jobs = _chosen(jobs_of(_days(course, days or []), layout), only or [])
    spec = DeviceSpec.parse(device) if device else None
    if spec and spec.index:
        raise UsageError(f"evidence comes from GPU 0, not {spec}", hint="CUDA_VISIBLE_DEVICES chooses which that is")
    if spec and spec.kind == "model":
        compare_on_model(jobs, layout, spec)
        return
    try:
        machine = describe_machine(layout.root)
    except NoDevice:
        if spec or bundle or into:  # evidence itself is asked for
            raise
        out.print("No GPU found: the SIMT model runs instead, and nothing that it does is evidence.")
        compare_on_model(jobs, layout, _model_of(course.reference_gpu))
        return
    store = EvidenceStore(into or layout.evidence)
    folder = store.write_machine(machine)
    evidence = next(at for at in store.read() if store.root / at.folder == folder)
    chosen = {state for state, wanted in (("stale", stale), ("failed", failed)) if wanted}
    if not force:
        jobs = due(jobs, layout, evidence, frozenset(chosen) or UNFRESH)  # type: ignore[arg-type]

    records = _run(jobs, layout, machine, store, evidence)
    if bundle:
        count = pack(store.root, bundle, [folder])
        out.print(f"{bundle}: {plural(count, 'file')}")
    if any(record.status not in ("ok", "unsupported", "skipped") for record in records):
        raise typer.Exit(1)


def _model_of(gpu: str) -> DeviceSpec:
    """The model of the course's reference GPU, or of whichever the model is by default."""
    return DeviceSpec("model", profile=gpu) if gpu in PROFILES else MODEL


def _run(
    jobs: list[Job], layout: Layout, machine: Machine, store: EvidenceStore, evidence: MachineEvidence
) -> list[Record]:
    toolchain = f"driver {machine.driver.version}, NVRTC {machine.software.nvrtc}"
    out.print(f"{machine.gpu.name}, {toolchain}: {plural(len(jobs), 'program')} to capture")
    if not jobs:
        out.print("Nothing is due; --force captures what is fresh too.")
        return []
    for name in precompile(jobs, layout, machine):
        out.print(f"{name}: does not compile")
    done: dict[str, float] = {}
    records = []
    try:
        for job, record in capture(jobs, layout, machine, store, store.root / evidence.folder):
            records.append(record)
            done[job.name] = record.seconds
            left = seconds_left(jobs[len(records) :], evidence, done)
            soon = f", about {left:.0f} s left" if len(records) < len(jobs) else ""
            out.print(f"{len(records)}/{len(jobs)} {job.name}: {record.status} in {record.seconds:.1f} s{soon}")
    except KeyboardInterrupt:
        _summarize(records)
        out.print("Stopped. What was captured is kept; the same command goes on from here.")
        raise typer.Exit(INTERRUPTED) from None
    _summarize(records)
    return records


def _days(course: Course, numbers: list[int]) -> tuple[Day, ...]:
    for number in numbers:
        if course.day(number) is None:
            raise UsageError(f"there is no day {number}")
    return tuple(day for day in course.days if not numbers or day.number in numbers)


def _chosen(jobs: list[Job], names: list[str]) -> list[Job]:
    known = [job.program.name for job in jobs]
    for name in names:
        if name not in known:
            raise UsageError(f"there is no program {name!r} to capture", hint=nearest(name, known))
    if not jobs:
        raise UsageError("there is no program to capture")
    return [job for job in jobs if not names or job.program.name in names]


def _summarize(records: list[Record]) -> None:
    table = Table("program", "status", "predictions", "why")
    for record in records:
        outcomes = [judgement.outcome for judgement in record.predictions.values()]
        said = ", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in dict.fromkeys(outcomes))
        table.add_row(f"day {record.day} {record.program}", record.status, said, escape(record.reason or ""))
    out.print(table)
