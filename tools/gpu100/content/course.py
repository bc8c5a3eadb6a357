"""content/course.toml: the modules, the hundred days, and what their programs declare."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpu100.content.toml import line_of, load
from gpu100.errors import ContentError, nearest
from gpu100.model.claim import names_in
from gpu100.model.course import Course, Day, Module
from gpu100.paths import Layout

LAST_DAY = 100


@dataclass(frozen=True, kw_only=True)
class _Head:
    title: str
    reference_gpu: str


@dataclass(frozen=True, kw_only=True)
class _File:
    course: _Head
    module: tuple[Module, ...]
    day: tuple[Day, ...]


def load_course(layout: Layout) -> Course:
    """The course as content/course.toml declares it.

    Raises:
        ContentError: the file does not fit its types, or contradicts itself.
    """
    shown = layout.relative(layout.course)
    file = load(_File, layout.course, shown)
    problems = [problem for index in range(len(file.day)) for problem in _contradictions(file, index)]
    if problems:
        index, message = problems[0]
        line = line_of(layout.course.read_text(encoding="utf-8"), ("day", index))
        raise ContentError(message, path=shown, line=line)
    return Course(
        title=file.course.title,
        reference_gpu=file.course.reference_gpu,
        modules=file.module,
        days=tuple(sorted(file.day, key=lambda day: day.number)),
    )


def _contradictions(file: _File, index: int) -> list[tuple[int, str]]:
    """What types cannot say about one day: its place among the others."""
    day: Day = file.day[index]
    before = file.day[:index]
    found = []
    if not 1 <= day.number <= LAST_DAY:
        found.append(f"day {day.number} is outside 1 to {LAST_DAY}")
    if any(other.number == day.number for other in before):
        found.append(f"day {day.number} is declared twice")
    if any(other.slug == day.slug for other in before):
        found.append(f"slug {day.slug!r} is taken by another day")
    if day.module not in {module.number for module in file.module}:
        found.append(f"day {day.number} is in module {day.module}, which does not exist")
    if later := [needed for needed in day.needs if needed >= day.number]:
        found.append(f"day {day.number} needs day {later[0]}, which does not come before it")
    for group, ids in (
        ("program", [program.name for program in day.programs]),
        ("prediction", [prediction.id for prediction in day.predict]),
        *(("value", [value.name for value in program.values]) for program in day.programs),
        *(("series", [series.name for series in program.series]) for program in day.programs),
    ):
        if twice := {name for name in ids if ids.count(name) > 1}:
            found.append(f"day {day.number} declares {group} {min(twice)!r} twice")
    if len(day.programs) != 1 and (free := [p.id for p in day.predict if not p.program]):
        found.append(f"day {day.number}: prediction {free[0]!r} does not say which program judges it")
    names = {program.name for program in day.programs}
    if strange := [p for p in day.predict if p.program and p.program not in names]:
        found.append(f"day {day.number}: prediction {strange[0].id!r} names no program of the day")
    found += _baseless(day)
    return [(index, message) for message in found]


def _baseless(day: Day) -> Iterator[str]:
    """Counters and claims that speak of values which the day's program does not have."""
    for program in day.programs:
        names = {value.name for value in program.values}
        spoken = [(f"value {v.name!r}", v.counter.scale) for v in program.values if v.counter]
        spoken += [(f"prediction {p.id!r}", names_in(p.holds)) for p in day.predictions_of(program.name) if p.holds]
        for what, named in spoken:
            for name in named:
                if name not in names:
                    hint = nearest(name, names)
                    yield f"day {day.number}: {what} speaks of {name!r}, which is no value of {program.name}" + (
                        f": {hint}" if hint else ""
                    )
