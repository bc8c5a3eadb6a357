"""Tables in a transcript."""

from __future__ import annotations

from collections.abc import Sequence

from gpu100.lab.measured import Measured, plain, volatile


def table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print ``rows`` under ``heads``, in columns as wide as they need, numbers to the right."""
    cells = [[str(item) for item in row] for row in rows]
    widths = [max(len(plain(line[i])) for line in [list(heads), *cells]) for i in range(len(heads))]
    right = [all(_is_number(row[i]) for row in rows) for i in range(len(heads))]
    print(_line(heads, widths, right))
    # A measured column is as wide as its text, and so is its rule.
    measured = [any(plain(row[i]) != row[i] for row in cells) for i in range(len(heads))]
    rules = ["-" * width for width in widths]
    print("  ".join(volatile(rule) if moves else rule for rule, moves in zip(rules, measured, strict=True)))
    for row in cells:
        print(_line(row, widths, right))


def _line(items: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = []
    for item, width, to_right in zip(items, widths, right, strict=True):
        fill = " " * (width - len(plain(item)))
        padded.append(fill + item if to_right else item + fill)
    return "  ".join(padded).rstrip()


def _is_number(item: object) -> bool:
    """Whether ``item`` belongs to the right: a number, or text that is one, measured or not."""
    if isinstance(item, int | float | Measured):
        return True
    try:
        float(plain(str(item)))
    except ValueError:
        return False
    return True
