"""What is measured where, and whether it still holds."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

from gpu100.content.course import load_course
from gpu100.evidence.key import program_key
from gpu100.evidence.status import Standing, best_per_gpu, pinned_nvrtc, standings
from gpu100.evidence.store import MachineEvidence
from gpu100.model.machine import Machine
from gpu100.model.record import Record
from gpu100.paths import Layout

Edit = Callable[[Path, str, str], None]


def standing_of(layout: Layout, machine: Machine, *records: Record) -> Standing:
    day = load_course(layout).days[1]
    evidence = MachineEvidence(folder="a/folder", machine=machine, records=records)
    (standing,) = standings(layout, day, day.programs[0], (evidence,))
    return standing


def with_key(layout: Layout, record: Record) -> Record:
    day = load_course(layout).days[1]
    return dataclasses.replace(record, key=program_key(layout, day, day.programs[0]))


def test_a_record_of_the_current_tree_is_fresh(mini: Layout, h200: Machine, record: Record) -> None:
    standing = standing_of(mini, h200, with_key(mini, record))
    assert (standing.state, standing.why) == ("fresh", "")


def test_a_record_of_an_older_tree_is_stale(mini: Layout, h200: Machine, record: Record, edit: Edit) -> None:
    older = with_key(mini, record)
    edit(mini.root / "code/day02-twice/twice.cu", "if (i < n)", "if (i != n)")
    standing = standing_of(mini, h200, older)
    assert (standing.state, standing.why) == ("stale", "code/day02-twice/twice.cu changed")


def test_a_record_of_a_failed_run_says_why(mini: Layout, h200: Machine, record: Record) -> None:
    failed = dataclasses.replace(with_key(mini, record), status="timeout", reason="still running after 20 s")
    standing = standing_of(mini, h200, failed)
    assert (standing.state, standing.why) == ("failed", "still running after 20 s")


def test_stale_comes_before_failed(mini: Layout, h200: Machine, record: Record) -> None:
    older = dataclasses.replace(record, status="timeout", reason="still running after 20 s")
    assert standing_of(mini, h200, older).state == "stale"


def test_no_record_is_missing(mini: Layout, h200: Machine, record: Record) -> None:
    other = dataclasses.replace(record, program="hello", day=1)
    assert standing_of(mini, h200, other).state == "missing"


def test_the_best_of_a_gpu_is_fresh_before_newest(h200: Machine, record: Record) -> None:
    newer = dataclasses.replace(record, started="2027-01-01T00:00:00Z")
    newest = dataclasses.replace(record, started="2028-01-01T00:00:00Z")
    found = (
        Standing("newer", h200, newer),
        Standing("older", h200, record),
        Standing("stale", h200, newest, stale="twice.cu changed"),
        Standing("none", h200, None),
    )
    assert [best.folder for best in best_per_gpu(found, "h200")] == ["newer"]


def test_the_version_that_readers_install_comes_before_a_newer_one(mini: Layout, h200: Machine, record: Record) -> None:
    (mini.root / "pyproject.toml").write_text('cuda = ["nvidia-cuda-nvrtc==13.0.88"]\n')
    versions = ("12.9.86", "13.0.88", "13.5.37")
    machines = [dataclasses.replace(h200, software=dataclasses.replace(h200.software, nvrtc=at)) for at in versions]
    found = tuple(Standing(machine.software.nvrtc, machine, record) for machine in machines)
    assert [best.folder for best in best_per_gpu(found, "h200", pinned_nvrtc(mini))] == ["13.0.88"]
    assert [best.folder for best in best_per_gpu(found, "h200")] == ["13.5.37"]
    fails = dataclasses.replace(found[1], stale="twice.cu changed")
    assert [best.folder for best in best_per_gpu((fails, found[2]), "h200", "13.0.88")] == ["13.5.37"], "fresh first"


def test_the_course_holds_one_version_of_nvrtc(repository: Layout) -> None:
    pinned = (repository.root / "requirements" / "cuda.txt").read_text(encoding="utf-8")
    assert f"nvidia-cuda-nvrtc=={pinned_nvrtc(repository)} " in pinned


def test_the_reference_gpu_comes_first(h200: Machine, t4: Machine, record: Record) -> None:
    found = (Standing("one", h200, record), Standing("two", t4, record))
    assert [best.folder for best in best_per_gpu(found, "tesla-t4")] == ["two", "one"]
    assert [best.folder for best in best_per_gpu(found, "h200")] == ["one", "two"]


def test_a_gpu_without_a_record_is_not_among_the_best(h200: Machine) -> None:
    assert best_per_gpu((Standing("none", h200, None),), "h200") == ()
