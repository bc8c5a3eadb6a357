"""Which device a program is to run on, as people write it: ``gpu``, ``gpu:1``, ``model:t4``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gpu100.errors import UsageError, nearest
from gpu100.model.gpus import DEFAULT, PROFILES

VARIABLE = "GPU100_DEVICE"
"""The environment variable that says it where a program itself is not told."""


@dataclass(frozen=True)
class DeviceSpec:
    """A GPU by its number, or the SIMT model of one by its name."""

    kind: Literal["gpu", "model"]
    index: int = 0
    """A GPU's number, as the driver counts."""
    profile: str = DEFAULT
    """The GPU that the model is to be, one of :data:`gpu100.model.gpus.PROFILES`."""

    def __str__(self) -> str:
        return f"gpu:{self.index}" if self.kind == "gpu" else f"model:{self.profile}"

    @classmethod
    def parse(cls, text: str) -> DeviceSpec:
        """The device that ``text`` names.

        Raises:
            UsageError: it names none; the hint has the nearest that there is.
        """
        kind, colon, which = text.strip().lower().partition(":")
        if kind == "gpu" and (not colon or which.isdecimal()):
            return cls("gpu", index=int(which or 0))
        if kind == "model" and (not colon or which in PROFILES):
            return cls("model", profile=which or DEFAULT)
        known = ["gpu", "gpu:1", "model", *(f"model:{name}" for name in PROFILES)]
        hint = nearest(text, known) or f"devices are {', '.join(known[:-1])} and {known[-1]}"
        raise UsageError(f"there is no device {text!r}", hint=hint)


GPU, MODEL = DeviceSpec("gpu"), DeviceSpec("model")
"""The first GPU, and the model of the GPU that the evidence comes from."""
