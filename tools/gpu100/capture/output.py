"""What a child printed, cut into cells, with what of it may differ between runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from gpu100.child import Output
from gpu100.model.record import VOLATILE_BEGIN, VOLATILE_END


@dataclass
class CellText:
    """The lines that one cell printed."""

    lines: list[str] = field(default_factory=list)
    volatile: list[tuple[int, int, int]] = field(default_factory=list)
    """Measured text, as (line, start, end), all from 0."""
    unordered: list[tuple[int, int]] = field(default_factory=list)
    """Lines that may come in any order, as (first, end) from 0."""

    def add(self, text: str, *, unordered: bool) -> None:
        first = len(self.lines)
        # Not splitlines, which also splits at separators that a program may print within a line.
        for line in text.removesuffix("\n").split("\n") if text else ():
            self.volatile += [(len(self.lines), start, end) for start, end in _spans(line)]
            self.lines.append(line.replace(VOLATILE_BEGIN, "").replace(VOLATILE_END, ""))
        if unordered and len(self.lines) > first:
            self.unordered.append((first, len(self.lines)))


def cells_of(output: Output, mark: str, redact: Callable[[str], str] = str) -> dict[int, CellText]:
    """What each cell wrote, by its number, through ``redact``; 0 is what came before the first.

    After ``mark`` stands a cell's number, or a parenthesis that opens or closes lines without order.
    """
    found: dict[int, CellText] = {}
    for number, unordered, text in _pieces(redact(output.text(mark)), mark):
        found.setdefault(number, CellText()).add(text, unordered=unordered)
    if output.dropped:
        found.setdefault(max(found, default=0), CellText()).lines.append(f"[{output.dropped:,} more bytes]")
    return {number: cell for number, cell in found.items() if cell.lines}


def _pieces(text: str, mark: str) -> Iterator[tuple[int, bool, str]]:
    before, *marked = text.split(mark)
    yield 0, False, before
    number, unordered = 0, False
    for piece in marked:
        word, _, rest = piece.partition("\n")
        unordered = word == "("
        number = number if word in "()" else int(word)
        yield number, unordered, rest


def _spans(line: str) -> Iterator[tuple[int, int]]:
    """Where measured text stands once the marks around it are gone."""
    gone = 0
    for match in re.finditer(f"{VOLATILE_BEGIN}([^{VOLATILE_END}]*){VOLATILE_END}", line):
        start = match.start() - gone
        yield start, start + len(match[1])
        gone += 2
