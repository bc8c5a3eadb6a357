"""Another host's lines, looked for in a transcript."""

from __future__ import annotations

import pytest
from gpu100.capture.lines import first_missing
from gpu100.model.record import CellOutput

TRANSCRIPT = (
    CellOutput(cell=1, stdout=("NVIDIA H200", "check: all (3 comparisons)")),
    CellOutput(cell=2, stdout=("thread 0", "thread 1", "thread 1", "done"), unordered=((0, 3),)),
    CellOutput(cell=3, stdout=("step     ms", "kernel  0.37 of 9"), volatile=((1, 8, 12),)),
)


@pytest.mark.parametrize(
    "lines",
    [
        ["NVIDIA H200", "thread 0", "thread 1", "thread 1", "done"],
        ["NVIDIA H200", "thread 1", "thread 0", "thread 1", "done"],
        ["thread 1", "done"],
        ["NVIDIA   H200 ", "step ms"],
        ["kernel 12.5 of 9"],
        ["kernel      0.369 of 9"],
    ],
)
def test_lines_that_stand_there_in_order(lines: list[str]) -> None:
    assert first_missing(lines, TRANSCRIPT) is None


@pytest.mark.parametrize(
    ("lines", "at"),
    [
        (["NVIDIA H200", "NVIDIA H200"], 1),
        (["done", "thread 0"], 1),
        (["thread 0", "thread 0"], 1),
        (["thread 1", "thread 1", "thread 1"], 2),
        (["NVIDIA H100"], 0),
        (["check: all (4 comparisons)"], 0),
        (["kernel 0.37 of 8"], 0),
        (["kernel of 9"], 0),
        (["NVIDIA H20"], 0),
        (["done", ""], 1),
    ],
)
def test_a_line_that_differs_or_comes_too_early_is_told(lines: list[str], at: int) -> None:
    assert first_missing(lines, TRANSCRIPT) == at


def test_no_transcript_has_no_line() -> None:
    assert first_missing(["anything"], ()) == 0
