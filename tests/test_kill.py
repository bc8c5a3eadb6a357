"""A hundred captures killed at random moments: every finished record whole, none lost, nothing left behind."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import pytest
from gpu100.capture.held import HALF_WRITTEN, held
from gpu100.errors import EvidenceError
from gpu100.evidence.store import EvidenceStore
from gpu100.model.machine import Machine
from gpu100.model.record import CellOutput, Record
from gpu100.paths import Layout
from killing import kill_captures, kill_stand_ins

KILLS, REAL_KILLS = 100, 6


@pytest.fixture
def large(record: Record) -> Record:
    """A record that takes a while to write."""
    return dataclasses.replace(record, transcript=(CellOutput(cell=1, stdout=("x" * 100,) * 2000),))


def test_a_hundred_killed_captures_lose_no_finished_record(tmp_path: Path, h200: Machine, large: Record) -> None:
    root = tmp_path / "evidence"
    toll = kill_stand_ins(root, h200, large, KILLS, random.Random(2))
    assert toll.kills == KILLS
    assert toll.finished >= KILLS / 2, "most captures were killed before they wrote anything: the test proves little"
    assert toll.halves > 5, "hardly a capture was killed while it wrote: the test proves little"
    (folder,) = root.glob("*/*")
    with held(folder):
        assert list(folder.rglob(HALF_WRITTEN)) == []


def test_a_writer_that_is_not_atomic_is_found_out(tmp_path: Path, h200: Machine, large: Record) -> None:
    with pytest.raises(EvidenceError, match="is not JSON"):
        kill_stand_ins(tmp_path / "evidence", h200, large, KILLS, random.Random(2), writer="torn")


def test_a_killed_capture_takes_its_program_along(mini: Layout, h200: Machine) -> None:
    toll = kill_captures(mini, h200, REAL_KILLS, random.Random(3))
    assert toll.kills == REAL_KILLS


def test_two_captures_do_not_write_to_one_folder(tmp_path: Path, h200: Machine) -> None:
    folder = EvidenceStore(tmp_path).write_machine(h200)
    (folder / ".day01-hello.json.x7").write_text("half")
    with held(folder):
        assert [path.name for path in folder.iterdir()] == ["machine.json"]
        with pytest.raises(EvidenceError, match=r"another capture writes to h200/580\."), held(folder):
            pass
    with held(folder):
        pass
