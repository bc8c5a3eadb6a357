"""Capture: each program twice, in fresh processes, its record written as soon as it is whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from gpu100.capture.assemble import assemble
from gpu100.capture.lanes import OtherLane, lanes_due, with_lanes
from gpu100.capture.plan import Job
from gpu100.capture.process import run_program
from gpu100.errors import Unsupported, plural
from gpu100.evidence.key import program_key, source_of
from gpu100.evidence.store import EvidenceStore
from gpu100.model.course import Day
from gpu100.model.machine import Gpu, Machine
from gpu100.model.record import SCHEMA, Key, Record
from gpu100.paths import Layout

RUNS = 2


def capture(
    jobs: list[Job],
    layout: Layout,
    machine: Machine,
    store: EvidenceStore,
    folder: Path,
    *,
    lanes: Sequence[OtherLane] = (),
    kept: Mapping[str, Record] | None = None,
) -> Iterator[tuple[Job, Record]]:
    """Run ``jobs`` one after the other on ``machine``; each record as it is written to ``folder``.

    ``lanes`` come after the run, each written as it ends, so that no fault of one loses another.
    A record in ``kept``, by its job's name, stands as it is and gets the lanes it lacks.
    """
    for job in jobs:
        record = (kept or {}).get(job.name)
        if record is None:
            record = capture_one(job, layout, machine)
            store.write(folder, record)
        wanted = lanes_due(job, layout, record, lanes) if record.status == "ok" else ()
        for record in with_lanes(record, job, layout, machine, wanted):  # noqa: B020 - the same one, grown
            store.write(folder, record)
        yield job, record


def capture_one(job: Job, layout: Layout, machine: Machine) -> Record:
    """The record of one program. A failed run is not repeated: its record says what happened."""
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
