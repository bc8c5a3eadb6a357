"""One attempt: compiled, launched case by case, compared, and told."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from gpu100.device.interface import Device, Kernel, Source, extent
from gpu100.device.simt.device import SimtDevice
from gpu100.device.simt.faults import NotModeled
from gpu100.errors import CompileError
from gpu100.model.practice import Found, Verdict
from gpu100.practice.bench import Bench, launch
from gpu100.practice.buffers import Buffer, bits
from gpu100.practice.cases import Case, Trial
from gpu100.practice.looks import Look, Seen
from gpu100.practice.reasons import reason_of
from gpu100.practice.sources import Refused, require_kernel
from gpu100.practice.speed import too_costly
from gpu100.practice.telling import lines_of

MORE_SECONDS = 2.0
"""How long further cases are tried after the first that failed: the reason often takes several."""

MOST_LINES = 40
"""Of a message, the compiler's log among them."""

Tell = Callable[[dict[str, Any]], None]


def attempt(bench: Bench, tell: Tell, solution: Source | None = None) -> Verdict:
    """Try every case, and say what is wrong with the first that fails.

    Raises:
        CourseError: the exercise itself is at fault, or the device is not there.
    """
    device: Device | None = None
    try:
        require_kernel(bench.source, bench.exercise)
        device, kernel = bench.open()
        failed, right = _cases(bench, device, kernel, tell)
        if failed:
            return _verdict(bench, device, failed, right)
        found, lines = too_costly(bench, device, kernel, solution)
        cases = len(bench.exercise.cases)
        return Verdict(
            passed=found is None,
            found=found,
            lines=lines,
            passes=cases,
            cases=cases,
            seed=bench.seed,
            device=device.gpu.name,
        )
    except Refused as error:
        return refused(bench, error, device)
    except CompileError as error:
        return _refused(bench, "compile", error.log.splitlines(), device)
    except NotModeled as error:
        return _refused(bench, "not-modeled", [error.message, error.hint or "a GPU may run it"], device)


def refused(bench: Bench, error: Refused, device: Device | None = None) -> Verdict:
    """The verdict on a file that cannot be taken."""
    return _refused(bench, cast("Found", error.found), [error.message, error.hint or ""], device)


def _refused(bench: Bench, found: Found, lines: list[str], device: Device | None) -> Verdict:
    shown = tuple(line for line in lines if line.strip())[:MOST_LINES]
    name = device.gpu.name if device else ""
    return Verdict(
        passed=False, found=found, lines=shown, cases=len(bench.exercise.cases), seed=bench.seed, device=name
    )


def _verdict(bench: Bench, device: Device, failed: list[Look], right: list[Look]) -> Verdict:
    first = failed[0]
    return Verdict(
        passed=False,
        found=reason_of(failed, right),
        case=first.case,
        launch=first.launched,
        lines=lines_of(first)[:MOST_LINES],
        passes=sum(1 for look in right if look.case in _before(bench, first)),
        cases=len(bench.exercise.cases),
        seed=bench.seed,
        device=device.gpu.name,
    )


def _before(bench: Bench, look: Look) -> set[str]:
    names = [str(case) for case in bench.exercise.cases]
    return set(names[: names.index(look.case)])


def _cases(bench: Bench, device: Device, kernel: Kernel, tell: Tell) -> tuple[list[Look], list[Look]]:
    """What failed and what was right. A fault ends it; a wrong value does not, for a while."""
    failed: list[Look] = []
    right: list[Look] = []
    until = float("inf")
    for case in bench.exercise.cases:
        if time.monotonic() > until:
            break
        tell({"event": "case", "case": str(case)})
        look = _look(bench, device, kernel, case)
        (failed if look.failed else right).append(look)
        if look.failed:
            until = min(until, time.monotonic() + MORE_SECONDS)
        if look.fell:
            break
    if failed and not failed[0].fell and not device.is_model:
        failed[0] = _again(bench, device, kernel, failed[0])
    return failed, right


def _look(bench: Bench, device: Device, kernel: Kernel, case: Case) -> Look:
    trial = bench.exercise.trial(case, bench.seed)
    fell, found = launch(bench, device, kernel, trial)
    if fell and fell.kind == "out-of-bounds":
        fell = dataclasses.replace(fell, slack=_enough_with_slack(bench, trial))
    return Look(
        case=str(case),
        grid=extent(trial.grid),
        block=extent(trial.block),
        seen=found,
        fell=fell,
        wide=any(isinstance(arg, Buffer) and arg.wide for arg in trial.args),
        stores=_stores(device),
    )


def _enough_with_slack(bench: Bench, trial: Trial) -> bool:
    """Whether the same launch is in bounds where each buffer has one element more."""
    device, kernel = bench.open()
    fell, _ = launch(bench, device, kernel, trial, slack=1)
    return fell is None or fell.kind != "out-of-bounds"


def _stores(device: Device) -> int | None:
    """Elements that the last launch's stores and atomics wrote to global memory; None on a GPU."""
    reports = device.reports if isinstance(device, SimtDevice) else []
    return reports[-1].sum("lanes", "global", "store") if reports else None


def _again(bench: Bench, device: Device, kernel: Kernel, look: Look) -> Look:
    """The case twice more, for what tells a race from memory that nobody wrote: a GPU names neither."""
    case = next(one for one in bench.exercise.cases if str(one) == look.case)
    trial = bench.exercise.trial(case, bench.seed)
    runs = [launch(bench, device, kernel, trial, poison=poison) for poison in (0, 1)]
    if any(fell for fell, _ in runs):
        return look
    both: list[Seen] = []
    for one, then, elsewhere in zip(look.seen, *(found for _, found in runs), strict=True):
        written = one.wrong & ~one.untouched if one.output else np.zeros(one.wrong.shape, bool)
        moved = bool((bits(one.got) != bits(then.got))[written].any())
        leaked = not moved and bool((bits(one.got) != bits(elsewhere.got))[written].any())
        both.append(dataclasses.replace(one, moved=moved, leaked=leaked))
    return dataclasses.replace(look, seen=tuple(both))
