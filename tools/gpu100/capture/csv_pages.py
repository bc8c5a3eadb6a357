"""Nsight Compute's CSV, in either of its shapes, as numbers.

The raw page has a row per launch and a column per metric, with a second header row of units; the
details page has a row per launch and metric. Around it may stand lines of ncu and of the program.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from gpu100.errors import CourseError
from gpu100.model.fidelity import Number

_SCALED = re.compile(r"[KMGTkmgt](?=[a-z])(?:byte|inst|cycle|sector|request|thread|warp|block)")
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?", re.IGNORECASE)
_INSTANCE = re.compile(r'"?([A-Z][A-Z0-9_.]*)"?\s*[:=]\s*(\d[\d,]*(?:\.\d+)?)')
_INSTANCE_AFTER = re.compile(r"(\d[\d,]*(?:\.\d+)?)\s*[\[({]\s*\"?([A-Z][A-Z0-9_.]*)\"?\s*[\])}]")


@dataclass
class Launch:
    """One profiled launch."""

    id: int
    kernel: str
    metrics: dict[str, Number] = field(default_factory=dict)
    instances: dict[str, dict[str, int]] = field(default_factory=dict)
    """By metric, where it has instances with names."""


def launches(text: str, wanted: Iterable[str]) -> list[Launch]:
    """Every launch in ``text``, in order, with those of the ``wanted`` metrics that have a value.

    Raises:
        CourseError: there is no table in it, or its numbers are scaled and so rounded.
    """
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    start = next((at for at, line in enumerate(lines) if re.match(r'\s*"?ID"?,', line)), None)
    if start is None:
        raise CourseError("Nsight Compute wrote no table", hint=_last(lines))
    header, *rows = csv.reader(io.StringIO("".join(lines[start:])))
    names = [name.strip() for name in header]
    cells = _long(names, rows) if "Metric Name" in names else _wide(names, rows)
    found: dict[int, Launch] = {}
    asked = set(wanted)
    for id, kernel, metric, unit, value in cells:
        launch = found.setdefault(id, Launch(id, kernel))
        if metric not in asked:
            continue
        if _SCALED.match(unit):
            raise CourseError(f"{metric} came in {unit}: scaled, and so rounded", hint="ncu --print-units base")
        _take(launch, metric, value)
    return [found[id] for id in sorted(found)]


Cell = tuple[int, str, str, str, str]
"""Launch, kernel, metric, unit, value."""


def _wide(names: list[str], rows: list[list[str]]) -> Iterator[Cell]:
    units = [""] * len(names)
    for row in rows:
        if len(row) != len(names):
            continue  # a line of the program's or of ncu's own
        told = dict(zip(names, row, strict=True))
        if not told["ID"].strip().isdecimal():
            units = row
            continue
        for name, unit, value in zip(names, units, row, strict=True):
            yield int(told["ID"]), told.get("Kernel Name", ""), name, unit.strip(), value


def _long(names: list[str], rows: list[list[str]]) -> Iterator[Cell]:
    for row in rows:
        told = dict(zip(names, row, strict=False))
        if told["ID"].strip().isdecimal() and told.get("Metric Name"):
            unit, value = told.get("Metric Unit", ""), told.get("Metric Value", "")
            yield int(told["ID"]), told.get("Kernel Name", ""), told["Metric Name"].strip(), unit.strip(), value


def _take(launch: Launch, metric: str, value: str) -> None:
    total, _, inside = value.strip().partition("(")
    number = _number(total)
    if number is not None:
        launch.metrics[metric] = number
    named = dict(_INSTANCE.findall(value)) or {name: count for count, name in _INSTANCE_AFTER.findall(inside)}
    counts = {name: int(float(count.replace(",", ""))) for name, count in named.items()}
    # A list that does not add up was not understood.
    if counts and number in (None, sum(counts.values())):
        launch.instances[metric] = counts


def _number(text: str) -> Number | None:
    """``1,024`` or ``31.5``; None for ``n/a``, ``nan`` and the like."""
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text.replace(",", ""))
    return int(number) if number.is_integer() else number


def _last(lines: list[str]) -> str | None:
    said = [line.strip() for line in lines if line.strip()]
    return said[-1] if said else None
