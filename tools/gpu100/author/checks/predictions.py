"""Predictions: declared with claim and reason, each reported by its lane, and judged as it is worded now.

The program must name every prediction of the run lane, and fresh records must hold a judgement of
it. Records of other lanes are looked at where they exist: a tool that was not there judged nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpu100.author.context import Context
from gpu100.author.report import Finding, Found
from gpu100.evidence.key import source_of
from gpu100.fingerprint import text_digest
from gpu100.model.course import Day, PredictionSpec, ProgramSpec

RULE = "predictions"


def check(context: Context) -> Iterator[Found]:
    for day, _ in context.written():
        yield 1
        if not day.predict:
            yield context.finding(RULE, day, "predicts nothing", hint="declare [[day.predict]] in course.toml")
        for prediction in day.predict:
            yield 1
            for what, words in (("claim", prediction.claim), ("reason", prediction.because)):
                if len(words.split()) < 3 or not words.rstrip().endswith((".", "?", "`")):
                    message = f"prediction {prediction.id!r}: its {what} is no sentence"
                    yield context.course_finding(RULE, day, message, at=f'"{prediction.id}"')
        for program in day.programs:
            yield from _unreported(context, day, program)
            for prediction in day.predictions_of(program.name):
                yield from _misjudged(context, day, program, prediction)


def _unreported(context: Context, day: Day, program: ProgramSpec) -> Iterator[Finding]:
    """Predictions that the program does not speak of, and those it speaks of and that nobody declared."""
    path = source_of(context.layout, day, program)
    if not path.is_file():
        return
    declared = [p for p in day.predictions_of(program.name) if p.lane == "run"]
    text = path.read_text(encoding="utf-8")
    reported = [(m[2], text.count("\n", 0, m.start()) + 1) for m in re.finditer(r"\bpredict\(\s*([\"'])(.+?)\1", text)]
    shown = context.layout.relative(path)
    for prediction in declared:
        if prediction.id not in {id for id, _ in reported} and f'"{prediction.id}"' not in text:
            message = f"prediction {prediction.id!r} is never judged"
            hint = f'lab.predict("{prediction.id}", ...), or give it the lane that judges it'
            yield Finding(rule=RULE, message=message, path=shown, day=day.number, hint=hint)
    for id, line in reported:
        if id not in {p.id for p in day.predict}:
            message = f"prediction {id!r} is judged and not declared"
            hint = "declare it in course.toml, before the run"
            yield Finding(rule=RULE, message=message, path=shown, line=line, day=day.number, hint=hint)


def _misjudged(context: Context, day: Day, program: ProgramSpec, prediction: PredictionSpec) -> Iterator[Finding]:
    """Fresh records that lack the judgement, or judged other words."""
    for standing in context.site.standings.get((day.number, program.name), ()):
        if standing.state != "fresh" or standing.record is None:
            continue
        judgement = standing.record.predictions.get(prediction.id)
        where = f"in the record of the {standing.machine.gpu.name}"
        message, hint = "", "capture it again: make evidence"
        if judgement is None:
            message = f"was not judged {where}" if prediction.lane == "run" else ""
        elif judgement.claim != text_digest(prediction.claim):
            message, hint = f"was judged {where} in other words than these", f"put the words back, or {hint}"
        if message:
            at = f'"{prediction.id}"'
            yield context.course_finding(RULE, day, f"prediction {prediction.id!r} {message}", at=at, hint=hint)
