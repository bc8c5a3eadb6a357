"""One run of one process: its outputs, cell by cell, and their cap."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from gpu100.capture.output import CellText, cells_of
from gpu100.capture.process import run_program
from gpu100.child import Output, bytecode_kept, environment
from gpu100.paths import Layout

MARK = "\x1e0123456789abcdef "


def output(text: str, most: int = 1000) -> Output:
    output = Output(most)
    for letter in text.encode():
        output.add(bytes([letter]))
    return output


def lines(text: str, most: int = 1000) -> dict[int, list[str]]:
    return {number: cell.lines for number, cell in cells_of(output(text, most), MARK).items()}


def test_marks_cut_an_output_into_cells() -> None:
    cells = lines(f"before\n{MARK}1\none\n{MARK}3\nthree")
    assert cells == {0: ["before"], 1: ["one"], 3: ["three"]}


def test_what_goes_beyond_the_cap_is_counted_in_the_last_cell() -> None:
    text = f"{MARK}1\n" + "y" * 500
    assert lines(text, most=len(MARK) + 12) == {1: ["y" * 10, "[490 more bytes]"]}


def test_a_cap_anywhere_leaves_no_half_of_a_mark() -> None:
    text = f"{MARK}1\none\n{MARK}12\ntwelve\n"
    for most in range(len(MARK) + 2, len(text)):
        cells = lines(text, most)
        assert set(cells) <= {1, 12}, most
        assert not any("\x1e" in line for cell in cells.values() for line in cell), most
        assert cells[max(cells)][-1] == f"[{len(text) - most} more bytes]"


def test_a_separator_of_the_programs_own_is_kept() -> None:
    assert lines(f"{MARK}1\na\x1eb") == {1: ["a\x1eb"]}


def test_bytes_that_are_no_text_do_not_stop_it() -> None:
    broken = Output()
    broken.add(MARK.encode() + b"1\n\xff\xfe\n")
    assert cells_of(broken, MARK)[1].lines == ["\ufffd\ufffd"]


def test_measured_text_leaves_its_place_and_no_mark() -> None:
    measured = "took \u206212.5\u2063 ms, then \u20623\u2063 ms\nexact\n\u20627\u2063\n"
    cell = cells_of(output(f"{MARK}1\n{measured}"), MARK)[1]
    assert cell.lines == ["took 12.5 ms, then 3 ms", "exact", "7"]
    assert cell.volatile == [(0, 5, 9), (0, 19, 20), (2, 0, 1)]


def test_a_redacted_line_keeps_its_measured_text_in_place() -> None:
    text = f"{MARK}1\n/home/me/x took \u206212.5\u2063 ms\n"
    cell = cells_of(output(text), MARK, lambda text: text.replace("/home/me", "[HOME]"))[1]
    (line, start, end) = cell.volatile[0]
    assert cell.lines[line][start:end] == "12.5"


def test_lines_without_order_are_a_range_of_their_cell() -> None:
    cell = cells_of(output(f"{MARK}1\nfirst\n{MARK}(\nb\na\n{MARK})\nlast\n"), MARK)[1]
    assert cell == CellText(lines=["first", "b", "a", "last"], unordered=[(1, 3)])


def test_a_childs_environment_holds_still_what_changes_output() -> None:
    held = environment()
    assert (held["COLUMNS"], held["NO_COLOR"], held["PYTHONHASHSEED"]) == ("100", "1", "0")
    assert (Path(held["PYTHONPATH"].split(":")[0]) / "gpu100" / "lab").is_dir()


@pytest.mark.parametrize("keeps", [True, False])
def test_children_keep_bytecode_where_the_environment_has_none_kept(
    keeps: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "imported.py").write_text("")
    monkeypatch.setattr(sys, "dont_write_bytecode", not keeps)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "" if keeps else "1")
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    before = dict(os.environ)
    with bytecode_kept(tmp_path / "kept"):
        subprocess.run([sys.executable, "-c", "import imported"], cwd=tmp_path, env=environment(), check=True)
    assert os.environ == before
    assert bool(list(tmp_path.glob("kept/**/imported.*.pyc"))) is not keeps
    assert (tmp_path / "__pycache__").is_dir() is keeps


def test_a_run_holds_events_outputs_and_its_time(mini: Layout) -> None:
    run = run_program(mini.root / "code/day01-hello/hello.py", root=mini.root, cache=mini.cache, seconds=20)
    assert (run.exit_code, run.signal, run.timed_out) == (0, None, False)
    assert [event["event"] for event in run.events] == ["check", "value", "prediction", "end"]
    assert sorted(run.stdout) == [1, 2]
    assert 0 < run.seconds < 20


def test_the_workers_own_files_are_not_the_programs(mini: Layout) -> None:
    path = mini.root / "code/day01-hello/hello.py"
    path.write_text("import os, sys\nprint(os.getcwd())\nprint(sys.stdin.read() == '')\n")
    run = run_program(path, root=mini.root, cache=mini.cache, seconds=20)
    assert run.stdout[1].lines == ["[ROOT]", "True"]


def test_a_child_that_left_the_group_does_not_hold_a_run_up(mini: Layout) -> None:
    path = mini.root / "code/day01-hello/hello.py"
    path.write_text('import subprocess\nsubprocess.Popen(["sleep", "5"], start_new_session=True)\n')
    run = run_program(path, root=mini.root, cache=mini.cache, seconds=1)
    assert run.timed_out
    assert run.seconds < 4


@pytest.mark.parametrize(("parent", "code"), [("os.getppid()", 0), ("None", 0), ("1 << 22", -signal.SIGKILL)])
def test_a_child_whose_parent_is_gone_already_ends_at_once(parent: str, code: int) -> None:
    """A capture may be killed while its worker still imports: then there is nobody whose end could be told."""
    program = f"import os; from gpu100.child import end_with_parent; end_with_parent({parent})"
    assert subprocess.run([sys.executable, "-c", program], env=environment(), check=False).returncode == code
