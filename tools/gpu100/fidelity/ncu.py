"""Nsight Compute over the suite: one profile, read back as CSV."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from gpu100.capture.process import environment
from gpu100.errors import CourseError, Unsupported

_PLACES = ("/usr/local/cuda/bin/ncu", "/opt/nvidia/nsight-compute/*/ncu")
_PROBE = ("copy_float",)
_SECONDS = 540


def find() -> Path:
    """The ``ncu`` of this machine.

    Raises:
        Unsupported: there is none.
    """
    if found := shutil.which("ncu"):
        return Path(found)
    there = [path for place in _PLACES for path in sorted(Path("/").glob(place.lstrip("/")))]
    if not there:
        raise Unsupported("Nsight Compute is not installed: no `ncu`", hint="install it and put it on the PATH")
    return there[-1]


def version(ncu: Path) -> str:
    """Such as ``2025.3.1.0``."""
    said = subprocess.run([ncu, "--version"], capture_output=True, text=True, check=False).stdout
    match = re.search(r"Version (\S+)", said)
    return match[1] if match else "unknown"


def profile(ncu: Path, report: Path, metrics: tuple[str, ...], log: Path) -> dict[str, str]:
    """Profile the suite into ``report``; the metrics that this ncu does not have, with the reason.

    Raises:
        Unsupported: counters cannot be read on this machine.
        CourseError: ncu failed for another reason.
    """
    # ncu may name one refused metric at a time, and each try costs a run: one kernel will do for that.
    refused = _settled(ncu, report, metrics, log, _PROBE)
    left = tuple(name for name in metrics if name not in refused)
    refused += _settled(ncu, report, left, log, ())
    return dict.fromkeys(refused, "this Nsight Compute has no such metric for this GPU")


def _settled(ncu: Path, report: Path, metrics: tuple[str, ...], log: Path, cases: tuple[str, ...]) -> list[str]:
    """Profile ``cases``, by default all, with as many of ``metrics`` as ncu takes; those it does not."""
    refused: list[str] = []
    known: set[str] | None = None
    while True:
        wanted = [name for name in metrics if name not in refused]
        said = _profile(ncu, report, wanted, cases)
        with log.open("a", encoding="utf-8") as file:
            file.write(said)
        if report.is_file():
            return refused
        found = _refused(said, wanted)
        if not found and known is None:
            known = _known(ncu)
            # The query lists no metric of the group `sass__`.
            found = [name for name in wanted if known and not name.startswith("sass__") and _base(name) not in known]
        if not found:
            raise _failure(said)
        refused += found


def table(ncu: Path, report: Path, instances: str) -> str:
    """The report's raw page as CSV; ``instances`` is how metrics with instances are written."""
    command = [str(ncu), "--import", str(report), "--page", "raw", "--csv", "--print-units", "base"]
    command += ["--print-metric-instances", instances, "--print-kernel-base", "function"]
    child = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
    return child.stdout + child.stderr


def _profile(ncu: Path, report: Path, metrics: list[str], cases: tuple[str, ...]) -> str:
    report.unlink(missing_ok=True)
    command = [str(ncu), "--target-processes", "all", "--clock-control", "none", "--cache-control", "none"]
    command += [
        "--replay-mode",
        "kernel",
        "--metrics",
        ",".join(metrics),
        "--force-overwrite",
        "-o",
        str(report.with_suffix("")),
    ]
    command += [sys.executable, "-m", "gpu100.fidelity.worker", "launch", *cases]
    try:
        child = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment(),
            check=False,
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise CourseError(f"Nsight Compute did not finish within {_SECONDS} s") from None
    if child.returncode:
        # A report of a profile that broke off lacks launches without a word.
        report.unlink(missing_ok=True)
    return child.stdout


def _refused(said: str, wanted: list[str]) -> list[str]:
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


def _failure(said: str) -> CourseError:
    errors = [line for line in said.splitlines() if line.startswith("==ERROR==")] or said.strip().splitlines()[-5:]
    told = "\n".join(errors)
    if "ERR_NVGPUCTRPERM" in said:
        hint = "let users read counters: NVIDIA's page on ERR_NVGPUCTRPERM says how"
        return Unsupported(f"Nsight Compute may not read counters here\n{told}", hint=hint)
    if "Failed to initialize the profiler" in said or "LibraryNotLoaded" in said:
        return Unsupported(f"Nsight Compute cannot read counters on this machine\n{told}")
    return CourseError(f"Nsight Compute failed\n{told}")
