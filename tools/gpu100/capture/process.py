"""The parent's side of one run: start the child, read it, end it when its time is up."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gpu100.capture.output import CellText, cells_of
from gpu100.capture.redact import redacted, redactor
from gpu100.child import Output, environment, hear_out
from gpu100.model.device import GPU, DeviceSpec

if TYPE_CHECKING:  # lab needs NumPy, which a machine that only builds the site does not have
    from gpu100.lab.session import Event

_EVENT_BYTES = 16 << 20


@dataclass(frozen=True)
class Run:
    """What one process did, with this machine's paths redacted."""

    stdout: dict[int, CellText]
    """What each code cell printed, by its number; 0 is what came before the first."""
    stderr: dict[int, CellText]
    events: tuple[Event, ...]
    seconds: float
    exit_code: int | None
    signal: str | None
    timed_out: bool


def run_program(program: Path, *, root: Path, cache: Path, seconds: float, device: DeviceSpec = GPU) -> Run:
    """Run ``program`` in a fresh process on ``device``, for at most ``seconds``.

    The device is said, never left to the environment: evidence must not come from the model.

    The child leads a process group of its own, which is ended whole: a program's own children
    do not outlive it.
    """
    read_end, write_end = os.pipe()
    mark = f"\x1e{secrets.token_hex(16)} "  # unguessable: a program cannot forge a cell's border
    command = [sys.executable, "-m", "gpu100.capture.worker", str(program), "--root", str(root)]
    command += ["--cache", str(cache), "--device", str(device), "--events", str(write_end), "--mark", mark]
    command += ["--parent", str(os.getpid())]
    began = time.monotonic()
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=(write_end,),
        env=environment(),
        start_new_session=True,
        cwd=root,
    )
    os.close(write_end)
    outputs = {"stdout": Output(), "stderr": Output(), "events": Output(_EVENT_BYTES)}
    events = os.fdopen(read_end, "rb", buffering=0)
    code, timed_out = hear_out(child, outputs, began + seconds, events=events)
    redact = redactor(root)
    return Run(
        stdout=cells_of(outputs["stdout"], mark, redact),
        stderr=cells_of(outputs["stderr"], mark, redact),
        events=tuple(redacted(event, redact) for event in _events(outputs["events"])),
        seconds=time.monotonic() - began,
        exit_code=code if code >= 0 else None,
        signal=signal.Signals(-code).name if code < 0 else None,
        timed_out=timed_out,
    )


def _events(output: Output) -> list[Event]:
    """The declared results; a last line cut short by a crash is dropped."""
    whole, _, _ = output.data.decode(errors="replace").rpartition("\n")
    return [json.loads(line) for line in whole.splitlines()]
