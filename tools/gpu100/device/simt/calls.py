"""The driver's interface as the SIMT model answers for it: see :mod:`gpu100.device.calls`.

The model stops at a fault itself. It answers as a GPU's calls would: the launch is accepted, the wait
for it tells, and what is lost stays lost.
"""

from __future__ import annotations

from collections.abc import Callable

from gpu100.device.interface import Device, Dim, Kernel
from gpu100.device.simt.faults import Fault
from gpu100.errors import DeviceError

HANGS = ("deadlock", "endless-loop")
"""Faults for which a GPU has no error: the kernel never ends."""

_OK = "CUDA_SUCCESS"


class Hangs(Exception):
    """The GPU would not come back from this call."""


class ModelCalls:
    """The calls that a model can answer, on a ``device`` of its own."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._pending: Fault | None = None
        self._lost = ""
        self.fault = ""
        """What the model found: a GPU's calls do not say as much."""

    def launch(
        self, kernel: Kernel, grid: Dim, block: Dim, *args: object, shared_bytes: int = 0, cooperative: bool = False
    ) -> str:
        """Launch ``kernel``, on this device."""
        more = {"cooperative": True} if cooperative else {}
        try:
            return self._answer(lambda: kernel.launch(grid, block, *args, shared_bytes=shared_bytes, **more))
        except Fault as fault:
            self._pending = fault
            return _OK

    def synchronize(self) -> str:
        """Wait for it.

        Raises:
            Hangs: it would never end.
        """
        fault, self._pending = self._pending, None
        try:
            if fault:
                raise fault
            return self._answer(self._device.synchronize)
        except Fault as found:
            self.fault, self._lost = found.message, found.name
            if found.kind in HANGS:
                raise Hangs(found.kind) from None
            return found.name or found.message  # a GPU would not notice one without a name

    def allocate(self, nbytes: int) -> str:
        """Ask for memory."""
        return self._answer(lambda: self._device.empty(nbytes, "uint8"))

    def _answer(self, call: Callable[[], object]) -> str:
        if self._lost:
            return self._lost
        try:
            call()
        except Fault:
            raise
        except DeviceError as error:
            return error.name or error.message
        return _OK
