"""Nsight Compute over a program: a profile with clocks and caches left alone, read back as CSV."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from gpu100.capture.tools import require_tool, run_tool, version_of
from gpu100.child import environment
from gpu100.errors import CourseError, Unsupported

DENIED = "ERR_NVGPUCTRPERM"
CURE = (
    "let every user read counters: `options nvidia NVreg_RestrictProfilingToAdminUsers=0` in a file of "
    "/etc/modprobe.d, then reboot (in a container or under WSL2, on the host); or capture as root"
)

Profile = Callable[[Sequence[str]], str]
"""Profiles some metrics into the report; what ncu said."""


def find() -> Path:
    """The ``ncu`` of this machine.

    Raises:
        Unsupported: there is none.
    """
    return require_tool("ncu", "Nsight Compute")


def version(ncu: Path) -> str:
    """Such as ``2025.3.1.0``."""
    return version_of(ncu)


def settled(ncu: Path, report: Path, metrics: Sequence[str], profile: Profile) -> list[str]:
    """Profile with as many of ``metrics`` as this ncu takes; those that it does not.

    It may name one refused metric at a time, or none, and then is asked which it knows.

    Raises:
        Unsupported: counters cannot be read on this machine.
        CourseError: ncu failed for another reason.
    """
    refused: list[str] = []
    known: set[str] | None = None
    while wanted := [name for name in metrics if name not in refused]:
        said = profile(wanted)
        if report.is_file():
            break
        found = _refused(said, wanted)
        if not found and known is None:
            known = _known(ncu)
            # The query lists no metric of the groups `sass__` and `launch__`.
            listed = [name for name in wanted if not name.startswith(("sass__", "launch__"))]
            found = [name for name in listed if known and _base(name) not in known]
        if not found:
            raise failure(said)
        refused += found
    return refused


def profile(
    ncu: Path,
    report: Path,
    metrics: Sequence[str],
    target: Sequence[str],
    *,
    root: Path,
    seconds: float,
    also: Sequence[str] = (),
) -> str:
    """Profile what the command ``target`` launches into ``report``; what ncu and the program said.

    Raises:
        CourseError: it was not done within ``seconds``.
    """
    report.unlink(missing_ok=True)
    command = [str(ncu), "--target-processes", "all", "--clock-control", "none", "--cache-control", "none"]
    command += ["--replay-mode", "kernel", "--metrics", ",".join(metrics), *also]
    command += ["--force-overwrite", "-o", str(report.with_suffix("")), *target]
    run = run_tool(command, root=root, seconds=seconds)
    if run.timed_out:
        raise CourseError(f"Nsight Compute did not finish within {seconds:.0f} s")
    if run.ended_badly:
        # A report of a profile that broke off lacks launches without a word.
        report.unlink(missing_ok=True)
    return run.stdout + run.stderr


def table(ncu: Path, report: Path, instances: str) -> str:
    """The report's raw page as CSV; ``instances`` is how metrics with instances are written."""
    command = [str(ncu), "--import", str(report), "--page", "raw", "--csv", "--print-units", "base"]
    command += ["--print-metric-instances", instances, "--print-kernel-base", "function"]
    child = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
    return child.stdout + child.stderr


def failure(said: str) -> CourseError:
    """Why ncu made no report, from what it ``said``."""
    errors = [line for line in said.splitlines() if line.startswith("==ERROR==")] or said.strip().splitlines()[-5:]
    told = "\n".join(errors)
    if DENIED in said:
        return Unsupported(f"Nsight Compute may not read counters here\n{told}", hint=CURE)
    if "Failed to initialize the profiler" in said or "LibraryNotLoaded" in said:
        return Unsupported(f"Nsight Compute cannot read counters on this machine\n{told}")
    return CourseError(f"Nsight Compute failed\n{told}")


def _refused(said: str, wanted: Sequence[str]) -> list[str]:
    """The metrics that an error or warning of ncu names."""
    lines = [line for line in said.splitlines() if line.startswith(("==ERROR==", "==WARNING=="))]
    words = {word for line in lines for word in re.findall(r"[\w.]+", line)}
    return [name for name in wanted if name in words or f"{name}." in words or _base(name) in words]


def _base(metric: str) -> str:
    return metric.partition(".")[0]


def _known(ncu: Path) -> set[str]:
    """The base names that ``--query-metrics`` lists."""
    child = subprocess.run([ncu, "--query-metrics"], capture_output=True, text=True, env=environment(), check=False)
    return set(re.findall(r"^\s*(\w+__\w+)", child.stdout, re.MULTILINE))
