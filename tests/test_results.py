"""Results, as a program declares them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from gpu100 import lab
from gpu100.errors import CheckFailed, ContentError
from gpu100.lab import session
from gpu100.lab.session import Event, Session
from gpu100.paths import Layout


@pytest.fixture
def events() -> Iterator[list[Event]]:
    """What is declared in a session of the test's own."""
    heard: list[Event] = []
    before = session.current()
    session.begin(Session(emit=heard.append))
    yield heard
    session.begin(before)


def test_an_exact_value_is_emitted_as_plain_data(events: list[Event]) -> None:
    lab.exact("blocks", np.int64(32), scale={"n": 1024})
    assert events == [{"event": "value", "name": "blocks", "kind": "exact", "value": 32, "scale": {"n": 1024}}]
    assert type(events[0]["value"]) is int


def test_a_table_has_text_for_keys(events: list[Event]) -> None:
    lab.exact("blocks", {16: np.float32(0.5), "all": True})
    assert events[0]["value"] == {"16": 0.5, "all": True}


def test_a_value_that_no_record_holds_is_refused(events: list[Event]) -> None:
    for value in (None, [1], object(), np.datetime64("2026-01-01"), {"a": [1]}):
        with pytest.raises(TypeError, match="a value is a number, a truth or a text"):
            lab.exact("odd", value)  # type: ignore[arg-type]
    assert events == []


def test_a_check_counts_what_it_compared(events: list[Event], capsys: pytest.CaptureFixture[str]) -> None:
    lab.check("one", True)
    lab.check("many", np.ones((3, 4), bool))
    assert [event["compared"] for event in events] == [1, 12]
    assert capsys.readouterr().out == "check: one (1 comparison)\ncheck: many (12 comparisons)\n"


def test_a_check_that_does_not_hold_stops_the_program(events: list[Event]) -> None:
    with pytest.raises(CheckFailed, match="many: 1 of 4 wrong, the first at index 2"):
        lab.check("many", np.array([[True, True], [False, True]]))
    with pytest.raises(CheckFailed, match=r"one: 1 of 1 wrong$"):
        lab.check("one", False)
    assert events == []


def test_a_check_of_nothing_does_not_hold(events: list[Event]) -> None:
    with pytest.raises(CheckFailed, match="nothing was compared"):
        lab.check("none", [])


def test_a_prediction_is_judged_aloud(events: list[Event], capsys: pytest.CaptureFixture[str]) -> None:
    lab.predict("a", True, saw="32 of 32")
    lab.predict("b", np.False_)
    lab.predict("c", True, applies=False)
    assert [event["outcome"] for event in events] == ["held", "failed", "not-applicable"]
    assert capsys.readouterr().out.splitlines() == [
        "prediction a: held (32 of 32)",
        "prediction b: failed",
        "prediction c: not applicable",
    ]


def test_a_table_has_numbers_to_the_right(capsys: pytest.CaptureFixture[str]) -> None:
    lab.table(["threads", "kind"], [[16, "a"], [1024, "whole"]])
    assert capsys.readouterr().out.splitlines() == [
        "threads  kind",
        "-------  -----",
        "     16  a",
        "   1024  whole",
    ]


def test_a_plain_script_declares_to_no_one() -> None:
    lab.exact("blocks", 32)


def test_a_programs_own_file_is_found_next_to_it(mini: Layout) -> None:
    folder = mini.root / "code/day02-twice"
    assert Session(folder=folder).find("twice.cu") == folder / "twice.cu"


def test_a_file_that_is_nowhere_says_where_it_was_looked_for(mini: Layout) -> None:
    with pytest.raises(ContentError) as caught:
        Session(folder=mini.code).find("twice.cu")
    assert str(caught.value) == f"twice.cu: no such file\n  looked in {mini.code}"


@pytest.mark.parametrize(
    ("points", "units", "said"),
    [
        ([(1, 2.0)], ("n", "s"), "needs two points"),
        ([(1, 2.0), (2, float("nan"))], ("n", "s"), "not finite"),
        ([(2, 2.0), (1, 3.0)], ("n", "s"), "has to rise"),
        ([(1, 2.0), (2, 3.0)], ("", "s"), "needs a unit"),
    ],
)
def test_a_series_that_makes_no_line_is_refused_and_named(
    events: list[Event], points: list[tuple[float, float]], units: tuple[str, str], said: str
) -> None:
    with pytest.raises(ValueError, match=f"^curve: .*{said}"):
        lab.series("curve", points, x_unit=units[0], y_unit=units[1])
    assert events == []
