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
        ValueError: fewer than two options, not exactly one right one, an option without a note,
            or an entry of no value.
    """

    id: str
    ask: str
    options: tuple[Option, ...]
    expect: str = ""
    """The value that the right option states, as ``program.value``: checked on every GPU that measured it."""
    at: str = ""
    """The value's entry, where it is a table."""

    def __post_init__(self) -> None:
        if len(self.options) < 2:
            raise ValueError(f"question {self.id!r} has fewer than two options")
        right = sum(option.right for option in self.options)
        if right != 1:
            raise ValueError(f"question {self.id!r} has {right} right options where one belongs")
        if empty := next((option for option in self.options if not option.note.strip()), None):
            raise ValueError(f"question {self.id!r}: option {empty.text!r} has no note")
        if self.at and not self.expect:
            raise ValueError(f"question {self.id!r} has `at` without `expect`")

    @property
    def answer(self) -> Option:
        """The right option."""
        return next(option for option in self.options if option.right)


@dataclass(frozen=True, kw_only=True)
class Quiz:
    """The quiz at the end of a day's page."""

    question: tuple[Question, ...]
