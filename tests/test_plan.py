"""What a capture runs, and that it goes on where it was stopped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from gpu100.capture.plan import Job, due, jobs_of
from gpu100.capture.precompile import precompile
from gpu100.capture.run import capture
from gpu100.cli.capture import UNFRESH
from gpu100.content.course import load_course
from gpu100.evidence.status import State
from gpu100.evidence.store import EvidenceStore, MachineEvidence
from gpu100.model.machine import Machine
from gpu100.paths import Layout


@pytest.fixture
def jobs(mini: Layout) -> list[Job]:
    return jobs_of(load_course(mini).days, mini)


@pytest.fixture
def look(mini: Layout, h200: Machine) -> Callable[[], MachineEvidence]:
    """The H200's evidence as it stands now."""
    store = EvidenceStore(mini.evidence)
    store.write_machine(h200)
    return lambda: store.read()[0]


def names(jobs: list[Job], mini: Layout, evidence: MachineEvidence, *states: State) -> list[str]:
    return [job.program.name for job in due(jobs, mini, evidence, frozenset(states) or UNFRESH)]


def finish(jobs: list[Job], mini: Layout, h200: Machine, count: int) -> None:
    """Capture, stopped after ``count`` programs."""
    store = EvidenceStore(mini.evidence)
    running = capture(jobs, mini, h200, store, store.folder_for(h200))
    for _ in range(count):
        next(running)


def test_a_capture_goes_on_where_it_was_stopped(
    jobs: list[Job], mini: Layout, h200: Machine, look: Callable[[], MachineEvidence]
) -> None:
    assert names(jobs, mini, look()) == ["hello", "twice"]
    finish(jobs, mini, h200, 1)
    assert names(jobs, mini, look()) == ["twice"]
    finish(jobs[1:], mini, h200, 1)
    assert names(jobs, mini, look()) == []


def test_stale_and_failed_are_told_apart(
    jobs: list[Job],
    mini: Layout,
    h200: Machine,
    look: Callable[[], MachineEvidence],
    edit: Callable[[Path, str, str], None],
) -> None:
    edit(mini.code / "day02-twice" / "twice.py", "2 * x == x + x", "3 * x == x + x")
    finish(jobs, mini, h200, 2)
    edit(mini.code / "day01-hello" / "hello.py", "BLOCKS, THREADS = 2, 4", "BLOCKS, THREADS = 4, 2")
    assert names(jobs, mini, look(), "stale") == ["hello"]
    assert names(jobs, mini, look(), "failed") == ["twice"]
    assert names(jobs, mini, look(), "stale", "failed") == ["hello", "twice"]


def test_kernels_are_compiled_before_anything_runs(jobs: list[Job], mini: Layout, h200: Machine) -> None:
    (mini.code / "day02-twice" / "twice.cu").write_text('extern "C" __global__ void twice() { nothing; }\n')
    assert precompile(jobs, mini, h200) == ["day02 twice"]
    assert any(path.is_file() for path in mini.cache.rglob("*")), "nothing was kept for the programs"
