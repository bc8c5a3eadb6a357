"""What an answer costs, once its results are right: time on a GPU, sectors on the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpu100.device.interface import Device, Kernel, Source
from gpu100.device.simt.device import SimtDevice
from gpu100.model.ceilings import memory_ceiling, sm_ceiling
from gpu100.model.practice import Found
from gpu100.practice.bench import Bench
from gpu100.practice.buffers import Placed
from gpu100.practice.cases import Case, Speed, Trial

WARM = 3
SAMPLES = 7
SAMPLE_SECONDS = 2e-3
"""A sample is as many launches as take this long, or one."""
MOST_LAUNCHES = 100
BELIEVED = 0.9
"""Of the shortest time that the memory's bus allows: what timing may be off by."""

Cost = tuple[Found | None, tuple[str, ...]]


def too_costly(bench: Bench, device: Device, kernel: Kernel, solution: Source | None) -> Cost:
    """Whether an answer that is right costs too much, or less than can be; nothing where nobody asks."""
    speed = bench.exercise.speed
    if speed is None or solution is None:
        return None, ()
    if isinstance(device, SimtDevice):
        return _sectors(bench, speed, solution)
    return _seconds(bench, device, kernel, speed, solution)


def _sectors(bench: Bench, speed: Speed, solution: Source) -> Cost:
    own, theirs = (_asked(bench, speed.case_on_model or speed.case, source) for source in (bench.source, solution))
    if own <= speed.slowest * theirs:
        return None, ()
    return "too-slow", (
        f"{own:,} sectors of 32 bytes are moved, where {theirs:,} do",
        "Neighboring threads that touch neighboring elements share sectors.",
    )


def _asked(bench: Bench, case: Case, source: Source) -> int:
    """Sectors of global memory that loads and stores of one launch ask for."""
    device, _ = bench.open()
    assert isinstance(device, SimtDevice)
    kernel, trial = bench.kernel(device, source), bench.exercise.trial(case, bench.seed)
    _work(kernel, trial, bench.placed(device, kernel, trial))()
    device.synchronize()
    totals = device.reports[-1]
    return totals.sum("sectors", "global", "load", "store", "atomic")


def _seconds(bench: Bench, device: Device, kernel: Kernel, speed: Speed, solution: Source) -> Cost:
    # Both on the same memory, which is made once.
    trial = bench.exercise.trial(speed.case, bench.seed)
    args = bench.placed(device, kernel, trial)
    own, theirs = (_work(one, trial, args) for one in (kernel, bench.kernel(device, solution)))
    for work in (own, theirs) * WARM:
        _elapsed(device, work, 1)
    once = max(_elapsed(device, own, 1), SAMPLE_SECONDS / MOST_LAUNCHES)
    launches = max(1, int(SAMPLE_SECONDS / once))
    # In turn, so that a change of the clock meets both alike; the least of each has the fewest disturbances.
    pairs = [(_elapsed(device, own, launches), _elapsed(device, theirs, launches)) for _ in range(SAMPLES)]
    mine, solutions = (min(times) for times in zip(*pairs, strict=True))
    floor = speed.floor(device.gpu, memory_ceiling(device.gpu) or sm_ceiling(device.gpu))
    if mine < BELIEVED * floor:
        moved = f"{speed.nbytes:,} bytes"
        return "too-fast", (f"{mine * 1e6:.1f} microseconds for {moved}, which take {floor * 1e6:.1f} at the least",)
    if mine > speed.slowest * solutions:
        factor = mine / solutions
        told = f"{mine * 1e6:.1f} microseconds, {factor:.1f} times the solution's {solutions * 1e6:.1f}"
        return "too-slow", (f"{told} ({speed.case})",)
    return None, ()


def _elapsed(device: Device, work: Callable[[], None], launches: int) -> float:
    def batch() -> None:
        for _ in range(launches):
            work()

    seconds = device.elapsed(batch)
    assert seconds is not None, "a GPU has a clock"
    return seconds / launches


def _work(kernel: Kernel, trial: Trial, args: Sequence[Any]) -> Callable[[], None]:
    """One launch, on memory that stays where it is."""

    def work() -> None:
        passed = [arg.argument if isinstance(arg, Placed) else arg for arg in args]
        kernel.launch(trial.grid, trial.block, *passed, shared_bytes=trial.shared_bytes)

    return work
