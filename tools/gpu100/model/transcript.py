"""What of a cell's output two runs must agree on."""

from __future__ import annotations

import re
from collections.abc import Callable

from gpu100.model.record import CellOutput


def _as_it_is(line: str) -> str:
    return line


def comparable(cell: CellOutput, rewrite: Callable[[str], str] = _as_it_is) -> list[str]:
    """A cell's lines with measured text as ``~``, unordered ones sorted, and white space folded.

    Folded, because a column is as wide as the measured text in it. ``rewrite`` is applied to each
    line before it is sorted: what it takes out may not decide the order.
    """
    lines = list(cell.stdout)
    for line, start, end in sorted(cell.volatile, reverse=True):
        if line < len(lines):
            lines[line] = f"{lines[line][:start]} ~ {lines[line][end:]}"
    lines = [re.sub(r"\s+", " ", rewrite(line)).strip() for line in lines]
    for first, end in cell.unordered:
        lines[first:end] = sorted(lines[first:end])
    return lines
