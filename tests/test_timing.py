"""Timing, on a device whose clock and speed the test decides."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from gpu100.device.interface import ClockReading
from gpu100.errors import CheckFailed, Unsupported
from gpu100.lab import session, timing
from gpu100.model.machine import Machine


@dataclass
class StandIn:
    """A device that takes as long as it is told, at the SM clock that it is told."""

    gpu: Any
    clock: Iterator[float]
    seconds: float = 2e-4
    launched: list[str] = field(default_factory=list)
    flushes: int = 0
    has_clock: bool = True

    def work(self, name: str, seconds: float | None = None) -> Callable[[], None]:
        def launch() -> None:
            self.launched.append(name)
            self._queued += self.seconds if seconds is None else seconds

        return launch

    def elapsed(self, work: Callable[[], None]) -> float | None:
        self._queued = 0.0
        work()
        return self._queued

    def flush_l2(self) -> None:
        self.flushes += 1
        self.launched.append("flush")

    def sm_clock(self) -> ClockReading | None:
        return ClockReading(mhz=next(self.clock), reasons=("power limit",)) if self.has_clock else None


@pytest.fixture(autouse=True)
def short_warm_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "WARM_SECONDS", 0.01)
    monkeypatch.setattr(timing, "MOST_WARM_SECONDS", 0.1)


@pytest.fixture
def device(h200: Machine) -> StandIn:
    return StandIn(gpu=h200.gpu, clock=itertools.repeat(1980.0))


def test_a_sample_is_the_time_of_one_launch(device: StandIn) -> None:
    taken = timing.time(device, device.work("a"))  # type: ignore[arg-type]
    assert len(taken.samples) == timing.SAMPLES
    assert taken.median == pytest.approx(2e-4)
    assert (taken.sm_clock_mhz, taken.discarded, taken.throttled) == (1980.0, 0, ("power limit",))


def test_a_short_launch_is_repeated_until_a_sample_is_long_enough(device: StandIn) -> None:
    timing.time(device, device.work("a"), samples=1)  # type: ignore[arg-type]
    once = len(device.launched)
    device.launched.clear()
    timing.time(device, device.work("a"), samples=2)  # type: ignore[arg-type]
    assert len(device.launched) >= 5, "1 ms at 0.2 ms a launch"
    assert once >= 5


def test_several_launches_are_taken_in_turn(device: StandIn) -> None:
    timing.time(device, [device.work("a"), device.work("b"), device.work("c")], samples=5)  # type: ignore[arg-type]
    assert "".join(device.launched) == ("abc" * len(device.launched))[: len(device.launched)]


def test_a_flushed_sample_is_one_launch_after_one_flush(device: StandIn) -> None:
    timing.time(device, device.work("a"), samples=7, flush_l2=True)  # type: ignore[arg-type]
    assert device.flushes == 7
    assert device.launched[-4:] == ["flush", "a", "flush", "a"]


@pytest.fixture
def warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Warming up has reached 1,980 MHz; how long that takes is not these tests' matter."""
    monkeypatch.setattr(timing, "_warm_up", lambda watch, turn: setattr(watch, "expected", 1980.0))


def test_samples_at_a_dropped_clock_are_discarded_and_counted(device: StandIn, warm: None) -> None:
    device.clock = itertools.cycle([1980.0, 1980.0, 1980.0, 1400.0])
    taken = timing.time(device, device.work("a"))  # type: ignore[arg-type]
    assert taken.discarded == 16  # between seventeen runs of three
    assert len(taken.samples) == timing.SAMPLES
    assert taken.sm_clock_mhz == 1980.0


def test_a_clock_that_does_not_hold_voids_the_measurement(device: StandIn, warm: None) -> None:
    device.clock = itertools.chain(itertools.repeat(1980.0, 3), itertools.repeat(1320.0))
    with pytest.raises(CheckFailed, match="1320 MHz where warming up had reached 1980"):
        timing.time(device, device.work("a"))  # type: ignore[arg-type]


def test_a_clock_that_never_rises_is_said(device: StandIn) -> None:
    device.clock = itertools.repeat(900.0)
    taken = timing.time(device, device.work("a"), samples=3)  # type: ignore[arg-type]
    assert "below 75% of the GPU's highest SM clock" in taken.throttled


def test_without_nvml_there_is_no_clock_and_nothing_is_discarded(device: StandIn) -> None:
    device.has_clock = False
    taken = timing.time(device, device.work("a"), samples=3)  # type: ignore[arg-type]
    assert (taken.sm_clock_mhz, taken.discarded, taken.throttled) == (None, 0, ())


def test_two_launches_are_compared_in_turn_with_the_firsts_own_noise(device: StandIn) -> None:
    compared = timing.compare(device, device.work("a", 1e-3), device.work("b", 2e-3))  # type: ignore[arg-type]
    assert compared.ratio.median == pytest.approx(2.0)
    assert compared.noise.median == pytest.approx(1.0)
    assert len(compared.ratio.samples) == timing.PAIRS
    assert "".join(device.launched[-6:]) == "ababab"


def test_a_model_has_no_time(device: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "elapsed", lambda work: None)
    with pytest.raises(Unsupported, match="needs a GPU"):
        timing.time(device, device.work("a"))  # type: ignore[arg-type]


def test_rotation_covers_the_l2_three_times(device: StandIn) -> None:
    assert timing.rotations(device, 3 * device.gpu.l2_bytes) == 1  # type: ignore[arg-type]
    assert timing.rotations(device, device.gpu.l2_bytes) == 3  # type: ignore[arg-type]
    assert timing.rotations(device, device.gpu.l2_bytes + 1) == 3  # type: ignore[arg-type]
    assert timing.rotations(device, device.gpu.l2_bytes // 2) == 6  # type: ignore[arg-type]


def test_a_sweep_samples_all_in_turn_round_by_round(device: StandIn) -> None:
    works = {"a": device.work("a", 1e-3), "b": device.work("b", 2e-3), 3: device.work("c", 4e-3)}
    taken = timing.sweep(device, works, rounds=5)  # type: ignore[arg-type]
    assert [times.median for times in taken.values()] == pytest.approx([1e-3, 2e-3, 4e-3])
    assert [len(times.samples) for times in taken.values()] == [5, 5, 5]
    assert "".join(device.launched).endswith("abc" * 5)


def test_a_sweep_repeats_a_round_in_which_the_clock_dropped(device: StandIn, warm: None) -> None:
    device.clock = itertools.cycle([1980.0, 1980.0, 1980.0, 1400.0, 1980.0])
    works = {name: device.work(name, 1e-3) for name in "ab"}
    taken = timing.sweep(device, works, rounds=7)  # type: ignore[arg-type]
    assert [len(times.samples) for times in taken.values()] == [7, 7]
    assert taken["a"].discarded == taken["b"].discarded > 0


@pytest.mark.parametrize("lane", ["sanitizer", "counters"])
def test_under_a_tool_nothing_is_warmed_up_and_two_samples_of_one_launch_are_enough(
    device: StandIn, monkeypatch: pytest.MonkeyPatch, lane: str
) -> None:
    monkeypatch.setattr(session.current(), "lane", lane)
    timing.sweep(device, {"a": device.work("a"), "b": device.work("b")})  # type: ignore[arg-type]
    timing.time(device, device.work("c"))  # type: ignore[arg-type]
    timing.time(device, device.work("d"), samples=1)  # type: ignore[arg-type]
    timing.compare(device, device.work("e"), device.work("f"))  # type: ignore[arg-type]
    assert "".join(device.launched) == "ababccdefef"
