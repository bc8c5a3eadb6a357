"""Every error a person is meant to read, as one tree.

::

    CourseError                exit 1
    ├── UsageError             exit 2   the command line asked for something that is not there
    ├── ContentError           exit 1   a file of the course is wrong: path, line, hint
    ├── EvidenceError          exit 1   a record, a machine.json or an archive is refused
    ├── DeviceError            exit 1   a CUDA call failed: its name and where
    │   ├── CompileError       exit 1   NVRTC refused the source: its log
    │   └── ArgumentError      exit 1   a launch's arguments do not fit the kernel
    ├── CheckFailed            exit 1   a program found its own result wrong
    └── Unsupported            exit 4   this machine cannot run it, and why
        └── NoDevice           exit 4   no driver answers here, or it finds no GPU

A message says what is wrong; ``hint`` says what to do about it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path


class CourseError(Exception):
    """Base of every error that is told rather than traced."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  {self.hint}" if self.hint else self.message


class UsageError(CourseError):
    """The command line names something that does not exist."""

    exit_code = 2


class ContentError(CourseError):
    """A file of the course is wrong; printed as ``path:line: message``."""

    def __init__(self, message: str, *, path: Path | str, line: int | None = None, hint: str | None = None) -> None:
        where = f"{path}:{line}" if line else f"{path}"
        super().__init__(f"{where}: {message}", hint=hint)
        self.problem = message
        """The message without path and line."""
        self.path = Path(path)
        self.line = line


class EvidenceError(CourseError):
    """Evidence that cannot be trusted: malformed, edited, newer, or out of place."""


class DeviceError(CourseError):
    """A call into CUDA failed; ``name`` is the error's own, such as CUDA_ERROR_INVALID_VALUE."""

    def __init__(self, message: str, *, name: str = "", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.name = name


class CompileError(DeviceError):
    """NVRTC refused the source; ``log`` is its log, with file and line."""

    def __init__(self, message: str, *, log: str) -> None:
        super().__init__(f"{message}\n{log}".rstrip(), name="NVRTC_ERROR_COMPILATION")
        self.log = log


class ArgumentError(DeviceError):
    """An argument of a launch does not fit the kernel's parameter."""


class CheckFailed(CourseError):
    """A program compared its result and found it wrong."""


class Unsupported(CourseError):
    """The program cannot run on this machine; a reason, not a failure of the program."""

    exit_code = 4


class NoDevice(Unsupported):
    """This machine has no GPU: where a real one is not needed, the SIMT model steps in."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """A hint that names the nearest known spelling, or None where nothing is near."""
    match = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean {match[0]!r}?" if match else None


def plural(count: int, noun: str) -> str:
    """``1 record``, ``3 records``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
