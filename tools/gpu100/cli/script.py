"""A program run as Python runs a script, in this process, and told apart from the tool around it."""

from __future__ import annotations

import contextlib
import runpy
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gpu100.cli.console import errors_to
from gpu100.errors import CourseError
from gpu100.model.device import DeviceSpec
from gpu100.paths import Layout

if TYPE_CHECKING:  # the command line starts without NumPy
    from gpu100.device.interface import Device


@dataclass(frozen=True)
class Ended:
    """How a script ended."""

    exit_code: int
    devices: tuple[Device, ...]
    """Those it found."""
    failed: bool = False
    """Whether an error ended it."""


def run_script(path: Path, layout: Layout | None, device: DeviceSpec | None) -> Ended:
    """Run the program at ``path``.

    An error of the course, a kernel's fault among them, is told in words with the line of the
    program that met it; any other leaves the traceback that Python would show.
    """
    from gpu100.lab.session import Session, begin, current

    before = current()
    run = Session(folder=path.parent, device=device)
    if layout:
        run.root, run.cache = layout.root, layout.cache
    begin(run)
    try:
        with _as_script(path):
            runpy.run_path(str(path), run_name="__main__")
    except CourseError as error:
        sys.stdout.flush()
        errors_to(sys.stderr, error)
        if place := _place(error, path):
            print(f"  met at {layout.relative(path) if layout else path.name}:{place}", file=sys.stderr)
        return Ended(error.exit_code, tuple(run.devices), failed=True)
    except SystemExit as end:
        return Ended(_exit_code(end), tuple(run.devices))
    except Exception as error:
        sys.stdout.flush()
        print_traceback(error, path)
        return Ended(1, tuple(run.devices), failed=True)
    finally:
        begin(before)
    return Ended(0, tuple(run.devices))


def print_traceback(error: BaseException, program: Path) -> None:
    """The traceback from the program's own frames on; those around it are of no interest."""
    frames = traceback.extract_tb(error.__traceback__)
    first = next((i for i, frame in enumerate(frames) if frame.filename == str(program)), len(frames))
    print("Traceback (most recent call last):", file=sys.stderr)
    sys.stderr.write("".join(traceback.format_list(frames[first:])))
    sys.stderr.write("".join(traceback.format_exception_only(error)))


@contextlib.contextmanager
def _as_script(path: Path) -> Iterator[None]:
    """What ``python path`` sets: its own arguments, and its folder first where modules are looked up."""
    argv, search = sys.argv, sys.path
    sys.argv, sys.path = [str(path)], [str(path.parent), *sys.path]
    try:
        yield
    finally:
        sys.argv, sys.path = argv, search


def _place(error: BaseException, path: Path) -> int | None:
    """The program's line that was reached last."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return lines[-1] if lines else None


def _exit_code(end: SystemExit) -> int:
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    print(end.code, file=sys.stderr)
    return 1
