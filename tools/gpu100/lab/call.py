"""Calls as data: what a case makes one after the other, in a process of its own.

A case is a list of them, for :func:`gpu100.lab.cases`::

    from gpu100.lab import call

    [call.launch(kernel, 1, 2048, out, n), call.synchronize(), call.allocate(256)]

The same list is made through the driver's interface, or through the runtime's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gpu100.device.calls import SUCCESS
from gpu100.device.interface import Dim, Kernel

Name = Literal[
    "launch",
    "synchronize",
    "allocate",
    "free",
    "find",
    "elapsed",
    "device",
    "last_error",
    "pause",
]

MODELED: tuple[Name, ...] = ("launch", "synchronize", "allocate")
"""What the SIMT model can answer."""

RUNTIME_ONLY: tuple[Name, ...] = ("last_error",)


@dataclass(frozen=True)
class Call:
    """One call, and what it is made with."""

    name: Name
    kernel: Kernel | None = None
    grid: Dim = 1
    block: Dim = 1
    args: tuple[object, ...] = ()
    """NumPy arrays, which are copied to the device before the case begins, scalars, and wild Addresses."""
    shared_bytes: int = 0
    cooperative: bool = False
    number: int = 0
    """Bytes, or a GPU."""
    seconds: float = 0
    text: str = ""
    """A name to look for."""


def launch(
    kernel: Kernel, grid: Dim, block: Dim, *args: object, shared_bytes: int = 0, cooperative: bool = False
) -> Call:
    """Launch ``kernel``. Grid and block go to CUDA unchecked."""
    return Call("launch", kernel, grid, block, args, shared_bytes, cooperative)


def synchronize() -> Call:
    """Wait for everything launched so far."""
    return Call("synchronize")


def allocate(nbytes: int) -> Call:
    """Ask for ``nbytes`` of the device's memory."""
    return Call("allocate", number=nbytes)


def free() -> Call:
    """Give back what was allocated last; twice, where it stands twice."""
    return Call("free")


def find(kernel: Kernel, name: str) -> Call:
    """Look for a kernel called ``name`` in the compiled code that ``kernel`` is from."""
    return Call("find", kernel, text=name)


def elapsed() -> Call:
    """Ask for the time between two events that were never recorded."""
    return Call("elapsed")


def device(number: int) -> Call:
    """Ask for GPU ``number``."""
    return Call("device", number=number)


def last_error() -> Call:
    """Ask the runtime for its last error, which clears it. The driver has none."""
    return Call("last_error")


def pause(seconds: float) -> Call:
    """Make no call for ``seconds``, while what was launched goes on. Its answer is ``paused``."""
    return Call("pause", seconds=seconds)


def succeeded(answer: str) -> bool:
    """Whether a call's ``answer`` is that nothing was wrong, whichever interface gave it."""
    return answer in SUCCESS
