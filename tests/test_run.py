"""`gpu100 run`: a day's programs or the reader's own, as scripts, with counters where there are any."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from gpu100.cli import counters as module
from gpu100.cli.counters import Form
from gpu100.cli.run import run_day
from gpu100.device.simt.faults import Fault
from gpu100.errors import UsageError
from gpu100.lab import session, start
from gpu100.paths import Layout
from stand_in import StandIn

Ran = subprocess.CompletedProcess[str]
Edit = Callable[[Path, str, str], None]

KERNEL = 'extern "C" __global__ void k(int* y) { y[0] = 1; }\n'
MINE = """import numpy as np
from gpu100 import lab
device = lab.device()
k = lab.compile(device, "mine.cu")["k"]
k.launch(1, 32, device.array(np.zeros(1, "int32")))
print("done")
"""


def gpu100(*words: str | Path, within: Path, **environment: str) -> Ran:
    command = [sys.executable, "-m", "gpu100", *map(str, words)]
    settings = {**os.environ, **environment}
    return subprocess.run(command, cwd=within, env=settings, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("day", ["1", "01", "day01", "day1", "DAY01"])
def test_a_day_is_named_in_any_way(mini: Layout, day: str) -> None:
    ran = gpu100("run", day, within=mini.root / "content")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[0] == "thread 0 says hello"
    assert ran.stdout.splitlines()[-1] == "prediction all-speak: held (8 numbers)"  # and no invisible marks


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["77"], "error: there is no day 77\n"),
        (["hello"], "error: 'hello' is neither a day nor a program\n  a day is 5 or day05, a program ends in .py\n"),
        (["hello.cu"], "error: 'hello.cu' is neither a day nor a program\n  a day is 5"),
        (["nowhere.py"], "error: nowhere.py does not exist\n"),
        (["1", "--program", "helo"], "error: day01 has no program 'helo'\n  did you mean 'hello'?\n"),
        (["1", "--program", "xyz"], "error: day01 has no program 'xyz'\n  it has hello\n"),
        (["code/day01-hello/hello.py", "--program", "hello"], "error: --program chooses among a day's programs"),
        (["1", "--device", "modle"], "error: there is no device 'modle'\n  did you mean 'model'?\n"),
    ],
)
def test_what_cannot_be_run_ends_with_2(mini: Layout, words: list[str], message: str) -> None:
    ran = gpu100("run", *words, within=mini.root)
    assert ran.returncode == 2
    assert ran.stderr.startswith(message)
    assert ran.stdout == ""


def test_a_day_without_a_program_says_how_to_begin(mini: Layout) -> None:
    (mini.root / "code/day01-hello/hello.py").unlink()
    ran = gpu100("run", "1", within=mini.root)
    assert ran.returncode == 2
    assert ran.stderr == "error: day01 has no program yet\n  gpu100 new-day 1 begins one\n"


def test_a_program_of_the_readers_own_needs_no_course(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("word = 'beside it'\n", encoding="utf-8")
    text = "import sys\nfrom helper import word\nprint(__name__, sys.argv, word)\n"
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    ran = gpu100("run", "mine.py", within=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == f"__main__ ['{tmp_path / 'mine.py'}'] beside it\n"


def test_an_error_of_the_course_is_told_in_words_with_the_programs_line(mini: Layout, edit: Edit) -> None:
    edit(mini.root / "code/day01-hello/hello.py", "lab.exact(", 'lab.check("planted", False)\nlab.exact(')
    ran = gpu100("run", "1", within=mini.root)
    assert ran.returncode == 1
    assert ran.stderr == "error: planted: 1 of 1 wrong\n  met at code/day01-hello/hello.py:24\n"
    assert "thread 7 says hello" in ran.stdout


def test_any_other_error_has_the_programs_own_traceback(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def f():\n    return 1 / 0\n\n\nf()\n", encoding="utf-8")
    ran = gpu100("run", path, within=tmp_path)
    assert ran.returncode == 1
    assert ran.stderr.startswith(f'Traceback (most recent call last):\n  File "{path}", line 5, in <module>\n')
    assert ran.stderr.endswith("ZeroDivisionError: division by zero\n")
    assert "gpu100" not in ran.stderr.replace(str(tmp_path), "")
    path.write_text("a = (1\n", encoding="utf-8")
    ran = gpu100("run", path, within=tmp_path)
    assert ran.returncode == 1
    assert "SyntaxError" in ran.stderr


def test_a_programs_own_exit_code_is_the_commands(tmp_path: Path) -> None:
    for end, code, said in (("0", 0, ""), ("", 0, ""), ("3", 3, ""), ("'no'", 1, "no\n")):
        (tmp_path / "mine.py").write_text(f"import sys\nsys.exit({end})\n", encoding="utf-8")
        ran = gpu100("run", "mine.py", within=tmp_path)
        assert (ran.returncode, ran.stderr) == (code, said)


# In this process, on a stand-in for the model.


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """A device that every program finds, and a program of the reader's own in the working directory."""
    device = StandIn()
    monkeypatch.setattr(start, "open_device", lambda spec, index=0, cache=None: device)
    (tmp_path / "mine.cu").write_text(KERNEL, encoding="utf-8")
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return device


@pytest.fixture
def forms(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Form, int]]:
    """What was asked for to be told, and of how many launches."""
    asked: list[tuple[Form, int]] = []

    def render(form: Form, reports: list[Any]) -> str:
        asked.append((form, len(reports)))
        return f"as {form.value}"

    monkeypatch.setattr(module, "render", render)
    return asked


def run(**words: Any) -> None:
    run_day("mine.py", **({"program": None, "device": None, "counters": None, "into": None} | words))


def test_counters_of_the_model_come_after_the_program(
    mine: StandIn, forms: list[tuple[Form, int]], capsys: pytest.CaptureFixture[str]
) -> None:
    run()
    assert capsys.readouterr().out == "done\n\nas table\n"
    run(counters=Form.listing)
    assert forms == [(Form.table, 1), (Form.listing, 2)]  # the stand-in is one and the same
    run(counters=Form.none)
    assert len(forms) == 2


def test_counters_go_to_a_file_in_the_form_of_its_name(
    mine: StandIn, forms: list[tuple[Form, int]], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name, form in (("a.json", Form.json), ("deep/b.html", Form.html), ("c.txt", Form.table)):
        run(into=Path(name))
        assert (tmp_path / name).read_text(encoding="utf-8") == f"as {form.value}\n"
    run(into=Path("d.json"), counters=Form.listing)
    assert [form for form, _ in forms] == [Form.json, Form.html, Form.table, Form.listing]
    said = capsys.readouterr()
    assert said.out == "done\n" * 4
    assert said.err.splitlines()[0] == "counters: a.json"


def test_a_gpu_counts_nothing_and_says_so_where_it_was_asked(
    mine: StandIn, forms: list[tuple[Form, int]], capsys: pytest.CaptureFixture[str]
) -> None:
    mine.is_model = False
    run()
    assert capsys.readouterr().err == ""
    run(counters=Form.json)
    assert capsys.readouterr().err == "Only the SIMT model counts; --device model runs the program there.\n"
    assert forms == []


def test_a_kernels_fault_is_an_error_of_the_course(
    mine: StandIn, forms: list[tuple[Form, int]], capsys: pytest.CaptureFixture[str]
) -> None:
    def work(*args: object) -> None:
        raise Fault("out-of-bounds", "4 bytes past the end of y", hint="a guard is missing")

    mine.work = work
    with pytest.raises(typer.Exit) as ended:
        run()
    assert ended.value.exit_code == 1
    said = capsys.readouterr()
    assert said.err == "error: 4 bytes past the end of y\n  a guard is missing\n  met at mine.py:5\n"
    assert (said.out, forms) == ("", [])


def test_a_program_that_ends_early_on_the_model_is_counted(
    mine: StandIn, forms: list[tuple[Form, int]], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = MINE.replace('print("done")', 'lab.rest_needs_gpu("it is about time")\nprint("never")')
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    run()
    assert capsys.readouterr().out == "The rest needs a GPU: it is about time.\n\nas table\n"


def test_a_run_leaves_no_session_behind(mine: StandIn, forms: list[tuple[Form, int]]) -> None:
    before = session.current()
    run()
    assert session.current() is before
    with pytest.raises(UsageError):
        run(program="k")


VECTOR = """extern "C" __global__ void off(int* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) y[i] = i;
}
"""
ADDS = """from gpu100 import lab
device = lab.device()
off = lab.compile(device, "mine.cu")["off"]
y = device.empty(100, "int32")
for _ in range(2):
    off.launch(4, 32, y, N)
device.synchronize()
print(y.to_numpy()[99])
"""


@pytest.fixture
def vector(tmp_path: Path) -> Path:
    """A stand-alone program whose kernel has a guard, in a folder of its own."""
    (tmp_path / "mine.cu").write_text(VECTOR, encoding="utf-8")
    (tmp_path / "mine.py").write_text(ADDS.replace("N)", "99)"), encoding="utf-8")
    return tmp_path


def test_the_model_itself_counts_in_every_form(vector: Path) -> None:
    table = gpu100("run", "mine.py", "--device", "model:t4", within=vector)
    assert (table.returncode, table.stderr) == (0, "")
    assert table.stdout.startswith("99\n\noff <<<4, 32>>>, 2 launches\n")
    listing = gpu100("run", "mine.py", "--counters", "listing", within=vector, GPU100_DEVICE="model")
    assert "    if (i <= n) y[i] = i;" in listing.stdout
    ran = gpu100("run", "mine.py", "--device", "model", "--out", "c.json", within=vector)
    assert (ran.stdout, ran.stderr) == ("99\n", "counters: c.json\n")
    (kernel,) = json.loads((vector / "c.json").read_text(encoding="utf-8"))["kernels"]
    assert (kernel["kernel"], kernel["launches"]) == ("off", 2)
    gpu100("run", "mine.py", "--device", "model", "--out", "c.html", within=vector)
    assert "y[i] = i;" in (vector / "c.html").read_text(encoding="utf-8")


def test_the_model_itself_names_the_line_of_a_missing_guard(vector: Path) -> None:
    (vector / "mine.py").write_text(ADDS.replace("N)", "100)"), encoding="utf-8")
    ran = gpu100("run", "mine.py", "--device", "model", within=vector)
    assert (ran.returncode, ran.stdout) == (1, "")
    first, *others = ran.stderr.splitlines()
    assert first.startswith("error: ")
    assert all(word in first for word in ("thread (4, 0, 0)", "mine.cu:3", '"y"', "0 bytes past its end"))
    assert others[-1] == "  met at mine.py:6"  # the second launch: the first one's fault has come by then
    assert "Traceback" not in ran.stderr
