"""Facts from elsewhere: limits, formulas, and figures that others published."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field

from gpu100.model.capability import Capability

Number = int | float


@dataclass(frozen=True, kw_only=True)
class Cards:
    """What GPUs of one compute capability are called."""

    capability: str
    gpus: tuple[str, ...]
    sources: tuple[str, ...]

    def __post_init__(self) -> None:
        Capability.parse(self.capability)
        _sourced(self.capability, self.sources)

    @property
    def id(self) -> str:
        return self.capability


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A limit of :mod:`gpu100.model.limits`, with where it is written.

    Raises:
        ValueError: not exactly one of ``value`` and ``by``, no source, or a date that is none.
    """

    id: str
    """The limit's name in the model."""
    what: str
    short: str
    """The same for the head of a column."""
    sources: tuple[str, ...]
    looked_at: str
    """ISO date on which the numbers were compared with the sources."""
    unit: str = ""
    """Of the number as a page shows it; ``KiB`` where the number here is bytes."""
    value: int | None = None
    """Where it is the same on every GPU."""
    by: dict[str, int] = field(default_factory=dict)
    """Where it is not: by compute capability."""

    def __post_init__(self) -> None:
        if (self.value is None) == (not self.by):
            raise ValueError(f"limit {self.id!r} needs one of `value` and `by`")
        _sourced(self.id, self.sources)
        datetime.date.fromisoformat(self.looked_at)

    def shown(self, capability: str) -> int | None:
        """The number that a page shows, in :attr:`unit`; None where it is not on record."""
        number = self.by.get(capability) if self.value is None else self.value
        return number if number is None or self.unit != "KiB" else number // 1024


@dataclass(frozen=True, kw_only=True)
class Formula:
    """A formula, and an example that has been worked out."""

    id: str
    what: str
    formula: str
    example: str
    sources: tuple[str, ...]
    days: tuple[int, ...] = ()
    """Days that rest on it."""

    def __post_init__(self) -> None:
        _sourced(self.id, self.sources)


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A number that somebody else published: never the course's own."""

    id: str
    what: str
    value: Number
    unit: str
    on: str
    """The GPU."""
    source: str
    days: tuple[int, ...] = ()

    @property
    def sources(self) -> tuple[str, ...]:
        return (self.source,)


Fact = Cards | Limit | Formula | Figure


@dataclass(frozen=True, kw_only=True)
class Facts:
    """content/facts.toml."""

    cards: tuple[Cards, ...] = ()
    limit: tuple[Limit, ...] = ()
    formula: tuple[Formula, ...] = ()
    figure: tuple[Figure, ...] = ()

    def all(self) -> tuple[Fact, ...]:
        """Every one of them."""
        return (*self.cards, *self.limit, *self.formula, *self.figure)

    def sources(self) -> frozenset[str]:
        """Every source that a fact leans on."""
        return frozenset(id for fact in self.all() for id in fact.sources)

    def examples(self, capability: str) -> tuple[str, ...]:
        """GPUs of that compute capability."""
        return tuple(gpu for cards in self.cards if cards.capability == capability for gpu in cards.gpus)


def _sourced(id: str, sources: tuple[str, ...]) -> None:
    if not sources:
        raise ValueError(f"{id!r} has no source")
