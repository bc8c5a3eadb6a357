"""What lanes besides the run itself say of a program: another compiler, a profiler, a sanitizer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

LaneStatus = Literal["ok", "failed", "not-available"]
"""``not-available``: its tool is missing or may not do its work here. That is never "passed"."""

SanitizerTool = Literal["memcheck", "racecheck", "initcheck", "synccheck"]
SANITIZER_TOOLS: tuple[SanitizerTool, ...] = get_args(SanitizerTool)


@dataclass(frozen=True, kw_only=True)
class _Lane:
    """What every lane has.

    Raises:
        ValueError: a reason without a fault, or a fault without a reason.
    """

    status: LaneStatus
    reason: str | None = None
    tool: str = ""
    """With its version: ``nvcc 13.0.88``; empty where there is none."""
    started: str = ""
    """UTC, ISO 8601; a lane may come later than the run that it belongs to."""
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if (self.status == "ok") != (self.reason is None):
            raise ValueError("a lane has a reason exactly when its status is not ok")


@dataclass(frozen=True, kw_only=True)
class NativeLane(_Lane):
    """The same .cu built whole by nvcc: every line that its main prints stands in the transcript, in order."""

    kind: Literal["native"]
    options: tuple[str, ...] = ()
    compared: int = 0
    """Lines that were found there."""
    stdout: tuple[str, ...] = ()
    stderr: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CountersLane(_Lane):
    """Nsight Compute over the program, clocks left alone. What it counted is among the record's values."""

    kind: Literal["counters"]
    launches: dict[str, int] = field(default_factory=dict)
    """Launches that were profiled, by kernel."""
    values: tuple[str, ...] = ()
    """The names of the record's values that come from it."""
    missing: dict[str, str] = field(default_factory=dict)
    """Values that were declared and not counted, and why."""


@dataclass(frozen=True, kw_only=True)
class SanitizerFinding:
    """Something that a tool of the sanitizer found, as often as it said so."""

    what: str
    kernel: str
    count: int


@dataclass(frozen=True, kw_only=True)
class SanitizerLane(_Lane):
    """Compute Sanitizer's tools over the program, at the sizes that it has for the SIMT model."""

    kind: Literal["sanitizer"]
    findings: dict[SanitizerTool, tuple[SanitizerFinding, ...]] = field(default_factory=dict)
    """By tool, for each that ran to its end; none is clean."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if strange := self.findings.keys() - set(SANITIZER_TOOLS):
            raise ValueError(f"{min(strange)!r} is no tool of the sanitizer")


LaneResult = NativeLane | CountersLane | SanitizerLane
