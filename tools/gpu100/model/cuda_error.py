"""CUDA's errors, as the reference explains them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Api = Literal["driver", "runtime", "nvrtc", "tools"]


@dataclass(frozen=True, kw_only=True)
class ErrorName:
    """What one library calls an error."""

    api: Api
    name: str
    number: int | None = None


@dataclass(frozen=True, kw_only=True)
class CudaError:
    """An error that a learner meets."""

    id: str
    """Its anchor on the errors' page."""
    names: tuple[ErrorName, ...]
    """Empty where a library cannot be loaded, and so nothing of CUDA gives the error a name."""
    text: str
    """The message, as the library words it; where it says no more than the name, the name."""
    seen: tuple[str, ...] = ()
    """Other messages in which it reaches a reader."""
    meaning: str
    causes: tuple[str, ...]
    cure: tuple[str, ...]
    survives: Literal["yes", "no", "unknown"] | None = None
    """Whether the context can be used afterward; None where there is no context to lose."""
    survives_source: str = ""
    days: tuple[int, ...] = ()
    sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.id):
            raise ValueError(f"{self.id!r} is no id: lower case, digits, single hyphens")
        if (self.survives in ("yes", "no")) != bool(self.survives_source):
            raise ValueError("whether the context survives is known exactly where a source says so")
        if not self.causes or not self.cure:
            raise ValueError("an error has a cause and a cure")

    @property
    def name(self) -> str:
        """What it is called in a sentence: the driver's name where it has one."""
        return self.names[0].name if self.names else self.text

    @property
    def tag(self) -> str:
        """What stands behind the message in a heading: how people refer to it, if not by the message."""
        if self.names and self.names[0].api in ("driver", "runtime"):
            return f"error {self.names[0].number}"
        return self.name if self.name != self.text else ""
