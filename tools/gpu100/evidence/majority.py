"""Exact results of machines of one compute capability, held against each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gpu100.evidence.store import MachineEvidence
from gpu100.model.differs import Note
from gpu100.model.record import Exact, Record, Scalar


@dataclass(frozen=True)
class Odd:
    """A value that is not what most machines of its capability found."""

    machine: str
    day: int
    program: str
    value: str
    here: str
    there: str

    def __str__(self) -> str:
        return (
            f"{self.machine}: {self.value} of {self.program} is {self.here}, "
            f"and {self.there} on most machines of this compute capability"
        )


@dataclass
class _Seen:
    """Who found one result."""

    machines: list[str] = field(default_factory=list)
    first: str = "~"
    """When it was recorded first; ``~`` comes after every date."""


Group = tuple[str, int, str, str, str, str]


def odd_ones(machines: Sequence[MachineEvidence]) -> tuple[list[Odd], int]:
    """Exact values that their capability's majority does not share, and how many were compared.

    Where as many found one thing as another, the one that was recorded first stands.
    """
    groups: dict[Group, dict[str, _Seen]] = {}
    for evidence in machines:
        for record in evidence.records:
            for name, value in _exact(record):
                key = (evidence.machine.gpu.capability, record.day, record.program, record.key.digest)
                seen = groups.setdefault((*key, name, _shown(value.scale)), {}).setdefault(_shown(value.value), _Seen())
                seen.machines.append(evidence.folder)
                seen.first = min(seen.first, record.started)
    compared = sum(len(seen.machines) for found in groups.values() if _several(found) for seen in found.values())
    return [odd for group, found in sorted(groups.items()) for odd in _odd(group, found)], compared


def _several(found: dict[str, _Seen]) -> bool:
    return sum(len(seen.machines) for seen in found.values()) > 1


def _odd(group: Group, found: dict[str, _Seen]) -> Iterator[Odd]:
    usual = min(found, key=lambda result: (-len(found[result].machines), found[result].first, result))
    _, day, program, _, name, _ = group
    for result, seen in sorted(found.items()):
        for machine in seen.machines if result != usual else ():
            yield Odd(machine, day, program, name, result, usual)


def _exact(record: Record) -> Iterator[tuple[str, Exact]]:
    for name, value in record.values.items() if record.status == "ok" else ():
        if isinstance(value, Exact):
            yield name, value


def _shown(value: Scalar | dict[str, Scalar]) -> str:
    """By repr, so that True is not 1; tables whatever the order of their keys."""
    if isinstance(value, dict):
        return ", ".join(f"{key}: {item!r}" for key, item in sorted(value.items()))
    return repr(value)


def unexplained(odd: Sequence[Odd], notes: Sequence[Note]) -> Iterator[str]:
    """Odd values without a note, and notes on what is not odd."""
    noted = {(note.machine, note.program, value) for note in notes for value in note.values}
    found = {(one.machine, one.program, one.value) for one in odd}
    for one in odd:
        if (one.machine, one.program, one.value) not in noted:
            yield f"{one}: content/differs.toml has to say why"
    for machine, program, value in sorted(noted - found):
        yield f"content/differs.toml: {value} of {program} on {machine} does not differ (any more)"
