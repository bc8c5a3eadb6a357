"""Whether this machine can give evidence: what it has, what is wrong, and what to do about it.

Nothing is believed: a wrong sum and a store to nowhere are planted on the GPU, and a tool counts as
there only where it has done its work on them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gpu100.capture import native, ncu, sanitized
from gpu100.capture.csv_pages import launches
from gpu100.capture.machine import tree_state
from gpu100.capture.symptoms import Item, of_machine
from gpu100.capture.tools import run_tool
from gpu100.child import environment
from gpu100.errors import CourseError, Unsupported
from gpu100.paths import Layout

SECONDS = 90.0
"""For each thing that is tried."""
WRONG_AT = 77
FAULT = "CUDA_ERROR_ILLEGAL_ADDRESS"
"""What a store to nowhere is called."""

RECORDED = (
    "the GPU's name and limits, versions of driver, NVRTC and libraries, Python's version and the system's kind",
    "what the programs print, report and count, with this machine's paths replaced",
    "whether the working tree was as committed",
)
NEVER_RECORDED = ("host and user names", "serial numbers, UUIDs, PCI addresses", "environment variables", "processes")

_METRIC = "smsp__inst_executed.sum"
_TINY = """#include <cstdio>
__global__ void seven(int* out) { *out = 7; }
int main() {
    int *out, got = 0;
    if (cudaMalloc(&out, sizeof got) != cudaSuccess) return 1;
    seven<<<1, 1>>>(out);
    if (cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    std::printf("%d\\n", got);
}
"""

Ask = Callable[..., dict[str, Any]]
"""Runs a module of ours in a child; the JSON object that it answers."""


def ask(module: str, *words: str) -> dict[str, Any]:
    """What ``module``, run as a program, answers."""
    command = [sys.executable, "-m", f"gpu100.capture.{module}", *words]
    try:
        child = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False, timeout=SECONDS)
        answer: dict[str, Any] = json.loads((child.stdout.strip().splitlines() or [""])[-1])
    except subprocess.TimeoutExpired:
        return {"error": f"no answer within {SECONDS:.0f} s"}
    except json.JSONDecodeError:
        return {"error": (child.stderr.strip().splitlines() or [f"it ended with {child.returncode}"])[-1]}
    return answer


def examine(layout: Layout, ask: Ask = ask) -> Iterator[Item]:
    """Everything that there is to say of this machine, as it is found out."""
    found = ask("probe")
    yield from of_machine(found)
    has_gpu = "gpu" in found
    if has_gpu:
        yield from planted(ask)
    with tempfile.TemporaryDirectory() as scratch:
        for lane, trial in (("native", _native), ("counters", _counters), ("sanitizer", _sanitizer)):
            yield _tried(lane, lambda trial=trial: trial(layout, Path(scratch), found))  # type: ignore[misc]
    yield from _tree(layout)


def vouched(items: list[Item]) -> bool:
    """Whether evidence from here can be trusted: no problem, and both planted faults caught."""
    caught = {item.name for item in items if item.state == "ok"}
    return {"planted wrong sum", "planted fault"} <= caught and not any(item.state == "problem" for item in items)


def planted(ask: Ask) -> Iterator[Item]:
    """A right answer that must pass, a wrong one that must not, and an error that must be named."""
    broken = "do not capture here; does another program on this GPU, or its driver, show faults?"
    right, wrong, fault = ask("planted", "sums", "-1"), ask("planted", "sums", str(WRONG_AT)), ask("planted", "fault")
    said = right.get("error") or right.get("said")
    if said:
        yield Item("right sums", "problem", f"refused: {said}", broken)
    else:
        yield Item("right sums", "ok", "accepted")
    said = wrong.get("error") or wrong.get("said") or "it was not noticed"
    if "said" in wrong and f"1 of 4096 wrong, the first at index {WRONG_AT}" in said:
        yield Item("planted wrong sum", "ok", f"caught: {said}")
    else:
        yield Item("planted wrong sum", "problem", f"not caught as it is: {said}", broken)
    said = fault.get("error") or fault.get("said") or "it was not noticed"
    if fault.get("said") == FAULT:
        yield Item("planted fault", "ok", f"caught: {said}")
    else:
        yield Item("planted fault", "problem", f"not caught as {FAULT}: {said}", broken)


def _tried(lane: str, trial: Callable[[], str]) -> Item:
    name = f"{lane} lane"
    try:
        return Item(name, "ok", trial())
    except Unsupported as error:
        cure = error.hint or "leave this lane to another machine: records say that it was not available"
        return Item(name, "warning", f"not available: {error.message}", cure)
    except CourseError as error:
        return Item(name, "warning", f"does not work: {error.message}", error.hint or f"{_WITHOUT} {lane}")
    except OSError as error:
        return Item(name, "warning", f"does not work: {error.strerror}", f"{_WITHOUT} {lane}")


_WITHOUT = "capture with --lanes, and without"


def _native(layout: Layout, scratch: Path, found: dict[str, Any]) -> str:
    nvcc, version = native.find()
    if "gpu" not in found:
        return f"nvcc {version} (not tried: no GPU)"
    source, binary = scratch / "seven.cu", scratch / "seven"
    source.write_text(_TINY, encoding="utf-8")
    arch = f"sm_{found['gpu']['capability'].replace('.', '')}"
    built = run_tool([nvcc, f"-arch={arch}", "-o", binary, source], root=layout.root, seconds=SECONDS)
    if built.ended_badly:
        raise CourseError(f"nvcc {version} {built.ended_badly}: {built.last_words}")
    ran = run_tool([binary], root=layout.root, seconds=SECONDS)
    if ran.stdout != "7\n":
        raise CourseError(f"what nvcc {version} built does not run here: {ran.ended_badly or ran.last_words}")
    return f"nvcc {version} builds for {arch}, and it runs"


def _counters(layout: Layout, scratch: Path, found: dict[str, Any]) -> str:
    tool = ncu.find()
    says = f"Nsight Compute {ncu.version(tool)}"
    if "gpu" not in found:
        return f"{says} (not tried: no GPU)"
    report, target = scratch / "trial.ncu-rep", _target("sums", "-1")
    only = ["--kernel-name", "planted_sums"]
    said = ncu.profile(tool, report, [_METRIC], target, root=layout.root, seconds=SECONDS, also=only)
    if not report.is_file():
        raise ncu.failure(said)
    counted = launches(ncu.table(tool, report, "values"), [_METRIC])
    if not counted or not counted[0].metrics.get(_METRIC):
        raise CourseError(f"{says} counted nothing")
    return f"{says} counts, with clocks left alone"


def _sanitizer(layout: Layout, scratch: Path, found: dict[str, Any]) -> str:
    tool = sanitized.find()
    says = f"Compute Sanitizer {ncu.version(tool)}"
    if "gpu" not in found:
        return f"{says} (not tried: no GPU)"
    target = _target("fault")
    findings = sanitized.run_one(tool, "memcheck", target, (), root=layout.root, scratch=scratch, seconds=SECONDS)
    if not any(finding.kernel == "planted_store" for finding in findings):
        raise CourseError(f"{says} did not find a store to nowhere")
    return f"{says} finds a store to nowhere"


def _target(*words: str) -> list[str]:
    return [sys.executable, "-m", "gpu100.capture.planted", *words]


def _tree(layout: Layout) -> Iterator[Item]:
    state = tree_state(layout.root)
    if state == "clean":
        yield Item("working tree", "ok", "as committed")
    else:
        says = "not as committed" if state == "dirty" else "git does not tell whether it is as committed"
        yield Item(
            "working tree", "warning", f"{says}, and records will say so", "commit first, or capture from a fresh clone"
        )
    nearest = next(folder for folder in (layout.evidence, layout.root) if folder.exists())
    if os.access(nearest, os.W_OK):
        yield Item("evidence folder", "ok", "can be written")
    else:
        yield Item("evidence folder", "problem", "cannot be written", "make it yours, or capture with --out elsewhere")
