"""What a program may ask of a device, be it a GPU or a model of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from gpu100.device.signature import Parameter
from gpu100.model.machine import Gpu
from gpu100.model.record import Compiler
from gpu100.model.record import Kernel as KernelFacts

Dim = int | tuple[int, ...]
"""A grid's or block's extent: a number, or up to three of them, x first."""


@dataclass(frozen=True)
class Source:
    """A CUDA C++ file as it is handed to the compiler."""

    path: Path
    name: str
    """What compiler messages call it: its path from the course's root, where it has one."""
    text: str


class Array(Protocol):
    """Memory on the device."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def dtype(self) -> np.dtype[Any]: ...

    def to_numpy(self) -> npt.NDArray[Any]:
        """A copy on the host, made after everything launched so far has finished."""
        ...


class Kernel(Protocol):
    """A compiled ``extern "C" __global__`` function."""

    @property
    def name(self) -> str: ...

    @property
    def parameters(self) -> tuple[Parameter, ...]: ...

    @property
    def facts(self) -> KernelFacts: ...

    def blocks_per_sm(self, threads: int, shared_bytes: int = 0) -> int:
        """How many blocks of ``threads`` threads are resident on one SM at once.

        ``shared_bytes`` is dynamic shared memory per block. The answer is the device's own
        occupancy query, not a formula of ours.
        """
        ...

    def launch(self, grid: Dim, block: Dim, *args: object, shared_bytes: int = 0) -> None:
        """Queue one launch; arguments as :func:`gpu100.device.arguments.bind` takes them."""
        ...


class Device(Protocol):
    """A GPU, or a model of one."""

    @property
    def gpu(self) -> Gpu: ...

    def compile(self, source: Source, options: tuple[str, ...]) -> tuple[Mapping[str, Kernel], Compiler]:
        """The source's kernels by name, compiled for exactly this device's architecture.

        Raises:
            CompileError: NVRTC refused the source.
        """
        ...

    def array(self, host: npt.NDArray[Any]) -> Array:
        """A copy of ``host`` on the device."""
        ...

    def empty(self, shape: Dim, dtype: npt.DTypeLike) -> Array:
        """Memory filled with 0xFF bytes, so that a result nobody wrote cannot look right."""
        ...

    def synchronize(self) -> None:
        """Wait for everything launched so far; errors of those launches arrive here."""
        ...
