"""A measured number: its arithmetic, and the mark it leaves in text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from gpu100.lab.measured import Measured, plain
from gpu100.lab.session import Session, begin
from gpu100.lab.table import table
from gpu100.stats import quantile, spread, steady


@pytest.fixture
def marked() -> Iterator[None]:
    begin(Session(marks=True))
    yield
    begin(Session())


def test_arithmetic_goes_through_every_sample() -> None:
    taken = Measured((1.0, 2.0, 4.0), discarded=3, sm_clock_mhz=1980.0)
    assert (taken * 1e3).samples == (1e3, 2e3, 4e3)
    assert (2 * taken).samples == (taken / 0.5).samples == (2.0, 4.0, 8.0)
    assert (8 / taken).samples == (8.0, 4.0, 2.0)
    assert (8 / taken / 2).discarded == 3


def test_the_middle_is_the_samples() -> None:
    taken = Measured((5.0, 1.0, 3.0, 2.0, 4.0))
    assert (taken.p20, taken.median, taken.p80) == (1.8, 3.0, 4.2)
    assert repr(taken) == "Measured(3, 1.8 to 4.2, n=5)"


def test_it_is_no_float() -> None:
    with pytest.raises(TypeError):
        float(Measured((1.0,)))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Measured((1.0,)) < 2.0  # type: ignore[operator]  # noqa: B015


def test_a_plain_script_prints_no_marks() -> None:
    assert f"{Measured((1.25,)):.1f} ms" == "1.2 ms"


def test_under_capture_its_text_is_marked(marked: None) -> None:
    assert f"{Measured((1.25,)):.1f} ms" == "\u20621.2\u2063 ms"
    assert plain(f"{Measured((1.25,))} ms") == "1.25 ms"


def test_a_table_lines_up_with_and_without_marks(marked: None, capsys: pytest.CaptureFixture[str]) -> None:
    table(["n", "GB/s", "who"], [[1, Measured((9.0,)), "a"], [1000, f"{Measured((3302.5,)):.1f}", "bc"]])
    lines = plain(capsys.readouterr().out).splitlines()
    assert lines == [
        "   n    GB/s  who",
        "----  ------  ---",
        "   1       9  a",
        "1000  3302.5  bc",
    ]


def test_quantiles_lie_between_neighbors() -> None:
    assert [quantile([4.0, 1.0, 3.0, 2.0], q) for q in (0.0, 0.5, 1.0)] == [1.0, 2.5, 4.0]
    assert quantile([7.0], 0.8) == 7.0
    with pytest.raises(ValueError, match="no samples"):
        quantile([], 0.5)


def test_a_spread_is_told_as_a_share() -> None:
    assert spread([9.0, 10.0, 11.0]).relative == pytest.approx(0.12)


def test_steady_means_within_a_share_of_the_largest() -> None:
    assert steady([1980.0, 1965.0])
    assert not steady([1980.0, 1950.0])
    assert not steady([])
