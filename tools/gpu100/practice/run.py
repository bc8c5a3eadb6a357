"""The parent's side of one attempt: a process of its own, its time, its output, and its verdict."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gpu100.child import Output, environment, hear_out
from gpu100.decode import decode
from gpu100.errors import CourseError, Unsupported
from gpu100.model.device import MODEL, DeviceSpec
from gpu100.model.machine import MODEL_MARK
from gpu100.model.practice import Verdict

SECONDS = 20.0
"""For one attempt, compiling included. An answer that is right takes one or two."""

PRINTED_LINES = 10
LINE_CHARACTERS = 200
_EVENT_BYTES = 4 << 20


@dataclass(frozen=True)
class Job:
    """One file to check."""

    check: Path
    path: Path
    shown: str
    """What messages call the file."""
    device: DeviceSpec | None = None
    """None for the first GPU, or the model where there is none."""
    solution: Path | None = None
    """What its cost is held against, where the exercise asks for that."""
    cache: Path | None = None
    seed: int | None = None
    seconds: float = SECONDS


def check_attempt(job: Job) -> Verdict:
    """Check one file in a fresh process, which is ended with all its children when its time is up.

    Raises:
        Unsupported: a GPU is asked for, and there is none.
        CourseError: the exercise itself is at fault.
    """
    seed = secrets.randbits(31) if job.seed is None else job.seed
    read_end, write_end = os.pipe()
    child = subprocess.Popen(
        [sys.executable, "-m", "gpu100.practice.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=(write_end,),
        env=environment(),
        start_new_session=True,
    )
    os.close(write_end)
    outputs = {"stdout": Output(), "stderr": Output(), "events": Output(_EVENT_BYTES)}
    deadline = time.monotonic() + job.seconds
    assert child.stdin
    with contextlib.suppress(BrokenPipeError), child.stdin as stdin:
        stdin.write(json.dumps(_as_json(job, seed, write_end)).encode())
    code, timed_out = hear_out(child, outputs, deadline, events=os.fdopen(read_end, "rb", buffering=0))
    return _verdict(job, seed, outputs, code, timed_out=timed_out)


def check_answer(job: Job) -> Verdict:
    """Check a reader's file; one that a GPU found right, and that was not sent to it, on the model too.

    A GPU does not tell of a read past an array's end, and a race may come out well on it. The model
    sees both. Where it cannot run the kernel, or not in time, the GPU's word stands.

    Raises:
        Unsupported: a GPU is asked for, and there is none.
        CourseError: the exercise itself is at fault.
    """
    verdict = check_attempt(job)
    if not verdict.passed or job.device is not None or verdict.device.endswith(MODEL_MARK):
        return verdict
    modeled = check_attempt(replace(job, device=MODEL, seed=verdict.seed))
    return verdict if modeled.found in (None, "not-modeled", "endless", "too-slow") else modeled


def _as_json(job: Job, seed: int, events: int) -> dict[str, object]:
    return {
        "check": str(job.check),
        "path": str(job.path),
        "shown": job.shown,
        "device": str(job.device) if job.device else None,
        "solution": str(job.solution) if job.solution else None,
        "cache": str(job.cache) if job.cache else None,
        "seed": seed,
        "events": events,
    }


def _verdict(job: Job, seed: int, outputs: dict[str, Output], code: int, *, timed_out: bool) -> Verdict:
    whole, _, _ = outputs["events"].data.decode(errors="replace").rpartition("\n")
    events: list[dict[str, Any]] = [json.loads(line) for line in whole.splitlines()]
    printed = _printed(outputs["stdout"])
    last: dict[str, Any] = events[-1] if events else {"event": "nothing"}
    if last["event"] == "verdict":
        return decode(Verdict, {**last["verdict"], "printed": printed})
    if last["event"] == "error":
        kind = Unsupported if last["code"] == Unsupported.exit_code else CourseError
        raise kind(last["message"], hint=last["hint"])
    tried = [event["case"] for event in events if event["event"] == "case"]
    said = outputs["stderr"].data.decode(errors="replace").strip()
    # No kernel makes Python raise: that is the check's own fault, after some cases too.
    if not timed_out and code > 0 and (not tried or "Traceback (most recent call last)" in said):
        raise CourseError(f"the check itself failed: {said.splitlines()[-1] if said else f'exit code {code}'}")
    return Verdict(
        passed=False,
        found="endless" if timed_out else "crash",
        case=tried[-1] if tried else "",
        lines=(_how_it_ended(job, code, timed_out=timed_out, compiled=bool(tried)),),
        printed=printed,
        passes=max(len(tried) - 1, 0),
        cases=len(tried),
        seed=seed,
        device=str(job.device or ""),
    )


def _how_it_ended(job: Job, code: int, *, timed_out: bool, compiled: bool) -> str:
    if timed_out:
        return f"still {'running' if compiled else 'being compiled'} after {job.seconds:.0f} seconds, and ended"
    return f"the process ended {f'by signal {-code}' if code < 0 else f'with exit code {code}'}"


def _printed(output: Output) -> tuple[str, ...]:
    """The first lines of what the kernel printed, and how much more there was."""
    lines = output.data.decode(errors="replace").splitlines()
    shown = [_plain(line)[:LINE_CHARACTERS] for line in lines[:PRINTED_LINES]]
    if output.dropped:
        shown.append(f"[{output.dropped + sum(map(len, lines[PRINTED_LINES:])):,} more bytes]")
    elif len(lines) > PRINTED_LINES:
        shown.append(f"[{len(lines) - PRINTED_LINES:,} more lines]")
    return tuple(shown)


def _plain(line: str) -> str:
    """Without what a terminal would obey."""
    return "".join(c if c.isprintable() else " " if c == "\t" else "?" for c in line)
