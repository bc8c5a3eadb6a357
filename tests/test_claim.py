"""Claims that a record's values decide."""

from __future__ import annotations

import pytest
from gpu100.model.claim import holds, names_in
from gpu100.model.course import CounterSpec, PredictionSpec, ValueSpec

CLAIM = "32 * (loads + stores) == 12 * n"


def test_a_claim_names_its_values() -> None:
    assert names_in(CLAIM) == ("loads", "stores", "n")


@pytest.mark.parametrize(("loads", "held"), [(16, True), (17, False)])
def test_a_claim_holds_or_not(loads: int, held: bool) -> None:
    assert holds(CLAIM, {"loads": loads, "stores": 8, "n": 64}) is held


def test_comparisons_may_be_a_chain() -> None:
    assert holds("1 < a / b <= 2", {"a": 4, "b": 2})
    assert not holds("1 < a / b < 2", {"a": 4, "b": 2})


def test_a_value_that_is_not_there_is_told() -> None:
    with pytest.raises(KeyError, match="stores"):
        holds(CLAIM, {"loads": 1, "n": 1})


@pytest.mark.parametrize(
    "claim",
    [
        "",
        "a",
        "a + 1",
        "a = 1",
        "f(a) == 1",
        "a.b == 1",
        "a in (1, 2)",
        "'x' == a",
        "a ** 2 == 4",
        "1 == 1",
        "a == True",
        "a / 0 == 1",
    ],
)
def test_what_is_no_claim_is_refused(claim: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        names_in(claim)


def test_counters_judge_by_a_comparison_and_nothing_else_does() -> None:
    words = {"id": "x", "claim": "It is so.", "because": "It must be."}
    PredictionSpec(**words, lane="counters", holds="a == 1")
    with pytest.raises(ValueError, match="holds"):
        PredictionSpec(**words, lane="counters")
    with pytest.raises(ValueError, match="holds"):
        PredictionSpec(**words, holds="a == 1")


def test_a_counted_value_is_exact_or_observed() -> None:
    counter = CounterSpec(kernel="k", metric="m")
    with pytest.raises(ValueError, match="exact or observed"):
        ValueSpec(name="v", kind="measured", what="What", counter=counter)
