"""Two runs of one program, made into its record."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from gpu100.capture.agree import amiss, merged, moved
from gpu100.capture.output import CellText
from gpu100.capture.process import Run
from gpu100.decode import decode
from gpu100.fingerprint import text_digest
from gpu100.model.course import Day, ProgramSpec
from gpu100.model.record import (
    SCHEMA,
    CellOutput,
    Check,
    Compiler,
    Judgement,
    Kernel,
    Key,
    Record,
    Series,
    Status,
    Value,
)

if TYPE_CHECKING:  # lab needs NumPy, which a machine that only builds the site does not have
    from gpu100.lab.session import Event


_DECLARED = ("compiler", "kernel", "value", "series", "check", "prediction")


def assemble(
    day: Day, program: ProgramSpec, key: Key, started: datetime, runs: list[Run], *, partial: bool = False
) -> Record:
    """The record of ``runs``, of which the last is shown and an earlier one must agree with it.

    A ``partial`` one, from the model, may lack some of what the day declares.
    """
    records = [_record(day, program, key, started, run, runs) for run in runs]
    last = records[-1]
    if bad := next((record for record in records if record.status != "ok"), None):
        return bad
    problems = itertools.chain(amiss(last, day, program, partial=partial), moved(records[0], last))
    if problem := next(problems, None):
        return dataclasses.replace(last, status="failed", reason=problem)
    return merged(records[0], last)


def _record(day: Day, program: ProgramSpec, key: Key, started: datetime, run: Run, runs: list[Run]) -> Record:
    status, reason = _status(run, program)
    of = {kind: [e for e in run.events if e["event"] == kind] for kind in _DECLARED}
    return Record(
        schema=SCHEMA,
        day=day.number,
        program=program.name,
        key=key,
        status=status,
        reason=reason,
        started=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=round(sum(run.seconds for run in runs), 3),
        attempts=len(runs),
        exit_code=run.exit_code,
        signal=run.signal,
        compiler=decode(Compiler, _fields(of["compiler"][-1])) if of["compiler"] else None,
        kernels={e["name"]: decode(Kernel, _fields(e, "name")) for e in of["kernel"]},
        transcript=tuple(_transcript(run)),
        values={e["name"]: _value(e, program) for e in of["value"]},
        series={e["name"]: decode(Series, _fields(e, "name")) for e in of["series"]},
        checks=tuple(decode(Check, _fields(e)) for e in of["check"]),
        predictions={e["id"]: _judgement(e, day) for e in of["prediction"]},
    )


def _status(run: Run, program: ProgramSpec) -> tuple[Status, str | None]:
    error = next((e for e in run.events if e["event"] == "error"), None)
    if run.timed_out:
        return "timeout", f"still running after {program.seconds} s"
    if run.signal:
        return "crash", f"ended by {run.signal}"
    if error:
        return error["status"], error["reason"]
    if run.exit_code or not any(e["event"] == "end" for e in run.events):
        return "crash", f"ended with exit code {run.exit_code} before its end"
    return "ok", None


def _transcript(run: Run) -> Iterator[CellOutput]:
    nothing = CellText()
    for cell in sorted(run.stdout.keys() | run.stderr.keys()):
        out, err = run.stdout.get(cell, nothing), run.stderr.get(cell, nothing)
        yield CellOutput(
            cell=cell,
            stdout=tuple(out.lines),
            stderr=tuple(err.lines),
            volatile=tuple(out.volatile),
            unordered=tuple(out.unordered),
        )


def _value(event: Event, program: ProgramSpec) -> Value:
    spec = program.value(event["name"])
    value: Value = decode(cast("Any", Value), _fields(event, "name") | {"unit": spec.unit if spec else ""})
    return value


def _judgement(event: Event, day: Day) -> Judgement:
    spec = next((prediction for prediction in day.predict if prediction.id == event["id"]), None)
    applies = event["outcome"] != "not-applicable"
    return Judgement(
        outcome=event["outcome"],
        claim=text_digest(spec.claim) if spec else "",
        saw=event["saw"],
        condition="" if applies or not spec else spec.condition,
    )


def _fields(event: Event, *besides: str) -> Event:
    return {name: value for name, value in event.items() if name not in ("event", *besides)}
