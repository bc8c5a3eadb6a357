"""The process of an isolated case: makes its calls, and prints each answer as it comes.

:mod:`gpu100.lab.isolated` starts it, and tells it on standard input what to do.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gpu100.device.arguments import Address
from gpu100.device.calls import Calls, Placed, Values
from gpu100.device.interface import Device, Source, extent
from gpu100.device.signature import kernels
from gpu100.model.device import DeviceSpec

Job = dict[str, Any]
Answering = Callable[[], str]


def main() -> None:
    """Do the job that stands on standard input."""
    job = json.load(sys.stdin)
    spec = DeviceSpec.parse(job["device"])
    if spec.kind == "model":
        on_model(job, spec)
    else:
        on_gpu(job, _interface(job["api"], spec.index))
    sys.stdout.flush()
    os._exit(0)  # without a working context, ordinary teardown may complain or hang


def on_gpu(job: Job, calls: Calls) -> None:
    """Set all calls of a case up, then make them in their order; one case after the other."""
    codes = {id: calls.load(base64.b64decode(source["cubin"])) for id, source in job["sources"].items()}
    for case, listed in job["cases"].items():
        prepared = [_prepared(calls, codes, job["sources"], one) for one in listed]
        for place, answering in enumerate(prepared):
            _say(case, place, answering())


def on_model(job: Job, spec: DeviceSpec) -> None:
    """Every case on a model of its own."""
    from gpu100.device.choose import open_device

    for case, listed in job["cases"].items():
        device = open_device(spec, cache=Path(job["cache"]) if job["cache"] else None)
        run_case(device, case, listed, job["sources"])


def run_case(device: Device, case: str, listed: list[Job], sources: dict[str, Job]) -> None:
    """One case on the model ``device``: what was found, and what a GPU's calls would answer."""
    from gpu100.device.simt.calls import Hangs, ModelCalls

    calls = ModelCalls(device)
    found = {
        id: device.compile(_source(source), tuple(source["options"]))[0]
        for id, source in sources.items()
        if any(one.get("source") == id for one in listed)
    }
    args = [[_on_device(device, arg) for arg in one.get("args", ())] for one in listed]
    for place, (one, values) in enumerate(zip(listed, args, strict=True)):
        try:
            if one["call"] == "launch":
                kernel = found[one["source"]][one["kernel"]]
                more = {"shared_bytes": one["shared_bytes"], "cooperative": one["cooperative"]}
                answer = calls.launch(kernel, _dim(one["grid"]), _dim(one["block"]), *values, **more)
            else:
                answer = calls.synchronize() if one["call"] == "synchronize" else calls.allocate(one["number"])
        except Hangs as hangs:
            _say(case, "hangs", str(hangs))
            break
        finally:
            if calls.fault:
                _say(case, "fault", calls.fault)
        _say(case, place, answer)


def _interface(api: str, index: int) -> Calls:
    if api == "runtime":
        from gpu100.device.runtime_calls import RuntimeCalls

        return RuntimeCalls(index)
    from gpu100.device.driver_calls import DriverCalls

    return DriverCalls(index)


def _prepared(calls: Calls, codes: dict[str, Any], sources: dict[str, Job], one: Job) -> Answering:
    """The call, with all that could go wrong for another reason done already."""
    name = one["call"]
    if name == "launch":
        text = Path(sources[one["source"]]["path"]).read_text(encoding="utf-8")
        kernel = calls.get(codes[one["source"]], one["kernel"])
        args = [_placed(calls, arg) for arg in one["args"]]
        values = Values(one["kernel"], kernels(text)[one["kernel"]], args)
        grid, block = extent(_dim(one["grid"])), extent(_dim(one["block"]))
        return lambda: calls.launch(kernel, grid, block, values, one["shared_bytes"], one["cooperative"])
    if name == "find":
        code = codes[one["source"]]
        return lambda: calls.find(code, one["text"])
    if name in ("allocate", "device"):
        return lambda: str(getattr(calls, name)(one["number"]))
    if name == "pause":
        return lambda: _pause(one["seconds"])
    answering: Answering = getattr(calls, name)
    return answering


def _pause(seconds: float) -> str:
    time.sleep(seconds)
    return "paused"


def _source(packed: Job) -> Source:
    path = Path(packed["path"])
    return Source(path=path, name=packed["name"], text=path.read_text(encoding="utf-8"))


def _placed(calls: Calls, arg: Job) -> object:
    value = _unpack(arg)
    return Placed(value.dtype, calls.place(value)) if isinstance(value, np.ndarray) else value


def _on_device(device: Device, arg: Job) -> object:
    value = _unpack(arg)
    return device.array(value) if isinstance(value, np.ndarray) else value


def _unpack(arg: Job) -> Any:
    if "address" in arg:
        return Address(arg["address"])
    if "plain" in arg:
        return arg["plain"]
    flat = np.frombuffer(base64.b64decode(arg["data"]), arg["dtype"])
    return flat[0] if arg["shape"] is None else flat.reshape(arg["shape"])


def _dim(packed: Any) -> Any:
    return tuple(packed) if isinstance(packed, list) else packed


def _say(case: str, place: object, answer: str) -> None:
    print(json.dumps([case, str(place), answer]), flush=True)


if __name__ == "__main__":
    main()
