"""Cases in other processes: for what would end the program, or never end.

A wild pointer leaves the whole process without a usable context, and a kernel that waits for
itself never returns. So such a case is data: its calls go to a fresh process, one case to each unless
told otherwise, and what every call answered comes back. The model, which stops at the fault itself, answers as a
GPU's calls would; its own process is not harmed, so one of them serves all cases.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu100.child import ONE_CONNECTION, processors
from gpu100.device import nvrtc
from gpu100.device.arguments import Address
from gpu100.device.calls import Api
from gpu100.device.interface import Dim, Kernel
from gpu100.errors import ArgumentError, CourseError, Unsupported
from gpu100.lab import call, session
from gpu100.lab.call import MODELED, RUNTIME_ONLY, Call
from gpu100.model.device import GPU, MODEL, DeviceSpec

_MOST_AT_ONCE = 8
"""Cases that run side by side on a GPU: each has a context, which takes some of its memory."""

_FEW_THREADS = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""No case calculates on the host, and starting threads for it takes longer than all the rest."""

NOT_REACHED = "not reached"


@dataclass(frozen=True)
class Told:
    """What a case's calls answered, in their order: names as the interface spells them."""

    answers: tuple[str, ...]
    """``not reached`` from the first call on that was not made, or did not return in time."""
    timed_out: bool = False
    signal: str | None = None
    """What ended the process."""
    fault: str | None = None
    """What the model found, where it ran there: a GPU's calls do not say as much."""


@dataclass(frozen=True)
class Answers:
    """What each call of an isolated launch answered: SUCCESS, or the driver's error name."""

    launch: str = NOT_REACHED
    synchronize: str = NOT_REACHED
    allocate: str = NOT_REACHED
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
        CourseError: the process could not even load the kernel.
    """
    launched = call.launch(kernel, grid, block, *args, shared_bytes=shared_bytes)
    told = cases({kernel.name: (launched, call.synchronize(), call.allocate(1))}, seconds=seconds)[kernel.name]
    launch, synchronize, allocate = ("SUCCESS" if call.succeeded(answer) else answer for answer in told.answers)
    return Answers(launch, synchronize, allocate, told.timed_out, told.signal, told.fault)


def cases(
    listed: Mapping[str, Sequence[Call]], *, api: Api = "driver", together: bool = False, seconds: float = 10.0
) -> dict[str, Told]:
    """Make each case's calls in a fresh process, through one of CUDA's interfaces, and report the answers.

    Cases that do no harm may run ``together``, one after the other in one process: to start one for
    each is what takes the time. A process and all its children are ended after ``seconds`` for each case.

    Raises:
        Unsupported: the model, or the interface, has no such call.
        CourseError: a case could not even be set up.
    """
    run = session.current()
    spec = run.device or (MODEL if run.on_model else GPU)
    _require_known(listed, api, spec)
    one_process = together or spec.kind == "model"
    parts = [dict(listed)] if one_process else [{name: calls} for name, calls in listed.items()]
    jobs = [_Job(part, api, spec) for part in parts if part]
    packed = _packed(jobs)
    with ThreadPoolExecutor(_at_once()) as pool:
        done = pool.map(lambda job, data: _in_process(job, data, seconds * len(job.cases)), jobs, packed)
        return {name: told for part in done for name, told in part.items()}


def _at_once() -> int:
    """As many cases as half of the processor may start, and two in any case."""
    return max(2, min(_MOST_AT_ONCE, processors() // 2))


def _require_known(listed: Mapping[str, Sequence[Call]], api: Api, spec: DeviceSpec) -> None:
    for name, calls in listed.items():
        for one in calls:
            if spec.kind == "model" and (api != "driver" or one.name not in MODELED):
                raise Unsupported(f"case {name!r}: the model does not have the call {one.name} of the {api}")
            if api == "driver" and one.name in RUNTIME_ONLY:
                raise Unsupported(f"case {name!r}: the driver has no {one.name}; each of its calls returns its own")


@dataclass(frozen=True)
class _Job:
    """What one process does."""

    cases: Mapping[str, Sequence[Call]]
    api: Api
    spec: DeviceSpec


def _in_process(job: _Job, data: bytes, seconds: float) -> dict[str, Told]:
    """Start the process, tell it its job, and hear it out."""
    child = subprocess.Popen(
        [sys.executable, "-m", "gpu100.device.case_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env=os.environ | _FEW_THREADS | ONE_CONNECTION,
    )
    timed_out = False
    try:
        out, err = child.communicate(data, timeout=seconds)
    except subprocess.TimeoutExpired:
        timed_out = True
        os.killpg(child.pid, signal.SIGKILL)
        out, err = child.communicate()
    found = _read(out)
    if not found and not timed_out and child.returncode >= 0:
        why = err.decode(errors="replace").strip()
        raise CourseError(f"{', '.join(job.cases)} could not be isolated: {why}")
    ended_by = signal.Signals(-child.returncode).name if child.returncode < 0 and not timed_out else None
    ended = _End(timed_out, ended_by, job.spec)
    return {name: ended.told(calls, found.get(name, {})) for name, calls in job.cases.items()}


@dataclass(frozen=True)
class _End:
    """How a process ended, and so what its cases' missing answers mean."""

    timed_out: bool
    signal: str | None
    spec: DeviceSpec

    def told(self, calls: Sequence[Call], found: Mapping[str, str]) -> Told:
        answers = [found.get(str(place), NOT_REACHED) for place in range(len(calls))]
        # The model runs a kernel where a GPU queues it.
        if self.timed_out and self.spec.kind == "model" and answers[0] == NOT_REACHED:
            answers[0] = "CUDA_SUCCESS"
        hangs = "hangs" in found or (self.timed_out and NOT_REACHED in answers)
        ended_by = self.signal if NOT_REACHED in answers else None
        return Told(tuple(answers), timed_out=hangs, signal=ended_by, fault=found.get("fault"))


def _read(out: bytes) -> dict[str, dict[str, str]]:
    """The answers so far, by case: one JSON list a line, written as each call returned."""
    found: dict[str, dict[str, str]] = {}
    for line in out.decode(errors="replace").splitlines():
        if line.startswith("["):
            case, place, answer = json.loads(line)
            found.setdefault(case, {})[place] = answer
    return found


def _packed(jobs: Sequence[_Job]) -> list[bytes]:
    """What each process is told: plain JSON data, with every source compiled once for all of them."""
    run = session.current()
    cache = str(run.cache) if run.cache else None
    compiled: dict[str, dict[str, Any]] = {}
    packed = []
    for job in jobs:
        kernels = {_source_id(one.kernel): one.kernel for calls in job.cases.values() for one in calls if one.kernel}
        for id, kernel in kernels.items():
            if id not in compiled:
                compiled[id] = _source(kernel, job.spec)
        data = {
            "device": str(job.spec),
            "api": job.api,
            "cache": cache,
            "sources": {id: compiled[id] for id in kernels},
            "cases": {name: [_call(one) for one in calls] for name, calls in job.cases.items()},
        }
        packed.append(json.dumps(data).encode())
    return packed


def _source_id(kernel: Kernel) -> str:
    return " ".join((str(kernel.source.path), *kernel.options))


def _source(kernel: Kernel, spec: DeviceSpec) -> dict[str, Any]:
    """A source: for a GPU compiled here, once, so that a case starts quickly."""
    source, run = kernel.source, session.current()
    packed: dict[str, Any] = {"path": str(source.path), "name": source.name, "options": list(kernel.options)}
    if spec.kind == "gpu":
        arch = run.devices[0].gpu.compute_capability.arch
        cubin = nvrtc.compile_source(source, arch, kernel.options, cache=run.cache)
        packed["cubin"] = base64.b64encode(cubin).decode()
    return packed


def _call(one: Call) -> dict[str, Any]:
    packed: dict[str, Any] = {"call": one.name, "number": one.number, "text": one.text, "seconds": one.seconds}
    if one.kernel:
        packed |= {"source": _source_id(one.kernel), "kernel": one.kernel.name}
        packed |= {"grid": one.grid, "block": one.block, "args": [_pack(arg) for arg in one.args]}
        packed |= {"shared_bytes": one.shared_bytes, "cooperative": one.cooperative}
    return packed


def _pack(arg: object) -> dict[str, Any]:
    if isinstance(arg, Address):
        return {"address": arg.value}
    if isinstance(arg, np.ndarray | np.generic):
        data = base64.b64encode(np.ascontiguousarray(arg).tobytes()).decode()
        return {"dtype": str(arg.dtype), "shape": arg.shape if isinstance(arg, np.ndarray) else None, "data": data}
    if isinstance(arg, bool | int | float):
        return {"plain": arg}
    raise ArgumentError(f"{type(arg).__name__} cannot travel to another process", hint="pass a NumPy array")
