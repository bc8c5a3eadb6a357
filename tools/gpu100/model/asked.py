"""What learners ask, wherever they ask it."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question that learners bring, in the course's words.

    Raises:
        ValueError: no day settles it, it was seen nowhere, or what was read has no date.
    """

    number: int
    ask: str
    days: tuple[int, ...]
    """The days that settle it."""
    seen: tuple[str, ...]
    """Where it was seen asked: an address, or an issue as ``owner/name #7``."""
    read: tuple[str, ...] = ()
    """Those of :attr:`seen` that somebody opened on the day :attr:`looked_at`."""
    looked_at: str = ""
    """ISO date; empty where nobody has looked yet."""

    def __post_init__(self) -> None:
        if not self.days:
            raise ValueError(f"question {self.number} has no day that settles it")
        if not self.seen:
            raise ValueError(f"question {self.number} was seen nowhere")
        if strange := [place for place in self.read if place not in self.seen]:
            raise ValueError(f"question {self.number}: {strange[0]!r} was read and is not among the places")
        if bool(self.read) != bool(self.looked_at):
            raise ValueError(f"question {self.number} needs both `read` and `looked_at`, or neither")
        if self.looked_at:
            datetime.date.fromisoformat(self.looked_at)


def address_of(place: str) -> str | None:
    """Where a place of :attr:`Asked.seen` leads, if it says enough.

    GitHub takes an issue's address for a pull request too.
    """
    if issue := re.fullmatch(r"([\w.-]+/[\w.-]+) #(\d+)", place):
        return f"https://github.com/{issue[1]}/issues/{issue[2]}"
    return f"https://{place}" if re.fullmatch(r"[\w-]+(\.[\w-]+)+/[^\s,]+", place) else None
