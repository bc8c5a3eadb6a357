"""Where one exercise's launches are made: a device with nothing on it, the kernel, and its arguments."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gpu100.device.choose import open_device
from gpu100.device.interface import Device, Kernel, Source
from gpu100.device.simt.device import SimtDevice
from gpu100.device.simt.execute.runtime import Runtime
from gpu100.device.simt.faults import Fault
from gpu100.device.simt.memory.access import Access
from gpu100.device.simt.memory.device_memory import DeviceMemory
from gpu100.errors import ArgumentError, DeviceError
from gpu100.model.behaviour import COMPILE_OPTIONS
from gpu100.model.device import DeviceSpec
from gpu100.model.gpus import PROFILES
from gpu100.practice.buffers import Buffer, Placed
from gpu100.practice.cases import Exercise, Trial
from gpu100.practice.looks import Fell, Seen, seen
from gpu100.practice.sources import Refused

BUDGET = 50_000
"""Basic blocks of a launch on the model, above which it is said to loop for ever."""

MOST_PRINTED = 5000
"""Lines that kernels may print on the model; further ones are not."""


class Curt(Runtime):
    """A device's runtime that stops to print where a reader would stop to read; a GPU's buffer is as small."""

    def __init__(self, memory: DeviceMemory) -> None:
        super().__init__(memory)
        self._left = MOST_PRINTED

    def printf(
        self,
        access: Access,
        lanes: npt.NDArray[np.int64],
        text: npt.NDArray[Any],
        arguments: npt.NDArray[Any],
    ) -> npt.NDArray[Any]:
        if self._left <= 0:
            return np.zeros(lanes.shape, np.uint32)
        self._left -= len(lanes)
        return super().printf(access, lanes, text, arguments)


@dataclass(frozen=True)
class Bench:
    """Where one exercise's launches are made."""

    exercise: Exercise
    source: Source
    spec: DeviceSpec
    seed: int
    cache: Path | None = None

    def open(self) -> tuple[Device, Kernel]:
        """A device with nothing on it, and the kernel on it."""
        if self.spec.kind == "model":
            model = SimtDevice(PROFILES[self.spec.profile], cache=self.cache, budget=BUDGET)
            model.runtime = Curt(model.memory)
            device: Device = model
        else:
            device = open_device(self.spec, cache=self.cache)
        return device, self.kernel(device, self.source)

    def kernel(self, device: Device, source: Source) -> Kernel:
        found, _ = device.compile(source, COMPILE_OPTIONS + self.exercise.options)
        if self.exercise.kernel not in found:
            raise Refused(f"{source.name} compiles to no kernel {self.exercise.kernel}", found="signature")
        return found[self.exercise.kernel]

    def placed(self, device: Device, kernel: Kernel, trial: Trial, *, poison: int = 0, slack: int = 0) -> list[Any]:
        """The trial's arguments on the device; ``poison`` chooses what memory holds that nobody wrote."""
        random = np.random.default_rng([self.seed, poison])
        names = [parameter.name for parameter in kernel.parameters]
        return [
            Placed(device, arg, name, random, slack=slack) if isinstance(arg, Buffer) else arg
            for name, arg in zip(names, trial.args, strict=True)
        ]


def launch(
    bench: Bench, device: Device, kernel: Kernel, trial: Trial, *, poison: int = 0, slack: int = 0
) -> tuple[Fell | None, tuple[Seen, ...]]:
    """Launch and wait: how it fell, if it did, or its buffers.

    An error may come late, with any call, and then counts for the case that met it.
    """
    try:
        args = bench.placed(device, kernel, trial, poison=poison, slack=slack)
        passed = [arg.argument if isinstance(arg, Placed) else arg for arg in args]
        kernel.launch(trial.grid, trial.block, *passed, shared_bytes=trial.shared_bytes)
        device.synchronize()
        return None, tuple(seen(arg) for arg in args if isinstance(arg, Placed))
    except Fault as fault:
        return Fell(fault.kind, fault.message, fault.hint or ""), ()
    except ArgumentError:
        raise
    except DeviceError as error:
        return Fell(error.name or "error", error.message, error.hint or ""), ()
