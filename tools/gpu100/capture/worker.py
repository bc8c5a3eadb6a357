"""The child: runs one program cell by cell and reports as it goes.

``python -m gpu100.capture.worker PROGRAM --root ROOT --cache DIR --device SPEC --events FD --mark TEXT
--parent PID``, or with ``--lane NAME`` for the last three where another tool watches it, and results go
nowhere.

Declared results go to the parent through a pipe of their own, one JSON line each, so that a crash
loses nothing that came before it. Between cells, the C library's buffers are flushed (device printf
lands there) and ``mark`` is written to both outputs, so that the parent can tell the cells apart.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import ctypes
import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import get_args

from gpu100.child import end_with_parent
from gpu100.errors import CheckFailed, CompileError, CourseError, DeviceError, NoDevice, Unsupported
from gpu100.lab.on_model import RestNeedsGpu
from gpu100.lab.session import Event, Session, begin
from gpu100.model.cells import split_cells
from gpu100.model.course import Lane
from gpu100.model.device import GPU, DeviceSpec
from gpu100.model.record import Status


def main() -> int:
    """Run the program named on the command line; 0 if it ran to its end."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--device", type=DeviceSpec.parse, default=GPU)
    parser.add_argument("--events", type=int)
    parser.add_argument("--parent", type=int)
    parser.add_argument("--mark", default="")
    parser.add_argument("--lane", choices=get_args(Lane), default="run")
    options = parser.parse_args()

    end_with_parent(options.parent)
    with open(os.devnull if options.events is None else options.events, "w", encoding="utf-8") as pipe:

        def emit(event: Event) -> None:
            pipe.write(json.dumps(event, allow_nan=False) + "\n")
            pipe.flush()

        def border(text: str) -> None:
            _flush()
            for output in (sys.stdout, sys.stderr) if options.mark else ():
                output.write(f"{options.mark}{text}\n")
            _flush()

        run = Session(emit=emit, border=border, marks=bool(options.mark), root=options.root, cache=options.cache)
        run.folder, run.device, run.lane = options.program.parent, options.device, options.lane
        begin(run)
        try:
            with contextlib.suppress(RestNeedsGpu):  # on the model: it ends there, and well
                run_cells(options.program, border)
            _flush()
        except BaseException as error:  # SystemExit too: a program ends at its end, not before
            _flush()
            _print_traceback(error, options.program)
            emit({"event": "error", "status": status_of(error), "reason": _first_line(error)})
            return 1
        emit({"event": "end"})
    return 0


def run_cells(path: Path, border: Callable[[str], None]) -> None:
    """Execute the program's code cells in order, in one namespace, with a border before each."""
    namespace = {"__name__": "__main__", "__file__": str(path)}
    for number, code in cell_code(path):
        border(str(number))
        exec(code, namespace)  # noqa: S102 - running the program is what this process is for


def cell_code(path: Path) -> list[tuple[int, CodeType]]:
    """The code cells by number, compiled.

    The file is parsed once and its statements grouped, so that tracebacks keep the file's lines.
    """
    text = path.read_text(encoding="utf-8")
    statements = ast.parse(text, filename=str(path)).body
    cells = split_cells(text)
    ends = [cell.first_line for cell in cells[1:]] + [sys.maxsize]
    grouped = [
        (cell.number, [s for s in statements if cell.first_line <= s.lineno < end])
        for cell, end in zip(cells, ends, strict=True)
    ]
    return [
        (number, compile(ast.Module(body=body, type_ignores=[]), str(path), "exec", dont_inherit=True))
        for number, body in grouped
        if body
    ]


def status_of(error: BaseException) -> Status:
    """The record's status for a program that ended with ``error``."""
    if isinstance(error, CompileError):
        return "compile-error"
    if isinstance(error, NoDevice):  # it was there when the capture began: no limit of the machine
        return "cuda-error"
    if isinstance(error, Unsupported):
        return "unsupported"
    if isinstance(error, CheckFailed):
        return "failed"
    raw_cuda = type(error).__module__.startswith("cuda.")  # from cuda.core, called directly
    return "cuda-error" if isinstance(error, DeviceError) or raw_cuda else "failed"


def _print_traceback(error: BaseException, program: Path) -> None:
    """The traceback from the program's own frames on; the worker's are of no interest."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(program)]
    for line in traceback.format_list(frames):
        sys.stderr.write(line)
    sys.stderr.write("".join(traceback.format_exception_only(error)))
    sys.stderr.flush()


def _first_line(error: BaseException) -> str:
    message = error.message if isinstance(error, CourseError) else f"{type(error).__name__}: {error}"
    return message.strip().splitlines()[0] if message.strip() else type(error).__name__


def _flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    ctypes.CDLL(None).fflush(None)


if __name__ == "__main__":
    sys.exit(main())
