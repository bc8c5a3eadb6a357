"""Evidence: what one program did on one GPU under one driver and NVRTC version."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Scalar = bool | int | float | str
Status = Literal["ok", "failed", "compile-error", "cuda-error", "crash", "timeout", "unsupported", "skipped"]
Outcome = Literal["held", "failed", "not-applicable", "not-evaluated"]

SCHEMA = 1

VOLATILE_BEGIN, VOLATILE_END = "\u2062", "\u2063"
"""Invisible characters that a program prints around measured text, and that no record holds."""


@dataclass(frozen=True, kw_only=True)
class Exact:
    """A value decided by the code and the GPU model: equal in every run."""

    kind: Literal["exact"]
    value: Scalar | dict[str, Scalar]
    unit: str = ""
    scale: dict[str, Scalar] = field(default_factory=dict)
    """The sizes it depends on; empty where it depends on none."""


@dataclass(frozen=True, kw_only=True)
class Codegen:
    """A value decided by the compiler: equal per NVRTC version and architecture."""

    kind: Literal["codegen"]
    value: Scalar | dict[str, Scalar]
    unit: str = ""


@dataclass(frozen=True, kw_only=True)
class Tolerant:
    """A float that runs may round differently, within a stated tolerance."""

    kind: Literal["tolerant"]
    value: float
    unit: str = ""
    relative: float = 0.0
    absolute: float = 0.0
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
    p20: float
    p80: float
    samples: tuple[float, ...]
    discarded: int = 0
    """Samples thrown away because the SM clock had dropped."""
    sm_clock_mhz: float | None = None
    """The median over the samples; None where NVML does not tell."""
    throttled: tuple[str, ...] = ()
    """NVML's reasons for a lowered clock, seen during the samples."""
    scale: dict[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Observed:
    """A count that may differ from run to run, with the range it was seen in."""

    kind: Literal["observed"]
    value: int
    low: int
    high: int
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


@dataclass(frozen=True, kw_only=True)
class Series:
    """A line of a plot."""

    kind: Literal["exact", "measured"]
    x_unit: str
    y_unit: str
    points: tuple[Point, ...]


@dataclass(frozen=True, kw_only=True)
class Check:
    """Something that had to hold, and how many items were compared."""

    what: str
    compared: int


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """How one prediction came out."""

    outcome: Outcome
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
    shared_bytes: int
    local_bytes: int


@dataclass(frozen=True, kw_only=True)
class CellOutput:
    """What one cell printed, line by line; stderr apart, since their interleaving has no order."""

    cell: int
    """The code cell's place in the program, from 1; Markdown cells do not count."""
    stdout: tuple[str, ...] = ()
    stderr: tuple[str, ...] = ()
    volatile: tuple[tuple[int, int, int], ...] = ()
    """Measured text in stdout, as (line, start, end), all from 0: not compared between runs."""
    unordered: tuple[tuple[int, int], ...] = ()
    """Lines of stdout, as (first, end) from 0, that may come in any order."""


@dataclass(frozen=True, kw_only=True)
class Compiler:
    """NVRTC as the program used it."""

    nvrtc: str
    arch: str
    options: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Key:
    """What the record was made from; see :mod:`gpu100.evidence.key`."""

    digest: str
    parts: dict[str, str]
    """A digest per file or input, so that a stale record can name what changed."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """One program's evidence."""

    schema: int
    day: int
    program: str
    key: Key
    status: Status
    reason: str | None = None
    started: str
    """UTC, ISO 8601."""
    seconds: float
    """Of all attempts together."""
    attempts: int
    """Fresh processes that ran it."""
    exit_code: int | None = None
    signal: str | None = None
    compiler: Compiler | None = None
    kernels: dict[str, Kernel] = field(default_factory=dict)
    transcript: tuple[CellOutput, ...] = ()
    values: dict[str, Value] = field(default_factory=dict)
    series: dict[str, Series] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    predictions: dict[str, Judgement] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.status == "ok") != (self.reason is None):
            raise ValueError("a record has a reason exactly when its status is not ok")
