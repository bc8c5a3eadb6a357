"""Whether two runs of one program are evidence: all that was declared, and nothing that moved."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gpu100.evidence.declared import undeclared
from gpu100.model.course import Day, ProgramSpec
from gpu100.model.record import Judgement, Measured, Observed, Record, Series, Tolerant, Value
from gpu100.model.transcript import comparable


def amiss(record: Record, day: Day, program: ProgramSpec, *, partial: bool = False) -> Iterator[str]:
    """What the program reported and course.toml does not declare, and the other way round.

    A ``partial`` run, such as one on the model, need not report all that is declared.
    """
    yield from undeclared(record, day, program)
    counted = {value.name for value in program.counted}
    elsewhere = {spec.id for spec in day.predictions_of(program.name) if spec.lane != "run"}
    for kind, named, reported in (("value", counted, record.values), ("prediction", elsewhere, record.predictions)):
        for name in sorted(named & reported.keys()):
            yield f"{kind} {name!r} is for another lane to tell"
    if not record.checks:
        yield "it checked nothing"
    if partial:
        return
    for name in sorted({value.name for value in program.values} - counted - record.values.keys()):
        yield f"value {name!r} is declared and was not reported"
    for name in sorted({series.name for series in program.series} - record.series.keys()):
        yield f"series {name!r} is not reported"
    claims = {spec.id for spec in day.predictions_of(program.name)} - elsewhere
    for name in sorted(claims - record.predictions.keys()):
        yield f"prediction {name!r} is not reported"


def moved(first: Record, last: Record) -> Iterator[str]:
    """What differs between two runs and may not."""
    for name in sorted(first.values.keys() | last.values.keys()):
        a, b = first.values.get(name), last.values.get(name)
        if a is None or b is None or not _agree(a, b):
            yield f"value {name!r} moved between two runs: {a and a.value}, then {b and b.value}"
    for name in sorted(first.series.keys() | last.series.keys()):
        if _fixed(first.series.get(name)) != _fixed(last.series.get(name)):
            yield f"series {name!r} moved between two runs"
    yield from _moved_lines(first, last)
    if first.predictions.keys() != last.predictions.keys():
        yield "a prediction was reported in one of two runs"
    if (first.checks, first.kernels) != (last.checks, last.kernels):
        yield "a check or a kernel's registers moved between two runs"


def merged(first: Record, last: Record) -> Record:
    """The last run's record, with what both runs saw.

    A prediction that came out one way and then the other has failed: what it claims does not
    hold in every run. An observed count keeps the range of both.
    """
    values = {name: _wider(first.values[name], value) for name, value in last.values.items()}
    judged = {name: _both(first.predictions[name], verdict) for name, verdict in last.predictions.items()}
    return dataclasses.replace(last, values=values, predictions=judged)


def _agree(a: Value, b: Value) -> bool:
    if isinstance(a, Measured | Observed):
        return type(a) is type(b)
    if isinstance(a, Tolerant):
        return isinstance(b, Tolerant) and a.agrees(b.value)
    return a == b


def _fixed(series: Series | None) -> object:
    """What of a series may not move: all of an exact one, the places of a measured one."""
    if series is None or series.kind == "exact":
        return series
    return [point.x for point in series.points]


def _moved_lines(first: Record, last: Record) -> Iterator[str]:
    before, after = ({cell.cell: cell for cell in record.transcript if cell.stdout} for record in (first, last))
    for cell in sorted(before.keys() & after.keys()):
        then, now = comparable(before[cell]), comparable(after[cell])
        for number, (a, b) in enumerate(zip(then, now, strict=False), 1):
            if a != b:
                yield f"cell {cell}, line {number} moved between two runs: {a!r}, then {b!r}"
    if {n: len(cell.stdout) for n, cell in before.items()} != {n: len(cell.stdout) for n, cell in after.items()}:
        yield "two runs printed different numbers of lines"


def _wider(a: Value, b: Value) -> Value:
    if isinstance(a, Observed) and isinstance(b, Observed):
        return dataclasses.replace(b, low=min(a.low, b.low), high=max(a.high, b.high))
    return b


def _both(a: Judgement, b: Judgement) -> Judgement:
    if a.outcome == b.outcome:
        return b
    return dataclasses.replace(b, outcome="failed", saw=f"{a.outcome} in one run ({a.saw}), {b.outcome} in the other")
