"""Whether another host's lines stand in a transcript, in order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gpu100.model.record import CellOutput

_MEASURED = "\0"

Place = list[re.Pattern[str]]
"""One line, or a block of lines that have no order; each as a pattern that leaves measured text open."""


def first_missing(lines: Sequence[str], transcript: Sequence[CellOutput]) -> int | None:
    """The first of ``lines`` that does not stand in ``transcript`` behind those before it; None where all do.

    White space is folded, as it is between two runs. Each line of the transcript answers for one.
    """
    places = list(_places(transcript))
    at = 0
    for number, line in enumerate(lines):
        found = next((i for i in range(at, len(places)) if _taken(places[i], _folded(line))), None)
        if found is None:
            return number
        # What is left of a block may still answer; so may what comes after it.
        at = found
    return None


def _taken(place: Place, line: str) -> bool:
    """Whether a line of ``place`` answers for ``line``; that one is then used up."""
    for pattern in place:
        if pattern.fullmatch(line):
            place.remove(pattern)
            return True
    return False


def _places(transcript: Sequence[CellOutput]) -> Iterator[Place]:
    for cell in transcript:
        patterns = _patterns(cell)
        blocks = dict(cell.unordered)
        at = 0
        while at < len(patterns):
            end = blocks.get(at, at + 1)
            yield patterns[at:end]
            at = end


def _patterns(cell: CellOutput) -> list[re.Pattern[str]]:
    lines = list(cell.stdout)
    for line, start, end in sorted(cell.volatile, reverse=True):
        lines[line] = f"{lines[line][:start]}{_MEASURED}{lines[line][end:]}"
    return [re.compile(r"\s*\S.*?".join(re.escape(part) for part in _folded(line).split(_MEASURED))) for line in lines]


def _folded(line: str) -> str:
    return re.sub(r"\s+", " ", line).strip()
