"""Modules, days, programs, and what each program declares before anything is measured."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from gpu100.model.capability import Capability
from gpu100.model.claim import names_in
from gpu100.model.lanes import SanitizerTool
from gpu100.paths import day_tag

ValueKind = Literal["exact", "codegen", "tolerant", "measured", "observed"]
Status = Literal["planned", "draft", "in-review", "published"]
Lane = Literal["run", "native", "counters", "sanitizer"]


@dataclass(frozen=True, kw_only=True)
class CounterSpec:
    """Where a value of the counters lane comes from: a metric of Nsight Compute, over launches of one kernel."""

    kernel: str
    metric: str
    per: str = ""
    """Another metric, which it is divided by: sectors per request."""
    scale: tuple[str, ...] = ()
    """The program's values that say for which size it counts."""

    @property
    def metrics(self) -> tuple[str, ...]:
        return (self.metric, self.per) if self.per else (self.metric,)


@dataclass(frozen=True, kw_only=True)
class ValueSpec:
    """A value that a program reports, declared so that a page can name it before it is measured.

    Raises:
        ValueError: it is counted, and of a kind that counters do not give.
    """

    name: str
    kind: ValueKind
    what: str
    """What it is, for a table's caption or a tooltip."""
    unit: str = ""
    by: str = ""
    """Where the value is a table: what its keys are, such as "threads per block"."""
    ceiling: Literal["", "memory"] = ""
    """What it cannot exceed: a rate of bytes that all have to pass between the GPU and its memory."""
    counter: CounterSpec | None = None
    """Where the counters lane gives it and not the program: exact if it is equal in every launch, or observed."""

    def __post_init__(self) -> None:
        if self.counter and self.kind not in ("exact", "observed"):
            raise ValueError(f"value {self.name!r} is counted: it is exact or observed, not {self.kind}")


@dataclass(frozen=True, kw_only=True)
class SeriesSpec:
    """A series that a program reports, for a plot."""

    name: str
    what: str
    """What its y is, as its plot is headed: "Warps resident on one SM"."""
    by: str = ""
    """What its x is, where the unit alone does not say it: "threads per block"."""


@dataclass(frozen=True, kw_only=True)
class FindingSpec:
    """What a tool of the sanitizer has to find in a program, since it is there on purpose."""

    tool: SanitizerTool
    what: str
    """Part of its first line: "Invalid __global__ write"."""
    kernel: str


@dataclass(frozen=True, kw_only=True)
class ProgramSpec:
    """One program of a day."""

    name: str
    values: tuple[ValueSpec, ...] = ()
    series: tuple[SeriesSpec, ...] = ()
    inputs: tuple[str, ...] = ()
    """Files of the day's folder that the program reads; part of its key."""
    seconds: int = 60
    """How long one run may take before it is ended."""
    findings: tuple[FindingSpec, ...] = ()
    """What the sanitizer finds in it; anything else that it finds fails its lane, and so does a miss."""

    @property
    def counted(self) -> tuple[ValueSpec, ...]:
        """The values that the counters lane gives."""
        return tuple(value for value in self.values if value.counter)

    @property
    def timed(self) -> bool:
        """Whether it takes times, which another program on the GPU would change."""
        return any(value.kind == "measured" for value in self.values)

    def value(self, name: str) -> ValueSpec | None:
        return next((value for value in self.values if value.name == name), None)


@dataclass(frozen=True, kw_only=True)
class PredictionSpec:
    """A claim made before the run.

    Raises:
        ValueError: counters are to judge it, and ``holds`` does not say how; or it does where they are not.
    """

    id: str
    claim: str
    because: str
    program: str = ""
    """Who judges it; the day's only program where it has one."""
    lane: Lane = "run"
    condition: str = ""
    """When the claim applies; empty where it always does."""
    holds: str = ""
    """The same for the counters lane, as a comparison of the program's values: ``loads * 32 == 8 * n``."""

    def __post_init__(self) -> None:
        if (self.lane == "counters") != bool(self.holds):
            raise ValueError(f"prediction {self.id!r}: `holds` is how counters judge, and only they")
        if self.holds:
            names_in(self.holds)


@dataclass(frozen=True, kw_only=True)
class PracticeSpec:
    """A day's exercise. Its files are in the day's folder, below practice/.

    Raises:
        ValueError: the name makes no file name, or it takes no time.
    """

    name: str
    """What the reader's file is called, without its ending."""
    title: str
    minutes: int
    task: str
    """What to write, in a sentence or two; what stands in backticks is code."""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", self.name):
            raise ValueError(f"practice {self.name!r} is named in lower-case letters, digits and _")
        if self.minutes < 1:
            raise ValueError(f"practice {self.name!r} takes {self.minutes} minutes")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a day is to be, until it is written; then its entry no longer holds one."""

    experiment: str
    """What the program does and records: exact is decided by code and GPU model, measured is timed."""
    predict: tuple[str, ...]
    """Claims, without their reasons: those are the author's, and come before the run."""
    also: tuple[str, ...] = ()
    """What the page must not leave out."""
    facts: str = ""
    """Published figures and first looks, to predict from; never shown as the course's own."""
    widget: str = ""
    """The name of the page's interactive figure, where looking beats reading."""
    bar: str = ""
    """The peer or limit that a measured result is held against, in the same run."""
    questions: tuple[int, ...] = ()
    """What learners asked that the day must settle, by number in content/questions.toml."""


@dataclass(frozen=True, kw_only=True)
class Module:
    """Ten days with a goal."""

    number: int
    title: str
    goal: str


@dataclass(frozen=True, kw_only=True)
class Day:
    """One day of the course, as course.toml declares it."""

    number: int
    slug: str
    title: str
    module: int
    asks: str
    """The learner's question the day answers."""
    minutes: int
    capability: str
    status: Status = "planned"
    needs: tuple[int, ...] = ()
    """Days to know first."""
    gpus: int = 1
    programs: tuple[ProgramSpec, ...] = ()
    predict: tuple[PredictionSpec, ...] = ()
    practice: PracticeSpec | None = None
    plan: Plan | None = None
    """What to write; deleted once it is written."""

    def __post_init__(self) -> None:
        Capability.parse(self.capability)

    @property
    def tag(self) -> str:
        return day_tag(self.number)

    @property
    def needs_capability(self) -> Capability:
        return Capability.parse(self.capability)

    @property
    def folder(self) -> PurePosixPath:
        """Its programs' folder, from the course's root."""
        return PurePosixPath("code") / f"{self.tag}-{self.slug}"

    @property
    def page(self) -> PurePosixPath:
        """Its page, from docs/."""
        return PurePosixPath("days") / f"{self.tag}-{self.slug}.md"

    def program(self, name: str) -> ProgramSpec | None:
        return next((program for program in self.programs if program.name == name), None)

    def predictions_of(self, program: str) -> tuple[PredictionSpec, ...]:
        """What ``program`` has to judge in the run lane and others."""
        return tuple(
            prediction
            for prediction in self.predict
            if (prediction.program or (self.programs[0].name if self.programs else "")) == program
        )


@dataclass(frozen=True, kw_only=True)
class Course:
    """The whole course."""

    title: str
    reference_gpu: str
    """The slug of the GPU whose evidence a page shows first."""
    modules: tuple[Module, ...]
    days: tuple[Day, ...]

    def day(self, number: int) -> Day | None:
        return next((day for day in self.days if day.number == number), None)

    def module_of(self, day: Day) -> Module:
        return next(module for module in self.modules if module.number == day.module)
