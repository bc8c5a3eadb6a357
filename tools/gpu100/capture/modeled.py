"""Programs on the SIMT model, where there is no GPU, each held against a GPU's evidence.

What they did is kept below build/model/, in the form of records. It is never evidence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from gpu100.capture.assemble import assemble
from gpu100.capture.compare import Comparison, compare
from gpu100.capture.plan import Job
from gpu100.capture.process import run_program
from gpu100.capture.run import refused, require
from gpu100.errors import Unsupported
from gpu100.evidence.key import program_key, source_of
from gpu100.evidence.schema import dump
from gpu100.evidence.status import Standing, best_per_gpu, standings
from gpu100.evidence.store import MachineEvidence, record_name, write_atomically
from gpu100.model.device import DeviceSpec
from gpu100.model.gpus import PROFILES, as_real, modeled_slug
from gpu100.model.record import Compiler, Record
from gpu100.paths import Layout


@dataclass(frozen=True)
class Modeled:
    """One program's run on the model, and how it stands to the evidence."""

    job: Job
    record: Record
    comparison: Comparison | None
    """None where there is nothing to compare with, or it did not run to its end."""
    why_not: str = ""
    """Why there is no comparison."""

    @property
    def problems(self) -> list[str]:
        """What is wrong: the run itself, a difference, or that nothing of a fresh record was compared."""
        if self.record.status not in ("ok", "unsupported", "skipped"):
            return [f"{self.record.status}: {self.record.reason}"]
        if self.comparison is None:
            return []
        if not self.comparison.compared:
            return ["nothing of its record could be compared"]
        return [f"{item.name}: {item.why}" for item in self.comparison.differences]


def run_modeled(
    jobs: list[Job], layout: Layout, spec: DeviceSpec, machines: tuple[MachineEvidence, ...]
) -> Iterator[Modeled]:
    """Run ``jobs`` one after the other on the model ``spec``, and compare each."""
    folder = layout.model_runs / spec.profile
    for job in jobs:
        record = run_one(job, layout, spec)
        write_atomically(folder / record_name(record.day, record.program), dump(record))
        yield held_against(job, record, reference(job, layout, spec, machines, record.compiler), spec)


def run_one(job: Job, layout: Layout, spec: DeviceSpec) -> Record:
    """What one program does on the model. Once: the model's runs do not differ."""
    key = program_key(layout, job.day, job.program)
    started = datetime.now(UTC)
    try:
        require(job.day, PROFILES[spec.profile], 1)
    except Unsupported as error:
        return refused(job, key, started, error)
    source = source_of(layout, job.day, job.program)
    run = run_program(source, root=layout.root, cache=layout.cache, seconds=job.program.seconds, device=spec)
    return assemble(job.day, job.program, key, started, [run], partial=True)


def reference(
    job: Job,
    layout: Layout,
    spec: DeviceSpec,
    machines: tuple[MachineEvidence, ...],
    compiler: Compiler | None,
) -> Standing | None:
    """Where the program stands on the GPU that is modeled: its best record, if there is one.

    A fresh record that the same ``compiler`` made comes before all others, even where it is older: registers
    and other results of the compiler can be compared with that one alone.
    """
    slug = modeled_slug(PROFILES[spec.profile])
    same = tuple(evidence for evidence in machines if evidence.machine.gpu.slug == slug)
    found = standings(layout, job.day, job.program, same)
    alike = tuple(at for at in found if at.state == "fresh" and at.record and at.record.compiler == compiler)
    return next(iter(best_per_gpu(alike or found, slug)), None)


def held_against(job: Job, record: Record, standing: Standing | None, spec: DeviceSpec) -> Modeled:
    """``record`` compared with the evidence, or why it is not."""
    if record.status != "ok":
        return Modeled(job, record, None, record.reason or record.status)
    if standing is None or standing.record is None:
        return Modeled(job, record, None, f"there is no record of it from {as_real(PROFILES[spec.profile]).name}")
    if standing.state != "fresh":
        return Modeled(job, record, None, f"its record is {standing.state}: {standing.why}")
    return Modeled(job, record, compare(record, standing.record))
