"""What lanes besides the run itself say of a program: another compiler, a profiler, a sanitizer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from gpu100.model.practice import Attempt

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


Triple = tuple[int, int, int]


@dataclass(frozen=True, kw_only=True)
class FirstFound:
    """Where a tool of the sanitizer found something: as far as it says, without addresses and folders."""

    file: str = ""
    """The source file's name."""
    line: int | None = None
    """The line in it."""
    block: Triple | None = None
    """blockIdx of the thread that did it."""
    thread: Triple | None = None
    """Its threadIdx."""
    away: int | None = None
    """How many bytes the address is from the nearest allocation; the first byte behind one is 1 away."""
    side: Literal["before", "after"] | None = None
    """On which side of it."""
    allocation: int | None = None
    """How many bytes that allocation has."""


@dataclass(frozen=True, kw_only=True)
class SanitizerFinding:
    """Something that a tool of the sanitizer found, as often as it said so."""

    what: str
    kernel: str
    count: int
    first: FirstFound | None = None
    """Where the first of them was; left out where the tool does not say."""


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


@dataclass(frozen=True, kw_only=True)
class PracticeLane(_Lane):
    """The day's exercise: its solution passes on this GPU, and starter and wrong answers fail as they may here."""

    kind: Literal["practice"]
    fingerprint: str = ""
    """Of the exercise's files; another one now means that this lane is to be run again."""
    attempts: tuple[Attempt, ...] = ()
    """The starter, the solution and each wrong answer, in that order."""


LaneResult = NativeLane | CountersLane | SanitizerLane | PracticeLane
