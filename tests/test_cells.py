"""A program in percent format, cut into cells."""

from __future__ import annotations

from gpu100.capture.worker import cell_code
from gpu100.model.cells import code_only, split_cells
from gpu100.paths import Layout
from hypothesis import given
from hypothesis import strategies as st

PROGRAM = """\
# %% [markdown]
# # A title
#
# Text.

# %% the first
a = 1

# %%
b = 2
"""


def test_a_program_is_cut_at_its_marks() -> None:
    markdown, first, second = split_cells(PROGRAM)
    assert (markdown.markdown, first.markdown, second.markdown) == (True, False, False)
    assert first.title == "the first"
    assert (first.source, second.source) == ("a = 1\n\n", "b = 2\n")


def test_every_cell_knows_its_first_line() -> None:
    lines = PROGRAM.splitlines(keepends=True)
    for cell in split_cells(PROGRAM):
        assert "".join(lines[cell.first_line - 1 :]).startswith(cell.source)


def test_a_markdown_cells_text_has_no_comment_signs() -> None:
    assert split_cells(PROGRAM)[0].text == "# A title\n\nText."


def test_what_stands_before_the_first_mark_is_a_cell() -> None:
    assert [cell.source for cell in split_cells("a = 1\n# %%\nb = 2\n")] == ["a = 1\n", "b = 2\n"]
    assert [cell.source for cell in split_cells("\n\n# %%\nb = 2\n")] == ["b = 2\n"]


def test_a_program_without_marks_is_one_cell() -> None:
    (cell,) = split_cells("a = 1\n")
    assert (cell.source, cell.first_line, cell.markdown) == ("a = 1\n", 1, False)


def test_a_mark_inside_a_line_is_none() -> None:
    assert len(split_cells('a = "# %%"\n  # %% indented\n')) == 1


def test_lines_are_counted_as_python_counts_them() -> None:
    # str.splitlines would see two lines in the first one.
    text = 'a = "\x0c\u2028"\n# %%\nb = 2\n'
    assert split_cells(text)[1].first_line == 3


def test_only_code_decides_the_result() -> None:
    assert code_only(PROGRAM) == "a = 1\n# %%\nb = 2"
    assert code_only(PROGRAM.replace("Text.", "Other text.")) == code_only(PROGRAM)
    assert code_only(PROGRAM.replace("a = 1", "a = 3")) != code_only(PROGRAM)


@given(st.lists(st.sampled_from(["# %%\n", "# %% [markdown]\n", "# text\n", "a = 1\n", "\n"]), max_size=12))
def test_no_line_is_lost(lines: list[str]) -> None:
    text = "".join(lines)
    cells = split_cells(text)
    kept = sum(cell.source.count("\n") for cell in cells)
    marks = sum(line.startswith("# %%") for line in lines)
    before = 0
    if not (cells and cells[0].first_line == 1):
        before = next((i for i, line in enumerate(lines) if line.startswith("# %%")), len(lines))
    assert kept + marks + before == len(lines)


def test_cells_are_compiled_with_the_files_own_lines(mini: Layout) -> None:
    path = mini.root / "code/day01-hello/hello.py"
    lines = path.read_text(encoding="utf-8").splitlines()
    codes = cell_code(path)
    assert [number for number, _ in codes] == [1, 2]  # Markdown cells are neither counted nor compiled
    assert lines[codes[0][1].co_firstlineno - 1] in ("import numpy as np", lines[0])
    named = {line for _, code in codes for *_, line in code.co_lines() if line}
    assert {lines[line - 1] for line in named} >= {"BLOCKS, THREADS = 2, 4", 'lab.exact("threads", number.size)'}
