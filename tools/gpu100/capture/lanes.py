"""Lanes besides the run: which there are, which of them a record lacks, and which need a quiet GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, get_args

from gpu100.capture import native, ncu, practiced, sanitized
from gpu100.capture.plan import Job, standing
from gpu100.content.practice import practice_of
from gpu100.errors import Unsupported, UsageError, nearest
from gpu100.evidence.store import MachineEvidence
from gpu100.model.lanes import LaneResult, PracticeLane
from gpu100.model.record import Record
from gpu100.paths import Layout

OtherLane = Literal["native", "counters", "sanitizer", "practice"]
OTHER_LANES: tuple[OtherLane, ...] = get_args(OtherLane)
AnyLane = Literal["run"] | OtherLane

_FINDERS: dict[OtherLane, Callable[[], object]] = {
    "native": native.find,
    "counters": ncu.find,
    "sanitizer": sanitized.find,
    "practice": practiced.find,
}


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


def lanes_of(job: Job, layout: Layout, asked: Sequence[OtherLane]) -> tuple[OtherLane, ...]:
    """Those of the ``asked`` lanes that the program has."""
    return tuple(lane for lane in asked if _applies(lane, job, layout))


def lanes_due(job: Job, layout: Layout, record: Record, asked: Sequence[OtherLane]) -> tuple[OtherLane, ...]:
    """Those of the ``asked`` lanes that ``record`` lacks: not there, failed, without a tool that is there now,
    or of an exercise that has changed since.
    """
    return tuple(lane for lane in lanes_of(job, layout, asked) if _due(lane, record.lanes.get(lane), job, layout))


def lacking(
    jobs: Sequence[Job], layout: Layout, evidence: MachineEvidence, asked: Sequence[OtherLane]
) -> dict[str, Record]:
    """Fresh records that lack one of the ``asked`` lanes, by their jobs' names: their run stands."""
    standings = ((job, standing(job, layout, evidence)) for job in jobs)
    fresh = ((job, at.record) for job, at in standings if at.record and at.state == "fresh")
    return {job.name: record for job, record in fresh if lanes_due(job, layout, record, asked)}


def needs_quiet(lane: OtherLane, job: Job, layout: Layout) -> bool:
    """Whether nothing else may run on the GPU meanwhile: the lane counts or times what the GPU does."""
    if lane == "practice":
        files = practice_of(layout, job.day)
        return files is not None and files.timed
    return lane == "counters" or (lane == "native" and job.program.timed)


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
