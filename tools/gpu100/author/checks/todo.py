"""Placeholders: nothing that the scaffold asked for is still to be written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from gpu100.author.context import Context
from gpu100.author.entry import entry_lines
from gpu100.author.page import Page
from gpu100.author.report import Finding
from gpu100.model.course import Day

RULE = "todo"

_IN_PAGE = re.compile(r"^[\s>]*(#{1,6} |[-*] |\d+\. )?\s*TODO:\s*(?P<what>.*)$", re.MULTILINE)
"""A line that begins with it, after what Markdown may put first."""

_ANYWHERE = re.compile(r"\bTODO:\s*(?P<what>.*)$", re.MULTILINE)

LONGEST = 110


def check(context: Context) -> Iterator[Finding | int]:
    for day, page in context.written():
        yield from _found(context, day, context.layout.docs / day.page, _IN_PAGE, page)
        folder = context.layout.root / day.folder
        programs = [folder / f"{program.name}{half}" for program in day.programs for half in (".cu", ".py")]
        for path in (*programs, context.layout.quiz(day.number)):
            if path.is_file():
                yield from _found(context, day, path, _ANYWHERE)
        yield from _entry(context, day)


def _found(
    context: Context, day: Day, path: Path, pattern: re.Pattern[str], page: Page | None = None
) -> Iterator[Finding | int]:
    text = page.prose if page else path.read_text(encoding="utf-8")
    yield 1
    for match in pattern.finditer(text):
        line = text.count("\n", 0, match.start("what")) + 1
        yield _finding(day, context.layout.relative(path), line, match["what"])


def _entry(context: Context, day: Day) -> Iterator[Finding | int]:
    """The day's lines of course.toml: reasons not given, and a plan that is still there."""
    shown = context.layout.relative(context.layout.course)
    lines = context.layout.course.read_text(encoding="utf-8").splitlines()
    yield 1
    for place in entry_lines(lines, day.number):
        if match := _ANYWHERE.search(lines[place]):
            yield _finding(day, shown, place + 1, match["what"].rstrip('" },'))
        if lines[place].strip() == "[day.plan]":
            hint = "delete [day.plan] once page and program say what it says"
            message = "the plan of a day that is being written is still there"
            yield Finding(rule=RULE, message=message, path=shown, line=place + 1, day=day.number, hint=hint)


def _finding(day: Day, path: str, line: int, what: str) -> Finding:
    words = what.strip().rstrip('",')
    short = words if len(words) <= LONGEST else f"{words[: LONGEST - 3].rstrip()}..."
    return Finding(rule=RULE, message=f"to write: {short}", path=path, line=line, day=day.number)
