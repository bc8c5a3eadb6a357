"""Rules for text that two toolchains may print differently without a result having changed."""

from __future__ import annotations

import re
from dataclasses import dataclass

GROUP = "differs"
"""The group of a rule's pattern that is rewritten; the rest of the pattern is what it stands in."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One rule of content/normalize.toml.

    Raises:
        ValueError: its pattern is none, has no group ``differs``, or one of its cases does not hold.
    """

    id: str
    pattern: str
    """A regular expression with a group ``differs``: what it matches is replaced."""
    shown: str
    """What stands there instead, in brackets."""
    why: str
    match: tuple[str, ...]
    """Lines that it must rewrite."""
    miss: tuple[str, ...]
    """Lines that it must leave alone."""

    def __post_init__(self) -> None:
        try:
            compiled = re.compile(self.pattern)
        except re.error as error:
            raise ValueError(f"rule {self.id!r}: {error}") from None
        if GROUP not in compiled.groupindex:
            raise ValueError(f"rule {self.id!r} has no group (?P<{GROUP}>...) to replace")
        if not re.fullmatch(r"\[[A-Z]+\]", self.shown):
            raise ValueError(f"rule {self.id!r} shows {self.shown!r}, not a word in brackets such as [DRIVER]")
        if not self.match or not self.miss:
            raise ValueError(f"rule {self.id!r} needs lines that it must match and lines that it must miss")
        for line in self.match:
            if not self.apply(line)[1]:
                raise ValueError(f"rule {self.id!r} does not match {line!r}, which it must")
        for line in self.miss:
            if self.apply(line)[1]:
                raise ValueError(f"rule {self.id!r} matches {line!r}, which it must not")

    def apply(self, line: str) -> tuple[str, int]:
        """``line`` rewritten, and how often the rule hit."""
        return re.subn(self.pattern, self._replaced, line)

    def _replaced(self, match: re.Match[str]) -> str:
        start, end = (place - match.start() for place in match.span(GROUP))
        return f"{match[0][:start]}{self.shown}{match[0][end:]}"
