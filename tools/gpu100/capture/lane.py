"""One lane of one program: its work, and what that adds to the record which the run has made."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from gpu100.capture import counted, native, practiced, sanitized
from gpu100.capture.lanes import OtherLane
from gpu100.capture.plan import Job
from gpu100.capture.redact import redactor
from gpu100.capture.tools import program_command
from gpu100.errors import CourseError, Unsupported
from gpu100.evidence.key import source_of
from gpu100.fingerprint import text_digest
from gpu100.model.claim import holds, names_in
from gpu100.model.course import Lane, PredictionSpec
from gpu100.model.lanes import CountersLane, LaneResult, LaneStatus, NativeLane, PracticeLane, SanitizerLane
from gpu100.model.machine import Machine
from gpu100.model.record import SCHEMA, Judgement, Outcome, Record, Value
from gpu100.paths import Layout

PATIENCE = 4
"""A tool may take so many times as long as the program alone."""

_KINDS: dict[OtherLane, type[LaneResult]] = {
    "native": NativeLane,
    "counters": CountersLane,
    "sanitizer": SanitizerLane,
    "practice": PracticeLane,
}


@dataclass(frozen=True)
class LaneWork:
    """One lane to be run over one program."""

    lane: OtherLane
    job: Job
    layout: Layout
    machine: Machine

    @property
    def source(self) -> Path:
        return source_of(self.layout, self.job.day, self.job.program)

    @property
    def seconds(self) -> float:
        return PATIENCE * self.job.program.seconds

    @property
    def target(self) -> list[str]:
        lane = cast("Lane", self.lane)
        return program_command(self.source, root=self.layout.root, cache=self.layout.cache, lane=lane)


@dataclass(frozen=True)
class Gained:
    """What a lane gives: its result, and values of the record that come from it."""

    result: LaneResult
    values: Mapping[str, Value] = field(default_factory=dict)


Turn = contextlib.AbstractContextManager[object]
_NOBODY_WAITS: Turn = contextlib.nullcontext()


@contextlib.contextmanager
def scratch_of(layout: Layout) -> Iterator[Path]:
    """A folder for what lanes build and log, which is gone afterwards."""
    base = layout.root / "build"
    base.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=base, prefix="lanes-", ignore_cleanup_errors=True) as scratch:
        yield Path(scratch)


def gain(work: LaneWork, record: Record, scratch: Path, turn: Turn = _NOBODY_WAITS) -> Gained:
    """Run the lane over the program of ``record``. One that fails says so in its result.

    ``turn`` is held by what wants the GPU's memory for itself, where other lanes run beside it.
    """
    started, began = datetime.now(UTC), time.monotonic()
    try:
        gained = _run(work, record, Path(tempfile.mkdtemp(dir=scratch)), turn)
    except (CourseError, OSError) as error:
        gained = failed(work, error)
    result = dataclasses.replace(
        gained.result,
        started=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=round(time.monotonic() - began, 3),
    )
    return dataclasses.replace(gained, result=result)


def failed(work: LaneWork, error: CourseError | OSError) -> Gained:
    """A lane that came to nothing: its tool is not there, or something is wrong."""
    status: LaneStatus = "not-available" if isinstance(error, Unsupported) else "failed"
    told = str(error) if isinstance(error, OSError) else "; ".join(filter(None, (error.message, error.hint)))
    reason = redactor(work.layout.root)(told)
    return Gained(_KINDS[work.lane](kind=cast("Any", work.lane), status=status, reason=reason))


def added(record: Record, work: LaneWork, gained: Gained) -> Record:
    """``record`` with what the lane gave, and its predictions judged; the rest as it is."""
    lane, result = work.lane, gained.result
    counted_before = {spec.name for spec in work.job.program.counted} if lane == "counters" else set()
    values = {name: value for name, value in record.values.items() if name not in counted_before}
    lanes = {**record.lanes, lane: result}
    record = dataclasses.replace(record, schema=SCHEMA, values=values | dict(gained.values), lanes=lanes)
    judged = {spec.id: _judge(spec, record, result) for spec in _claims(work.job, lane)}
    return dataclasses.replace(record, predictions={**record.predictions, **judged})


def _run(work: LaneWork, record: Record, scratch: Path, turn: Turn) -> Gained:
    root, seconds, program = work.layout.root, work.seconds, work.job.program
    if work.lane == "native":
        arch = record.compiler.arch if record.compiler else work.machine.gpu.compute_capability.arch
        cu = work.source.with_suffix(".cu")
        return Gained(native.run(cu, record, arch, root=root, scratch=scratch, seconds=seconds, turn=turn))
    if work.lane == "practice":
        return Gained(practiced.run(work.layout, work.job.day))
    if work.lane == "counters":
        return Gained(*counted.run(program, record, work.target, root=root, scratch=scratch, seconds=seconds))
    return Gained(sanitized.run(program.findings, work.target, root=root, scratch=scratch, seconds=seconds))


def _claims(job: Job, lane: OtherLane) -> list[PredictionSpec]:
    return [spec for spec in job.day.predictions_of(job.program.name) if spec.lane == lane]


def _judge(spec: PredictionSpec, record: Record, result: LaneResult) -> Judgement:
    """By its comparison where it has one, else by whether the lane is content."""
    outcome: Outcome = "held" if result.status == "ok" else "failed"
    saw = result.reason or ""
    if result.status == "not-available" or (spec.holds and result.status == "failed"):
        outcome = "not-evaluated"
    elif spec.holds:
        outcome, saw = _by_values(spec.holds, record)
    return Judgement(outcome=outcome, claim=text_digest(spec.claim), saw=saw)


def _by_values(claim: str, record: Record) -> tuple[Outcome, str]:
    numbers = {name: v.value for name, v in record.values.items() if isinstance(v.value, int | float)}
    try:
        held = holds(claim, numbers)
    except KeyError as missing:
        return "not-evaluated", f"{missing.args[0]} was not counted"
    except ValueError as error:
        return "not-evaluated", str(error)
    saw = ", ".join(f"{name} = {numbers[name]}" for name in names_in(claim))
    return ("held" if held else "failed"), saw
