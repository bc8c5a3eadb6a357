"""CUDA's bare calls, through one of its interfaces: each answers with that interface's own name.

The rest of the package raises where a call fails. Here a failure is the result: a case provokes it, in
a process of its own, and what is wanted is the name that CUDA gives it. So nothing is checked ahead
of CUDA, and no name is typed: each comes from the library that reports it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from gpu100.device.arguments import Address, bind
from gpu100.device.interface import Extent
from gpu100.device.signature import Parameter

Api = Literal["driver", "runtime"]

SUCCESS = ("CUDA_SUCCESS", "cudaSuccess")
"""What either interface calls it when nothing is wrong."""


class Calls(Protocol):
    """One interface, with a context of its own process.

    ``load``, ``get`` and ``place`` set a case up and raise a DeviceError; all others answer.
    """

    def load(self, cubin: bytes) -> Any:
        """The code in ``cubin``."""
        ...

    def get(self, code: Any, name: str) -> Any:
        """The kernel ``name`` of what :meth:`load` returned."""
        ...

    def place(self, host: npt.NDArray[Any]) -> int:
        """The address of a copy of ``host`` on the device."""
        ...

    def launch(
        self, kernel: Any, grid: Extent, block: Extent, values: Values, shared_bytes: int, cooperative: bool
    ) -> str:
        """Launch on the default stream; all extents go to CUDA as they are."""
        ...

    def synchronize(self) -> str:
        """Wait for all that was launched."""
        ...

    def allocate(self, nbytes: int) -> str:
        """Ask for memory of the device."""
        ...

    def free(self) -> str:
        """Give back what :meth:`allocate` last gave, whether or not that was done before."""
        ...

    def find(self, code: Any, name: str) -> str:
        """Look for a kernel by its name."""
        ...

    def elapsed(self) -> str:
        """Ask for the time between two events, neither of which was ever recorded."""
        ...

    def device(self, number: int) -> str:
        """Ask for GPU ``number``."""
        ...

    def last_error(self) -> str:
        """The runtime's last error, which is cleared by asking; the driver keeps none."""
        ...


@dataclass(frozen=True)
class Placed:
    """An array on the device, as far as an argument has to know it."""

    dtype: np.dtype[Any]
    address: int


class Values:
    """A kernel's arguments as CUDA takes them: an array of pointers, one to each value."""

    def __init__(self, kernel: str, parameters: Sequence[Parameter], args: Sequence[object]) -> None:
        """Hold ``args`` against ``parameters``.

        Raises:
            ArgumentError: the number of arguments, or the type of one, does not fit.
        """
        # Both must outlive the launch, which reads through the pointers.
        self._values = [np.asarray(_raw(arg)) for arg in bind(kernel, parameters, args)]
        self.pointers = (ctypes.c_void_p * max(len(self._values), 1))(*(value.ctypes.data for value in self._values))


def _raw(arg: Any) -> Any:
    if isinstance(arg, Placed):
        return np.uint64(arg.address)
    return np.uint64(arg.value) if isinstance(arg, Address) else arg
