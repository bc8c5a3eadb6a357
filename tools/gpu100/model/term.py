"""Words of the trade, as the glossary explains them."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Term:
    """A word that has a meaning of its own here."""

    id: str
    """Its anchor on the glossary's page."""
    term: str
    aliases: tuple[str, ...] = ()
    """Its plural, abbreviations and other names, each written as pages write it."""
    meaning: str
    see: tuple[str, ...] = ()
    """Ids of terms that stand beside it."""
    day: int
    """Where it is explained."""
    source: str = ""
    """What its meaning rests on, where that is more than the course's own usage."""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.id):
            raise ValueError(f"{self.id!r} is no id: lower case, digits, single hyphens")

    @property
    def names(self) -> tuple[str, ...]:
        """Everything it is called."""
        return (self.term, *self.aliases)

    @property
    def said(self) -> str:
        """The meaning as plain text, for where no markup can stand."""
        return self.meaning.replace("`", "")
