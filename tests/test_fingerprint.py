"""Digests that say whether something is still what it was."""

from __future__ import annotations

from gpu100.fingerprint import digest, json_digest, lf, text_digest
from hypothesis import given
from hypothesis import strategies as st


def test_line_ends_and_a_byte_order_mark_are_evened_out() -> None:
    assert lf(b"\xef\xbb\xbfa\r\nb\rc\n") == b"a\nb\nc\n"


def test_a_byte_order_mark_counts_only_at_the_start() -> None:
    assert lf(b"a\xef\xbb\xbf") == b"a\xef\xbb\xbf"


def test_the_order_of_parts_does_not_count() -> None:
    assert digest({"a": "1", "b": "2"}) == digest({"b": "2", "a": "1"})


def test_text_and_its_bytes_are_the_same_part() -> None:
    assert digest({"a": "é"}) == digest({"a": "é".encode()})


parts = st.dictionaries(st.text("ab", max_size=3), st.text("ab", max_size=3), max_size=3)


@given(parts, parts)
def test_different_parts_never_run_together(one: dict[str, str], other: dict[str, str]) -> None:
    assert (digest(one) == digest(other)) == (one == other)


def test_white_space_in_a_sentence_does_not_count() -> None:
    assert text_digest("No block  is\nsplit. ") == text_digest("No block is split.")
    assert text_digest("No block is split.") != text_digest("No block is spilt.")


def test_the_order_of_keys_in_json_does_not_count() -> None:
    assert json_digest({"a": 1, "b": [1, 2]}) == json_digest({"b": [1, 2], "a": 1})
    assert json_digest([1, 2]) != json_digest([2, 1])


def test_numbers_of_other_types_are_other_json() -> None:
    assert len({json_digest(value) for value in (1, 1.0, True, "1", [1])}) == 5
