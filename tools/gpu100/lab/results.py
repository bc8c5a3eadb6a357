"""Results, declared: what a record keeps and what a page may name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from gpu100.errors import CheckFailed, plural
from gpu100.lab import session
from gpu100.model.record import Scalar


def exact(
    name: str,
    value: Scalar | np.generic | Mapping[Any, Scalar | np.generic],
    *,
    scale: Mapping[str, Scalar] | None = None,
) -> None:
    """Declare a value that code and GPU model decide: equal in every run.

    A table is a mapping, such as blocks by block size. ``scale`` names the sizes the value
    depends on, so that a run at reduced size is compared only where they agree.
    """
    plain = {str(key): _plain(item) for key, item in value.items()} if isinstance(value, Mapping) else _plain(value)
    session.current().emit(
        {"event": "value", "name": name, "kind": "exact", "value": plain, "scale": dict(scale or {})}
    )


def check(what: str, holds: bool | np.bool_ | npt.NDArray[np.bool_]) -> None:
    """Require something: a run whose check does not hold has failed.

    Given an array, every element must be true, and their number is recorded.

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


def predict(claim: str, held: bool | np.bool_, *, saw: str = "", applies: bool = True) -> None:
    """Judge the prediction with the id ``claim``.

    ``saw`` says in a few words what decided it. A prediction whose condition is not met on
    this device does not apply: pass ``applies=False``. One that failed is a result, not an error.
    """
    outcome = ("held" if held else "failed") if applies else "not-applicable"
    print(f"prediction {claim}: {outcome.replace('-', ' ')}" + (f" ({saw})" if saw else ""))
    session.current().emit({"event": "prediction", "id": claim, "outcome": outcome, "saw": saw})


def _plain(value: Scalar | np.generic) -> Scalar:
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, bool | int | float | str):
        raise TypeError(f"a value is a number, a truth or a text, not {type(value).__name__}")
    return plain
