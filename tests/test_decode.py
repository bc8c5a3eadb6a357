"""Plain data into frozen dataclasses, strictly, and back."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field
from typing import Literal, cast

import pytest
from gpu100.decode import DecodeError, decode, dotted, encode
from gpu100.evidence.schema import dump, parse
from gpu100.model.record import (
    SCHEMA,
    CellOutput,
    Codegen,
    Exact,
    Key,
    Measured,
    Observed,
    Record,
    Scalar,
    Tolerant,
    Value,
)
from hypothesis import given
from hypothesis import strategies as st


@dataclass(frozen=True, kw_only=True)
class Block:
    threads: int
    name: str = ""
    busy: bool = False
    share: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Circle:
    kind: Literal["circle"]
    radius: float


@dataclass(frozen=True, kw_only=True)
class Square:
    kind: Literal["square"]
    side: int


class Order(enum.Enum):
    ROW = "row"
    COLUMN = "column"


@dataclass(frozen=True, kw_only=True)
class Everything:
    blocks: tuple[Block, ...] = ()
    shape: Circle | Square | None = None
    order: Order = Order.ROW
    pair: tuple[int, str] = (0, "")
    sizes: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.pair[0] < 0:
            raise ValueError("a pair begins at 0 or above")


def refusal(kind: type, data: object) -> DecodeError:
    with pytest.raises(DecodeError) as caught:
        decode(kind, data)
    return caught.value


def test_every_kind_of_field_is_read() -> None:
    data = {
        "blocks": [{"threads": 32, "share": 1}, {"threads": 64, "name": "second", "busy": True}],
        "shape": {"kind": "square", "side": 3},
        "order": "column",
        "pair": [4, "x"],
        "sizes": {"small": 1},
    }
    assert decode(Everything, data) == Everything(
        blocks=(Block(threads=32, share=1.0), Block(threads=64, name="second", busy=True)),
        shape=Square(kind="square", side=3),
        order=Order.COLUMN,
        pair=(4, "x"),
        sizes={"small": 1},
    )


def test_an_unknown_key_names_the_nearest_one() -> None:
    error = refusal(Everything, {"blocks": [{"threads": 1}, {"thraeds": 32}]})
    assert error.message == "unknown key 'thraeds'"
    assert error.hint == "did you mean 'threads'?"
    assert dotted(error.at) == "blocks[1].thraeds"


def test_an_unknown_key_with_nothing_near_has_no_hint() -> None:
    assert refusal(Block, {"threads": 1, "zzzz": 1}).hint is None


def test_a_missing_key_is_told_at_its_table() -> None:
    error = refusal(Everything, {"blocks": [{}]})
    assert error.message == "missing key 'threads'"
    assert error.at == ("blocks", 0)


def test_a_value_of_another_type_is_refused() -> None:
    for data, message in (
        ({"threads": "32"}, "'32' where an integer belongs"),
        ({"threads": 32.0}, "32.0 where an integer belongs"),
        ({"threads": None}, "nothing where an integer belongs"),
        ({"threads": 1, "name": 5}, "5 where text belongs"),
        ({"threads": 1, "busy": 1}, "1 where true or false belongs"),
        ({"threads": 1, "share": "all"}, "'all' where a number belongs"),
        ([], "[] where a table belongs"),
    ):
        assert refusal(Block, data).message == message


def test_a_truth_is_no_number() -> None:
    assert refusal(Block, {"threads": True}).message == "True where an integer belongs"
    assert refusal(Block, {"threads": 1, "share": True}).message == "True where a number belongs"


def test_a_literal_of_one_is_not_true() -> None:
    with pytest.raises(DecodeError):
        decode(Literal[1], True)  # type: ignore[arg-type]


def test_a_float_that_is_not_finite_is_refused() -> None:
    for number in (math.nan, math.inf, -math.inf, 10**400):
        assert "is not a finite number" in refusal(Block, {"threads": 1, "share": number}).message


def test_a_value_of_a_record_that_is_not_finite_is_refused() -> None:
    for number in (math.nan, math.inf):
        refusal(Exact, {"kind": "exact", "value": number})
        refusal(Exact, {"kind": "exact", "value": {"32": number}})


def test_a_tagged_union_goes_by_its_kind() -> None:
    assert decode(Everything, {"shape": {"kind": "circle", "radius": 2}}).shape == Circle(kind="circle", radius=2.0)
    assert decode(Everything, {"shape": None}).shape is None


def test_an_unknown_kind_names_the_nearest_one() -> None:
    error = refusal(Everything, {"shape": {"kind": "squar", "side": 1}})
    assert dotted(error.at) == "shape.kind"
    assert error.hint == "did you mean 'square'?"


def test_a_kind_that_is_missing_or_no_text_is_refused() -> None:
    assert "nothing is none of" in refusal(Everything, {"shape": {"side": 1}}).message
    assert "is none of" in refusal(Everything, {"shape": {"kind": ["square"], "side": 1}}).message


def test_a_key_of_another_kind_is_refused() -> None:
    assert refusal(Everything, {"shape": {"kind": "circle", "side": 1}}).message == "unknown key 'side'"


def test_an_enum_takes_its_values_only() -> None:
    assert refusal(Everything, {"order": "rows"}).hint == "did you mean 'row'?"


def test_a_tuple_of_fixed_length_takes_no_other() -> None:
    assert refusal(Everything, {"pair": [1]}).message == "1 items where 2 belong"
    assert dotted(refusal(Everything, {"pair": [1, 2]}).at) == "pair[1]"


def test_what_the_type_itself_refuses_is_told_at_its_place() -> None:
    assert refusal(Everything, {"pair": [-1, ""]}).message == "a pair begins at 0 or above"


def test_a_long_value_is_shown_short() -> None:
    assert len(refusal(Block, {"threads": "x" * 5000}).message) < 80


def test_fields_at_their_default_are_left_out() -> None:
    assert encode(Everything(blocks=(Block(threads=1),))) == {"blocks": [{"threads": 1}]}


def test_none_falls_back_to_its_default_again() -> None:
    everything = Everything(shape=Circle(kind="circle", radius=0.5), order=Order.COLUMN)
    assert decode(Everything, encode(everything)) == everything


texts = st.text(st.characters(codec="utf-8"))
floats = st.floats(allow_nan=False, allow_infinity=False)
scalars: st.SearchStrategy[Scalar] = st.one_of(st.booleans(), st.integers(), floats, texts)
tables: st.SearchStrategy[dict[str, Scalar]] = st.dictionaries(texts, scalars)
values: st.SearchStrategy[Value] = st.one_of(
    st.builds(Exact, kind=st.just("exact"), value=scalars | tables, unit=texts, scale=tables),
    st.builds(Codegen, kind=st.just("codegen"), value=scalars | tables, unit=texts),
    st.builds(Tolerant, kind=st.just("tolerant"), value=floats, relative=floats, absolute=floats, scale=tables),
    st.builds(Observed, kind=st.just("observed"), value=st.integers(), low=st.integers(), high=st.integers()),
    st.builds(
        Measured,
        kind=st.just("measured"),
        value=floats,
        unit=texts,
        better=st.sampled_from(["lower", "higher"]),
        p20=floats,
        p80=floats,
        samples=st.lists(floats, max_size=3).map(tuple),
        sm_clock_mhz=st.none() | floats,
        throttled=st.lists(texts, max_size=2).map(tuple),
        scale=tables,
    ),
)


@given(values)
def test_a_value_comes_back_as_it_was(value: Value) -> None:
    back = decode(cast("type[Value]", Value), encode(value))
    # repr, because True == 1 == 1.0
    assert repr(back) == repr(value)


@given(st.dictionaries(texts, values), st.lists(texts))
def test_a_record_comes_back_as_it_was(reported: dict[str, Value], lines: list[str]) -> None:
    record = Record(
        schema=SCHEMA,
        day=2,
        program="twice",
        key=Key(digest="", parts={}),
        status="ok",
        started="2026-03-04T05:06:07Z",
        seconds=0.5,
        attempts=2,
        transcript=(CellOutput(cell=1, stdout=tuple(lines)),),
        values=reported,
    )
    back = parse(Record, dump(record), "here")
    assert back == record
    assert dump(back) == dump(record)
