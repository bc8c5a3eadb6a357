"""The evidence panel: one program's records, as a lab notebook shows them."""

from __future__ import annotations

from dataclasses import dataclass

from gpu100.evidence.status import Standing
from gpu100.fingerprint import text_digest
from gpu100.model.course import Day, PredictionSpec, ProgramSpec
from gpu100.model.record import Judgement, Record
from gpu100.render.env import render
from gpu100.render.words import OUTCOME, date_of, visible

MOST_LINES = 200


@dataclass(frozen=True)
class Result:
    """One prediction and what came."""

    claim: str
    mark: str
    word: str
    saw: str
    reworded: bool
    """The claim reads differently now from when it was judged."""


def evidence_panel(day: Day, program: ProgramSpec, standings: tuple[Standing, ...]) -> str:
    """HTML of the panel: every GPU's record, the first one's first."""
    shown = [
        {
            "at": standing,
            "record": standing.record,
            "machine": standing.machine,
            "date": date_of(standing),
            "lines": _lines(standing.record),
            "more": _more(standing.record),
            "results": _results(day, program, standing.record),
            "compared": sum(check.compared for check in standing.record.checks),
        }
        for standing in standings
        if standing.record
    ]
    return render("evidence.html", day=day, program=program, shown=shown)


def _lines(record: Record) -> list[tuple[bool, str]]:
    """The transcript's lines, each with whether a new cell begins there."""
    lines = [(i == 0, visible(line)) for cell in record.transcript for i, line in enumerate(cell.stdout)]
    return lines[:MOST_LINES]


def _more(record: Record) -> int:
    return max(sum(len(cell.stdout) for cell in record.transcript) - MOST_LINES, 0)


def _results(day: Day, program: ProgramSpec, record: Record) -> list[Result]:
    return [_result(spec, record.predictions.get(spec.id)) for spec in day.predictions_of(program.name)]


def _result(spec: PredictionSpec, judged: Judgement | None) -> Result:
    if judged is None:
        return Result(spec.claim, "not-evaluated", OUTCOME["not-evaluated"], "", False)
    saw = f"{judged.condition}: not so on this GPU" if judged.condition else judged.saw
    return Result(spec.claim, judged.outcome, OUTCOME[judged.outcome], saw, judged.claim != text_digest(spec.claim))
