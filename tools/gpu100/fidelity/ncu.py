"""Nsight Compute over the suite: one profile of all its launches."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from gpu100.capture import ncu

_PROBE = ("copy_float",)
_SECONDS = 540


def profile(tool: Path, report: Path, metrics: tuple[str, ...], log: Path) -> dict[str, str]:
    """Profile the suite into ``report``; the metrics that this ncu does not have, with the reason.

    Raises:
        Unsupported: counters cannot be read on this machine.
        CourseError: ncu failed for another reason.
    """
    # ncu may name one refused metric at a time, and each try costs a run: one kernel will do for that.
    refused = _settled(tool, report, metrics, log, _PROBE)
    left = tuple(name for name in metrics if name not in refused)
    refused += _settled(tool, report, left, log, ())
    return dict.fromkeys(refused, "this Nsight Compute has no such metric for this GPU")


def _settled(tool: Path, report: Path, metrics: tuple[str, ...], log: Path, cases: tuple[str, ...]) -> list[str]:
    """Profile ``cases``, by default all, with as many of ``metrics`` as ncu takes; those it does not."""
    target = [sys.executable, "-m", "gpu100.fidelity.worker", "launch", *cases]

    def profiled(wanted: Sequence[str]) -> str:
        said = ncu.profile(tool, report, wanted, target, root=report.parent, seconds=_SECONDS)
        with log.open("a", encoding="utf-8") as file:
            file.write(said)
        return said

    return ncu.settled(tool, report, metrics, profiled)
