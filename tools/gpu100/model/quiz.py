"""A day's quiz."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Option:
    """One answer that a reader may choose, and why it is right or wrong."""

    text: str
    note: str
    right: bool = False


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question with exactly one right option.

    Raises:
        ValueError: fewer than two options, not exactly one right one, or an option without a note.
    """

    id: str
    ask: str
    options: tuple[Option, ...]

    def __post_init__(self) -> None:
        if len(self.options) < 2:
            raise ValueError(f"question {self.id!r} has fewer than two options")
        right = sum(option.right for option in self.options)
        if right != 1:
            raise ValueError(f"question {self.id!r} has {right} right options where one belongs")
        if empty := next((option for option in self.options if not option.note.strip()), None):
            raise ValueError(f"question {self.id!r}: option {empty.text!r} has no note")


@dataclass(frozen=True, kw_only=True)
class Quiz:
    """The quiz at the end of a day's page."""

    question: tuple[Question, ...]
