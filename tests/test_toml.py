"""TOML files, with file and line in every error."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from gpu100.content.toml import line_of, load, read_toml
from gpu100.errors import ContentError

TEXT = '''\
title = "a"

[head]
name = "b"
long = """
name = "not a key"
[not.a.table]
"""
after = 1

[[day]]
number = 1

[[day.programs]]
name = "one"

[[day]]
number = 2

[[day.programs]]
name = "two"

[[day.programs]]
name = "three"
'''


@dataclass(frozen=True, kw_only=True)
class Small:
    name: str
    count: int = 0


def refusal(path: Path) -> ContentError:
    with pytest.raises(ContentError) as caught:
        load(Small, path, "small.toml")
    return caught.value


def test_every_key_path_has_its_line() -> None:
    for at, line in (
        (("title",), 1),
        (("head",), 3),
        (("head", "name"), 4),
        (("head", "after"), 9),
        (("day", 0), 11),
        (("day", 0, "programs", 0, "name"), 15),
        (("day", 1), 17),
        (("day", 1, "number"), 18),
        (("day", 1, "programs", 1, "name"), 24),
    ):
        assert line_of(TEXT, at) == line, at


def test_a_path_that_does_not_stand_in_the_file_has_its_tables_line() -> None:
    assert line_of(TEXT, ("day", 1, "programs", 0, "values", 3, "kind")) == 20
    assert line_of(TEXT, ("nowhere",)) is None


def test_a_file_that_is_missing_says_so(tmp_path: Path) -> None:
    assert str(refusal(tmp_path / "small.toml")) == "small.toml: no such file"


def test_malformed_toml_has_its_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text('name = "a"\ncount = = 3\n')
    error = refusal(path)
    assert error.line == 2
    assert str(error).startswith("small.toml:2: not TOML: ")
    assert "(column 9)" in str(error)


def test_a_key_that_stands_twice_is_not_toml(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text('name = "a"\nname = "b"\n')
    assert "not TOML" in str(refusal(path))


def test_a_misspelled_key_has_its_line_and_the_right_name(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text('name = "a"\n\n# the count\ncuont = 3\n')
    assert str(refusal(path)) == "small.toml:4: cuont: unknown key 'cuont'\n  did you mean 'count'?"


def test_windows_line_ends_and_a_byte_order_mark_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_bytes(b'\xef\xbb\xbfname = "a"\r\ncount = 3\r\n')
    assert load(Small, path, "small.toml") == Small(name="a", count=3)


def test_lines_are_right_after_windows_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_bytes(b'\xef\xbb\xbfname = "a"\r\ncount = "3"\r\n')
    assert refusal(path).line == 2


def test_a_file_that_is_not_utf8_is_refused_with_the_offset(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_bytes('name = "caf\xe9"\n'.encode("latin-1"))
    with pytest.raises(ContentError, match=r"small\.toml: not UTF-8: byte 11 cannot be read"):
        read_toml(path, "small.toml")


def test_the_offset_counts_the_files_own_bytes(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_bytes(b'\xef\xbb\xbfcount = 3\r\nname = "caf\xe9"\r\n')
    with pytest.raises(ContentError, match=r"not UTF-8: byte 25 cannot be read"):
        read_toml(path, "small.toml")


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_merge_conflict_has_the_line_of_its_first_marker(tmp_path: Path, ends: str) -> None:
    path = tmp_path / "small.toml"
    lines = ['name = "a"', "<<<<<<< HEAD", "count = 3", "=======", "count = 4", ">>>>>>> other", ""]
    path.write_bytes(ends.join(lines).encode())
    error = refusal(path)
    assert str(error).startswith("small.toml:2: a merge conflict is unresolved: '<<<<<<< HEAD'\n")
    assert error.hint is not None
    assert "=======" in error.hint


def test_half_a_merge_conflict_is_found_too(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text('name = "a"\ncount = 4\n>>>>>>> other\n')
    assert refusal(path).line == 3


def test_a_line_of_equals_signs_in_a_text_is_no_conflict(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text('name = """\nTitle\n=======\n"""\n')
    assert load(Small, path, "small.toml").name == "Title\n=======\n"
