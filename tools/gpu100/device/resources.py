"""What a kernel takes of an SM, without a driver to ask: registers, shared memory, stack, spills.

Read from what ptxas says of a cubin when it is told to be verbose. The cubin itself holds the same
numbers, but in a format that NVIDIA does not document.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from gpu100.device.interface import Source
from gpu100.device.nvrtc import compile_source
from gpu100.errors import DeviceError
from gpu100.model.record import Kernel as KernelFacts

_ENTRY = re.compile(r"Compiling entry function '(?P<name>[^']+)'")
_PROPERTIES = re.compile(r"Function properties for (?P<name>\S+)")
_STACK = re.compile(r"(?P<stack>\d+) bytes stack frame, (?P<stores>\d+) bytes spill stores, (?P<loads>\d+) bytes spill")
_USED = re.compile(r"Used (?P<registers>\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")
_CUMULATIVE = re.compile(r"(\d+) bytes cumulative stack size")


@dataclass(frozen=True)
class Resources:
    """One kernel's, as ptxas gives them."""

    registers: int
    """Of a thread."""
    shared_bytes: int
    """Static, of a block; what the driver keeps for itself does not count."""
    local_bytes: int
    """Of a thread's stack, with what the functions that it calls need."""
    spill_store_bytes: int
    spill_load_bytes: int

    @property
    def facts(self) -> KernelFacts:
        """The same as a record holds it."""
        return KernelFacts(registers=self.registers, shared_bytes=self.shared_bytes, local_bytes=self.local_bytes)


def resources(
    source: Source, arch: str, options: tuple[str, ...], *, cache: Path | None = None
) -> dict[str, Resources]:
    """What each kernel of ``source`` takes, compiled for ``arch``, by its name in the object code.

    Raises:
        CompileError: NVRTC refused the source.
        DeviceError: ptxas said something that is not understood.
    """
    account = compile_source(source, arch, options, target="usage", cache=cache).decode()
    # What stands before the first entry is about the whole module.
    _, *parts = _ENTRY.split(account)
    return {name: _of_entry(name, text) for name, text in zip(parts[::2], parts[1::2], strict=True)}


def _of_entry(name: str, text: str) -> Resources:
    stack, used = _own_stack(name, text), _USED.search(text)
    if not stack or not used:
        raise DeviceError(f"ptxas does not say what {name} takes", hint="is this NVRTC newer than the course?")
    line = text[used.start() :].partition("\n")[0]
    shared, cumulative = _SHARED.search(line), _CUMULATIVE.search(line)
    return Resources(
        registers=int(used["registers"]),
        shared_bytes=int(shared[1]) if shared else 0,
        local_bytes=int(cumulative[1]) if cumulative else int(stack["stack"]),
        spill_store_bytes=int(stack["stores"]),
        spill_load_bytes=int(stack["loads"]),
    )


def _own_stack(name: str, text: str) -> re.Match[str] | None:
    """The stack line of the kernel itself: functions that it calls have lines of their own."""
    for match in _PROPERTIES.finditer(text):
        if match["name"] == name:
            return _STACK.search(text, match.end())
    return None
