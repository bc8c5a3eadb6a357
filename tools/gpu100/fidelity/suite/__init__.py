"""Every case, by what it is about."""

from __future__ import annotations

from gpu100.errors import UsageError, nearest
from gpu100.fidelity.case import Case
from gpu100.fidelity.suite import (
    arithmetic,
    atomics,
    blocks,
    copies,
    divergence,
    shared,
    spaces,
    walks,
    warps,
    wide_shared,
)

GROUPS: dict[str, tuple[Case, ...]] = {
    "Global memory: one element each": copies.CASES,
    "Global memory: order and layout": walks.CASES,
    "Shared memory: words of four bytes and less": shared.CASES,
    "Shared memory: eight and sixteen bytes a lane": wide_shared.CASES,
    "Divergence": divergence.CASES,
    "Warps": warps.CASES,
    "Blocks": blocks.CASES,
    "Atomics": atomics.CASES,
    "Local and constant memory": spaces.CASES,
    "Arithmetic": arithmetic.CASES,
}
CASES: tuple[Case, ...] = tuple(case for cases in GROUPS.values() for case in cases)


def case_of(name: str) -> Case:
    """The case of that name.

    Raises:
        UsageError: there is none.
    """
    found = next((case for case in CASES if case.name == name), None)
    if found is None:
        raise UsageError(f"no case is called {name!r}", hint=nearest(name, [case.name for case in CASES]))
    return found


def group_of(case: Case) -> str:
    """The group that the case stands in."""
    return next(name for name, cases in GROUPS.items() if case in cases)
