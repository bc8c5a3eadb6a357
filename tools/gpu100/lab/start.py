"""The first two lines of every program: a device, and its kernels."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from gpu100.device.interface import Device, Kernel, Source
from gpu100.lab import session
from gpu100.model.behaviour import COMPILE_OPTIONS


def device(index: int = 0) -> Device:
    """GPU number ``index`` of this machine.

    Raises:
        Unsupported: there is no driver or no such GPU.
    """
    # Imported here: declaring and comparing results must work where cuda-python is not installed.
    from gpu100.device.cuda import CudaDevice

    return CudaDevice(index, cache=session.current().cache)


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
