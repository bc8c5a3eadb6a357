"""Lanes besides the run: each adds its result to a record that the run has made, and loses nothing of it."""

from __future__ import annotations

import dataclasses
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, cast, get_args

from gpu100.capture import counted, native, ncu, practiced, sanitized
from gpu100.capture.plan import Job, standing
from gpu100.capture.redact import redactor
from gpu100.capture.tools import program_command
from gpu100.content.practice import practice_of
from gpu100.errors import CourseError, Unsupported, UsageError, nearest
from gpu100.evidence.key import source_of
from gpu100.evidence.store import MachineEvidence
from gpu100.fingerprint import text_digest
from gpu100.model.claim import holds, names_in
from gpu100.model.course import Lane, PredictionSpec
from gpu100.model.lanes import CountersLane, LaneResult, LaneStatus, NativeLane, PracticeLane, SanitizerLane
from gpu100.model.machine import Machine
from gpu100.model.record import SCHEMA, Judgement, Outcome, Record
from gpu100.paths import Layout

OtherLane = Literal["native", "counters", "sanitizer", "practice"]
OTHER_LANES: tuple[OtherLane, ...] = get_args(OtherLane)

PATIENCE = 4
"""A tool may take so many times as long as the program alone."""

_FINDERS: dict[OtherLane, Callable[[], object]] = {
    "native": native.find,
    "counters": ncu.find,
    "sanitizer": sanitized.find,
    "practice": practiced.find,
}
_KINDS: dict[OtherLane, type[LaneResult]] = {
    "native": NativeLane,
    "counters": CountersLane,
    "sanitizer": SanitizerLane,
    "practice": PracticeLane,
}


@dataclass(frozen=True)
class _Ground:
    """Where a lane works."""

    job: Job
    layout: Layout
    machine: Machine
    scratch: Path

    @property
    def source(self) -> Path:
        return source_of(self.layout, self.job.day, self.job.program)

    @property
    def seconds(self) -> float:
        return PATIENCE * self.job.program.seconds

    def target(self, lane: Lane) -> list[str]:
        return program_command(self.source, root=self.layout.root, cache=self.layout.cache, lane=lane)


def parse_lanes(text: str) -> tuple[OtherLane, ...]:
    """``run,native`` as the lanes besides the run, which is always there.

    Raises:
        UsageError: there is no such lane.
    """
    asked = [word.strip() for word in text.split(",") if word.strip()]
    known = ("run", *OTHER_LANES)
    for word in asked:
        if word not in known:
            raise UsageError(f"there is no lane {word!r}", hint=nearest(word, known) or f"there are {', '.join(known)}")
    return tuple(lane for lane in OTHER_LANES if lane in asked)


def lanes_due(job: Job, layout: Layout, record: Record, asked: Sequence[OtherLane]) -> tuple[OtherLane, ...]:
    """Those of the ``asked`` lanes that ``record`` lacks: not there, failed, without a tool that is there now,
    or of an exercise that has changed since.
    """
    wanted = (lane for lane in asked if _applies(lane, job, layout))
    return tuple(lane for lane in wanted if _due(lane, record.lanes.get(lane), job, layout))


def lacking(
    jobs: Sequence[Job], layout: Layout, evidence: MachineEvidence, asked: Sequence[OtherLane]
) -> dict[str, Record]:
    """Fresh records that lack one of the ``asked`` lanes, by their jobs' names: their run stands."""
    standings = ((job, standing(job, layout, evidence)) for job in jobs)
    fresh = ((job, at.record) for job, at in standings if at.record and at.state == "fresh")
    return {job.name: record for job, record in fresh if lanes_due(job, layout, record, asked)}


def with_lanes(
    record: Record, job: Job, layout: Layout, machine: Machine, lanes: Sequence[OtherLane]
) -> Iterator[Record]:
    """``record`` with one lane after the other; a lane that fails says so and leaves the rest as it is."""
    for lane in lanes:
        record = _with_lane(record, job, layout, machine, lane)
        yield record


def _applies(lane: OtherLane, job: Job, layout: Layout) -> bool:
    """Counters are only for programs that name a metric; the exercise goes with the day's first program."""
    if lane == "practice":
        return job.program == job.day.programs[0] and practice_of(layout, job.day) is not None
    return lane != "counters" or bool(job.program.counted)


def _due(lane: OtherLane, result: LaneResult | None, job: Job, layout: Layout) -> bool:
    if result is None or result.status == "failed":
        return True
    if isinstance(result, PracticeLane) and (files := practice_of(layout, job.day)):
        return result.fingerprint != files.fingerprint()
    return result.status == "not-available" and _is_there(lane)


def _is_there(lane: OtherLane) -> bool:
    try:
        _FINDERS[lane]()
    except Unsupported:
        return False
    return True


def _with_lane(record: Record, job: Job, layout: Layout, machine: Machine, lane: OtherLane) -> Record:
    started, began = datetime.now(UTC), time.monotonic()
    values = dict(record.values)
    for spec in job.program.counted if lane == "counters" else ():
        values.pop(spec.name, None)
    base = layout.root / "build"
    base.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=base, prefix="lane-") as scratch:
        ground = _Ground(job, layout, machine, Path(scratch))
        try:
            result, more = _run(lane, ground, record)
        except (CourseError, OSError) as error:
            result, more = _failed(lane, error, redactor(layout.root)), {}
    result = dataclasses.replace(
        result,
        started=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=round(time.monotonic() - began, 3),
    )
    record = dataclasses.replace(record, schema=SCHEMA, values=values | more, lanes={**record.lanes, lane: result})
    judged = {spec.id: _judge(spec, record, result) for spec in _claims(job, lane)}
    return dataclasses.replace(record, predictions={**record.predictions, **judged})


def _run(lane: OtherLane, ground: _Ground, record: Record) -> tuple[LaneResult, dict[str, Any]]:
    root, scratch, seconds = ground.layout.root, ground.scratch, ground.seconds
    program = ground.job.program
    if lane == "native":
        arch = record.compiler.arch if record.compiler else ground.machine.gpu.compute_capability.arch
        cu = ground.source.with_suffix(".cu")
        return native.run(cu, record, arch, root=root, scratch=scratch, seconds=seconds), {}
    if lane == "practice":
        return practiced.run(ground.layout, ground.job.day), {}
    target = ground.target(lane)
    if lane == "counters":
        return counted.run(program, record, target, root=root, scratch=scratch, seconds=seconds)
    return sanitized.run(program.findings, target, root=root, scratch=scratch, seconds=seconds), {}


def _failed(lane: OtherLane, error: CourseError | OSError, redact: Callable[[str], str]) -> LaneResult:
    status: LaneStatus = "not-available" if isinstance(error, Unsupported) else "failed"
    reason = redact(str(error) if isinstance(error, OSError) else "; ".join(filter(None, (error.message, error.hint))))
    return _KINDS[lane](kind=cast("Any", lane), status=status, reason=reason)


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
