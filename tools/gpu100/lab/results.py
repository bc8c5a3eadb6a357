"""Results, declared: what a record keeps and what a page may name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from gpu100.errors import CheckFailed, Unsupported, plural
from gpu100.lab import session
from gpu100.lab.measured import Measured, plain, volatile
from gpu100.model.record import Point, Scalar, Series

Plain = Scalar | np.generic
Table = Mapping[Any, Plain]
Scale = Mapping[str, Scalar]


def exact(name: str, value: Plain | Table, *, scale: Scale | None = None) -> None:
    """Declare a value that code and GPU model decide: equal in every run.

    A table is a mapping, such as blocks by block size. ``scale`` names the sizes the value
    depends on, so that a run at reduced size is compared only where they agree.
    """
    _value(name, "exact", value=_table(value), scale=dict(scale or {}))


def codegen(name: str, value: Plain | Table) -> None:
    """Declare a value that the compiler decides: equal per NVRTC version and architecture."""
    _value(name, "codegen", value=_table(value))


def tolerant(
    name: str, value: float | np.floating, *, relative: float = 0.0, absolute: float = 0.0, scale: Scale | None = None
) -> None:
    """Declare a float that runs may round differently: within ``relative`` or ``absolute`` of this.

    Raises:
        ValueError: no tolerance is stated.
    """
    if relative <= 0 and absolute <= 0:
        raise ValueError(f"{name}: a tolerant value needs a tolerance")
    _value(name, "tolerant", value=float(value), relative=relative, absolute=absolute, scale=dict(scale or {}))


def observed(name: str, counts: int | np.integer | Iterable[int | np.integer], *, scale: Scale | None = None) -> None:
    """Declare a count that may differ from run to run: all that this run saw, the last one shown."""
    seen = [int(counts)] if isinstance(counts, int | np.integer) else [int(count) for count in counts]
    _value(name, "observed", value=seen[-1], low=min(seen), high=max(seen), scale=dict(scale or {}))


def measured(name: str, value: Measured, *, better: Literal["lower", "higher"], scale: Scale | None = None) -> None:
    """Declare a measured value, with its samples; its unit is course.toml's.

    Raises:
        Unsupported: the program runs on the model, whose seconds are nobody's.
    """
    _need_clock(name)
    _value(
        name,
        "measured",
        value=_digits(value.median),
        better=better,
        p20=_digits(value.p20),
        p80=_digits(value.p80),
        samples=[_digits(sample) for sample in value.samples],
        discarded=value.discarded,
        sm_clock_mhz=value.sm_clock_mhz,
        throttled=list(value.throttled),
        scale=dict(scale or {}),
    )


def series(name: str, points: Iterable[tuple[float, Measured | float]], *, x_unit: str, y_unit: str) -> None:
    """Declare a line of a plot: points of a rising x and of a y that is measured, or exact, throughout.

    Raises:
        Unsupported: they are measured, and the program runs on the model.
        ValueError: there are fewer than two, x does not rise, one is no number, or an axis has no unit.
    """
    listed = list(points)
    kinds = {isinstance(y, Measured) for _, y in listed}
    if len(kinds) != 1:
        raise ValueError(f"{name}: a series has points, all measured or all exact")
    if True in kinds:
        _need_clock(name)
    places = [_point(x, y) for x, y in listed]
    try:
        Series(kind="exact", x_unit=x_unit, y_unit=y_unit, points=tuple(Point(**place) for place in places))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    session.current().emit(
        {
            "event": "series",
            "name": name,
            "kind": "measured" if kinds.pop() else "exact",
            "x_unit": x_unit,
            "y_unit": y_unit,
            "points": places,
        }
    )


def check(what: str, holds: bool | np.bool_ | Sequence[bool] | npt.NDArray[np.bool_]) -> None:
    """Require something: a run whose check does not hold has failed.

    Given an array or a list, every element must be true, and their number is recorded.

    Raises:
        CheckFailed: it does not hold, or there was nothing to compare.
    """
    verdicts = np.atleast_1d(np.asarray(holds, dtype=bool))
    wrong = int(verdicts.size - np.count_nonzero(verdicts))
    if verdicts.size == 0:
        raise CheckFailed(f"{what}: nothing was compared")
    if wrong:
        first = int(np.flatnonzero(~verdicts.ravel())[0])
        where = f", the first at index {first}" if verdicts.size > 1 else ""
        raise CheckFailed(f"{what}: {wrong} of {verdicts.size} wrong{where}")
    print(f"check: {what} ({plural(verdicts.size, 'comparison')})")
    session.current().emit({"event": "check", "what": what, "compared": verdicts.size})


def predict(claim: str, held: bool | np.bool_, *, saw: str = "", applies: bool = True, needs_gpu: bool = False) -> None:
    """Judge the prediction with the id ``claim``.

    ``saw`` says in a few words what decided it; it may hold formatted measured values. A
    prediction whose condition is not met on this device does not apply: pass ``applies=False``.
    What only hardware can decide, such as the order in which blocks run, says ``needs_gpu=True``:
    the model then leaves it unjudged. One that failed is a result, not an error.
    """
    outcome = ("held" if held else "failed") if applies else "not-applicable"
    if needs_gpu and session.current().on_model:
        outcome, saw = "not-evaluated", "it needs a GPU"
    # Marked: where it hangs on a measurement it may differ, and the outcomes are compared themselves.
    print(f"prediction {claim}: {volatile(outcome.replace('-', ' '))}" + (f" ({saw})" if saw else ""))
    session.current().emit({"event": "prediction", "id": claim, "outcome": outcome, "saw": plain(saw)})


@contextlib.contextmanager
def unordered() -> Iterator[None]:
    """Lines printed inside may come in any order, as those of device printf do."""
    session.current().border("(")
    try:
        yield
    finally:
        session.current().border(")")


def _need_clock(name: str) -> None:
    run = session.current()
    if run.devices and run.on_model:
        hint = "lab.rest_needs_gpu(...) before the part that measures ends the program there"
        raise Unsupported(f"{name} is measured, which needs a GPU: the model has no clock", hint=hint)


def _value(name: str, kind: str, **fields: object) -> None:
    session.current().emit({"event": "value", "name": name, "kind": kind, **fields})


def _table(value: Plain | Table) -> Scalar | dict[str, Scalar]:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return _plain(value)


def _plain(value: Plain) -> Scalar:
    item = value.item() if isinstance(value, np.generic) else value
    if not isinstance(item, bool | int | float | str):
        raise TypeError(f"a value is a number, a truth or a text, not {type(value).__name__}")
    return item


def _point(x: float, y: Measured | float) -> dict[str, float]:
    if isinstance(y, Measured):
        return {"x": float(x), "y": _digits(y.median), "p20": _digits(y.p20), "p80": _digits(y.p80)}
    return {"x": float(x), "y": float(y)}


def _digits(value: float) -> float:
    """Five significant digits: more are noise, and make every diff of a record unreadable."""
    return float(f"{value:.5g}")
