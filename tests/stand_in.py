"""A model that a test decides: kernels in NumPy, and a report for each launch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from gpu100.device.interface import Source
from gpu100.device.signature import kernels
from gpu100.model.gpus import H200
from gpu100.model.machine import Gpu
from gpu100.model.record import Compiler
from gpu100.model.record import Kernel as KernelFacts


@dataclass
class StandInReport:
    """What a launch leaves behind."""

    kernel: str
    source: Source


class StandInArray:
    def __init__(self, host: np.ndarray) -> None:
        self.host, self.shape, self.dtype = host.copy(), host.shape, host.dtype

    def to_numpy(self) -> np.ndarray:
        return self.host.copy()


@dataclass
class StandInKernel:
    device: StandIn
    name: str
    source: Source
    options: tuple[str, ...] = ()

    @property
    def facts(self) -> KernelFacts:
        return KernelFacts(registers=16, shared_bytes=0, local_bytes=0)

    def launch(self, grid: int, block: int, *args: Any, shared_bytes: int = 0) -> None:
        self.device.work(*args)
        self.device.reports.append(StandInReport(self.name, self.source))


@dataclass
class StandIn:
    """``work`` is what every kernel does with its arguments; what it raises, the launch raises."""

    gpu: Gpu = H200
    is_model: bool = True
    work: Callable[..., None] = lambda *args: None
    reports: list[StandInReport] = field(default_factory=list)
    cache: Path | None = None

    def compile(self, source: Source, options: tuple[str, ...]) -> tuple[Mapping[str, StandInKernel], Compiler]:
        found = {name: StandInKernel(self, name, source, options) for name in kernels(source.text)}
        return found, Compiler(nvrtc="0.0.0", arch="sm_90", options=options)

    def array(self, host: np.ndarray) -> StandInArray:
        return StandInArray(host)

    def empty(self, shape: int, dtype: str) -> StandInArray:
        return StandInArray(np.zeros(shape, dtype))

    def free_bytes(self) -> int:
        return 1 << 30

    def synchronize(self) -> None: ...

    def elapsed(self, work: Callable[[], None]) -> None:
        work()

    def sm_clock(self) -> None: ...
