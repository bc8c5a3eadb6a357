"""The evidence panel: one program's records, as a lab notebook shows them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpu100.evidence.drift import Drift
from gpu100.evidence.status import Standing
from gpu100.fingerprint import text_digest
from gpu100.model.course import Day, PredictionSpec, ProgramSpec
from gpu100.model.record import Judgement, Record
from gpu100.render.env import render
from gpu100.render.words import OUTCOME, date_of, visible

MOST_LINES = 200


@dataclass(frozen=True)
class Line:
    """A line of the transcript."""

    begins: bool
    """Whether a cell's output begins here."""
    pieces: tuple[tuple[str, bool], ...]
    """Its text, cut where a measured number begins and ends, and of each piece whether it is one."""


@dataclass(frozen=True)
class Result:
    """One prediction and what came."""

    claim: str
    mark: str
    word: str
    saw: str
    reworded: bool
    """The claim reads differently now from when it was judged."""


@dataclass(frozen=True)
class Other:
    """The record that a panel's record is held against, and what came of it."""

    drift: Drift
    at: Standing
    """The one that is not shown: of the older driver or NVRTC, unless the newer failed."""
    date: str
    lines: list[Line]
    more: int


def evidence_panel(
    day: Day,
    program: ProgramSpec,
    standings: tuple[Standing, ...],
    drifts: tuple[Drift, ...] = (),
    verdicts: str = "",
) -> str:
    """HTML of the panel: every GPU's record, the first one's first.

    Where a GPU's record is in ``drifts``, it says whether it holds what the other one holds; what is
    said of that is explained at the address ``verdicts``, where there is one.
    """
    shown = [
        {
            "at": standing,
            "record": standing.record,
            "machine": standing.machine,
            "date": date_of(standing),
            "lines": (lines := _lines(standing.record)),
            "measured": any(measured for line in lines for _, measured in line.pieces),
            "more": _more(standing.record),
            "results": results(day, program, standing.record),
            "compared": sum(check.compared for check in standing.record.checks),
            "other": _other(standing, drifts),
        }
        for standing in standings
        if standing.record
    ]
    return render("evidence.html", day=day, program=program, shown=shown, verdicts=verdicts)


def _other(shown: Standing, drifts: tuple[Drift, ...]) -> Other | None:
    for drift in drifts:
        others = [at for at in (drift.before, drift.after) if at.folder != shown.folder]
        if len(others) == 1 and others[0].record:
            record = others[0].record
            return Other(drift, others[0], date_of(others[0]), _lines(record), _more(record))
    return None


def _lines(record: Record) -> list[Line]:
    lines = [
        Line(i == 0, _pieces(line, [(start, end) for at, start, end in cell.volatile if at == i]))
        for cell in record.transcript
        for i, line in enumerate(cell.stdout)
    ]
    return lines[:MOST_LINES]


def _pieces(line: str, volatile: list[tuple[int, int]]) -> tuple[tuple[str, bool], ...]:
    """``line`` cut at the numbers in its ``volatile`` stretches.

    Such a stretch may also hold the spaces that align a number, the rule of a table's column, or
    the outcome of a prediction, whose mark stands below the transcript.
    """
    pieces: list[tuple[str, bool]] = []
    done = 0
    for start, end in sorted(volatile):
        if found := re.search(r"\S*\d.*\S|\d", line[start:end]):
            first, last = start + found.start(), start + found.end()
            pieces += [(line[done:first], False), (line[first:last], True)]
            done = last
    pieces.append((line[done:], False))
    return tuple((visible(text), is_measured) for text, is_measured in pieces if text)


def _more(record: Record) -> int:
    return max(sum(len(cell.stdout) for cell in record.transcript) - MOST_LINES, 0)


def results(day: Day, program: ProgramSpec, record: Record) -> list[Result]:
    return [_result(spec, record.predictions.get(spec.id)) for spec in day.predictions_of(program.name)]


def _result(spec: PredictionSpec, judged: Judgement | None) -> Result:
    if judged is None:
        return Result(spec.claim, "not-evaluated", OUTCOME["not-evaluated"], "", False)
    saw = f"{judged.condition}: not so here" if judged.condition else judged.saw
    return Result(spec.claim, judged.outcome, OUTCOME[judged.outcome], saw, judged.claim != text_digest(spec.claim))
