"""What the fidelity suite measured on a GPU, and how the SIMT model compares with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from gpu100.model.machine import Machine

Number = int | float


@dataclass(frozen=True, kw_only=True)
class StoredResult:
    """One array that a kernel wrote."""

    dtype: str
    """As NumPy spells it with its byte order: ``<f4``."""
    shape: tuple[int, ...]
    sha256: str
    """Of its bytes, in C order."""
    data: str | None = None
    """The bytes themselves in base64, where a tolerance needs them."""


@dataclass(frozen=True, kw_only=True)
class MeasuredCase:
    """One case on the GPU."""

    key: str
    """A digest of the kernel, its launch and its inputs: what was measured."""
    kernel: str
    right: bool
    """Whether every result was what NumPy says."""
    results: tuple[StoredResult, ...]
    metrics: dict[str, Number]
    """Nsight Compute's, by their own names."""
    opcodes: dict[str, int] = field(default_factory=dict)
    """Warp instructions by the machine's own names, such as ``BAR``."""


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """fidelity.json: every case of the suite on one machine."""

    schema: int
    started: str
    machine: Machine
    profiler: str
    """Nsight Compute's version."""
    missing: dict[str, str]
    """Metrics that were asked for and did not come, with the reason."""
    cases: dict[str, MeasuredCase]


Grade = Literal["exact", "indicative", "shown"]
"""What is asked of a counter: equality; nearness; nothing."""
Agreement = Literal["every bit", "within tolerance", "within tolerance, and every bit"]
Verdict = Literal["equal", "near", "explained", "shown"]


@dataclass(frozen=True, kw_only=True)
class CounterKind:
    """One counter of the model, and what is measured to hold it against."""

    name: str
    title: str
    grade: Grade
    measured: str
    """The metric or opcodes of the GPU that it was compared with."""
    meaning: str
    within: float = 0.0
    """Of an indicative one: how far off is still near, relative to the GPU."""


@dataclass(frozen=True, kw_only=True)
class CounterPair:
    """One counter of one case, on both."""

    model: Number
    gpu: Number
    verdict: Verdict
    why: str | None = None
    """The explanation, where they disagree."""


@dataclass(frozen=True, kw_only=True)
class ComparedCase:
    """One case on model and GPU."""

    name: str
    group: str
    source: str
    """The kernel's file."""
    kernel: str
    launch: str
    teaches: str
    results: Agreement
    """How the model's results agree with the GPU's."""
    tolerance: float | None = None
    uncounted: str | None = None
    """Why counters were not compared, where they were not."""
    zeros: int = 0
    """Counters that are zero on both, which are not listed."""
    counters: dict[str, CounterPair] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class FidelityTable:
    """fidelity-table.json: the comparison, made by ``gpu100 fidelity compare`` and shown on a page."""

    schema: int
    measurement: str
    """The digest of the measurement it was made from."""
    gpu: str
    driver: str
    nvrtc: str
    profiler: str
    counters: tuple[CounterKind, ...]
    unmeasured: tuple[str, ...]
    """Counters for which the GPU's profiler had no metric."""
    cases: tuple[ComparedCase, ...]

    def count(self, verdict: Verdict) -> int:
        """How many pairs of counters came out so; two zeros are equal."""
        zeros = sum(case.zeros for case in self.cases) if verdict == "equal" else 0
        return zeros + sum(pair.verdict == verdict for case in self.cases for pair in case.counters.values())

    @property
    def compared(self) -> int:
        """How many pairs of counters were held against each other."""
        verdicts: tuple[Verdict, ...] = ("equal", "near", "explained")
        return sum(self.count(verdict) for verdict in verdicts)

    def kind(self, name: str) -> CounterKind:
        """The counter of that name."""
        return next(kind for kind in self.counters if kind.name == name)
