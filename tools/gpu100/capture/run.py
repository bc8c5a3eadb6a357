"""Capture: each program twice, in fresh processes, then its lanes; the record is written whenever it has grown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gpu100.capture.assemble import assemble
from gpu100.capture.beside import beside
from gpu100.capture.driver_client import driver_client
from gpu100.capture.lane import LaneWork, added, gain, scratch_of
from gpu100.capture.lanes import AnyLane, OtherLane, lanes_due, needs_quiet
from gpu100.capture.plan import Job, Part
from gpu100.capture.process import run_program
from gpu100.child import bytecode_kept
from gpu100.errors import Unsupported, plural
from gpu100.evidence.key import program_key, source_of
from gpu100.evidence.store import EvidenceStore
from gpu100.model.course import Day
from gpu100.model.machine import Gpu, Machine
from gpu100.model.record import SCHEMA, Key, Record
from gpu100.paths import Layout

RUNS = 2


@dataclass(frozen=True)
class Step:
    """A record as it was written, and the lane that it was written for."""

    job: Job
    lane: AnyLane
    record: Record


def capture(
    jobs: list[Job],
    layout: Layout,
    machine: Machine,
    store: EvidenceStore,
    folder: Path,
    *,
    lanes: Sequence[OtherLane] = (),
    kept: Mapping[str, Record] | None = None,
    before: Mapping[Part, float] | None = None,
) -> Iterator[Step]:
    """Run ``jobs`` on ``machine``; each step once its record stands in ``folder``.

    What counts or times comes first, program by program, with the GPU to itself; the other ``lanes``
    of all programs then share it. Each is written as it ends, so that no fault of one loses another.
    A record in ``kept``, by its job's name, stands as it is and gets the lanes it lacks. ``before`` is
    what parts took in an earlier capture, in seconds: what takes longest is begun first.
    """
    records: dict[str, Record] = dict(kept or {})
    later: list[LaneWork] = []

    def written(job: Job, lane: AnyLane, record: Record) -> Step:
        records[job.name] = record
        store.write(folder, record)
        return Step(job, lane, record)

    with scratch_of(layout) as scratch, bytecode_kept(scratch / "bytecode"), driver_client():
        for job in jobs:
            if job.name not in records:
                yield written(job, "run", capture_one(job, layout, machine))
            record = records[job.name]
            for lane in lanes_due(job, layout, record, lanes) if record.status == "ok" else ():
                work = LaneWork(lane, job, layout, machine)
                if needs_quiet(lane, job, layout):
                    yield written(job, lane, added(records[job.name], work, gain(work, record, scratch)))
                else:
                    later.append(work)
        later.sort(key=lambda work: -(before or {}).get(work.job.part(work.lane), 0.0))
        for work, gained in beside(later, dict(records), scratch):
            yield written(work.job, work.lane, added(records[work.job.name], work, gained))


def capture_one(job: Job, layout: Layout, machine: Machine) -> Record:
    """The record of one program. A failed run is not repeated: its record says what happened.

    The runs are never beside each other: two programs that print from kernels, at once on one H200,
    took nearly thirty times as long.
    """
    key = program_key(layout, job.day, job.program)
    started = datetime.now(UTC)
    try:
        require(job.day, machine.gpu, machine.gpus)
    except Unsupported as error:
        return refused(job, key, started, error)
    source = source_of(layout, job.day, job.program)
    runs = []
    for _ in range(RUNS):
        run = run_program(source, root=layout.root, cache=layout.cache, seconds=job.program.seconds)
        runs.append(run)
        if run.exit_code != 0 or run.timed_out:
            break
    return assemble(job.day, job.program, key, started, runs)


def require(day: Day, gpu: Gpu, gpus: int) -> None:
    """Raise where ``gpus`` of ``gpu`` are not what the day's programs need.

    Raises:
        Unsupported: with the reason.
    """
    if not day.needs_capability.runs_on(gpu.compute_capability):
        raise Unsupported(f"{day.tag} needs compute capability {day.capability}; this GPU has {gpu.capability}")
    if day.gpus > gpus:
        raise Unsupported(f"{day.tag} needs {plural(day.gpus, 'GPU')}; this machine has {gpus}")


def refused(job: Job, key: Key, started: datetime, why: Unsupported) -> Record:
    """The record of a program that was not tried."""
    return Record(
        schema=SCHEMA,
        day=job.day.number,
        program=job.program.name,
        key=key,
        status="unsupported",
        reason=why.message,
        started=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=0.0,
        attempts=0,
    )
