"""What of a Markdown page is prose, and the expressions that stand in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

FENCE = re.compile(r"^(?P<indent>\s*)(?P<ticks>`{3,}|~{3,})\s*(?P<info>[^`]*)$")
EXPRESSION = re.compile(r"\{\{\s*([^{}\n]+?)\s*\}\}")
CODE_SPAN = re.compile(r"`[^`\n]+`")
CITATION = re.compile(r"""source\(\s*["']([^"']+)["']\s*\)""")


def fences(lines: list[str]) -> list[range]:
    """The lines of every fence, from 0, with those of its ticks; one that is never closed is none."""
    found: list[range] = []
    opened: tuple[str, int] | None = None
    for number, line in enumerate(lines):
        match = FENCE.match(line)
        if opened is None and match:
            opened = (match["ticks"], number)
        elif opened and match and match["ticks"].startswith(opened[0]) and not match["info"].strip():
            found.append(range(opened[1], number + 1))
            opened = None
    return found


def without_fences(text: str) -> str:
    """``text`` without its fences, line for line."""
    lines = text.splitlines()
    for fence in fences(lines):
        for number in fence:
            lines[number] = ""
    return "\n".join(lines)


def expressions(text: str) -> Iterator[tuple[str, int]]:
    """Every expression in prose, outside code, with its line."""
    for number, line in enumerate(without_fences(text).splitlines(), 1):
        if "{{" in line:
            for match in EXPRESSION.finditer(CODE_SPAN.sub(blank, line)):
                yield match[1], number


def cited(text: str) -> list[str]:
    """The ids of the sources that a page cites, each once, in the page's order."""
    if "source(" not in text:
        return []
    return list(dict.fromkeys(match[1] for source, _ in expressions(text) if (match := CITATION.match(source))))


def blank(match: re.Match[str]) -> str:
    """As many spaces as the match has characters, so that every place stays what it was."""
    return " " * len(match[0])
