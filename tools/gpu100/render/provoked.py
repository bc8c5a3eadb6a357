"""Errors that a program provoked, for their entries on the errors' page: from records, and nothing typed.

A program takes part by what it declares in course.toml: tables by "mistake", of which ``driver`` and
``runtime`` hold the names that the two interfaces gave, ``reporter`` the call that reported the
error, and ``survives`` whether the context was of use afterward.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gpu100.evidence.status import Standing
from gpu100.model.course import Course, Day, ProgramSpec
from gpu100.model.cuda_error import CudaError

BY = "mistake"
APIS = ("driver", "runtime")


@dataclass(frozen=True)
class Provoked:
    """How an error came about on one machine."""

    day: Day
    machine: str
    """The GPU and its driver."""
    apis: str
    """Which interfaces call it by this error: "driver and runtime"."""
    reporter: str
    survives: bool
    stale: str | None = None
    """Why the record is no longer current."""


Found = dict[str, dict[Provoked, list[str]]]
"""By the error's id: how it came about, and the mistakes of which that is true."""


def provoked(
    course: Course, standings: Mapping[tuple[int, str], tuple[Standing, ...]], errors: Iterable[CudaError]
) -> Found:
    """Every mistake that led to an error on any machine, in the order of the records."""
    ids = {name.name: error.id for error in errors for name in error.names if name.api in APIS}
    found: Found = {}
    for day, program in _programs(course):
        for standing in standings.get((day.number, program.name), ()):
            for id, mistake, how in _of(day, program, standing, ids):
                found.setdefault(id, {}).setdefault(how, []).append(mistake)
    return found


def _programs(course: Course) -> Iterator[tuple[Day, ProgramSpec]]:
    for day in course.days:
        for program in day.programs:
            tables = {value.name for value in program.values if value.by == BY}
            if {"reporter", "survives"} <= tables and tables & {*APIS}:
                yield day, program


def _of(
    day: Day, program: ProgramSpec, standing: Standing, ids: Mapping[str, str]
) -> Iterator[tuple[str, str, Provoked]]:
    """The id of an error, a mistake that ended with it, and how."""
    if standing.state not in ("fresh", "stale") or standing.record is None:
        return
    values = {value.name: standing.record.values.get(value.name) for value in program.values if value.by == BY}
    tables = {name: at.value for name, at in values.items() if at and isinstance(at.value, dict)}
    machine = f"{standing.machine.gpu.name}, driver {standing.machine.driver.version}"
    for mistake, reporter in tables.get("reporter", {}).items():
        apis: dict[str, list[str]] = {}
        for api in APIS:
            if id := ids.get(str(tables.get(api, {}).get(mistake))):
                apis.setdefault(id, []).append(api)
        survives = tables.get("survives", {}).get(mistake) is True
        for id, named in apis.items():
            yield id, mistake, Provoked(day, machine, " and ".join(named), str(reporter), survives, standing.stale)
