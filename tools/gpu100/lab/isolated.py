"""A launch in a process of its own: for what would end the program, or never end.

A wild pointer leaves the whole process without a usable context, and a kernel that waits for
itself never returns. So such a case is data: the kernel, its launch and its arguments go to a
fresh process, and what each of its calls answered comes back. The model, which stops at the fault
itself, answers as a GPU's calls would: the launch is accepted, and the wait for it tells.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gpu100.device.arguments import Address
from gpu100.device.choose import open_device
from gpu100.device.interface import Device, Dim, Kernel, Source
from gpu100.device.simt.faults import Fault
from gpu100.errors import ArgumentError, CourseError, DeviceError
from gpu100.lab import session
from gpu100.model.device import GPU, MODEL, DeviceSpec

HANGS = ("deadlock", "endless-loop")
"""Faults for which a GPU has no error: the kernel never ends."""


@dataclass(frozen=True)
class Answers:
    """What each call of the isolated process answered: SUCCESS, or the driver's error name."""

    launch: str = "not reached"
    synchronize: str = "not reached"
    allocate: str = "not reached"
    """A later call that needs the context: whether it survived."""
    timed_out: bool = False
    signal: str | None = None
    fault: str | None = None
    """What the model found, where it ran there: a GPU's calls do not say as much."""


def isolated(
    kernel: Kernel, grid: Dim, block: Dim, *args: object, shared_bytes: int = 0, seconds: float = 10.0
) -> Answers:
    """Launch ``kernel`` in a fresh process and report what its calls answered.

    Arguments are NumPy arrays (copied to the device there), NumPy or Python scalars, and
    :class:`Address`, a wild pointer. The process and all its children are ended after ``seconds``.

    Raises:
        CourseError: the process could not even compile the kernel.
    """
    run = session.current()
    spec = run.device or (MODEL if run.on_model else GPU)
    job = {
        "device": str(spec),
        "path": str(kernel.source.path),
        "name": kernel.source.name,
        "options": list(kernel.options),
        "kernel": kernel.name,
        "grid": grid,
        "block": block,
        "shared_bytes": shared_bytes,
        "cache": str(run.cache) if run.cache else None,
        "args": [_pack(arg) for arg in args],
    }
    child = subprocess.Popen(
        [sys.executable, "-m", "gpu100.lab.isolated"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    timed_out = False
    try:
        out, err = child.communicate(json.dumps(job).encode(), timeout=seconds)
    except subprocess.TimeoutExpired:
        timed_out = True
        os.killpg(child.pid, signal.SIGKILL)
        out, err = child.communicate()
    answers = _read(out)
    if timed_out and spec.kind == "model":
        answers.setdefault("launch", "SUCCESS")  # the model runs a kernel where a GPU queues it
    timed_out = bool(answers.pop("hangs", timed_out))
    if not answers and not timed_out and child.returncode >= 0:
        raise CourseError(f"{kernel.name} could not be isolated: {err.decode(errors='replace').strip()}")
    ended_by = signal.Signals(-child.returncode).name if child.returncode < 0 and not timed_out else None
    return Answers(**answers, timed_out=timed_out, signal=ended_by)


def _read(out: bytes) -> dict[str, str]:
    """The answers so far: one JSON pair a line, written as each call returned."""
    lines = (line for line in out.decode(errors="replace").splitlines() if line.startswith("["))
    return dict(json.loads(line) for line in lines)


def _pack(arg: object) -> dict[str, Any]:
    if isinstance(arg, Address):
        return {"address": arg.value}
    if isinstance(arg, np.ndarray | np.generic):
        data = base64.b64encode(np.ascontiguousarray(arg).tobytes()).decode()
        return {"dtype": str(arg.dtype), "shape": arg.shape if isinstance(arg, np.ndarray) else None, "data": data}
    if isinstance(arg, bool | int | float):
        return {"plain": arg}
    raise ArgumentError(f"{type(arg).__name__} cannot travel to another process", hint="pass a NumPy array")


def _main() -> None:
    job = json.load(sys.stdin)
    device = open_device(DeviceSpec.parse(job["device"]), cache=Path(job["cache"]) if job["cache"] else None)
    run_job(device, job)
    sys.stdout.flush()
    os._exit(0)  # without a working context, ordinary teardown may complain or hang


def run_job(device: Device, job: dict[str, Any]) -> None:
    """The child's work: launch, wait, allocate, and print what each answered as it did."""
    path = Path(job["path"])
    source = Source(path=path, name=job["name"], text=path.read_text(encoding="utf-8"))
    kernels, _ = device.compile(source, tuple(job["options"]))
    args = [_unpack(device, arg) for arg in job["args"]]
    grid, block = (tuple(dim) if isinstance(dim, list) else dim for dim in (job["grid"], job["block"]))

    def launch() -> None:
        kernels[job["kernel"]].launch(grid, block, *args, shared_bytes=job["shared_bytes"])

    try:
        _answer("launch", launch)
        _answer("synchronize", device.synchronize)
        _answer("allocate", lambda: device.array(np.zeros(1, "uint8")))
    except Fault as fault:
        _answer_as_gpu(fault)


def _answer_as_gpu(fault: Fault) -> None:
    """What a GPU's calls answer where the model stopped: the error comes late, and stays."""
    _say("fault", fault.message)
    _say("launch", "SUCCESS")
    if fault.kind in HANGS:
        _say("hangs", fault.kind)
        return
    _say("synchronize", fault.name or fault.message)
    _say("allocate", fault.name or "SUCCESS")


def _unpack(device: Device, arg: dict[str, Any]) -> Any:
    if "address" in arg:
        return Address(arg["address"])
    if "plain" in arg:
        return arg["plain"]
    flat = np.frombuffer(base64.b64decode(arg["data"]), arg["dtype"])
    return flat[0] if arg["shape"] is None else device.array(flat.reshape(arg["shape"]))


def _answer(name: str, call: Callable[[], object]) -> None:
    try:
        call()
    except Fault:
        raise
    except DeviceError as error:
        _say(name, error.name or error.message)
    else:
        _say(name, "SUCCESS")


def _say(name: str, word: str) -> None:
    print(json.dumps([name, word]), flush=True)


if __name__ == "__main__":
    _main()
