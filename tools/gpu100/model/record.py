"""Evidence: what one program did on one GPU under one driver and NVRTC version."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Scalar = bool | int | float | str
Status = Literal[
    "ok", "failed", "compile-error", "cuda-error", "crash", "timeout", "unsupported", "skipped"
]
Outcome = Literal["held", "failed", "not-applicable", "not-evaluated"]

SCHEMA = 1


@dataclass(frozen=True, kw_only=True)
class Exact:
    """A value decided by the code and the GPU model: equal in every run."""

    kind: Literal["exact"] = "exact"
    value: Scalar | dict[str, Scalar]
    unit: str = ""
    scale: dict[str, Scalar] = field(default_factory=dict)
    """The sizes it depends on; empty where it depends on none."""


Value = Exact


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
    """The cell's place in the program, from 1, Markdown cells counted."""
    stdout: tuple[str, ...] = ()
    stderr: tuple[str, ...] = ()


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
    attempts: int
    """Fresh processes that ran it."""
    exit_code: int | None = None
    signal: str | None = None
    compiler: Compiler | None = None
    kernels: dict[str, Kernel] = field(default_factory=dict)
    transcript: tuple[CellOutput, ...] = ()
    values: dict[str, Value] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    predictions: dict[str, Judgement] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.status == "ok") != (self.reason is None):
            raise ValueError("a record has a reason exactly when its status is not ok")
