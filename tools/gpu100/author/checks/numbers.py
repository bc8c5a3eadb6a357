"""Typed numbers: a number with a unit of speed, time or share is an expression, or somebody else's.

Found is a number typed next to such a unit, in any part but practice and quiz. It may stand where
its paragraph says whose it is: a `source(...)` in it, or the word "published" or "rated"; or where
the reader is asked to imagine it ("suppose", "imagine"). A paragraph that ends in a colon is one
with what follows it. Sizes (bytes, threads, blocks) are settings as often as results, and are not
looked at; neither is code, nor a number written as a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpu100.author.context import Context
from gpu100.author.page import Section
from gpu100.author.report import Found

RULE = "numbers"
EXEMPT = {"Practice", "Quiz"}

_UNIT = (
    r"(?:[kMGT]i?B/s|[kMGTP]?(?:FLOP|OP)/?[sS]|[kMG]Hz|ns|us|µs|μs|ms|%|percent\b|W\b|"
    r"(?:nano|micro|milli)?seconds?\b|cycles?\b)"
)
_TYPED = re.compile(rf"(?<![\w.,])\d[\d,]*(?:\.\d+)?[ \u00a0]?{_UNIT}(?![\w/])")
_FOREIGN = re.compile(r"\{\{\s*source\(|\b(?:published|rated|suppose|imagine)\b", re.IGNORECASE)


def check(context: Context) -> Iterator[Found]:
    for day, page in context.written():
        for section in page.sections:
            for start, paragraph in _paragraphs(section) if section.title not in EXEMPT else ():
                yield 1
                if _FOREIGN.search(paragraph):
                    continue
                for match in _TYPED.finditer(page.plain(paragraph)):
                    line = section.line_of(start + match.start())
                    hint = '{{ value("program.name") }} if it is ours; {{ source("...") }} beside it if it is not'
                    yield context.finding(RULE, day, f"{match[0]!r} is typed", line=line, hint=hint)


def _paragraphs(section: Section) -> Iterator[tuple[int, str]]:
    """Blocks of the section with where they begin in its prose."""
    pieces = re.split(r"(\n\s*\n)", section.prose)
    start, text = 0, ""
    for piece in pieces:
        text += piece
        if piece.strip() and not piece.rstrip().endswith(":"):
            yield start, text
            start, text = start + len(text), ""
    if text.strip():
        yield start, text
