"""A value as a sentence shows it."""

from __future__ import annotations

from dataclasses import dataclass

from gpu100.evidence.status import Standing
from gpu100.model.course import ValueSpec
from gpu100.model.record import Measured, Observed, Scalar, Value
from gpu100.render.expressions import ExpressionError
from gpu100.units import number, quantity


@dataclass(frozen=True)
class ShownValue:
    """Text, how it is marked, and what a pointer resting on it says."""

    text: str
    classes: str
    title: str


NOT_MEASURED = ShownValue("not measured yet", "value missing", "no GPU has run this program for the record")


def shown_value(standing: Standing, spec: ValueSpec, at: object, *, unit: bool) -> ShownValue:
    """The value that ``spec`` declares, as one machine's record has it.

    Raises:
        ExpressionError: ``at`` names no entry of it.
    """
    value = standing.record.values.get(spec.name) if standing.record else None
    if value is None:
        return NOT_MEASURED
    text = quantity(_entry(spec.name, value, at), spec.unit if unit else "")
    title = f"{spec.what}: {standing.machine.gpu.name}, {how(value)}"
    if standing.stale:
        return ShownValue(text, "value stale", f"{title}; stale: {standing.stale}")
    return ShownValue(text, "value", title)


def _entry(name: str, value: Value, at: object) -> Scalar:
    """The value itself, or the entry ``at`` of a table."""
    held = value.value
    if not isinstance(held, dict):
        if at is None:
            return held
        raise ExpressionError(f"{name!r} is one value, not a table: it has no entry {at!r}")
    if at is None or str(at) not in held:
        raise ExpressionError(f"{name!r} has no entry {at!r}", hint=f"it has {', '.join(held)}")
    return held[str(at)]


def how(value: Value) -> str:
    """How sure the number is."""
    if isinstance(value, Measured):
        middle = f"{number(value.p20)} to {number(value.p80)}"
        return f"median of {len(value.samples)} samples, 20th to 80th percentile {middle}"
    if isinstance(value, Observed):
        return f"seen between {number(value.low)} and {number(value.high)}"
    return {"exact": "equal in every run", "codegen": "as NVRTC compiled it", "tolerant": "within its tolerance"}[
        value.kind
    ]
