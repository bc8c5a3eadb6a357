"""A machine: its names, its capability, and the state of the tree it ran."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from gpu100.capture.machine import describe_machine, tree_state
from gpu100.errors import Unsupported
from gpu100.model.capability import NVRTC_13_0, Capability, claimed
from gpu100.model.machine import Driver, Machine, gpu_slug


def test_a_gpus_slug_is_its_name_without_the_maker() -> None:
    slugs = {
        "NVIDIA H200": "h200",
        "Tesla T4": "tesla-t4",
        "NVIDIA GeForce RTX 4090": "geforce-rtx-4090",
        "NVIDIA A100-SXM4-80GB": "a100-sxm4-80gb",
        "NVIDIA RTX PRO 6000 (Blackwell)": "rtx-pro-6000-blackwell",
    }
    assert {name: gpu_slug(name) for name in slugs} == slugs


def test_a_machines_folder_names_driver_and_compiler(h200: Machine) -> None:
    assert h200.folder == "580.159.04-nvrtc13.0.88"
    assert h200.gpu.warps_per_sm == 64


def test_a_drivers_cuda_version_is_read_from_its_number() -> None:
    assert [Driver(version="1", cuda_raw=raw).cuda for raw in (13000, 12080, 11040)] == ["13.0", "12.8", "11.4"]


def test_a_capability_reads_back() -> None:
    for text in ("7.5", "9.0a", "10.3f", "12.1"):
        assert str(Capability.parse(text)) == text
    assert Capability.parse("9.0a").arch == "sm_90a"
    assert Capability.parse("12.1").arch == "sm_121"


def test_what_is_no_capability_is_refused() -> None:
    for text in ("", "9", "sm_90", "9.0x", "9.00", " 9.0"):
        with pytest.raises(ValueError, match="is not a compute capability"):
            Capability.parse(text)


def test_capabilities_are_in_the_order_of_numbers_not_letters() -> None:
    assert Capability.parse("9.0") < Capability.parse("10.0") < Capability.parse("12.1")
    assert list(NVRTC_13_0) == sorted(NVRTC_13_0)


def test_code_runs_on_its_capability_and_above() -> None:
    needs = Capability.parse("9.0")
    runs = [text for text in ("7.5", "8.9", "9.0", "10.0") if needs.runs_on(Capability.parse(text))]
    assert runs == ["9.0", "10.0"]


def test_code_for_one_capability_runs_on_no_other() -> None:
    needs = Capability.parse("9.0a")
    assert [text for text in ("8.9", "9.0", "10.0") if needs.runs_on(Capability.parse(text))] == ["9.0"]


def test_a_program_claims_every_capability_from_its_own_on() -> None:
    assert claimed(Capability.parse("7.5")) == NVRTC_13_0
    assert [str(capability) for capability in claimed(Capability.parse("10.3"))] == ["10.3", "11.0", "12.0", "12.1"]
    assert claimed(Capability.parse("9.0a")) == (Capability.parse("9.0a"),)


def git(folder: Path, *words: str) -> None:
    command = ["git", "-C", str(folder), "-c", "user.name=test", "-c", "user.email=test@localhost", *words]
    subprocess.run(command, check=True, capture_output=True)


def test_a_tree_is_clean_dirty_or_unknown(tmp_path: Path) -> None:
    assert tree_state(tmp_path) == "unknown"
    git(tmp_path, "init")
    (tmp_path / "a.py").write_text("a = 1\n")
    assert tree_state(tmp_path) == "unknown"  # nothing was ever committed to compare with
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "first")
    assert tree_state(tmp_path) == "clean"
    (tmp_path / "a.py").write_text("a = 2\n")
    assert tree_state(tmp_path) == "dirty"


def test_evidence_itself_does_not_make_a_tree_dirty(tmp_path: Path) -> None:
    git(tmp_path, "init")
    git(tmp_path, "commit", "--allow-empty", "-m", "first")
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "machine.json").write_text("{}\n")
    assert tree_state(tmp_path) == "clean"


def test_this_machine_is_described_or_says_why_not(tmp_path: Path) -> None:
    found: Machine | Unsupported
    try:
        found = describe_machine(tmp_path)
    except Unsupported as error:
        found = error
    if isinstance(found, Machine):
        assert found.gpu.sms > 0
        assert found.harness.tree == "unknown"
    else:
        assert found.message
        assert found.hint
