"""The doctor: every symptom with its cure, and no machine vouched for that lets a planted fault pass."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gpu100.capture import doctor, planted
from gpu100.capture.doctor import FAULT, WRONG_AT, examine, vouched
from gpu100.capture.planted import COUNT, NONE_WRONG
from gpu100.capture.symptoms import Item, of_machine
from gpu100.capture.tools import find_tool
from gpu100.decode import encode
from gpu100.device.choose import open_device
from gpu100.errors import DeviceError
from gpu100.model.device import MODEL
from gpu100.model.machine import Machine
from gpu100.paths import Layout
from stand_in import StandIn, StandInArray
from standin_tools import Tools, put_on_path

CAUGHT = f"every sum is the CPU's: 1 of {COUNT} wrong, the first at index {WRONG_AT}"


@pytest.fixture
def found(h200: Machine) -> dict[str, Any]:
    """What the probe tells of a machine without a fault."""
    return {
        "software": {"nvrtc": "13.0.88", "cuda_core": "1.2.0"},
        "headers": 2,
        "architectures": ["sm_75", "sm_90"],
        "gpus": ["NVIDIA H200"],
        "processes": 0,
        "gpu": encode(h200.gpu),
        "driver": {"version": "580.159.04", "cuda_raw": 13000},
        "cuda": "13.0",
        "free_bytes": 140 << 30,
        "clock": {"mhz": 1980.0, "reasons": []},
    }


def answers(found: dict[str, Any], **said: dict[str, Any]) -> Callable[..., dict[str, Any]]:
    """A machine that answers ``found``, and to what is planted as told; by default, as it should."""
    good = {"right": {"said": ""}, "wrong": {"said": CAUGHT}, "fault": {"said": FAULT}} | said

    def ask(module: str, *words: str) -> dict[str, Any]:
        if module == "probe":
            return found
        return good["fault" if words[0] == "fault" else "right" if words[1] == "-1" else "wrong"]

    return ask


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    tools = put_on_path(tmp_path / "tools", monkeypatch)
    bad = "========= Invalid __global__ write\n=========     at planted_store(int *)+0x10\n"
    bad += "========= ERROR SUMMARY: 1 error\n"
    table = '"ID","Kernel Name","smsp__inst_executed.sum"\n"","","inst"\n"0","planted_sums","128"\n'
    tools.settle(native="print(7)", logs={"memcheck": bad}, table=table)
    return tools


def named(items: list[Item], name: str) -> Item:
    return next(item for item in items if item.name == name)


def test_a_machine_without_a_fault_is_vouched_for(found: dict[str, Any], tools: Tools, layout: Layout) -> None:
    items = list(examine(layout, answers(found)))
    assert [item for item in items if item.state != "ok" and item.name != "working tree"] == []
    assert vouched(items)
    assert named(items, "planted wrong sum").says == "caught: " + CAUGHT
    for lane in ("native", "counters", "sanitizer"):
        assert "not tried" not in named(items, f"{lane} lane").says


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ({"wrong": {"said": ""}}, "planted wrong sum"),
        ({"wrong": {"said": CAUGHT.replace("77", "78")}}, "planted wrong sum"),
        ({"wrong": {"said": CAUGHT.replace("1 of", "4096 of")}}, "planted wrong sum"),
        ({"wrong": {"error": "no answer within 90 s"}}, "planted wrong sum"),
        ({"fault": {"said": ""}}, "planted fault"),
        ({"fault": {"said": "CUDA_ERROR_UNKNOWN"}}, "planted fault"),
        ({"fault": {"error": "it ended with -11"}}, "planted fault"),
        ({"right": {"said": CAUGHT}}, "right sums"),
        ({"right": {"error": "it ended with 1"}}, "right sums"),
    ],
)
def test_a_planted_fault_that_is_not_caught_is_not_vouched_for(
    found: dict[str, Any], tools: Tools, layout: Layout, said: dict[str, Any], name: str
) -> None:
    items = list(examine(layout, answers(found, **said)))
    assert not vouched(items)
    assert named(items, name).state == "problem"
    assert named(items, name).cure


@pytest.mark.parametrize(
    ("change", "name", "state", "cure"),
    [
        ({"headers": 1}, "headers", "problem", "nvidia-cuda-cccl"),
        ({"architectures": ["sm_75"]}, "architecture", "problem", "nvidia-cuda-nvrtc"),
        ({"cuda": "12.8"}, "driver", "problem", "update the driver to one for CUDA 13"),
        ({"free_bytes": 1 << 20}, "GPU", "problem", "nvidia-smi"),
        ({"processes": 1}, "other processes", "warning", "end them"),
        ({"processes": None}, "other processes", "warning", "none"),
        ({"clock": None}, "clock", "warning", "NVML"),
        ({"clock": {"mhz": 900.0, "reasons": ["temperature"]}}, "clock", "warning", "cool"),
    ],
)
def test_a_symptom_comes_with_its_cure(
    found: dict[str, Any], change: dict[str, Any], name: str, state: str, cure: str
) -> None:
    item = named(list(of_machine(found | change)), name)
    assert (item.state, cure in item.cure) == (state, True), item


def test_a_gpu_in_instances_is_told(found: dict[str, Any]) -> None:
    cut = copy.deepcopy(found)
    cut["gpu"]["mig"] = True
    assert named(list(of_machine(cut)), "MIG").state == "warning"


def test_gpus_of_two_names_are_told(found: dict[str, Any]) -> None:
    assert "2 names" in named(list(of_machine(found | {"gpus": ["NVIDIA H200", "Tesla T4"]})), "GPUs").says


def test_others_on_the_gpu_are_counted_and_not_named(found: dict[str, Any]) -> None:
    assert named(list(of_machine(found | {"processes": 3})), "other processes").says == "3 other processes use the GPU"


def test_a_newer_nvrtc_of_the_same_cuda_is_no_symptom(found: dict[str, Any]) -> None:
    newer = found | {"software": {"nvrtc": "13.5.37"}}
    assert named(list(of_machine(newer)), "driver").state == "ok"


@pytest.mark.parametrize(
    ("state", "lane", "cure"),
    [
        ({"ncu_says": "==ERROR== ERR_NVGPUCTRPERM"}, "counters", "NVreg_RestrictProfilingToAdminUsers=0"),
        ({"table": '"ID","Kernel Name"\n'}, "counters", "without counters"),
        ({"logs": {}}, "sanitizer", "without sanitizer"),
        ({"native": "print(8)"}, "native", "without native"),
        ({"nvcc_says": "error: no"}, "native", "without native"),
    ],
)
def test_a_tool_that_does_not_do_its_work_is_found(
    found: dict[str, Any], tools: Tools, layout: Layout, state: dict[str, Any], lane: str, cure: str
) -> None:
    tools.settle(**state)
    items = list(examine(layout, answers(found)))
    item = named(items, f"{lane} lane")
    assert (item.state, cure in item.cure) == ("warning", True), item
    assert vouched(items), "the run needs no tool"


@pytest.mark.parametrize(
    ("name", "lane"), [("nvcc", "native"), ("ncu", "counters"), ("compute-sanitizer", "sanitizer")]
)
def test_a_tool_that_cannot_be_started_is_told_and_the_rest_looked_at(
    found: dict[str, Any], tools: Tools, layout: Layout, name: str, lane: str
) -> None:
    (tools.place / "bin" / name).write_bytes(b"\x7fELF of another processor")
    items = list(examine(layout, answers(found)))
    said = named(items, f"{lane} lane")
    assert (said.state, "Exec format error" in said.says) == ("warning", True), said
    assert named(items, "evidence folder").state == "ok"


def test_the_newest_of_several_installed_tools_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for version in ("2024.3.2", "2025.10.0", "2025.9.1"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "ncu").touch()
    monkeypatch.setattr("gpu100.capture.tools.TOOLKIT", (f"{tmp_path}/*",))
    monkeypatch.setenv("PATH", "")
    assert find_tool("ncu") == tmp_path / "2025.10.0" / "ncu"


def test_a_missing_tool_is_told_with_where_it_comes_from(found: dict[str, Any], tools: Tools, layout: Layout) -> None:
    tools.remove("ncu")
    item = named(list(examine(layout, answers(found))), "counters lane")
    assert (item.state, "CUDA toolkit" in item.cure) == ("warning", True)


def test_without_cuda_python_the_rest_is_still_looked_at(tools: Tools, layout: Layout) -> None:
    items = list(examine(layout, answers({"error": "cuda is not installed", "missing": "cuda"})))
    assert named(items, "cuda-python").cure.startswith("make evidence installs it")
    assert "not tried: no GPU" in named(items, "native lane").says
    assert not vouched(items)


def test_an_evidence_folder_that_cannot_be_written_is_a_problem(
    found: dict[str, Any], tools: Tools, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)
    items = list(examine(layout, answers(found)))
    assert named(items, "evidence folder").state == "problem"
    assert not vouched(items)


# What is planted, on a stand-in and on the model ---------------------------------------------------


class Card(StandIn):
    """A stand-in whose memory is full of what no sum is."""

    def empty(self, shape: int, dtype: str) -> StandInArray:
        return StandInArray(np.full(shape, np.nan, dtype))


def adder(own: int | None = None, error: str = "") -> Card:
    """A GPU that adds, with the mistake that it is told to make, or one of its ``own``; or that has an ``error``."""

    def work(*args: Any) -> None:
        if error:
            raise DeviceError(error, name=error)
        if len(args) == 1:
            return
        a, b, c, _, wrong = args
        c.host[:] = a.host + b.host
        for at in (wrong, own):
            if at is not None and at >= 0:
                c.host[at] += 1

    return Card(work=work)


def test_right_sums_pass_and_a_wrong_one_is_found_where_it_is() -> None:
    assert planted.sums(adder(), NONE_WRONG) == ""
    assert planted.sums(adder(), WRONG_AT) == CAUGHT


def test_a_gpu_that_adds_wrong_by_itself_is_found() -> None:
    assert "1 of 4096 wrong, the first at index 5" in planted.sums(adder(own=5), NONE_WRONG)


def test_a_fault_is_told_by_name_and_silence_is_silence() -> None:
    assert planted.fault(adder()) == ""
    assert planted.fault(adder(error=FAULT)) == FAULT


def test_the_model_catches_both_too(repository: Layout) -> None:
    assert planted.sums(open_device(MODEL, cache=repository.cache), WRONG_AT) == CAUGHT
    assert planted.fault(open_device(MODEL, cache=repository.cache)) == FAULT


# The command -----------------------------------------------------------------------------------------


def test_the_command_ends_with_4_without_a_gpu_and_says_what_is_missing(mini: Layout) -> None:
    command = [sys.executable, "-m", "gpu100", "doctor", "--json"]
    ran = subprocess.run(command, cwd=mini.root, capture_output=True, text=True, check=False)
    said = json.loads(ran.stdout)
    if said["vouched"]:
        pytest.skip("this machine has a GPU")
    assert ran.returncode == 4
    assert any(item["state"] == "problem" and item["cure"] for item in said["items"])
    assert "host and user names" in said["never recorded"]


def test_without_cuda_and_numpy_the_probe_says_so() -> None:
    program = (
        "import sys, runpy\n"
        "sys.modules |= dict.fromkeys(('numpy', 'cuda'))\n"
        "runpy.run_module('gpu100.capture.probe', run_name='__main__')\n"
    )
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "is not installed" in json.loads(child.stdout)["error"]


def test_an_answer_that_is_none_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "error" in doctor.ask("no_such_module")
