"""A launch in a process of its own: for what would end the program, or never end.

A wild pointer leaves the whole process without a usable context, and a kernel that waits for
itself never returns. So such a case is data: the kernel, its launch and its arguments go to a
fresh process, and what each of its calls answered comes back.
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
from gpu100.device.interface import Dim, Kernel, Source
from gpu100.errors import ArgumentError, CourseError, DeviceError
from gpu100.lab import session


@dataclass(frozen=True)
class Answers:
    """What each call of the isolated process answered: SUCCESS, or the driver's error name."""

    launch: str = "not reached"
    synchronize: str = "not reached"
    allocate: str = "not reached"
    """A later call that needs the context: whether it survived."""
    timed_out: bool = False
    signal: str | None = None


def isolated(
    kernel: Kernel, grid: Dim, block: Dim, *args: object, shared_bytes: int = 0, seconds: float = 10.0
) -> Answers:
    """Launch ``kernel`` in a fresh process and report what its calls answered.

    Arguments are NumPy arrays (copied to the device there), NumPy or Python scalars, and
    :class:`Address`, a wild pointer. The process and all its children are ended after ``seconds``.

    Raises:
        CourseError: the process could not even compile the kernel.
    """
    job = {
        "path": str(kernel.source.path),
        "name": kernel.source.name,
        "options": list(kernel.options),
        "kernel": kernel.name,
        "grid": grid,
        "block": block,
        "shared_bytes": shared_bytes,
        "cache": str(session.current().cache) if session.current().cache else None,
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
    from gpu100.device.cuda import CudaDevice

    job = json.load(sys.stdin)
    path = Path(job["path"])
    device = CudaDevice(cache=Path(job["cache"]) if job["cache"] else None)
    source = Source(path=path, name=job["name"], text=path.read_text(encoding="utf-8"))
    kernels, _ = device.compile(source, tuple(job["options"]))
    args = [_unpack(device, arg) for arg in job["args"]]
    grid, block = (tuple(dim) if isinstance(dim, list) else dim for dim in (job["grid"], job["block"]))

    def launch() -> None:
        kernels[job["kernel"]].launch(grid, block, *args, shared_bytes=job["shared_bytes"])

    _answer("launch", launch)
    _answer("synchronize", device.synchronize)
    _answer("allocate", lambda: device.array(np.zeros(1, "uint8")))
    sys.stdout.flush()
    os._exit(0)  # without a working context, ordinary teardown may complain or hang


def _unpack(device: Any, arg: dict[str, Any]) -> Any:
    if "address" in arg:
        return Address(arg["address"])
    if "plain" in arg:
        return arg["plain"]
    flat = np.frombuffer(base64.b64decode(arg["data"]), arg["dtype"])
    return flat[0] if arg["shape"] is None else device.array(flat.reshape(arg["shape"]))


def _answer(name: str, call: Callable[[], object]) -> None:
    try:
        call()
        word = "SUCCESS"
    except DeviceError as error:
        word = error.name or error.message
    print(json.dumps([name, word]), flush=True)


if __name__ == "__main__":
    _main()
