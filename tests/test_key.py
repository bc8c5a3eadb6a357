"""What makes a record stale, and what does not."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
from gpu100.content.course import load_course
from gpu100.errors import ContentError
from gpu100.evidence import key as key_module
from gpu100.evidence.key import program_key, why_stale
from gpu100.model.record import Key, Record
from gpu100.paths import Layout

Edit = Callable[[Path, str, str], None]
CU = "code/day02-twice/twice.cu"
PY = "code/day02-twice/twice.py"


@pytest.fixture
def fresh(mini: Layout, record: Record) -> Callable[[], str | None]:
    """Ask why the record of day 2, captured before any change, is stale now."""
    before = dataclasses.replace(record, key=key_of(mini))
    return lambda: why_stale(before, key_of(mini))


def key_of(layout: Layout) -> Key:
    day = load_course(layout).days[1]
    return program_key(layout, day, day.programs[0])


def test_nothing_changed_is_fresh(fresh: Callable[[], str | None]) -> None:
    assert fresh() is None


def test_the_key_names_every_file_it_is_made_of(mini: Layout) -> None:
    assert sorted(key_of(mini).parts) == [
        "code/day02-twice/numbers.txt",
        "code/day02-twice/scale.cuh",
        CU,
        PY,
        "compile options",
        "harness behaviour",
    ]


def test_the_kernel_changed(mini: Layout, edit: Edit, fresh: Callable[[], str | None]) -> None:
    edit(mini.root / CU, "if (i < n)", "if (i <= n)")
    assert fresh() == f"{CU} changed"


def test_the_host_code_changed(mini: Layout, edit: Edit, fresh: Callable[[], str | None]) -> None:
    edit(mini.root / PY, "THREADS = 256", "THREADS = 128")
    assert fresh() == f"{PY} changed"


def test_a_local_include_changed(mini: Layout, edit: Edit, fresh: Callable[[], str | None]) -> None:
    edit(mini.root / "code/day02-twice/scale.cuh", "2.0f", "3.0f")
    assert fresh() == "code/day02-twice/scale.cuh changed"


def test_a_declared_input_changed(mini: Layout, fresh: Callable[[], str | None]) -> None:
    with (mini.root / "code/day02-twice/numbers.txt").open("a") as file:
        file.write("301\n")
    assert fresh() == "code/day02-twice/numbers.txt changed"


def test_an_include_came_to_it(mini: Layout, edit: Edit, fresh: Callable[[], str | None]) -> None:
    (mini.root / "code/day02-twice/more.cuh").write_text("#pragma once\n")
    edit(mini.root / CU, '#include "scale.cuh"', '#include "scale.cuh"\n#include "more.cuh"')
    assert fresh() == f"{CU} changed; code/day02-twice/more.cuh came to it"


def test_an_include_went_from_it(mini: Layout, edit: Edit, fresh: Callable[[], str | None]) -> None:
    edit(mini.root / CU, '#include "scale.cuh"\n', "")
    assert fresh() == f"{CU} changed; code/day02-twice/scale.cuh went from it"


def test_the_compile_options_changed(fresh: Callable[[], str | None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_module, "COMPILE_OPTIONS", ("--std=c++20",))
    assert fresh() == "compile options changed"


def test_the_harness_behaviour_changed(fresh: Callable[[], str | None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_module, "HARNESS_BEHAVIOUR", 99)
    assert fresh() == "harness behaviour changed"


def test_prose_in_a_markdown_cell_does_not_count(mini: Layout, edit: Edit, fresh: Callable[[], str | None]) -> None:
    edit(mini.root / PY, "how much of the last one is idle", "which share of the last one idles")
    assert fresh() is None


def test_a_page_does_not_count(mini: Layout, fresh: Callable[[], str | None]) -> None:
    page = mini.docs / "days" / "day02-twice.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("# Twice\n")
    assert fresh() is None


def test_what_course_toml_says_in_words_does_not_count(
    mini: Layout, edit: Edit, fresh: Callable[[], str | None]
) -> None:
    edit(mini.course, 'title = "Twice as much"', 'title = "Double"')
    assert fresh() is None


def test_a_snippet_marker_does_not_count(mini: Layout, edit: Edit, fresh: Callable[[], str | None]) -> None:
    edit(mini.root / CU, '#include "', '// --8<-- [start:include]\n#include "')
    edit(mini.root / CU, '.cuh"\n', '.cuh"\n// --8<-- [end:include]\n')
    edit(mini.root / PY, "THREADS = 256\n", "# --8<-- [start:threads]\nTHREADS = 256\n# --8<-- [end:threads]\n")
    assert fresh() is None


def test_a_snippet_marker_that_goes_does_not_count(mini: Layout, edit: Edit, fresh: Callable[[], str | None]) -> None:
    # The one stands below a blank line, which must stay where it is.
    edit(mini.root / CU, "// --8<-- [start:kernel]\n", "")
    edit(mini.root / PY, "# --8<-- [start:blocks]\n", "")
    assert fresh() is None


def test_another_comment_counts(mini: Layout, edit: Edit, fresh: Callable[[], str | None]) -> None:
    edit(mini.root / CU, '#include "', '// a line more\n#include "')
    assert fresh() == f"{CU} changed"


def test_line_ends_and_a_byte_order_mark_do_not_count(mini: Layout, fresh: Callable[[], str | None]) -> None:
    folder = mini.root / "code/day02-twice"
    for path in folder.glob("*.*"):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert fresh() is None


def test_a_key_whose_digest_was_changed_is_stale(mini: Layout, record: Record) -> None:
    key = dataclasses.replace(key_of(mini), digest="0" * 64)
    assert why_stale(dataclasses.replace(record, key=key), key_of(mini)) == "its key does not match its parts"


def test_the_key_is_the_same_in_another_folder(mini: Layout, tmp_path: Path) -> None:
    here = key_of(mini)
    moved = mini.root.rename(tmp_path / "elsewhere")
    assert key_of(Layout(moved)) == here


def test_a_declared_file_that_is_missing_is_told(mini: Layout) -> None:
    (mini.root / "code/day02-twice/numbers.txt").unlink()
    with pytest.raises(ContentError, match=r"code/day02-twice/numbers\.txt: no such file") as caught:
        key_of(mini)
    assert caught.value.hint == "day02 declares it in course.toml"
