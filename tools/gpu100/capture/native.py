"""The native lane: nvcc builds the whole .cu, and its lines are held against the transcript."""

from __future__ import annotations

import os
import shutil
from contextlib import AbstractContextManager
from pathlib import Path

from gpu100.capture.lines import first_missing
from gpu100.capture.tools import ToolRun, require_tool, run_tool, version_of
from gpu100.errors import CheckFailed, CourseError, Unsupported, nearest
from gpu100.model.behaviour import COMPILE_OPTIONS
from gpu100.model.lanes import NativeLane
from gpu100.model.record import Record

_BUILD_SECONDS = 180
_HOST = ("-O2",)
"""For the host's code alone, which nvcc leaves as slow as it is; kernels it optimizes in any case."""
_NO_SUCH_ARCH = ("is not defined for option 'gpu-architecture'", "Unsupported gpu architecture")


def find() -> tuple[Path, str]:
    """The ``nvcc`` of this machine and its version.

    Raises:
        Unsupported: there is none, or no host compiler for it.
    """
    nvcc = require_tool("nvcc", "The CUDA toolkit's compiler")
    host = os.environ.get("NVCC_CCBIN") or "g++"
    if not shutil.which(host):
        raise Unsupported(f"nvcc has no host compiler: no `{host}`", hint="install g++, or name another in NVCC_CCBIN")
    return nvcc, version_of(nvcc, r"release [\d.]+, V(\d+\.\d+\.\d+)")


def run(
    source: Path,
    record: Record,
    arch: str,
    *,
    root: Path,
    scratch: Path,
    seconds: float,
    turn: AbstractContextManager[object],
) -> NativeLane:
    """Build ``source``, run it while holding ``turn``, and find all that it prints in ``record``'s transcript.

    A program takes its sizes from the memory that is free, so two of them beside each other may take
    smaller ones than the record's.

    Raises:
        Unsupported: nvcc is missing, or does not know the GPU.
        CheckFailed: a line of it does not stand there, or it printed none.
        CourseError: it was not built, or did not end well.
    """
    nvcc, version = find()
    options = (f"-arch={arch}", *_HOST, *COMPILE_OPTIONS)
    binary = scratch / source.stem
    built = run_tool([nvcc, *options, "-o", binary, source], root=root, seconds=_BUILD_SECONDS)
    if built.ended_badly:
        raise _unbuilt(built, version, arch)
    with turn:
        ran = run_tool([binary], root=root, seconds=seconds)
    if ran.ended_badly:
        raise CourseError(f"the program that nvcc built {ran.ended_badly}: {ran.last_words}")
    lines = ran.stdout.removesuffix("\n").split("\n") if ran.stdout else []
    require_lines(lines, record)
    return NativeLane(
        kind="native",
        status="ok",
        tool=f"nvcc {version}",
        options=options,
        compared=len(lines),
        stdout=tuple(lines),
        stderr=tuple(ran.stderr.splitlines()),
    )


def require_lines(lines: list[str], record: Record) -> None:
    """Raise unless every line stands in ``record``'s transcript, in order, and there is one.

    Raises:
        CheckFailed: naming the first that does not.
    """
    if not lines:
        raise CheckFailed("the program that nvcc built printed nothing, so nothing was compared")
    at = first_missing(lines, record.transcript)
    if at is not None:
        printed = [line for cell in record.transcript for line in cell.stdout]
        raise CheckFailed(
            f"line {at + 1} of {len(lines)} that the C++ host prints is not where Python's are: {lines[at]!r}",
            hint=nearest(lines[at], printed),
        )


def _unbuilt(built: ToolRun, version: str, arch: str) -> CourseError:
    said = built.stderr + built.stdout
    if any(words in said for words in _NO_SUCH_ARCH):
        return Unsupported(f"nvcc {version} does not compile for {arch}", hint="install a toolkit that knows this GPU")
    errors = [line for line in said.splitlines() if "error" in line] or [built.last_words]
    return CourseError(f"nvcc {version} {built.ended_badly}: {errors[0]}")
