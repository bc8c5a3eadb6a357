"""The error tree, and where a course is found."""

from __future__ import annotations

from pathlib import Path

import pytest
from gpu100 import errors
from gpu100.errors import CompileError, ContentError, CourseError, Unsupported, UsageError, nearest, plural
from gpu100.paths import Layout, day_tag, find_root


def test_every_error_has_the_exit_code_that_the_tree_says() -> None:
    said = errors.__doc__ or ""
    classes = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, CourseError)]
    assert len(classes) > 5
    for kind in classes:
        (line,) = [line for line in said.splitlines() if f"{kind.__name__} " in line]
        assert f"exit {kind.exit_code}" in line


def test_a_hint_stands_below_its_message() -> None:
    assert str(CourseError("it is so", hint="do this")) == "it is so\n  do this"
    assert str(CourseError("it is so")) == "it is so"


def test_an_error_of_content_begins_with_its_place() -> None:
    assert str(ContentError("wrong", path="content/course.toml", line=7)) == "content/course.toml:7: wrong"
    assert str(ContentError("wrong", path="content/course.toml")) == "content/course.toml: wrong"


def test_a_compile_error_holds_its_log() -> None:
    error = CompileError("x.cu does not compile", log="x.cu(3): error\n")
    assert str(error) == "x.cu does not compile\nx.cu(3): error"


def test_the_nearest_name_is_found_where_one_is_near() -> None:
    assert nearest("minuets", ["minutes", "module"]) == "did you mean 'minutes'?"
    assert nearest("zzz", ["minutes"]) is None


def test_one_is_singular() -> None:
    assert [plural(count, "file") for count in (0, 1, 2)] == ["0 files", "1 file", "2 files"]


def test_a_day_has_two_digits_or_three() -> None:
    assert [day_tag(number) for number in (2, 37, 100)] == ["day02", "day37", "day100"]


def test_a_course_is_found_from_any_folder_inside_it(mini: Layout) -> None:
    assert find_root(mini.root) == find_root(mini.code / "day01-hello") == Layout(mini.root.resolve())


def test_outside_a_course_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not inside a course") as caught:
        find_root(tmp_path)
    assert caught.value.exit_code == 2
    assert Unsupported.exit_code == 4


def test_a_path_in_a_message_counts_from_the_root(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    assert layout.relative(tmp_path / "code" / "x.cu") == "code/x.cu"
    assert layout.relative(Path("/elsewhere/x.cu")) == "/elsewhere/x.cu"
