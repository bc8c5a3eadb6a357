"""Shown code: no line is wider than 90 columns, in a program or in a block typed into a page."""

from __future__ import annotations

from collections.abc import Iterator

from gpu100.author.context import Context
from gpu100.author.report import Finding, Found
from gpu100.model.course import Day

RULE = "width"
COLUMNS = 90
SOURCES = {".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".py"}


def check(context: Context) -> Iterator[Found]:
    for day in context.days:
        for path in sorted((context.layout.root / day.folder).rglob("*")):
            if path.suffix in SOURCES and "__pycache__" not in path.parts:
                lines = path.read_text(encoding="utf-8").splitlines()
                yield len(lines)
                yield from _wide(day, context.layout.relative(path), lines, first=1)
    for day, page in context.written():
        for fence in page.fences:
            lines = fence.text.splitlines()
            yield len(lines)
            yield from _wide(day, context.page_path(day), lines, first=fence.line + 1)


def _wide(day: Day, shown: str, lines: list[str], *, first: int) -> Iterator[Finding]:
    for number, line in enumerate(lines, first):
        if (width := len(line.expandtabs(4))) > COLUMNS:
            message = f"{width} columns, where a page shows {COLUMNS}"
            yield Finding(rule=RULE, message=message, path=shown, line=number, day=day.number, hint="break the line")
