"""Which device a program finds, and how it takes its leave of hardware on the model."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gpu100 import lab
from gpu100.device import choose
from gpu100.device.arguments import Address
from gpu100.device.interface import Source
from gpu100.device.simt.faults import Fault
from gpu100.errors import CourseError, DeviceError, NoDevice, Unsupported, UsageError
from gpu100.lab import session, start, timing
from gpu100.lab.on_model import RestNeedsGpu
from gpu100.lab.session import Event, Session
from gpu100.model.device import GPU, DeviceSpec
from gpu100.model.gpus import PROFILES
from stand_in import StandIn

isolated = importlib.import_module("gpu100.lab.isolated")  # lab's function has the module's name
Asked = list[tuple[str, int]]
KERNEL = 'extern "C" __global__ void k() {}\n'


@pytest.fixture
def events() -> Iterator[list[Event]]:
    """What is declared in a session of the test's own."""
    heard: list[Event] = []
    before = session.current()
    session.begin(Session(emit=heard.append))
    yield heard
    session.begin(before)


@pytest.fixture
def asked(events: list[Event], monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What was opened, on a machine without a GPU; the model is a stand-in."""
    opened: Asked = []

    def open_device(spec: DeviceSpec, index: int = 0, *, cache: Path | None = None) -> StandIn:
        opened.append((str(spec), index))
        if spec.kind == "gpu":
            raise NoDevice("no CUDA driver answers")
        return StandIn(gpu=PROFILES[spec.profile])

    monkeypatch.setattr(start, "open_device", open_device)
    monkeypatch.delenv("GPU100_DEVICE", raising=False)
    return opened


def test_without_a_gpu_the_model_steps_in_and_says_so(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    assert lab.device().gpu.name == "NVIDIA H200 (SIMT model)"
    assert asked == [("gpu:0", 0), ("model:h200", 0)]
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "No GPU found: NVIDIA H200 (SIMT model) runs this.\n")


def test_what_is_asked_for_is_had_or_nothing(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GPU100_DEVICE", "model:t4")
    assert lab.device().gpu.name == "Tesla T4 (SIMT model)"
    session.current().device = DeviceSpec.parse("model:rtx4060")  # of the run: before the environment
    assert lab.device().gpu.sms == 24
    session.current().device = GPU
    with pytest.raises(NoDevice):
        lab.device()
    assert asked == [("model:t4", 0), ("model:rtx4060", 0), ("gpu:0", 0)]
    assert capsys.readouterr().err == ""


def test_a_gpu_is_asked_for_by_the_environment(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPU100_DEVICE", "gpu")
    with pytest.raises(NoDevice):
        lab.device()
    monkeypatch.setenv("GPU100_DEVICE", "modle")
    with pytest.raises(UsageError, match="there is no device 'modle'"):
        lab.device()


def test_the_model_is_one_gpu() -> None:
    with pytest.raises(Unsupported, match="the SIMT model is one GPU"):
        choose.open_device(DeviceSpec.parse("model"), 1)


def test_sizes_are_the_devices(events: list[Event]) -> None:
    with pytest.raises(CourseError, match="no device has been found yet"):
        lab.sized(100, on_model=1)
    session.current().devices = [StandIn(is_model=False)]  # type: ignore[list-item]
    assert lab.sized(100, on_model=1) == 100
    session.current().devices = [StandIn()]  # type: ignore[list-item]
    assert lab.sized(100, on_model=1) == 1


def test_what_hardware_decides_the_model_leaves_unjudged(
    events: list[Event], capsys: pytest.CaptureFixture[str]
) -> None:
    session.current().devices = [StandIn()]  # type: ignore[list-item]
    lab.predict("order", False, saw="0 of 8", needs_gpu=True)
    lab.predict("sum", False, saw="0 of 8")
    session.current().devices = [StandIn(is_model=False)]  # type: ignore[list-item]
    lab.predict("order", False, saw="0 of 8", needs_gpu=True)
    assert [(event["outcome"], event["saw"]) for event in events] == [
        ("not-evaluated", "it needs a GPU"),
        ("failed", "0 of 8"),
        ("failed", "0 of 8"),
    ]
    assert capsys.readouterr().out.splitlines() == [
        "prediction order: not evaluated (it needs a GPU)",
        "prediction sum: failed (0 of 8)",
        "prediction order: failed (0 of 8)",
    ]


def test_the_rest_is_left_to_a_gpu(events: list[Event], capsys: pytest.CaptureFixture[str]) -> None:
    session.current().devices = [StandIn(is_model=False)]  # type: ignore[list-item]
    lab.rest_needs_gpu("it is about time")
    assert events == []
    session.current().devices = [StandIn()]  # type: ignore[list-item]
    with pytest.raises(RestNeedsGpu) as caught:
        lab.rest_needs_gpu("it is about time")
    assert isinstance(caught.value, SystemExit)  # a plain script ends here without an error
    assert caught.value.code == 0
    assert capsys.readouterr().out == "The rest needs a GPU: it is about time.\n"
    assert events == [{"event": "rest-needs-gpu", "why": "it is about time"}]


def test_the_models_seconds_are_nobodys(events: list[Event]) -> None:
    session.current().devices = [StandIn()]  # type: ignore[list-item]
    seconds = lab.Measured((1.0, 2.0))
    with pytest.raises(Unsupported, match="time is measured, which needs a GPU"):
        lab.measured("time", seconds, better="lower")
    with pytest.raises(Unsupported, match="line is measured, which needs a GPU"):
        lab.series("line", [(1, seconds)], x_unit="n", y_unit="s")
    with pytest.raises(Unsupported, match="timing needs a GPU") as caught:
        timing.time(StandIn(), lambda: None)  # type: ignore[arg-type]
    assert "rest_needs_gpu" in (caught.value.hint or "")
    lab.series("line", [(1, 2.0), (2, 4.0)], x_unit="n", y_unit="s")
    assert [event["event"] for event in events] == ["series"]


# A launch in a process of its own, here without the process.


@pytest.fixture
def answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[StandIn], dict[str, str]]:
    path = tmp_path / "k.cu"
    path.write_text('extern "C" __global__ void k(int* y, int n) {}\n', encoding="utf-8")

    def run(device: StandIn) -> dict[str, str]:
        job: dict[str, Any] = {"path": str(path), "name": "k.cu", "options": [], "kernel": "k"}
        job |= {"grid": 1, "block": 32, "shared_bytes": 0}
        job["args"] = [isolated._pack(np.zeros(4, "int32")), isolated._pack(Address(64)), isolated._pack(3)]
        isolated.run_job(device, job)  # type: ignore[arg-type]
        return dict(map(json.loads, capsys.readouterr().out.splitlines()))

    return run


def test_a_good_launch_answers_success(answers: Callable[[StandIn], dict[str, str]]) -> None:
    seen: list[object] = []
    found = answers(StandIn(work=lambda *args: seen.extend(args)))
    assert found == {"launch": "SUCCESS", "synchronize": "SUCCESS", "allocate": "SUCCESS"}
    assert seen[1:] == [Address(64), 3]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("out-of-bounds", {"synchronize": "CUDA_ERROR_ILLEGAL_ADDRESS", "allocate": "CUDA_ERROR_ILLEGAL_ADDRESS"}),
        ("assert", {"synchronize": "CUDA_ERROR_ASSERT", "allocate": "CUDA_ERROR_ASSERT"}),
        ("race", {"synchronize": "it is so", "allocate": "SUCCESS"}),
        ("endless-loop", {"hangs": "endless-loop"}),
        ("deadlock", {"hangs": "deadlock"}),
    ],
)
def test_a_fault_on_the_model_is_told_as_a_gpu_would(
    answers: Callable[[StandIn], dict[str, str]], kind: Any, expected: dict[str, str]
) -> None:
    def work(*args: object) -> None:
        raise Fault(kind, "it is so")

    assert answers(StandIn(work=work)) == {"fault": "it is so", "launch": "SUCCESS", **expected}


def test_a_refused_launch_is_the_launchs_own_answer(answers: Callable[[StandIn], dict[str, str]]) -> None:
    def work(*args: object) -> None:
        raise DeviceError("too many threads", name="CUDA_ERROR_INVALID_VALUE")

    found = answers(StandIn(work=work))
    assert found == {"launch": "CUDA_ERROR_INVALID_VALUE", "synchronize": "SUCCESS", "allocate": "SUCCESS"}


def test_the_child_is_told_the_device(events: list[Event], monkeypatch: pytest.MonkeyPatch) -> None:
    jobs: list[dict[str, Any]] = []

    class Child:
        returncode, pid = 0, 0

        def communicate(self, data: bytes, timeout: float) -> tuple[bytes, bytes]:
            jobs.append(json.loads(data))
            return b'["fault", "it is so"]\n["launch", "SUCCESS"]\n["hangs", "deadlock"]\n', b""

    monkeypatch.setattr(isolated.subprocess, "Popen", lambda *args, **kwargs: Child())
    device = StandIn()
    kernel = device.compile(Source(Path("k.cu"), "k.cu", KERNEL), ())[0]["k"]
    session.current().devices = [device]  # type: ignore[list-item]
    found = lab.isolated(kernel, 1, 1)  # type: ignore[arg-type]
    assert found == isolated.Answers(launch="SUCCESS", fault="it is so", timed_out=True)
    session.current().device = DeviceSpec.parse("model:t4")
    lab.isolated(kernel, 1, 1)  # type: ignore[arg-type]
    session.current().device = None
    session.current().devices = [StandIn(is_model=False)]  # type: ignore[list-item]
    lab.isolated(kernel, 1, 1)  # type: ignore[arg-type]
    assert [job["device"] for job in jobs] == ["model:h200", "model:t4", "gpu:0"]


def test_a_kernel_that_outlives_its_time_on_the_model_was_launched(
    events: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Child:
        returncode, pid = -9, 0
        calls = 0

        def communicate(self, data: bytes = b"", timeout: float = 0) -> tuple[bytes, bytes]:
            Child.calls += 1
            if Child.calls % 2:
                raise isolated.subprocess.TimeoutExpired("child", timeout)
            return b"", b""

    monkeypatch.setattr(isolated.subprocess, "Popen", lambda *args, **kwargs: Child())
    monkeypatch.setattr(isolated.os, "killpg", lambda pid, signal: None)
    for is_model, launch in ((True, "SUCCESS"), (False, "not reached")):
        device = StandIn(is_model=is_model)
        session.current().devices = [device]  # type: ignore[list-item]
        kernel = device.compile(Source(Path("k.cu"), "k.cu", KERNEL), ())[0]["k"]
        found = lab.isolated(kernel, 1, 1)  # type: ignore[arg-type]
        assert found == isolated.Answers(launch=launch, timed_out=True)
