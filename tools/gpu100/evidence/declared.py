"""What a record reports, held against what course.toml declares.

A program that reports what nobody declared does not get a record (capture asks the same). One that
has such things nevertheless was put together by hand, or course.toml has changed since.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpu100.model.course import Day, ProgramSpec
from gpu100.model.record import Record


def undeclared(record: Record, day: Day, program: ProgramSpec) -> Iterator[str]:
    """What ``record`` reports besides what is declared, or as something else."""
    declared = {value.name: value for value in program.values}
    for name, value in record.values.items():
        spec = declared.get(name)
        if spec is None:
            yield f"value {name!r} is not declared in course.toml"
        elif value.kind != spec.kind:
            yield f"value {name!r} is {value.kind}, declared as {spec.kind}"
        elif value.unit != spec.unit:
            yield f"value {name!r} is in {value.unit!r}, declared in {spec.unit!r}"
    series = {spec.name for spec in program.series}
    claims = {spec.id for spec in day.predictions_of(program.name)}
    for kind, named, reported in (("series", series, record.series), ("prediction", claims, record.predictions)):
        for name in sorted(reported.keys() - named):
            yield f"{kind} {name!r} is not declared in course.toml"
