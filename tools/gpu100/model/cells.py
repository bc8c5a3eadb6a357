"""A program in percent format, cut into its cells."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

_MARK = re.compile(r"# %%(?P<markdown>\s*\[markdown\])?(?P<title>.*)")


@dataclass(frozen=True)
class Cell:
    """A stretch of a program between two ``# %%`` lines."""

    number: int
    """Code cells count from 1, so that prose between them moves none; a Markdown cell is 0."""
    source: str
    first_line: int
    """The line of the file on which ``source`` begins, from 1."""
    title: str = ""

    @property
    def markdown(self) -> bool:
        return self.number == 0

    @property
    def text(self) -> str:
        """A Markdown cell's text, without the comment signs."""
        lines = (line.removeprefix("#").removeprefix(" ") for line in self.source.splitlines())
        return "\n".join(lines).strip()


def split_cells(text: str) -> tuple[Cell, ...]:
    """The cells of a program; what stands before the first mark is a code cell of its own."""
    cells: list[Cell] = []
    lines = io.StringIO(text).readlines()  # splitlines would also split where Python's parser does not
    marks = [i for i, line in enumerate(lines) if _MARK.match(line)]
    starts = [-1, *marks]
    code = 0
    for start, end in zip(starts, [*marks, len(lines)], strict=True):
        source = "".join(lines[start + 1 : end])
        mark = _MARK.match(lines[start]) if start >= 0 else None
        if mark is None and not source.strip():
            continue
        is_code = not (mark and mark["markdown"])
        code += is_code
        title = mark["title"].strip() if mark else ""
        cells.append(Cell(number=code * is_code, source=source, first_line=start + 2, title=title))
    return tuple(cells)


def code_only(text: str) -> str:
    """What of a program decides its result and where its output stands: its code cells and their borders."""
    return "\n# %%\n".join(cell.source.strip("\n") for cell in split_cells(text) if not cell.markdown)
