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
from gpu100.device import case_process, choose
from gpu100.device.arguments import Address
from gpu100.device.interface import Source
from gpu100.device.simt.faults import Fault
from gpu100.errors import CourseError, DeviceError, NoDevice, Unsupported, UsageError
from gpu100.lab import call, session, start, timing
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


# A case in a process of its own, here without the process.


@pytest.fixture
def answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[StandIn], dict[str, str]]:
    path = tmp_path / "k.cu"
    path.write_text('extern "C" __global__ void k(int* y, int n) {}\n', encoding="utf-8")

    def run(device: StandIn) -> dict[str, str]:
        sources = {"k": {"path": str(path), "name": "k.cu", "options": []}}
        args = [isolated._pack(np.zeros(4, "int32")), isolated._pack(Address(64)), isolated._pack(3)]
        launch = {"call": "launch", "source": "k", "kernel": "k", "grid": 1, "block": 32, "args": args}
        launch |= {"shared_bytes": 0, "cooperative": False}
        listed = [launch, {"call": "synchronize"}, {"call": "allocate", "number": 1}]
        case_process.run_case(device, "it", listed, sources)  # type: ignore[arg-type]
        said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert {case for case, _, _ in said} == {"it"}
        return {place: answer for _, place, answer in said}

    return run


def test_a_good_launch_answers_success(answers: Callable[[StandIn], dict[str, str]]) -> None:
    seen: list[object] = []
    found = answers(StandIn(work=lambda *args: seen.extend(args)))
    assert found == {"0": "CUDA_SUCCESS", "1": "CUDA_SUCCESS", "2": "CUDA_SUCCESS"}
    assert seen[1:] == [Address(64), 3]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("out-of-bounds", {"1": "CUDA_ERROR_ILLEGAL_ADDRESS", "2": "CUDA_ERROR_ILLEGAL_ADDRESS"}),
        ("assert", {"1": "CUDA_ERROR_ASSERT", "2": "CUDA_ERROR_ASSERT"}),
        ("race", {"1": "it is so", "2": "CUDA_SUCCESS"}),
        ("endless-loop", {"hangs": "endless-loop"}),
        ("deadlock", {"hangs": "deadlock"}),
    ],
)
def test_a_fault_on_the_model_is_told_as_a_gpu_would(
    answers: Callable[[StandIn], dict[str, str]], kind: Any, expected: dict[str, str]
) -> None:
    def work(*args: object) -> None:
        raise Fault(kind, "it is so")

    assert answers(StandIn(work=work)) == {"fault": "it is so", "0": "CUDA_SUCCESS", **expected}


def test_a_refused_launch_is_the_launchs_own_answer(answers: Callable[[StandIn], dict[str, str]]) -> None:
    def work(*args: object) -> None:
        raise DeviceError("too many threads", name="CUDA_ERROR_INVALID_VALUE")

    found = answers(StandIn(work=work))
    assert found == {"0": "CUDA_ERROR_INVALID_VALUE", "1": "CUDA_SUCCESS", "2": "CUDA_SUCCESS"}


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], list[dict[str, Any]]]:
    """Lets every child say the same, and keeps what each was told."""

    def stand_in(says: bytes, code: int = 0) -> list[dict[str, Any]]:
        jobs: list[dict[str, Any]] = []

        class Child:
            returncode, pid = code, 0

            def communicate(self, data: bytes, timeout: float) -> tuple[bytes, bytes]:
                jobs.append(json.loads(data))
                return says, b"no such kernel"

        monkeypatch.setattr(isolated.subprocess, "Popen", lambda *args, **kwargs: Child())
        monkeypatch.setattr(isolated.nvrtc, "compile_source", lambda *args, **kwargs: b"cubin")
        return jobs

    return stand_in


def a_kernel(device: StandIn) -> Any:
    return device.compile(Source(Path("k.cu"), "k.cu", KERNEL), ())[0]["k"]


def test_the_child_is_told_the_device(events: list[Event], told: Callable[[bytes], list[dict[str, Any]]]) -> None:
    jobs = told(b'["k", "fault", "it is so"]\n["k", "0", "CUDA_SUCCESS"]\n["k", "hangs", "deadlock"]\n')
    device = StandIn()
    session.current().devices = [device]  # type: ignore[list-item]
    found = lab.isolated(a_kernel(device), 1, 1)
    assert found == isolated.Answers(launch="SUCCESS", fault="it is so", timed_out=True)
    session.current().device = DeviceSpec.parse("model:t4")
    lab.isolated(a_kernel(device), 1, 1)
    session.current().device = None
    session.current().devices = [StandIn(is_model=False)]  # type: ignore[list-item]
    lab.isolated(a_kernel(device), 1, 1)
    assert [job["device"] for job in jobs] == ["model:h200", "model:t4", "gpu:0"]
    assert ["cubin" in next(iter(job["sources"].values())) for job in jobs] == [False, False, True]


def test_a_case_has_a_process_of_its_own_unless_it_does_no_harm(
    events: list[Event], told: Callable[[bytes], list[dict[str, Any]]]
) -> None:
    jobs = told(b'["a", "0", "cudaErrorInvalidDevice"]\n["b", "0", "cudaSuccess"]\n')
    session.current().devices = [StandIn(is_model=False)]  # type: ignore[list-item]
    listed = {"a": [call.device(9), call.last_error()], "b": [call.elapsed()]}
    found = lab.cases(listed, api="runtime")
    assert [list(job["cases"]) for job in sorted(jobs, key=lambda job: min(job["cases"]))] == [["a"], ["b"]]
    assert found == {
        "a": lab.Told(("cudaErrorInvalidDevice", "not reached")),
        "b": lab.Told(("cudaSuccess",)),
    }
    assert lab.cases(listed, api="runtime", together=True) == found
    assert [list(job["cases"]) for job in jobs[2:]] == [["a", "b"]]
    assert lab.cases({}) == {}


def test_a_case_that_could_not_be_set_up_is_an_error(
    events: list[Event], told: Callable[..., list[dict[str, Any]]]
) -> None:
    told(b"", 1)
    session.current().devices = [StandIn(is_model=False)]  # type: ignore[list-item]
    with pytest.raises(CourseError, match="b could not be isolated: no such kernel"):
        lab.cases({"b": [call.elapsed()]})


def test_a_call_that_an_interface_or_the_model_lacks_is_refused(events: list[Event]) -> None:
    session.current().devices = [StandIn(is_model=False)]  # type: ignore[list-item]
    with pytest.raises(Unsupported, match="case 'b': the driver has no last_error"):
        lab.cases({"b": [call.last_error()]})
    session.current().devices = [StandIn()]  # type: ignore[list-item]
    with pytest.raises(Unsupported, match="case 'b': the model does not have the call elapsed of the driver"):
        lab.cases({"b": [call.elapsed()]})
    with pytest.raises(Unsupported, match="of the runtime"):
        lab.cases({"b": [call.allocate(1)]}, api="runtime")


class SaidCalls:
    """An interface that notes what it is asked, and answers with it."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def make(*args: Any) -> Any:
            shown = [arg for arg in args if isinstance(arg, int | str | bool | tuple)]
            self.made.append(" ".join([name, *map(str, shown)]))
            return 4096 if name == "place" else name

        return make


def test_everything_is_set_up_before_the_first_call_of_a_case(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(KERNEL, encoding="utf-8")
    launch = {"call": "launch", "source": "k", "kernel": "k", "grid": [1, 65536], "block": 0}
    launch |= {"args": [], "shared_bytes": 7, "cooperative": True}
    listed = [{"call": "allocate", "number": 1 << 44}, launch, {"call": "find", "source": "k", "text": "q"}]
    listed.append({"call": "pause", "seconds": 0.001})
    calls = SaidCalls()
    job = {"sources": {"k": {"path": str(path), "cubin": ""}}, "cases": {"it": listed}}
    case_process.on_gpu(job, calls)
    assert calls.made == [
        "load",
        "get load k",
        f"allocate {1 << 44}",
        # Extents go to CUDA as they are: a grid of no blocks is the case, not a mistake.
        "launch get (1, 65536, 1) (0, 1, 1) 7 True",
        "find load q",
    ]
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [
        ["it", "0", "allocate"],
        ["it", "1", "launch"],
        ["it", "2", "find"],
        ["it", "3", "paused"],
    ]


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
    monkeypatch.setattr(isolated.nvrtc, "compile_source", lambda *args, **kwargs: b"")
    for is_model, launch in ((True, "SUCCESS"), (False, "not reached")):
        device = StandIn(is_model=is_model)
        session.current().devices = [device]  # type: ignore[list-item]
        found = lab.isolated(a_kernel(device), 1, 1)
        assert found == isolated.Answers(launch=launch, timed_out=True)
