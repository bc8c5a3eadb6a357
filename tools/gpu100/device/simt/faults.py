"""What the model refuses: faults that a GPU may hide, and what the model does not know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gpu100.device.simt.ptx.ir import Instruction, Location
from gpu100.errors import DeviceError, Unsupported

Kind = Literal[
    "out-of-bounds",
    "misaligned",
    "uninitialized",
    "use-after-free",
    "read-only",
    "race",
    "barrier",
    "deadlock",
    "endless-loop",
    "stack-overflow",
    "assert",
    "trap",
]

ERROR_NAMES: dict[Kind, str] = {
    "out-of-bounds": "CUDA_ERROR_ILLEGAL_ADDRESS",
    "misaligned": "CUDA_ERROR_MISALIGNED_ADDRESS",
    "use-after-free": "CUDA_ERROR_ILLEGAL_ADDRESS",
    "read-only": "CUDA_ERROR_ILLEGAL_ADDRESS",
    "stack-overflow": "CUDA_ERROR_ILLEGAL_ADDRESS",
    "assert": "CUDA_ERROR_ASSERT",
    "trap": "CUDA_ERROR_LAUNCH_FAILED",
}
"""What a driver would answer where a GPU notices at all; the other faults go unnoticed there."""


@dataclass(frozen=True)
class Place:
    """Who did it: one thread at one line."""

    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    location: Location | None = None

    def __str__(self) -> str:
        at = f" at {self.location.outermost}" if self.location and self.location.outermost.line else ""
        return f"block {self.block}, thread {self.thread}{at}"


class Fault(DeviceError):
    """A kernel did something no kernel may do; ``name`` is CUDA's error where a GPU reports one."""

    def __init__(self, kind: Kind, message: str, *, place: Place | None = None, hint: str | None = None) -> None:
        super().__init__(message, name=ERROR_NAMES.get(kind, ""), hint=hint)
        self.kind = kind
        self.place = place

    @classmethod
    def at(cls, place: Place, kind: Kind, what: str, *, hint: str | None = None) -> Fault:
        """A fault told as what the thread at ``place`` did."""
        return cls(kind, f"{place}: {what}", place=place, hint=hint)


class NotModeled(Unsupported):
    """The kernel contains what the model does not have."""

    def __init__(self, what: str, location: Location | None = None, *, hint: str | None = None) -> None:
        where = f", {location.outermost}" if location and location.outermost.line else ""
        super().__init__(f"not modeled: {what}{where}", hint=hint)
        self.what = what
        self.location = location


def not_modeled(instruction: Instruction) -> NotModeled:
    """The answer to an instruction that no day has needed so far."""
    return NotModeled(instruction.name, instruction.location)
