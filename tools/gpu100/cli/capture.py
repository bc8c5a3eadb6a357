"""``gpu100 evidence capture``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpu100.capture.lanes import OTHER_LANES, parse_lanes
from gpu100.capture.machine import describe_machine
from gpu100.capture.plan import Job, jobs_of
from gpu100.cli.capturing import INTERRUPTED, UNFRESH, Capturing
from gpu100.cli.console import out
from gpu100.cli.modeled import compare_on_model
from gpu100.content.course import load_course
from gpu100.errors import NoDevice, UsageError, nearest, plural
from gpu100.evidence.bundle import pack
from gpu100.evidence.status import State
from gpu100.evidence.store import EvidenceStore
from gpu100.model.course import Course, Day
from gpu100.model.device import MODEL, VARIABLE, DeviceSpec
from gpu100.model.gpus import PROFILES
from gpu100.paths import find_root

__all__ = ["INTERRUPTED", "UNFRESH", "capture_evidence"]

ALL_LANES = ",".join(("run", *OTHER_LANES))


def capture_evidence(
    days: Annotated[list[int] | None, typer.Argument(help="Days to capture; all by default.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="A program to capture, by name; may be repeated.")] = None,
    lanes: Annotated[
        str, typer.Option(help="What to do besides the run, which is always done; commas between.")
    ] = ALL_LANES,
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

    What is fresh is left alone, so a capture that was stopped goes on where it stopped; a lane that a
    fresh record lacks is added to it. Without a GPU, every program runs on the SIMT model, and what it
    does is compared with the evidence.

    Lanes: native builds the .cu with nvcc, counters profiles with Nsight Compute, sanitizer runs Compute
    Sanitizer's four tools, practice tries a day's exercise and its wrong answers. Where a tool is
    missing, the record says so. A machine with GPUs of several names is captured once for each.
    """
    asked = parse_lanes(lanes)
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
    states: set[State] = set()
    states |= {"stale"} if stale else set()
    states |= {"failed"} if failed else set()
    store = EvidenceStore(into or layout.evidence)
    capturing = Capturing(jobs, layout, store, asked, states=frozenset(states), force=force)
    capturing.everywhere(machine)
    if bundle:
        count = pack(store.root, bundle, capturing.folders)
        out.print(f"{bundle}: {plural(count, 'file')}")
    if capturing.failed:
        raise typer.Exit(1)


def _model_of(gpu: str) -> DeviceSpec:
    """The model of the course's reference GPU, or of whichever the model is by default."""
    return DeviceSpec("model", profile=gpu) if gpu in PROFILES else MODEL


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
