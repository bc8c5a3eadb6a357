"""Sources that pages cite."""

from __future__ import annotations

import datetime
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Source:
    """A document that backs statements of the course."""

    id: str
    title: str
    publisher: str
    section: str
    """Where in the document; empty where it is short."""
    address: str = ""
    """Empty where it is not on record."""
    version: str = ""
    looked_at: str = ""
    """ISO date on which somebody read it; empty where nobody could."""
    unread: str = ""
    """Why nobody could read it, where nobody could."""
    page_title: str = ""
    """Some text of the title that the page at the address has, for `gpu100 sources check`."""
    backs: str
    """What of the course rests on it."""

    def __post_init__(self) -> None:
        if self.looked_at:
            datetime.date.fromisoformat(self.looked_at)


@dataclass(frozen=True, kw_only=True)
class CitingPage:
    """A page that leans on a source."""

    path: str
    """From docs/."""
    title: str
