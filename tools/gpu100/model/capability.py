"""Compute capabilities, and the architectures a program is compiled for."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Capability:
    """A compute capability such as 7.5, 9.0 or the architecture-specific 9.0a."""

    major: int
    minor: int
    suffix: str = ""

    @classmethod
    def parse(cls, text: str) -> Capability:
        """``"9.0a"`` as a capability.

        Raises:
            ValueError: ``text`` is not of the form major.minor with an optional a or f.
        """
        match = re.fullmatch(r"(\d+)\.(\d)([af]?)", text)
        if not match:
            raise ValueError(f"{text!r} is not a compute capability such as 7.5 or 9.0a")
        return cls(int(match[1]), int(match[2]), match[3])

    @property
    def arch(self) -> str:
        """NVRTC's name for it: ``sm_90a``."""
        return f"sm_{self.major}{self.minor}{self.suffix}"

    def runs_on(self, gpu: Capability) -> bool:
        """Whether code that needs this capability runs on ``gpu``.

        Code with the suffix a runs on exactly one capability (CUDA Programming Guide 13.4.2,
        the section on compute capabilities).
        """
        if self.suffix == "a":
            return (self.major, self.minor) == (gpu.major, gpu.minor)
        return (self.major, self.minor) <= (gpu.major, gpu.minor)

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}{self.suffix}"


NVRTC_13_0 = tuple(
    Capability.parse(text)
    for text in ("7.5", "8.0", "8.6", "8.7", "8.8", "8.9", "9.0", "10.0", "10.3", "11.0", "12.0", "12.1")
)
"""What NVRTC 13.0 compiles for, as ``nvrtcGetSupportedArchs`` reports it."""


def claimed(needs: Capability) -> tuple[Capability, ...]:
    """Every capability a program with the lowest capability ``needs`` claims to run on."""
    if needs.suffix:
        return (needs,)
    return tuple(capability for capability in NVRTC_13_0 if needs.runs_on(capability))
