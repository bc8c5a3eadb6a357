"""Tables in a transcript."""

from __future__ import annotations

from collections.abc import Sequence


def table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print ``rows`` under ``heads``, in columns as wide as they need, numbers to the right."""
    cells = [[str(item) for item in row] for row in rows]
    widths = [max(len(line[i]) for line in [list(heads), *cells]) for i in range(len(heads))]
    right = [all(isinstance(row[i], int | float) for row in rows) for i in range(len(heads))]

    def line(items: Sequence[str]) -> str:
        padded = (
            item.rjust(width) if to_right else item.ljust(width)
            for item, width, to_right in zip(items, widths, right, strict=True)
        )
        return "  ".join(padded).rstrip()

    print(line(list(heads)))
    print("  ".join("-" * width for width in widths))
    for row in cells:
        print(line(row))
