"""The first two lines of every program: a device, and its kernels."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Mapping

from gpu100.device.choose import open_device
from gpu100.device.interface import Device, Kernel, Source
from gpu100.errors import NoDevice
from gpu100.lab import session
from gpu100.model.behaviour import COMPILE_OPTIONS
from gpu100.model.device import GPU, MODEL, VARIABLE, DeviceSpec


def device(index: int = 0) -> Device:
    """GPU number ``index`` of this machine, or the SIMT model where there is none.

    Whoever runs the program may have chosen: ``gpu100 run --device model:t4``, or the environment
    variable GPU100_DEVICE. Then it is that device or none.

    Raises:
        Unsupported: there is no such GPU.
        UsageError: GPU100_DEVICE names no device.
    """
    run = session.current()
    asked = os.environ.get(VARIABLE)
    spec = run.device or (DeviceSpec.parse(asked) if asked else None)
    try:
        found = open_device(spec or GPU, index, cache=run.cache)
    except NoDevice:
        if spec:
            raise
        found = open_device(MODEL, index, cache=run.cache)
        print(f"No GPU found: {found.gpu.name} runs this.", file=sys.stderr)
    run.devices.append(found)
    return found


def compile(device: Device, name: str, *, options: tuple[str, ...] = ()) -> Mapping[str, Kernel]:
    """The kernels of the program's own file ``name``, by name.

    ``options`` are NVRTC's, added to the course's own. Registers, shared and local bytes of
    every kernel become part of the record.

    Raises:
        CompileError: NVRTC refused the source; the message holds its log with file and line.
        ContentError: there is no such file.
    """
    run = session.current()
    source = Source.read(run.find(name), run.root)
    kernels, compiler = device.compile(source, COMPILE_OPTIONS + options)
    run.emit({"event": "compiler", **dataclasses.asdict(compiler)})
    for kernel in kernels.values():
        run.emit({"event": "kernel", "name": kernel.name, **dataclasses.asdict(kernel.facts)})
    return kernels
