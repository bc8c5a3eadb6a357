"""The limits that a plot draws in: recorded values, and those that facts.toml knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpu100.errors import nearest
from gpu100.evidence.status import Standing
from gpu100.model.course import Day
from gpu100.model.facts import Facts
from gpu100.render.expressions import ExpressionError
from gpu100.render.plots.parts import LimitLine, whole
from gpu100.units import number

Standings = Mapping[tuple[int, str], tuple[Standing, ...]]


@dataclass(frozen=True)
class Limit:
    """A number that a curve cannot pass, GPU by GPU."""

    name: str
    """As the page names it."""
    what: str
    """As the picture names it."""
    unit: str
    by_gpu: Mapping[str, float]

    def lines(self, gpus: Mapping[str, str]) -> tuple[LimitLine, ...]:
        """One line for all of ``gpus``, names by slug, where they have one limit; else one for each that has it."""
        known = {gpu: self.by_gpu[gpu] for gpu in gpus if gpu in self.by_gpu}
        if len(known) == len(gpus) and len(set(known.values())) == 1:
            value = next(iter(known.values()))
            return (LimitLine(value, self._label(value), ""),)
        return tuple(LimitLine(value, f"{self._label(value)} ({gpus[gpu]})", gpu) for gpu, value in known.items())

    def _label(self, value: float) -> str:
        return f"{self.what}: {number(whole(value))}"


def limit_of(name: str, day: Day, standings: Standings, facts: Facts) -> Limit:
    """What a page calls ``name``: a value of the day's, with its program's name, or an id of facts.toml.

    Raises:
        ExpressionError: nothing is called so, or it is not one number.
    """
    program, dot, short = name.partition(".")
    return _value(name, program, short, day, standings) if dot else _fact(name, day, standings, facts)


def _value(name: str, program: str, short: str, day: Day, standings: Standings) -> Limit:
    declared = day.program(program)
    spec = declared.value(short) if declared else None
    if spec is None:
        known = [f"{p.name}.{value.name}" for p in day.programs for value in p.values]
        raise ExpressionError(f"limit {name!r} is no value declared in course.toml", hint=nearest(name, known))
    numbers: dict[str, float] = {}
    for at in standings.get((day.number, program), ()):
        if at.record and (value := at.record.values.get(short)):
            if isinstance(value.value, bool) or not isinstance(value.value, int | float):
                raise ExpressionError(f"limit {name!r} is not one number")
            numbers[at.machine.gpu.slug] = float(value.value)
    return Limit(name, short.replace("_", " "), spec.unit, numbers)


def _fact(name: str, day: Day, standings: Standings, facts: Facts) -> Limit:
    limit = next((limit for limit in facts.limit if limit.id == name), None)
    if limit is None:
        known = [limit.id for limit in facts.limit]
        raise ExpressionError(f"limit {name!r} is neither a value nor in facts.toml", hint=nearest(name, known))
    gpus = {at.machine.gpu for program in day.programs for at in standings.get((day.number, program.name), ())}
    shown = {gpu.slug: limit.shown(str(gpu.compute_capability)) for gpu in gpus}
    unit = limit.unit or limit.short.partition(" ")[0]  # "warps per SM" counts warps
    return Limit(name, limit.short, unit, {gpu: float(value) for gpu, value in shown.items() if value is not None})
