"""The child's side of one attempt: ``python -m gpu100.practice.worker``.

It reads a job as JSON and writes events, one JSON line each, to a pipe of its own. What kernels
print goes to standard output, wherever that leads.
"""

from __future__ import annotations

import ctypes
import dataclasses
import json
import os
import runpy
import sys
from pathlib import Path
from typing import Any

from gpu100.child import end_with_parent
from gpu100.device.choose import open_device
from gpu100.device.interface import Source
from gpu100.errors import CourseError, NoDevice
from gpu100.model.device import GPU, MODEL, DeviceSpec
from gpu100.model.practice import Verdict
from gpu100.practice.attempt import Tell, attempt, refused
from gpu100.practice.bench import Bench
from gpu100.practice.cases import Exercise
from gpu100.practice.sources import Refused, read_source


def load_exercise(path: Path) -> Exercise:
    """The exercise that a check.py makes.

    Raises:
        CourseError: it makes none, or several, or cannot be run.
    """
    try:
        names = runpy.run_path(str(path))
    except Exception as error:
        raise CourseError(f"{path.name} cannot be run: {type(error).__name__}: {error}") from error
    found = {id(value): value for value in names.values() if isinstance(value, Exercise)}
    if len(found) != 1:
        raise CourseError(f"{path.name} makes {len(found)} exercises, where one belongs")
    return next(iter(found.values()))


def _main() -> int:
    job = json.load(sys.stdin)
    end_with_parent()  # a check that is ended must not leave a kernel running
    with os.fdopen(job["events"], "w", encoding="utf-8") as pipe:

        def tell(event: dict[str, Any]) -> None:
            pipe.write(json.dumps(event) + "\n")
            pipe.flush()

        try:
            verdict = _of(job, tell)
            tell({"event": "verdict", "verdict": dataclasses.asdict(verdict)})
        except CourseError as error:
            tell({"event": "error", "message": error.message, "hint": error.hint, "code": error.exit_code})
        sys.stdout.flush()
        ctypes.CDLL(None).fflush(None)
    os._exit(0)  # without a working context, ordinary teardown may complain or hang


def _of(job: dict[str, Any], tell: Tell) -> Verdict:
    exercise = load_exercise(Path(job["check"]))
    spec, cache = _spec(job["device"]), Path(job["cache"]) if job["cache"] else None
    path = Path(job["path"])
    try:
        source = read_source(path, job["shown"])
    except Refused as error:
        bench = Bench(exercise, Source(path, job["shown"], ""), spec, job["seed"])
        return refused(bench, error)
    solution = read_source(Path(job["solution"]), "solution.cu") if job["solution"] else None
    return attempt(Bench(exercise, source, spec, job["seed"], cache), tell, solution)


def _spec(asked: str | None) -> DeviceSpec:
    """The device that was asked for; without, the first GPU, or the model where there is none."""
    if asked:
        return DeviceSpec.parse(asked)
    try:
        open_device(GPU)
    except NoDevice:
        return MODEL
    return GPU


if __name__ == "__main__":
    sys.exit(_main())
