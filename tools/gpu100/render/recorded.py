"""All evidence of a course at once: what its own pages, evidence.json and the panels' comparisons show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpu100.content.normalize import load_rules
from gpu100.evidence.drift import Drift
from gpu100.evidence.key import is_written
from gpu100.evidence.normalize import Normalizer
from gpu100.evidence.pairs import Found, compare_machines, newest_two, only_in_one, page_drifts
from gpu100.evidence.status import Standing, standings
from gpu100.evidence.store import MachineEvidence
from gpu100.model.course import Course
from gpu100.model.normalize import Rule
from gpu100.paths import Layout


@dataclass(frozen=True)
class Pair:
    """The two newest folders of one GPU, compared."""

    before: MachineEvidence
    after: MachineEvidence
    drifts: tuple[Drift, ...]
    only: tuple[str, ...]
    """Records without a counterpart."""


@dataclass(frozen=True)
class Recorded:
    """Every machine's evidence, and how machines and toolchains compare."""

    machines: tuple[MachineEvidence, ...] = ()
    everywhere: Found = field(default_factory=dict)
    """By day and program: it on every machine, measured there or not."""
    drifts: Mapping[tuple[int, str], tuple[Drift, ...]] = field(default_factory=dict)
    """By day and program: what each GPU's panel shows, against the record before it."""
    pairs: tuple[Pair, ...] = ()
    rules: tuple[tuple[Rule, int], ...] = ()
    """Of content/normalize.toml, each with its hits in ``pairs``."""

    def on(self, evidence: MachineEvidence) -> list[Standing]:
        """Every program on one machine."""
        return [at for found in self.everywhere.values() for at in found if at.folder == evidence.folder]


def everywhere(layout: Layout, course: Course, machines: tuple[MachineEvidence, ...]) -> Found:
    """Every program that is written whole, on every machine.

    A program that lacks a file has no evidence: what it was made from cannot be told.
    """
    return {
        (day.number, program.name): standings(layout, day, program, machines)
        for day in course.days
        for program in day.programs
        if is_written(layout, day, program)
    }


def gather(layout: Layout, machines: tuple[MachineEvidence, ...], found: Found, best: Found) -> Recorded:
    """All of it; ``best`` is what the panels show."""
    rules = load_rules(layout)
    normalizer = Normalizer(rules)
    pairs = tuple(
        Pair(before, after, tuple(compare_machines(before, after, normalizer)), tuple(only_in_one(before, after)))
        for before, after in newest_two(machines)
    )
    hits = normalizer.hits
    return Recorded(
        machines=machines,
        everywhere=found,
        drifts=page_drifts(best, found, Normalizer(rules)),
        pairs=pairs,
        rules=tuple((rule, hits[rule.id]) for rule in rules),
    )
