"""Evidence: what one program did on one GPU under one driver and NVRTC version."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import Literal

from gpu100.model.lanes import LaneResult

Scalar = bool | int | float | str
Status = Literal["ok", "failed", "compile-error", "cuda-error", "crash", "timeout", "unsupported", "skipped"]
Outcome = Literal["held", "failed", "not-applicable", "not-evaluated"]

SCHEMA = 3
"""Of every file of evidence: 2 brought the record's lanes, and 3 the lane of a day's exercise and where the
sanitizer found what it found. Older ones are read as they are."""

VOLATILE_BEGIN, VOLATILE_END = "\u2062", "\u2063"
"""Invisible characters that a program prints around measured text, and that no record holds."""


@dataclass(frozen=True, kw_only=True)
class Exact:
    """A value decided by the code and the GPU model: equal in every run."""

    kind: Literal["exact"]
    value: Scalar | dict[str, Scalar]
    """One, or a table of them."""
    unit: str = ""
    scale: dict[str, Scalar] = field(default_factory=dict)
    """The sizes it depends on; empty where it depends on none."""


@dataclass(frozen=True, kw_only=True)
class Codegen:
    """A value decided by the compiler: equal per NVRTC version and architecture."""

    kind: Literal["codegen"]
    value: Scalar | dict[str, Scalar]
    """One, or a table of them."""
    unit: str = ""


@dataclass(frozen=True, kw_only=True)
class Tolerant:
    """A float that runs may round differently, within a stated tolerance."""

    kind: Literal["tolerant"]
    value: float
    unit: str = ""
    relative: float = 0.0
    """The tolerance, as a share of the value."""
    absolute: float = 0.0
    """The tolerance in the value's unit; the wider of the two counts."""
    scale: dict[str, Scalar] = field(default_factory=dict)

    def agrees(self, other: float) -> bool:
        """Whether ``other`` is the same result."""
        return abs(self.value - other) <= max(self.absolute, self.relative * abs(self.value))


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A timed value: its samples, and what the clock did meanwhile."""

    kind: Literal["measured"]
    value: float
    """The median."""
    unit: str
    better: Literal["lower", "higher"]
    """Which way is better."""
    p20: float
    p80: float
    samples: tuple[float, ...]
    discarded: int = 0
    """Samples thrown away because the SM clock had dropped."""
    sm_clock_mhz: float | None = None
    """The median over the samples; left out where NVML does not tell, or the host timed them, whose time
    no SM clock explains."""
    throttled: tuple[str, ...] = ()
    """NVML's reasons for a lowered clock, seen during the samples."""
    scale: dict[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Observed:
    """A count that may differ from run to run, with the range it was seen in."""

    kind: Literal["observed"]
    value: int
    """In the last run."""
    low: int
    """The lowest that was seen."""
    high: int
    """The highest."""
    unit: str = ""
    scale: dict[str, Scalar] = field(default_factory=dict)


Value = Exact | Codegen | Tolerant | Measured | Observed


@dataclass(frozen=True, kw_only=True)
class Point:
    """One point of a series; the percentiles only where it was measured."""

    x: float
    y: float
    p20: float | None = None
    p80: float | None = None

    @property
    def bounds(self) -> tuple[float, float]:
        """Its spread; none where it was not measured."""
        return (self.y if self.p20 is None else self.p20), (self.y if self.p80 is None else self.p80)


@dataclass(frozen=True, kw_only=True)
class Series:
    """A line of a plot.

    Raises:
        ValueError: it has fewer than two points, their x does not rise, or an axis has no unit.
    """

    kind: Literal["exact", "measured"]
    x_unit: str
    y_unit: str
    points: tuple[Point, ...]

    def __post_init__(self) -> None:
        if not (self.x_unit.strip() and self.y_unit.strip()):
            raise ValueError("a series needs a unit for x and for y")
        if len(self.points) < 2:
            raise ValueError(f"a series of {len(self.points)} makes no line: it needs two points")
        if not all(math.isfinite(value) for point in self.points for value in (point.x, point.y, *point.bounds)):
            raise ValueError("a series has numbers only: one of its points is not finite")
        if any(point.x >= after.x for point, after in itertools.pairwise(self.points)):
            raise ValueError("a series goes from left to right: its x has to rise from point to point")


@dataclass(frozen=True, kw_only=True)
class Check:
    """Something that had to hold, and how many items were compared."""

    what: str
    """What had to hold."""
    compared: int
    """Items that it compared; none is a failure."""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """How one prediction came out."""

    outcome: Outcome
    """Also where the condition was not met, or nothing here could judge it."""
    claim: str
    """The digest of the claim that was judged, so that a later rewording shows."""
    saw: str = ""
    """What decided it, in a few words."""
    condition: str = ""
    """The condition that was not met, where the prediction does not apply."""


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """What the compiler made of one kernel."""

    registers: int
    """Of each thread."""
    shared_bytes: int
    """Of each block, as the kernel declares them."""
    local_bytes: int
    """Of each thread: what did not fit into registers, and arrays."""


@dataclass(frozen=True, kw_only=True)
class CellOutput:
    """What one cell printed, line by line; stderr apart, since their interleaving has no order."""

    cell: int
    """The code cell's place in the program, from 1; Markdown cells do not count."""
    stdout: tuple[str, ...] = ()
    """Its lines."""
    stderr: tuple[str, ...] = ()
    """Its lines on standard error, which are never compared."""
    volatile: tuple[tuple[int, int, int], ...] = ()
    """Measured text in stdout, as (line, start, end), all from 0: not compared between runs."""
    unordered: tuple[tuple[int, int], ...] = ()
    """Lines of stdout, as (first, end) from 0, that may come in any order."""


@dataclass(frozen=True, kw_only=True)
class Compiler:
    """NVRTC as the program used it."""

    nvrtc: str
    """Its version."""
    arch: str
    """What it compiled for, such as sm_90."""
    options: tuple[str, ...]
    """Besides the architecture."""


@dataclass(frozen=True, kw_only=True)
class Key:
    """What the record was made from; see :mod:`gpu100.evidence.key`."""

    digest: str
    """Over all parts: equal for records of one version of the program."""
    parts: dict[str, str]
    """A digest per file or input, so that a stale record can name what changed."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """One program's evidence."""

    schema: int
    """The version of this file's form."""
    day: int
    """The day's number."""
    program: str
    """The program's name, unique in its day."""
    key: Key
    """What it was made from: when that changes, the record is stale."""
    status: Status
    """How it ended."""
    reason: str | None = None
    """Why it is not ok; always there then, and never where it is ok."""
    started: str
    """UTC, ISO 8601."""
    seconds: float
    """Of all attempts together."""
    attempts: int
    """Fresh processes that ran it."""
    exit_code: int | None = None
    """Of the process; left out where a signal ended it."""
    signal: str | None = None
    """What ended the process, such as SIGSEGV."""
    compiler: Compiler | None = None
    """Left out where nothing was compiled."""
    kernels: dict[str, Kernel] = field(default_factory=dict)
    """By name: what the compiler made of each."""
    transcript: tuple[CellOutput, ...] = ()
    """What it printed, cell by cell."""
    values: dict[str, Value] = field(default_factory=dict)
    """By the names that course.toml declares."""
    series: dict[str, Series] = field(default_factory=dict)
    """By the names that course.toml declares."""
    checks: tuple[Check, ...] = ()
    """What it compared by itself, in order."""
    predictions: dict[str, Judgement] = field(default_factory=dict)
    """By id: how each came out."""
    lanes: dict[str, LaneResult] = field(default_factory=dict)
    """What lanes besides the run found, by name, for those that were asked for."""

    def __post_init__(self) -> None:
        if (self.status == "ok") != (self.reason is None):
            raise ValueError("a record has a reason exactly when its status is not ok")
        if wrong := [name for name, lane in self.lanes.items() if lane.kind != name]:
            raise ValueError(f"lane {wrong[0]!r} holds another lane's result")
