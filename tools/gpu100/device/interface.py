"""What a program may ask of a device, be it a GPU or a model of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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

Extent = tuple[int, int, int]
"""The same with all three axes."""


def extent(dim: Dim) -> Extent:
    """``dim`` with all three axes; what is not said is 1."""
    axes = dim if isinstance(dim, tuple) else (dim,)
    x, y, z = (*(int(axis) for axis in axes), 1, 1)[:3]
    return x, y, z


@dataclass(frozen=True)
class Source:
    """A CUDA C++ file as it is handed to the compiler."""

    path: Path
    name: str
    """What compiler messages call it: its path from the course's root, where it has one."""
    text: str

    @classmethod
    def read(cls, path: Path, root: Path | None) -> Source:
        """The file at ``path``, named from the course's ``root`` where it lies in one."""
        name = path.relative_to(root).as_posix() if root and path.is_relative_to(root) else path.name
        return cls(path=path, name=name, text=path.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class ClockReading:
    """The SM clock at one moment."""

    mhz: float
    reasons: tuple[str, ...]
    """NVML's reasons for holding it down, without idleness; empty where there are none."""


class Array(Protocol):
    """Memory on the device."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def dtype(self) -> np.dtype[Any]: ...

    @property
    def address(self) -> int:
        """Where it begins, as the device counts."""
        ...

    def copy_from(self, host: npt.NDArray[Any]) -> None:
        """Overwrite with ``host``, of the same shape and element type; done when it returns.

        Raises:
            ValueError: the shape or the element type differs.
        """
        ...

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
    def source(self) -> Source: ...

    @property
    def options(self) -> tuple[str, ...]:
        """NVRTC's options it was compiled with."""
        ...

    @property
    def facts(self) -> KernelFacts: ...

    def blocks_per_sm(self, threads: int, shared_bytes: int = 0) -> int:
        """How many blocks of ``threads`` threads are resident on one SM at once.

        ``shared_bytes`` is dynamic shared memory per block. A GPU's answer is its driver's, not a
        formula of ours; the model's is the formula of CUDA's own occupancy header.
        """
        ...

    def allow_shared(self, shared_bytes: int) -> None:
        """Let later launches ask for up to ``shared_bytes`` of dynamic shared memory per block.

        Without it the limit is 48 KiB, on every GPU; the runtime API's name for this opting in is
        ``cudaFuncAttributeMaxDynamicSharedMemorySize``.

        Raises:
            DeviceError: a block of this device cannot have as much.
        """
        ...

    def launch(self, grid: Dim, block: Dim, *args: object, shared_bytes: int = 0, cooperative: bool = False) -> None:
        """Queue one launch; arguments as :func:`gpu100.device.arguments.bind` takes them.

        A ``cooperative`` launch has all its blocks on the device at once, so that they may wait for
        each other, or is refused.
        """
        ...


class Device(Protocol):
    """A GPU, or a model of one."""

    @property
    def gpu(self) -> Gpu: ...

    @property
    def is_model(self) -> bool:
        """Whether this is the SIMT model: it computes and counts, and has no clock."""
        ...

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

    def free_bytes(self) -> int:
        """Bytes of the device's memory that nobody has taken."""
        ...

    def synchronize(self) -> None:
        """Wait for everything launched so far; errors of those launches arrive here."""
        ...

    def elapsed(self, work: Callable[[], None]) -> float | None:
        """Seconds on the device from before to after what ``work`` launches; None on a model.

        The host's time to queue the first launch is not in it: a GPU is kept busy meanwhile.
        """
        ...

    def flush_l2(self) -> None:
        """Read twice the L2's size of other memory, so that nothing of the program's is cached.

        Read, not written: dirty lines would have to be written back inside the timed launch.
        """
        ...

    def sm_clock(self) -> ClockReading | None:
        """The SM clock now; None where nobody tells."""
        ...
