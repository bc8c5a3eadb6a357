"""What two records of one program share, item by item, with a verdict for each."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from gpu100.evidence.pace import Pace, pace, pace_of_series
from gpu100.model.lanes import CountersLane
from gpu100.model.record import CellOutput, Codegen, Measured, Observed, Record, Tolerant, Value
from gpu100.model.transcript import comparable

Verdict = Literal["same", "text", "value", "codegen", "status", "faster", "slower", "ambiguous", "not comparable"]

Rewrite = Callable[[str], str]


@dataclass(frozen=True)
class Item:
    """One thing that both records may hold."""

    name: str
    verdict: Verdict
    before: str = ""
    after: str = ""
    why: str = ""
    """Why it was not compared, or is ambiguous."""


def items(a: Record, b: Record, rewrite: Rewrite) -> Iterator[Item]:
    if a.status != b.status:
        yield Item("status", "status", _status(a), _status(b))
        return
    if a.status != "ok":
        yield _judged("status", rewrite(_status(a)) == rewrite(_status(b)), "status", _status(a), _status(b))
        return
    yield from _lines(a, b, rewrite)
    yield from _values(a, b)
    yield from _series(a, b)
    yield from _checks(a, b)
    yield from _predictions(a, b)
    yield from _kernels(a, b)
    yield from _lanes(a, b)


def _status(record: Record) -> str:
    return f"{record.status}: {record.reason}" if record.reason else record.status


def _lines(a: Record, b: Record, rewrite: Rewrite) -> Iterator[Item]:
    """The printed lines, cell by cell; what standard error says is free to move."""
    nothing = CellOutput(cell=0)
    cells = [{cell.cell: cell for cell in record.transcript if cell.stdout} for record in (a, b)]
    for number in sorted(cells[0].keys() | cells[1].keys()):
        then, now = (comparable(of.get(number, nothing), rewrite) for of in cells)
        name = f"what cell {number} printed"
        if then == now:
            yield Item(name, "same")
            continue
        yield Item(name, "text", *_apart(then, now))


def _apart(then: Sequence[str], now: Sequence[str]) -> tuple[str, str]:
    """The lines that only one side has."""
    lines = list(difflib.ndiff(then, now))
    gone, came = ("\n".join(line[2:] for line in lines if line[0] == mark) for mark in "-+")
    return gone, came


def _values(a: Record, b: Record) -> Iterator[Item]:
    counted = _counted(a) | _counted(b) if _lane_states(a, "counters") != _lane_states(b, "counters") else set()
    for name in sorted(a.values.keys() | b.values.keys()):
        then, now = a.values.get(name), b.values.get(name)
        if name in counted and (then is None or now is None):
            yield Item(name, "not comparable", why="counted on one side only")
        elif then is None or now is None or then.kind != now.kind or then.unit != now.unit:
            yield Item(name, "value", _said(then), _said(now))
        else:
            yield _value(name, then, now)


def _counted(record: Record) -> set[str]:
    """Values that come from the counters lane, which another machine may not have."""
    return {name for lane in record.lanes.values() if isinstance(lane, CountersLane) for name in lane.values}


def _lane_states(record: Record, lane: str) -> str:
    return record.lanes[lane].status if lane in record.lanes else "not asked for"


def _value(name: str, then: Value, now: Value) -> Item:
    if isinstance(then, Observed):
        return Item(name, "not comparable", why="free to differ in every run")
    if isinstance(then, Codegen):
        return _judged(name, then == now, "codegen", _said(then), _said(now))
    assert not isinstance(now, Codegen | Observed)  # of one kind with the first
    if then.scale != now.scale:
        return Item(name, "not comparable", why="of another size")
    if isinstance(then, Measured) and isinstance(now, Measured):
        return _paced(name, pace(then, now), _said(then), _said(now))
    if isinstance(then, Tolerant) and isinstance(now, Tolerant):
        return _judged(name, then.agrees(now.value) or now.agrees(then.value), "value", _said(then), _said(now))
    return _judged(name, _alike(then, now), "value", _said(then), _said(now))


def _alike(then: Value, now: Value) -> bool:
    """By repr as well: True is not 1, nor 1 the float 1.0."""
    return then == now and repr(_ordered(then)) == repr(_ordered(now))


def _ordered(value: Value) -> object:
    return sorted(value.value.items()) if isinstance(value.value, dict) else value.value


def _said(value: Value | None) -> str:
    if value is None:
        return "not reported"
    held = value.value
    shown = ", ".join(f"{key}: {item}" for key, item in held.items()) if isinstance(held, dict) else f"{held}"
    return f"{shown} {value.unit}".rstrip()


def _series(a: Record, b: Record) -> Iterator[Item]:
    for name in sorted(a.series.keys() | b.series.keys()):
        then, now = a.series.get(name), b.series.get(name)
        shown = f"series {name}"
        if then is None or now is None:
            yield Item(shown, "value", *("reported" if one else "not reported" for one in (then, now)))
        elif then.kind == now.kind == "measured" and [p.x for p in then.points] == [p.x for p in now.points]:
            yield _paced(shown, pace_of_series(then, now), "", "")
        else:
            apart = sum(p != q for p, q in zip(then.points, now.points, strict=False))
            said = f"{len(then.points)} points", f"{len(now.points)} points, {apart} of them others"
            yield _judged(shown, then == now, "value", *said)


def _checks(a: Record, b: Record) -> Iterator[Item]:
    then, now = ([f"{check.what} ({check.compared:,} compared)" for check in record.checks] for record in (a, b))
    yield _judged("checks", then == now, "value", *_apart(then, now))


def _predictions(a: Record, b: Record) -> Iterator[Item]:
    for name in sorted(a.predictions.keys() | b.predictions.keys()):
        then, now = a.predictions.get(name), b.predictions.get(name)
        shown = f"prediction {name}"
        if then is None or now is None:
            said = [one.outcome if one else "not judged" for one in (then, now)]
            if a.lanes.keys() != b.lanes.keys():
                yield Item(shown, "not comparable", why="its lane was asked for on one side only")
            else:
                yield Item(shown, "value", *said)
        elif then.claim != now.claim:
            yield Item(shown, "not comparable", why="the claim was reworded in between")
        elif "not-evaluated" in (then.outcome, now.outcome):
            yield Item(shown, "not comparable", why="not evaluated on one side")
        else:
            yield _judged(shown, then.outcome == now.outcome, "value", then.outcome, now.outcome)


def _kernels(a: Record, b: Record) -> Iterator[Item]:
    for name in sorted(a.kernels.keys() | b.kernels.keys()):
        said = [
            f"{k.registers} registers, {k.shared_bytes} bytes shared, {k.local_bytes} local" if k else "not compiled"
            for k in (a.kernels.get(name), b.kernels.get(name))
        ]
        yield _judged(f"kernel {name}", said[0] == said[1], "codegen", *said)


def _lanes(a: Record, b: Record) -> Iterator[Item]:
    """Whether a lane ended alike; what it found is among values and predictions."""
    for name in sorted(a.lanes.keys() | b.lanes.keys()):
        then, now = _lane_states(a, name), _lane_states(b, name)
        if {then, now} & {"not-available", "not asked for"}:
            yield Item(f"lane {name}", "not comparable", why=f"{then}, then {now}" if then != now else then)
        else:
            yield _judged(f"lane {name}", then == now, "status", then, now)


def _paced(name: str, found: Pace, before: str, after: str) -> Item:
    return Item(name, found.verdict, before, after, found.why)


def _judged(name: str, equal: bool, otherwise: Verdict, before: str, after: str) -> Item:
    return Item(name, "same" if equal else otherwise, before, after)
