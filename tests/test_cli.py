"""The command line, as a person meets it: exit codes, messages, no tracebacks."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from gpu100.evidence.bundle import pack
from gpu100.evidence.store import EvidenceStore
from gpu100.model.machine import Machine
from gpu100.model.record import Record
from gpu100.paths import Layout

Ran = subprocess.CompletedProcess[str]


def gpu100(*words: str | Path, within: Path) -> Ran:
    command = [sys.executable, "-m", "gpu100", *map(str, words)]
    ran = subprocess.run(command, cwd=within, capture_output=True, text=True, check=False)
    assert "Traceback" not in ran.stderr, ran.stderr
    return ran


def has_gpu() -> bool:
    program = "from gpu100.device.cuda import CudaDevice; CudaDevice()"
    return not subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode


@pytest.fixture
def archive(tmp_path: Path, h200: Machine, record: Record) -> Path:
    """Good evidence of day 2 of the small course, packed."""
    store = EvidenceStore(tmp_path / "theirs")
    folder = store.write_machine(h200)
    store.write(folder, record)
    pack(store.root, tmp_path / "good.tar.gz", [folder])
    return tmp_path / "good.tar.gz"


def test_without_a_driver_capture_runs_the_model(layout: Layout) -> None:
    if has_gpu():
        pytest.skip("this machine has a GPU")
    ran = gpu100("evidence", "capture", within=layout.root)
    assert ran.returncode == 0
    assert ran.stdout.splitlines()[0].startswith("No GPU found: the SIMT model runs instead")
    assert ran.stdout.splitlines()[-1] == "6 results compared, 0 differ, 0 left out"


def test_without_a_driver_no_evidence_is_written(mini: Layout) -> None:
    if has_gpu():
        pytest.skip("this machine has a GPU")
    assert gpu100("evidence", "capture", within=mini.root).returncode == 1  # nothing to compare with
    assert not mini.evidence.exists()


def test_without_a_driver_evidence_that_is_asked_for_ends_with_4(mini: Layout) -> None:
    if has_gpu():
        pytest.skip("this machine has a GPU")
    for words in (["--device", "gpu"], ["--bundle", "evidence.tar.gz"], ["--out", "elsewhere"]):
        ran = gpu100("evidence", "capture", *words, within=mini.root)
        assert ran.returncode == 4, words
        assert ran.stderr.startswith("error: no CUDA driver answers: ")
        assert "install NVIDIA's driver" in ran.stderr
    assert {path.name for path in mini.root.iterdir()} == {"code", "content", "docs", "mkdocs.yml"}


def test_a_day_that_does_not_exist_ends_with_2(mini: Layout) -> None:
    ran = gpu100("evidence", "capture", "77", within=mini.root)
    assert (ran.returncode, ran.stderr) == (2, "error: there is no day 77\n")


def test_nothing_to_capture_ends_with_2(repository: Layout) -> None:
    ran = gpu100("evidence", "capture", "99", within=repository.root)
    assert (ran.returncode, ran.stderr) == (2, "error: there is no program to capture\n")


def test_the_courses_evidence_is_listed(repository: Layout) -> None:
    ran = gpu100("evidence", "status", within=repository.root)
    assert ran.returncode == 0
    assert "day 2 warp_slots" in ran.stdout


def test_the_courses_evidence_is_listed_as_json(repository: Layout) -> None:
    rows = json.loads(gpu100("evidence", "status", "--json", within=repository.root).stdout)
    assert rows
    assert all(row.keys() == {"day", "program", "machine", "state", "why"} for row in rows)
    assert (2, "warp_slots") in {(row["day"], row["program"]) for row in rows}


def test_a_course_without_evidence_says_so(mini: Layout) -> None:
    ran = gpu100("evidence", "status", within=mini.root)
    assert ran.returncode == 1
    assert ran.stderr == "error: there is no evidence yet\n  make evidence, on a machine with a GPU\n"


def test_good_evidence_is_imported_and_then_listed(mini: Layout, archive: Path) -> None:
    ran = gpu100("evidence", "import", archive, within=mini.root / "content")
    assert ran.returncode == 0
    assert ran.stdout.splitlines()[-1] == "2 files imported"
    rows = json.loads(gpu100("evidence", "status", "--json", within=mini.root).stdout)
    assert {(row["program"], row["state"]) for row in rows} == {("hello", "missing"), ("twice", "stale")}


def test_a_bad_archive_ends_with_1_and_brings_nothing(mini: Layout, tmp_path: Path) -> None:
    bad = tmp_path / "bad.tar.gz"
    with tarfile.open(bad, "w:gz") as tar:
        tar.add(mini.course, arcname="../course.toml")
    ran = gpu100("evidence", "import", bad, within=mini.root)
    assert ran.returncode == 1
    assert ran.stderr.startswith("error: bad.tar.gz: '../course.toml' does not belong in an archive of evidence\n")
    assert not mini.evidence.exists()


def test_an_archive_that_is_missing_ends_with_2(mini: Layout) -> None:
    ran = gpu100("evidence", "import", "nowhere.tar.gz", within=mini.root)
    assert (ran.returncode, ran.stderr) == (2, "error: nowhere.tar.gz does not exist\n")


def test_outside_a_course_ends_with_2(tmp_path: Path) -> None:
    ran = gpu100("evidence", "status", within=tmp_path)
    assert ran.returncode == 2
    assert "is not inside a course" in ran.stderr


def test_a_fault_in_course_toml_is_told_with_its_line(mini: Layout) -> None:
    text = mini.course.read_text(encoding="utf-8")
    mini.course.write_text(text.replace("reference_gpu", "referense_gpu"), encoding="utf-8")
    ran = gpu100("evidence", "capture", within=mini.root)
    assert ran.returncode == 1
    assert ran.stderr.startswith("error: content/course.toml:5: course.referense_gpu: unknown key")
    assert "did you mean 'reference_gpu'?" in ran.stderr


def test_an_edited_record_is_told(mini: Layout, archive: Path) -> None:
    gpu100("evidence", "import", archive, within=mini.root)
    (path,) = mini.evidence.glob("*/*/day02-twice.json")
    path.write_text(path.read_text(encoding="utf-8").replace('"failed"', '"held"'), encoding="utf-8")
    ran = gpu100("evidence", "status", within=mini.root)
    assert ran.returncode == 1
    assert "day02-twice.json is not what was captured" in ran.stderr


def test_no_command_shows_the_help() -> None:
    ran = gpu100(within=Path.cwd())
    assert "evidence" in ran.stdout + ran.stderr
