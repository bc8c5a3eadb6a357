"""How the SIMT model compares with a GPU: the tables and numbers of its page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

from gpu100.errors import nearest
from gpu100.model.fidelity import ComparedCase, CounterKind, CounterPair, FidelityTable
from gpu100.render.env import render
from gpu100.render.expressions import Block, ExpressionError, Inline
from gpu100.render.value import NOT_MEASURED
from gpu100.units import number

_RESULTS = {
    "every bit": "every bit",
    "within tolerance": "within {tolerance}",
    "within tolerance, and every bit": "every bit, though only {tolerance} was asked",
}


@dataclass(frozen=True)
class Cell:
    """One counter of one case in a table."""

    text: str
    mark: str
    """The verdict, for a style sheet; empty where both are zero or nothing was compared."""


@dataclass(frozen=True)
class FidelityNames:
    """The functions that a page's expressions call to show the comparison."""

    table: FidelityTable | None

    def names(self) -> dict[str, Callable[..., Inline | Block]]:
        """By the name that a page uses."""
        return {
            "fidelity": self.fact,
            "fidelity_counters": lambda: self._block("fidelity-counters.html", _counters),
            "fidelity_differences": lambda: self._block("fidelity-differences.html", _differences),
            "fidelity_table": lambda: self._block("fidelity-table.html", _groups),
        }

    def fact(self, what: str) -> Inline:
        """A number of the comparison, or what it was made with, inside a sentence.

        Raises:
            ExpressionError: there is no such fact.
        """
        facts: dict[str, Callable[[FidelityTable], str]] = {
            "cases": lambda table: number(len(table.cases)),
            "compared": lambda table: number(table.compared),
            "equal": lambda table: number(table.count("equal")),
            "near": lambda table: number(table.count("near")),
            "explained": lambda table: number(table.count("explained")),
            "bits": lambda table: number(sum("every bit" in case.results for case in table.cases)),
            "gpu": lambda table: table.gpu,
            "driver": lambda table: table.driver,
            "nvrtc": lambda table: table.nvrtc,
            "profiler": lambda table: table.profiler,
        }
        if what not in facts:
            raise ExpressionError(f"the comparison has no {what!r}", hint=nearest(what, facts))
        if self.table is None:
            return Inline(NOT_MEASURED.text, attributes={"class": NOT_MEASURED.classes})
        title = f"the SIMT model against an {self.table.gpu}, driver {self.table.driver}, NVRTC {self.table.nvrtc}"
        return Inline(facts[what](self.table), attributes={"class": "value", "title": title})

    def _block(self, template: str, names: Callable[[FidelityTable], dict[str, object]]) -> Block:
        if self.table is None:
            return Block(f'<p class="{NOT_MEASURED.classes}">{NOT_MEASURED.text}</p>')
        return Block(render(template, table=self.table, **names(self.table)))


def _counters(table: FidelityTable) -> dict[str, object]:
    return {
        "asked": {kind.name: _asked(kind) for kind in table.counters},
        "told": {kind.name: _told(table, kind) for kind in table.counters},
    }


def _asked(kind: CounterKind) -> str:
    if kind.grade == "indicative":
        return f"within {number(100 * kind.within)}%"
    return "equality" if kind.grade == "exact" else "nothing"


def _told(table: FidelityTable, kind: CounterKind) -> str:
    """``87 equal, 2 explained``: of the cases in which one of them is not zero."""
    verdicts = [case.counters[kind.name].verdict for case in table.cases if kind.name in case.counters]
    if kind.grade == "shown":
        return f"{sum(verdict == 'equal' for verdict in verdicts)} of {len(verdicts)} equal"
    counts = {verdict: verdicts.count(verdict) for verdict in ("equal", "near", "explained")}
    return ", ".join(f"{number(count)} {verdict}" for verdict, count in counts.items() if count) or "never used"


def _differences(table: FidelityTable) -> dict[str, object]:
    """The explanations, each with the pairs it is about."""
    found: dict[str, list[tuple[ComparedCase, CounterKind, CounterPair]]] = {}
    for case in table.cases:
        for name, pair in case.counters.items():
            if pair.why:
                found.setdefault(pair.why, []).append((case, table.kind(name), pair))
    return {"differences": found}


def _groups(table: FidelityTable) -> dict[str, object]:
    groups = []
    for name, cases in groupby(table.cases, key=lambda case: case.group):
        members = list(cases)
        used = {counter for case in members for counter in case.counters}
        kinds = [kind for kind in table.counters if kind.name in used]
        rows = [(case, _results(case), [_cell(case, kind) for kind in kinds]) for case in members]
        groups.append((name, kinds, rows))
    return {"groups": groups}


def _results(case: ComparedCase) -> str:
    return _RESULTS[case.results].format(tolerance=f"{case.tolerance:g}" if case.tolerance else "")


def _cell(case: ComparedCase, kind: CounterKind) -> Cell:
    pair = case.counters.get(kind.name)
    if pair is None:
        return Cell("" if case.uncounted else "0", "")
    if pair.verdict == "equal":
        return Cell(number(pair.model), "equal")
    return Cell(f"{number(pair.model)} / {number(pair.gpu)}", pair.verdict)
