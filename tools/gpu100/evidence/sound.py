"""Whether a record can be what a capture wrote: times, digests, numbers that fit each other, and physics.

The seal says that a file is as some program wrote it; whoever edits a record can seal it again. What
is asked here has to be forged as well, consistently, and against what other machines found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from gpu100.evidence.key import parts_digest
from gpu100.evidence.store import MachineEvidence
from gpu100.model.ceilings import bytes_per_second, memory_ceiling, sm_ceiling
from gpu100.model.course import Course, ProgramSpec
from gpu100.model.limits import contradictions, limits_of
from gpu100.model.machine import Gpu, Machine
from gpu100.model.record import Measured, Record
from gpu100.stats import spread
from gpu100.units import quantity

AHEAD = timedelta(days=1)
"""How far a machine's clock may be ahead of this one's."""

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_NAMED = re.compile(r"(.{1,80}), compute capability (\d+\.\d)\b", re.ASCII)
_NAME = re.compile(r"\w[\w.-]{0,79}", re.ASCII)
_NEAR = 1e-3
"""Of a median worked out again: samples and medians are rounded to five digits when they are recorded."""

_RANGES = {
    "sms": (1, 4096),
    "memory_bytes": (1 << 26, 1 << 50),
    "l2_bytes": (0, 1 << 40),
    "sm_clock_khz": (1, 100_000_000),
    "memory_clock_khz": (1, 100_000_000),
}
"""Within which a number can be a GPU's at all."""


def machine_problems(machine: Machine) -> Iterator[str]:
    """What no GPU can report."""
    for name, (low, high) in _RANGES.items():
        if not low <= getattr(machine.gpu, name) <= high:
            yield f"machine.json: {name} is not between {low:,} and {high:,}"
    if machine.gpus < 1:
        yield "machine.json: a machine without a GPU"
    if limits_of(machine.gpu.compute_capability):  # others are newer than the course, and welcome
        yield from (f"machine.json: {said}" for said in contradictions(machine.gpu))


def problems(evidence: MachineEvidence, record: Record, course: Course, now: datetime) -> Iterator[str]:
    """What speaks against ``record``."""
    name = f"{record.program} of day {record.day}"
    yield from (f"{name}: {said}" for said in _times(record.started, record.seconds, now))
    for lane, result in record.lanes.items():
        yield from (f"{name}: lane {lane}: {said}" for said in _times(result.started, result.seconds, now))
    yield from (f"{name}: {said}" for said in _names(record))
    if parts_digest(record.key.parts) != record.key.digest:
        yield f"{name}: its key is not the digest of its parts"
    if record.status == "ok" and not (record.checks and record.attempts >= 2):
        yield f"{name}: it is ok without a check and two runs"
    yield from (f"{name}: {said}" for said in _elsewhere(record, evidence.machine.gpu))
    if (compared := sum(check.compared for check in record.checks)) < len(record.checks):
        yield f"{name}: {len(record.checks)} checks made {compared} comparisons"
    for value, measured in record.values.items():
        if isinstance(measured, Measured):
            yield from (f"{name}: {value} {said}" for said in _measured(measured))
    day = course.day(record.day)
    spec = day.program(record.program) if day else None
    yield from (f"{name}: {said}" for said in _above(record, evidence.machine.gpu, spec))


def _elsewhere(record: Record, gpu: Gpu) -> Iterator[str]:
    """A first line that names another GPU: it is where programs say which one they found."""
    first = next((line for cell in record.transcript for line in cell.stdout), "")
    if (named := _NAMED.match(first)) and (named[1], named[2]) != (gpu.name, gpu.capability):
        yield f"it printed that it ran on an {named[1]!r}, and lies with an {gpu.name}"


def _times(said: str, seconds: float, now: datetime) -> Iterator[str]:
    try:
        if not _TIME.fullmatch(said):
            raise ValueError
        started = datetime.strptime(said, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        yield f"{said[:40]!r} is no time such as 2026-11-30T12:00:00Z"
        return
    if started > now + AHEAD:
        yield f"it started on {said[:10]}, which is yet to come"
    if seconds < 0:
        yield "it ended before it began"


def _names(record: Record) -> Iterator[str]:
    """Names that no program gives: they stand in messages and in a request's text as they are."""
    for what, names in (("value", record.values), ("series", record.series), ("prediction", record.predictions)):
        yield from (f"{name[:80]!r} is no name of a {what}" for name in names if not _NAME.fullmatch(name))


def _measured(value: Measured) -> Iterator[str]:
    """Where the summary is not that of the samples."""
    if not value.samples:
        yield "has no sample"
        return
    middle = spread(value.samples)
    for what, said, found in (
        ("median", value.value, middle.median),
        ("20th percentile", value.p20, middle.p20),
        ("80th percentile", value.p80, middle.p80),
    ):
        if abs(said - found) > _NEAR * max(abs(found), abs(said)):
            yield f"is said to have a {what} of {said:g}, and its samples have {found:g}"


def _above(record: Record, gpu: Gpu, spec: ProgramSpec | None) -> Iterator[str]:
    """Rates above what the hardware allows: one of them voids the run."""
    if any(not low <= getattr(gpu, name) <= high for name, (low, high) in _RANGES.items()):
        return  # machine_problems tells; nothing follows from such numbers
    memory = memory_ceiling(gpu)
    for name, rate in _rates(record):
        declared = spec.value(name) if spec else None
        ceiling, whose = sm_ceiling(gpu), "all its SMs can load"
        if memory and declared and declared.ceiling == "memory":
            ceiling, whose = memory, "its memory can deliver"
        if rate > ceiling:
            said = quantity(round(ceiling / 1e9), "GB/s")
            yield f"{name} is {rate / 1e9:,.0f} GB/s, above the {said} that {whose}: this run is void"


def _rates(record: Record) -> Iterator[tuple[str, float]]:
    """Every measured rate of bytes, in bytes a second; of a series its highest."""
    for name, value in record.values.items():
        if isinstance(value, Measured) and (rate := bytes_per_second(value.value, value.unit)) is not None:
            yield name, rate
    for name, series in record.series.items():
        top = max(point.y for point in series.points)
        if series.kind == "measured" and (rate := bytes_per_second(top, series.y_unit)) is not None:
            yield f"series {name}", rate


def unheld(course: Course, evidence: MachineEvidence) -> list[str]:
    """Values with a ceiling that is not on record for this GPU."""
    if memory_ceiling(evidence.machine.gpu):
        return []
    return [
        f"{record.program}.{value.name}"
        for record in evidence.records
        if (day := course.day(record.day)) and (program := day.program(record.program))
        for value in program.values
        if value.ceiling and value.name in record.values
    ]
