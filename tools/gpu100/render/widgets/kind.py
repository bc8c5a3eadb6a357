"""What a widget is made of: its words, what can be set, its table, and what it has to know of a GPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpu100.render.widgets.evidence import KnownGpu
from gpu100.units import number

Setting = bool | int | float | str


@dataclass(frozen=True, kw_only=True)
class Field:
    """Something that the reader, and a page, can set."""

    name: str
    label: str
    start: Setting
    low: float = 0
    high: float = 0
    limit: str = ""
    """The name of the limit of a GPU that is the highest value there."""
    below: str = ""
    """The name of another field that this one stays below."""
    why: str = ""
    """What sets the highest value, after a semicolon."""
    decimals: bool = False
    log: bool = False
    """Whether the slider moves by factors."""
    choices: tuple[str, ...] = ()
    only: str = ""
    """The choice of the widget's first field with which this one is shown."""
    of_gpu: bool = False
    """Whether it begins with what is on record of the reader's GPU, and with ``start`` where nothing is."""
    marked: bool = False
    """Whether the script marks places on its slider."""

    def refusal(self, given: object) -> str | None:
        """Why a page may not set the field to ``given``."""
        if self.choices:
            return None if given in self.choices else f"has no choice {given!r}: {', '.join(self.choices)}"
        if isinstance(self.start, bool):
            return None if isinstance(given, bool) else "is true or false"
        if isinstance(given, bool) or not isinstance(given, (int, float) if self.decimals else int):
            return f"is a {'number' if self.decimals else 'whole number'}, not {given!r}"
        if given < self.low or (self.high and given > self.high):
            return f"goes from {number(self.low)} to {number(self.high)}"
        return None

    @property
    def attributes(self) -> dict[str, object]:
        """What the script has to know besides what its element says anyway."""
        told = {name: getattr(self, name) for name in ("limit", "below", "why", "decimals", "log", "only")}
        if not self.limit:
            told["high"] = self.high
        return {f"data-{name}": 1 if value is True else value for name, value in told.items() if value}

    @property
    def wide(self) -> bool:
        """Whether its choices need a line of their own."""
        return any(len(choice) > 24 for choice in self.choices)


@dataclass(frozen=True)
class Table:
    """Worked values, as the page shows them without its script."""

    head: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    words: int = 0
    """Columns at the front that hold words."""


Settings = Mapping[str, Any]
"""By field: what the page has set, else where it starts; None for a field of the GPU that the page leaves alone."""


@dataclass(frozen=True, kw_only=True)
class Widget:
    """One kind of widget."""

    title: str
    caption: str
    fields: tuple[Field, ...]
    limits: tuple[str, ...]
    """What it does not show."""
    table: Callable[[Settings, tuple[KnownGpu, ...]], Table]
    gpu: Callable[[KnownGpu], Mapping[str, object] | None] | None = None
    """What the script has to know of a GPU; None for one that it cannot show. Without it, no GPU matters."""
    start: Callable[[KnownGpu, Settings], Mapping[str, Setting]] = lambda known, given: {}
    """What the fields of a GPU begin with, beside what the page has given."""
    apart: Callable[[Settings], str | None] = lambda at: None
    """Why settings that are good each for itself do not go together."""
