"""Two runs of one program, made into its record."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from datetime import datetime

from gpu100.capture.process import Run
from gpu100.decode import decode
from gpu100.fingerprint import text_digest
from gpu100.lab.session import Event
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
    Status,
    Value,
)


def assemble(
    day: Day, program: ProgramSpec, key: Key, started: datetime, runs: list[Run], redact: Callable[[str], str]
) -> Record:
    """The record of ``runs``, of which the last is shown and an earlier one must agree with it."""
    records = [_record(day, program, key, started, run, len(runs), redact) for run in runs]
    last = records[-1]
    if last.status != "ok":
        return last
    verdict = _verdict(records, day, program)
    if verdict is None:
        return last
    return dataclasses.replace(last, status="failed", reason=verdict)


def _record(
    day: Day, program: ProgramSpec, key: Key, started: datetime, run: Run, attempts: int, redact: Callable[[str], str]
) -> Record:
    status, reason = _status(run, program)
    of = {kind: [e for e in run.events if e["event"] == kind] for kind in ("compiler", "kernel", "value", "check", "prediction")}
    return Record(
        schema=SCHEMA,
        day=day.number,
        program=program.name,
        key=key,
        status=status,
        reason=redact(reason) if reason else None,
        started=started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=round(run.seconds, 3),
        attempts=attempts,
        exit_code=run.exit_code,
        signal=run.signal,
        compiler=decode(Compiler, _fields(of["compiler"][-1])) if of["compiler"] else None,
        kernels={e["name"]: decode(Kernel, _fields(e, "name")) for e in of["kernel"]},
        transcript=tuple(_transcript(run, redact)),
        values={e["name"]: _value(e, program) for e in of["value"]},
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


def _verdict(records: list[Record], day: Day, program: ProgramSpec) -> str | None:
    """Why records that each ran well are not evidence, or None."""
    last = records[-1]
    for problem in (*_undeclared(last, day, program), *_moved(records)):
        return problem
    return None


def _undeclared(record: Record, day: Day, program: ProgramSpec) -> Iterator[str]:
    """What the program reported and course.toml does not declare, and the other way round."""
    declared = {value.name: value for value in program.values}
    for name, value in record.values.items():
        if name not in declared:
            yield f"value {name!r} is not declared in course.toml"
        elif value.kind != declared[name].kind:
            yield f"value {name!r} is {value.kind}, declared as {declared[name].kind}"
    for name in declared.keys() - record.values.keys():
        yield f"value {name!r} is declared and was not reported"
    claims = {prediction.id for prediction in day.predictions_of(program.name) if prediction.lane == "run"}
    for name in sorted(record.predictions.keys() ^ claims):
        yield f"prediction {name!r} is {'not reported' if name in claims else 'not declared in course.toml'}"
    if not record.checks:
        yield "it checked nothing"


def _moved(records: list[Record]) -> Iterator[str]:
    """What differs between runs and may not."""
    first, last = records[0], records[-1]
    for name in first.values:
        if first.values[name] != last.values[name]:
            yield f"value {name!r} moved between two runs: {first.values[name].value}, then {last.values[name].value}"
    for a, b in zip(first.transcript, last.transcript, strict=False):
        for number, (then, now) in enumerate(zip(a.stdout, b.stdout, strict=False), 1):
            if then != now:
                yield f"cell {a.cell}, line {number} moved between two runs: {then!r}, then {now!r}"
    if [len(cell.stdout) for cell in first.transcript] != [len(cell.stdout) for cell in last.transcript]:
        yield "two runs printed different numbers of lines"
    if (first.predictions, first.checks, first.kernels) != (last.predictions, last.checks, last.kernels):
        yield "a prediction, a check or a kernel's registers moved between two runs"


def _transcript(run: Run, redact: Callable[[str], str]) -> Iterator[CellOutput]:
    for cell in sorted(run.stdout.keys() | run.stderr.keys()):
        out, err = (tuple(redact(text).splitlines()) for text in (run.stdout.get(cell, ""), run.stderr.get(cell, "")))
        if out or err:
            yield CellOutput(cell=cell, stdout=out, stderr=err)


def _value(event: Event, program: ProgramSpec) -> Value:
    spec = program.value(event["name"])
    return decode(Value, _fields(event, "name") | {"unit": spec.unit if spec else ""})


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

