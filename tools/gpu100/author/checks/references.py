"""Cross-references: shown code exists in code/, by its section's name, and days are named by expressions.

What expressions refer to (days, terms, sources, errors) is held by the rule on expressions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpu100.author.context import Context
from gpu100.author.page import Snippet
from gpu100.author.report import Found
from gpu100.errors import nearest
from gpu100.model.course import Day

RULE = "references"

_TYPED_DAY = re.compile(r"(?<![{\w-])[Dd]ays? (\d{1,3})\b")


def check(context: Context) -> Iterator[Found]:
    for day, page in context.written():
        for fence in page.fences:
            for snippet in fence.snippets:
                yield 1
                yield from _snippet(context, day, snippet)
        for number, line in enumerate(page.plain(page.prose).splitlines(), 1):
            for match in _TYPED_DAY.finditer(line):
                message = f"{match[0]!r} is typed, so nobody would notice if that day moved"
                yield context.finding(RULE, day, message, line=number, hint=f"{{{{ day({match[1]}) }}}}")


def _snippet(context: Context, day: Day, snippet: Snippet) -> Iterator[Found]:
    path = context.layout.code / snippet.file
    if not path.is_file():
        known = [p.relative_to(context.layout.code).as_posix() for p in context.layout.code.glob("*/*.*")]
        hint = nearest(snippet.file, known)
        yield context.finding(RULE, day, f"code/{snippet.file} does not exist", line=snippet.line, hint=hint)
    elif snippet.section and section_of(path.read_text(encoding="utf-8"), snippet.section) is None:
        sections = re.findall(r"--8<--\s*\[start:([^\]]+)\]", path.read_text(encoding="utf-8"))
        message = f"code/{snippet.file} has no section {snippet.section!r} from start to end"
        yield context.finding(RULE, day, message, line=snippet.line, hint=nearest(snippet.section, sections))


def section_of(text: str, section: str) -> list[str] | None:
    """The lines between the section's markers, or None where it does not begin or not end."""
    lines = text.splitlines()
    places = {
        border: [i for i, line in enumerate(lines) if re.search(rf"--8<--\s*\[{border}:{re.escape(section)}\]", line)]
        for border in ("start", "end")
    }
    if not places["start"] or not places["end"] or places["end"][0] < places["start"][0]:
        return None
    return lines[places["start"][0] + 1 : places["end"][0]]
