"""The pages of the evidence itself: the matrix, a page a machine, drift, and the schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gpu100.errors import nearest
from gpu100.evidence.drift import Drift
from gpu100.evidence.fields import ROOTS, described
from gpu100.evidence.status import Standing, State
from gpu100.evidence.store import MachineEvidence
from gpu100.model.course import Course, Day, ProgramSpec
from gpu100.model.record import Value
from gpu100.render.env import render
from gpu100.render.expressions import Block, ExpressionError, Inline
from gpu100.render.panel import results
from gpu100.render.recorded import Recorded
from gpu100.render.reference import LinkedDay
from gpu100.render.value import how
from gpu100.render.words import OUTCOME, date_of, short_name
from gpu100.units import number, quantity

STATES: dict[State, str] = {
    "fresh": "fresh",
    "stale": "stale",
    "failed": "failed",
    "unsupported": "not supported",
    "missing": "missing",
}
"""What a program's state on a machine is called."""

MEANING: dict[State, str] = {
    "fresh": "recorded, from the program as it is now",
    "stale": "recorded, from an older version of the program",
    "failed": "it ran, and did not end well",
    "unsupported": "the GPU lacks what the program needs",
    "missing": "nobody has recorded it there",
}

JSON_FILE = "evidence.json"
"""The same for programs, from the site's root."""


def machine_page(folder: str) -> str:
    """The page of a machine, from docs/, by its folder below evidence/."""
    return f"evidence/{folder}.md"


def machine_title(evidence: MachineEvidence) -> str:
    """``H200, 580.159.04, NVRTC 13.0.88``; with a number where it is not the only such machine."""
    machine = evidence.machine
    another = evidence.folder.removeprefix(f"{machine.gpu.slug}/{machine.folder}").lstrip("-")
    name = f"{short_name(machine.gpu.name)}, {machine.driver.version}, NVRTC {machine.software.nvrtc}"
    return f"{name} ({another})" if another else name


@dataclass(frozen=True)
class EvidenceNames:
    """The functions that a page's expressions call to show all evidence."""

    course: Course
    recorded: Recorded
    day: LinkedDay
    existing: Callable[[str], str]
    """A page's address where the site has it, or nothing."""

    def names(self) -> dict[str, Callable[..., Inline | Block]]:
        """By the name that a page uses."""
        return {
            "evidence_drift": lambda: Block(self._drift()),
            "evidence_fields": lambda: Block(render("fields.html", types=described(*ROOTS))),
            "evidence_machine": lambda folder: Block(self._machine(folder)),
            "evidence_machines": lambda: Block(self._machines()),
            "evidence_matrix": lambda: Block(self._matrix()),
            "evidence_rules": lambda: Block(render("rules.html", rules=self.recorded.rules)),
        }

    def _columns(self) -> list[dict[str, object]]:
        """The machines, the reference GPU's first, each with its page."""
        reference = self.course.reference_gpu
        ordered = sorted(self.recorded.machines, key=lambda at: (at.machine.gpu.slug != reference, at.folder))
        return [
            {
                "at": at,
                "short": short_name(at.machine.gpu.name),
                "title": machine_title(at),
                "link": self.existing(machine_page(at.folder)),
                "newest": max((record.started[:10] for record in at.records), default=""),
                "counts": _counts(self.recorded.on(at)),
            }
            for at in ordered
        ]

    def _matrix(self) -> str:
        columns = self._columns()
        rows = []
        for (number_, name), found in sorted(self.recorded.everywhere.items()):
            by_folder = {standing.folder: standing for standing in found}
            day, link = self.day(number_)
            cells = [by_folder[column["at"].folder] for column in columns]  # type: ignore[attr-defined]
            rows.append({"day": day, "link": link, "program": name, "cells": [(at, date_of(at)) for at in cells]})
        counts = Counter(at.state for found in self.recorded.everywhere.values() for at in found)
        legend = [(state, STATES[state], MEANING[state], counts[state]) for state in STATES]
        days = {number_ for number_, _ in self.recorded.everywhere}
        unwritten = len(self.course.days) - len(days)
        return render(
            "matrix.html", columns=columns, rows=rows, legend=legend, words=STATES, unwritten=unwritten, days=len(days)
        )

    def _machines(self) -> str:
        return render("machines.html", columns=self._columns(), words=STATES)

    def _machine(self, folder: str) -> str:
        known = {at.folder: at for at in self.recorded.machines}
        if folder not in known:
            raise ExpressionError(f"evidence/ has no machine {folder!r}", hint=nearest(folder, known))
        evidence = known[folder]
        programs = [self._program(at) for at in self.recorded.on(evidence) if at.record]
        missing = [at for at in self.recorded.on(evidence) if not at.record]
        outcomes = Counter(
            one.outcome
            for at in self.recorded.on(evidence)
            if at.record and not at.stale
            for one in at.record.predictions.values()
        )
        judged = [(OUTCOME[outcome], outcome, outcomes[outcome]) for outcome in OUTCOME if outcomes[outcome]]
        return render(
            "machine.html",
            at=evidence,
            machine=evidence.machine,
            programs=programs,
            missing=len(missing),
            judged=judged,
            words=STATES,
        )

    def _program(self, at: Standing) -> dict[str, object]:
        assert at.record is not None  # only those that have one are asked for
        day, link = self.day(at.record.day)
        spec = day.program(at.record.program)
        return {
            "at": at,
            "day": day,
            "link": link,
            "name": at.record.program,
            "date": date_of(at),
            "results": [] if at.stale or spec is None else results(day, spec, at.record),
            "found": [] if at.stale or spec is None else list(_values(day, spec, at)),
        }

    def _drift(self) -> str:
        pairs = [
            {
                "pair": pair,
                "titles": (machine_title(pair.before), machine_title(pair.after)),
                "links": [self.existing(machine_page(one.folder)) for one in (pair.before, pair.after)],
                "rows": [(one, *self.day(one.day), drift_words(one)) for one in pair.drifts],
            }
            for pair in self.recorded.pairs
        ]
        alone = sorted({at.machine.gpu.name for at in self.recorded.machines} - _compared(self.recorded))
        return render("drift.html", pairs=pairs, alone=alone)


def _compared(recorded: Recorded) -> set[str]:
    return {pair.after.machine.gpu.name for pair in recorded.pairs}


def _counts(found: list[Standing]) -> list[tuple[State, int]]:
    counts = Counter(at.state for at in found)
    return [(state, counts[state]) for state in STATES if counts[state]]


def _values(day: Day, program: ProgramSpec, at: Standing) -> Iterator[tuple[str, str, str]]:
    """Of each declared value: what it is, the result, and how sure it is."""
    for spec in program.values:
        value = at.record.values.get(spec.name) if at.record else None
        if value is not None:
            yield spec.what, _result(value, spec.unit), how(value)


def _result(value: Value, unit: str) -> str:
    held = value.value
    if isinstance(held, dict):
        entries = ", ".join(f"{key}: {number(item)}" for key, item in held.items())
        return f"{entries} ({unit})" if unit else entries
    return quantity(held, unit)


def drift_words(one: Drift) -> str:
    """One comparison in a sentence's worth of words."""
    if one.why:
        return one.why
    if not one.moved:
        return f"{quantity(one.compared, 'items')} compared, all the same"
    return f"{quantity(one.compared, 'items')} compared, {number(len(one.moved))} not the same"
