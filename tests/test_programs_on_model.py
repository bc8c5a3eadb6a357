"""Every program of the course on the SIMT model, held against the evidence of the H200."""

from __future__ import annotations

import pytest
from conftest import REPOSITORY
from gpu100.capture.modeled import Modeled, held_against, reference, run_one
from gpu100.capture.plan import Job, jobs_of
from gpu100.content.course import load_course
from gpu100.evidence.store import EvidenceStore
from gpu100.model.device import MODEL, DeviceSpec

NOT_MODELED: set[str] = set()
"""Programs that need more than the model has: they may end as unsupported, and nothing else."""

MOST_SECONDS = 3.0
"""A day's run on the model, in a process of its own; on a busy machine it may take several times as long."""

JOBS = jobs_of(load_course(REPOSITORY).days, REPOSITORY)


def test_there_are_programs() -> None:
    assert len(JOBS) >= 3
    assert {job.program.name for job in JOBS} >= NOT_MODELED


@pytest.mark.parametrize("job", JOBS, ids=lambda job: f"{job.day.tag}-{job.program.name}")
def test_a_program_agrees_with_the_evidence(job: Job) -> None:
    record = run_one(job, REPOSITORY, MODEL)
    if job.program.name in NOT_MODELED:
        assert record.status == "unsupported", record.reason
        return
    assert record.status == "ok", record.reason
    assert record.checks, "it checked nothing"
    assert record.seconds < 4 * MOST_SECONDS
    machines = EvidenceStore(REPOSITORY.evidence).read()
    ran: Modeled = held_against(job, record, reference(job, REPOSITORY, MODEL, machines, record.compiler), MODEL)
    assert ran.problems == []
    if job.day.status == "published":
        assert ran.comparison is not None, ran.why_not
    if ran.comparison:
        print(f"{job.name}: {ran.comparison.compared} compared; left out: {ran.comparison.left_out}")
        assert ran.comparison.compared


@pytest.mark.parametrize("profile", ["t4", "rtx4060"])
@pytest.mark.parametrize("job", JOBS, ids=lambda job: f"{job.day.tag}-{job.program.name}")
def test_a_program_runs_on_other_gpus_models(job: Job, profile: str) -> None:
    record = run_one(job, REPOSITORY, DeviceSpec("model", profile=profile))
    assert record.status in ("ok", "unsupported"), record.reason
    if job.program.name not in NOT_MODELED and job.day.needs_capability.major <= 7:
        assert record.status == "ok", record.reason
