"""Every reason of the closed list is found, on the model and as a GPU would show it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, get_args

import numpy as np
import pytest
from gpu100 import practice
from gpu100.device.interface import Source
from gpu100.device.simt.device import SimtArray, SimtDevice
from gpu100.device.simt.faults import Fault
from gpu100.errors import DeviceError
from gpu100.model.device import GPU, MODEL
from gpu100.model.gpus import H200
from gpu100.model.practice import (
    ACCEPTED_ON_GPU,
    MAY_PASS_ON_GPU,
    MEANS,
    REASONS,
    Attempt,
    Found,
    Reason,
    Refusal,
    Verdict,
    holds_on_gpu,
)
from gpu100.practice.attempt import attempt
from gpu100.practice.bench import Bench
from gpu100.practice.cases import Exercise
from gpu100.practice.reasons import reason_of
from practice_kernels import KERNELS, RIGHT, source_of, work


class Posing:
    """The model, posing as a GPU: one allocation takes data and canaries, and errors come without a line."""

    is_model = False
    gpu = H200

    def __init__(self, seconds: Callable[[], float]) -> None:
        self.model = SimtDevice(H200, budget=20_000)
        self.seconds = seconds

    def compile(self, source: Source, options: tuple[str, ...]) -> tuple[Mapping[str, Any], Any]:
        return self.model.compile(source, options)

    def array(self, host: np.ndarray) -> SimtArray:
        return self.model.array(host)

    def synchronize(self) -> None:
        try:
            self.model.synchronize()
        except Fault as fault:
            raise DeviceError(fault.name or "hidden", name=fault.name or "CUDA_ERROR_LAUNCH_FAILED") from None

    def elapsed(self, work: Callable[[], None]) -> float:
        work()
        return self.seconds()


def tried(body: str, exercise: Exercise = work, *, gpu: bool = False) -> Verdict:
    bench = Bench(exercise, source_of(body), GPU if gpu else MODEL, seed=3)
    return attempt(bench, lambda event: None, source_of(RIGHT))


@pytest.fixture
def posing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpu100.practice.bench.open_device", lambda spec, cache=None: Posing(lambda: 1e-4))


def test_there_is_a_kernel_for_every_reason_and_a_sentence_for_everything_found() -> None:
    assert set(KERNELS) == set(REASONS)
    assert set(MEANS) == set(REASONS) | set(get_args(Refusal))
    assert set(ACCEPTED_ON_GPU) <= set(REASONS)


def test_the_right_answer_passes_on_both(posing: None) -> None:
    assert tried(RIGHT).passed
    assert tried(RIGHT, gpu=True).passed


@pytest.mark.parametrize("reason", REASONS)
def test_the_model_finds_the_reason(reason: Reason) -> None:
    verdict = tried(KERNELS[reason])
    assert verdict.found == reason, verdict
    assert verdict.lines
    assert verdict.case or reason == "too-slow"


BY_LUCK: dict[Reason, bool] = {"missing-barrier": True, "divergent-barrier": True, "endless": False, "too-slow": False}
"""What the model cannot pose as: whether such a kernel may pass on a GPU."""


@pytest.mark.usefixtures("posing")
@pytest.mark.parametrize("reason", [reason for reason in REASONS if reason not in BY_LUCK])
def test_a_gpu_shows_the_reason_or_one_that_is_accepted(reason: Reason) -> None:
    verdict = tried(KERNELS[reason], gpu=True)
    shown = Attempt(name="x", role="wrong", states=reason, outcome="failed", found=verdict.found, lines=verdict.lines)
    assert not verdict.passed
    assert holds_on_gpu(shown), verdict
    told: dict[Reason, Found] = {"overlap": "wrong-result"}
    assert verdict.found == told.get(reason, reason), verdict


def test_what_may_pass_by_luck_on_a_gpu_is_stated() -> None:
    for reason in REASONS:
        lucky = Attempt(name="x", role="wrong", states=reason, outcome="passed")
        assert holds_on_gpu(lucky) == (reason in MAY_PASS_ON_GPU)
    assert {reason for reason, lucky in BY_LUCK.items() if lucky} <= MAY_PASS_ON_GPU
    other = Attempt(name="x", role="wrong", states="local-index", outcome="failed", found="no-guard")
    assert not holds_on_gpu(other)


class TestTime:
    """What a GPU's clock says of an answer whose results are right."""

    @pytest.fixture
    def timed(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[float, float, int], Verdict]:
        def run(own: float, theirs: float, nbytes: int) -> Verdict:
            # Three pairs to warm up, one to choose the number of launches by, then seven pairs that count.
            turns = iter([*[own, theirs] * 3, own, *[own, theirs] * 7])
            monkeypatch.setattr("gpu100.practice.bench.open_device", lambda spec, cache=None: Posing(turns.__next__))
            assert work.speed
            speed = dataclasses.replace(work.speed, nbytes=nbytes, case=practice.case(start=0, n=64))
            return tried(RIGHT, dataclasses.replace(work, speed=speed), gpu=True)

        return run

    def test_an_answer_as_fast_as_the_solution_passes(self, timed: Callable[[float, float, int], Verdict]) -> None:
        assert timed(1e-2, 1e-2, 1000).passed

    def test_one_at_several_times_its_cost_does_not(self, timed: Callable[[float, float, int], Verdict]) -> None:
        verdict = timed(5e-2, 1e-2, 1000)
        assert verdict.found == "too-slow"
        assert "5.0 times the solution's 10000.0" in verdict.lines[0]

    def test_a_time_that_no_memory_allows_is_not_believed(self, timed: Callable[[float, float, int], Verdict]) -> None:
        assert timed(1e-2, 1e-2, 10**12).found == "too-fast"


def test_no_reason_is_found_where_nothing_failed() -> None:
    with pytest.raises(ValueError, match="nothing failed"):
        reason_of([])
