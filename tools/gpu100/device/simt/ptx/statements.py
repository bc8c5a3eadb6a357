"""A function's body cut into statements, labels, braces and ``.loc`` lines, each with its line."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from gpu100.device.simt.ptx.lexical import NAME, PtxError, excerpt

_ITEM = re.compile(
    rf"""\s*+(?:
    (?P<loc>\.loc\s+(\d{{1,9}})\s+(\d{{1,9}})\s+(\d{{1,9}})\b
        (?:\s*,\s*function_name\s+[\w$]+(?:\s*\+\s*\d+)?\s*,\s*inlined_at\s+(\d{{1,9}})\s+(\d{{1,9}})\s+(\d{{1,9}})\b)?)
    |(?P<label>{NAME})\s*+:(?!:)
    |(?P<brace>[{{}}])
    |(?P<statement>[^\s;{{}}][^;{{}}]*+(?:\{{[^{{}};]*+\}}[^;{{}}]*+)*+);
    |(?P<empty>;[;\s]*+))""",
    re.A | re.X,
)


@dataclass(frozen=True)
class Source:
    """Where a function's body is, and what it may refer to."""

    text: str
    """The module's, without comments."""
    start: int
    """Just behind the opening brace."""
    end: int
    """At the closing one."""
    line: int
    """That of ``start``."""
    files: Mapping[int, str]
    """By the numbers that ``.loc`` uses."""
    symbols: Container[str]
    """The module's functions and variables."""


@dataclass(slots=True)
class Item:
    """A part of a body: a ``.loc``, a label, a brace, or what ends in a semicolon."""

    kind: str
    """A group of ``match``: loc, label, brace, statement or empty."""
    match: re.Match[str]
    line: int
    labels: list[str] = field(default_factory=list)
    """Of an opening brace: those up to its other one, but for what is in braces of its own."""


def items(source: Source) -> tuple[list[Item], list[str]]:
    """The parts of a body in order, and the labels outside inner braces.

    A branch may stand before the label that it goes to, so labels are found before anything is read.
    """
    text, position, counted, line = source.text, source.start, source.start, source.line
    found: list[Item] = []
    levels: list[list[str]] = [[]]
    while (match := _ITEM.match(text, position, source.end)) is not None:
        kind = match.lastgroup or ""
        start, position = match.start(kind), match.end()
        line, counted = line + text.count("\n", counted, start), start
        item = Item(kind, match, line)
        if kind == "label":
            levels[-1].append(match[kind])
        elif kind == "brace":
            _nest(levels, item)
        found.append(item)
    rest = text[position : source.end]
    if rest.strip() or len(levels) > 1:
        start = position + len(rest) - len(rest.lstrip())
        raise PtxError(f"{excerpt(rest)} is no statement", line + text.count("\n", counted, start))
    return found, levels[0]


def _nest(levels: list[list[str]], item: Item) -> None:
    if item.match["brace"] == "{":
        levels.append(item.labels)
    elif len(levels) > 1:
        levels.pop()
    else:
        raise PtxError("a brace closes that never opened", item.line)
