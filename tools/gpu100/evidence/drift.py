"""One program's records on one GPU, an earlier and a later one: what still holds, and what moved.

Text and values come first, then what the compiler made, then time::

    not comparable   of other programs or GPUs, or nothing in them is the same kind of thing
    status           it ran on one side and did not on the other
    text             a line that is exact
    value            an exact or tolerant value, an exact series, a check, a prediction's outcome
    codegen          registers and other results of the compiler
    slower, faster   a measured value, beyond its spread, in clock cycles too
    ambiguous        a measured value moved, and no clock says whether the program or the clock did
    same             all of it agrees
"""

from __future__ import annotations

from dataclasses import dataclass

from gpu100.evidence.items import Item, Rewrite, Verdict, items
from gpu100.evidence.status import Standing
from gpu100.model.record import Record

ORDER: tuple[Verdict, ...] = ("status", "text", "value", "codegen", "slower", "faster", "ambiguous")
"""The first that any item has is the program's own verdict."""
EXACT: frozenset[Verdict] = frozenset({"status", "text", "value"})
"""Verdicts that say that a result is no longer what it was."""
MOVED: frozenset[Verdict] = EXACT | {"codegen", "slower", "faster"}
"""Verdicts that are drift."""


@dataclass(frozen=True)
class Drift:
    """The comparison of two records."""

    day: int
    program: str
    before: Standing
    after: Standing
    items: tuple[Item, ...] = ()
    why: str = ""
    """Why the records cannot be compared at all."""

    @property
    def verdict(self) -> Verdict:
        if self.why:
            return "not comparable"
        found = {item.verdict for item in self.items}
        return next((verdict for verdict in ORDER if verdict in found), "same")

    @property
    def compared(self) -> int:
        """How many items were."""
        return sum(item.verdict != "not comparable" for item in self.items)

    @property
    def moved(self) -> tuple[Item, ...]:
        """What is not the same, the gravest first."""
        return tuple(item for verdict in ORDER for item in self.items if item.verdict == verdict)

    @property
    def holds(self) -> bool:
        """Whether every exact result is what it was."""
        return not self.why and not any(item.verdict in EXACT for item in self.items)

    @property
    def drifted(self) -> bool:
        """Whether anything moved that may not pass in silence."""
        return not self.why and any(item.verdict in MOVED for item in self.items)

    @property
    def same_toolchain(self) -> bool:
        """Whether both sides had the same driver and compiler: then these are two machines."""
        a, b = self.before.machine, self.after.machine
        return a.folder == b.folder

    def left_out(self) -> dict[str, list[str]]:
        """Names by the reason for which they were not compared."""
        found: dict[str, list[str]] = {}
        for item in self.items:
            if item.verdict == "not comparable":
                found.setdefault(item.why, []).append(item.name)
        return found


def drift(before: Standing, after: Standing, rewrite: Rewrite) -> Drift:
    """``after``'s record against ``before``'s; both standings have one.

    ``rewrite`` is applied to each printed line: see content/normalize.toml.
    """
    a, b = before.record, after.record
    assert a is not None
    assert b is not None
    if why := _incomparable(before, after, a, b):
        return Drift(b.day, b.program, before, after, why=why)
    found = tuple(items(a, b, rewrite))
    empty = all(item.verdict == "not comparable" for item in found)
    return Drift(b.day, b.program, before, after, found, why="the records share nothing to compare" if empty else "")


def _incomparable(before: Standing, after: Standing, a: Record, b: Record) -> str:
    """Why the two may not be compared, or nothing."""
    if (a.day, a.program) != (b.day, b.program):
        return f"they are of {a.program} and of {b.program}"
    if before.machine.gpu.slug != after.machine.gpu.slug:
        return f"one is of {before.machine.gpu.name}, the other of {after.machine.gpu.name}"
    if a.key.digest != b.key.digest:
        return "they were made from different versions of the program"
    if not_run := [record for record in (a, b) if record.status in ("unsupported", "skipped")]:
        return f"it was not run: {not_run[0].reason}"
    return ""
