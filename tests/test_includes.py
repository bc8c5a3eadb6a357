"""The files of ours that a CUDA source pulls in."""

from __future__ import annotations

from pathlib import Path

from gpu100.includes import local_includes, without_markers


def write(folder: Path, **files: str) -> Path:
    """Files named after the keyword, ``a`` for a.cuh; the folder of the source is returned."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.cuh").write_text(text)
    return folder


def names(source: Path) -> list[str]:
    return [path.name for path in local_includes(source)]


def test_quoted_includes_are_ours_and_angled_ones_are_not(tmp_path: Path) -> None:
    write(tmp_path, main='#include "a.cuh"\n#include <b.cuh>\n', a="", b="")
    assert names(tmp_path / "main.cuh") == ["a.cuh"]


def test_an_include_may_be_spaced(tmp_path: Path) -> None:
    write(tmp_path, main='  #  include   "a.cuh"\n', a="")
    assert names(tmp_path / "main.cuh") == ["a.cuh"]


def test_includes_of_includes_are_found(tmp_path: Path) -> None:
    write(tmp_path, main='#include "a.cuh"\n', a='#include "b.cuh"\n', b="")
    assert names(tmp_path / "main.cuh") == ["a.cuh", "b.cuh"]


def test_a_circle_of_includes_ends(tmp_path: Path) -> None:
    write(tmp_path, main='#include "a.cuh"\n', a='#include "b.cuh"\n', b='#include "a.cuh"\n#include "main.cuh"\n')
    assert names(tmp_path / "main.cuh") == ["a.cuh", "b.cuh"]


def test_a_name_counts_from_the_file_that_includes_it(tmp_path: Path) -> None:
    write(tmp_path, main='#include "deep/a.cuh"\n', b="the wrong one")
    deep = write(tmp_path / "deep", a='#include "b.cuh"\n#include "../c.cuh"\n', b="")
    write(tmp_path, c="")
    found = local_includes(tmp_path / "main.cuh")
    assert set(found) == {deep / "a.cuh", deep / "b.cuh", tmp_path / "c.cuh"}


def test_a_file_that_is_not_there_is_the_toolkits(tmp_path: Path) -> None:
    write(tmp_path, main='#include "cooperative_groups.h"\n')
    assert names(tmp_path / "main.cuh") == []


def test_an_include_in_a_comment_is_none(tmp_path: Path) -> None:
    write(tmp_path, main='// #include "a.cuh"\n', a="")
    assert names(tmp_path / "main.cuh") == []


def test_marker_lines_go_and_nothing_else_does() -> None:
    source = b"a\n\n// --8<-- [start:x]\nb\n  # --8<-- [end:x]\n\nc\n"
    assert without_markers(source) == "a\n\nb\n\nc\n"


def test_a_marker_on_the_last_line_goes() -> None:
    assert without_markers(b"a\n// --8<-- [end:x]") == "a\n"


def test_a_line_that_only_speaks_of_markers_stays() -> None:
    for line in ("// see --8<-- [start:x]\n", 'print("# --8<-- [start:x]")\n', "// --8<-- x\n"):
        assert without_markers(line.encode()) == line


def test_line_ends_do_not_count() -> None:
    assert without_markers(b"a\r\n// --8<-- [start:x]\r\nb\r\n") == "a\nb\n"
