"""Capture from end to end: real programs in real processes, on a machine that is only described."""

from __future__ import annotations

import dataclasses
import fcntl
import json
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from gpu100.capture.plan import Job, jobs_of
from gpu100.capture.run import capture, capture_one
from gpu100.content.course import load_course
from gpu100.evidence.schema import dump
from gpu100.evidence.status import standings
from gpu100.evidence.store import EvidenceStore
from gpu100.fingerprint import text_digest
from gpu100.model.course import Day, PredictionSpec, ProgramSpec, SeriesSpec, ValueSpec
from gpu100.model.machine import Machine
from gpu100.model.record import CellOutput, Check, Exact, Judgement, Measured, Observed, Point, Record
from gpu100.model.transcript import comparable
from gpu100.paths import Layout

ANSWER = ValueSpec(name="answer", kind="exact", what="The answer", unit="blocks")
LIKELY = PredictionSpec(id="likely", claim="It is so.", because="It must be.", condition="there are two GPUs")
BAD_IF_SECOND = """
from pathlib import Path
seen = Path(__file__).with_name("seen")
second = seen.exists()
seen.touch()
"""

Capture = Callable[..., Record]


@pytest.fixture
def probe(tmp_path: Path, h200: Machine) -> Capture:
    """Capture a program of the given text; day, program and machine can be changed."""
    layout = Layout(tmp_path / "course")

    def run(
        text: str,
        *,
        values: tuple[ValueSpec, ...] = (),
        series: tuple[SeriesSpec, ...] = (),
        predict: tuple[PredictionSpec, ...] = (),
        seconds: int = 20,
        capability: str = "7.5",
        machine: Machine = h200,
        checked: bool = True,
    ) -> Record:
        program = ProgramSpec(name="probe", values=values, series=series, seconds=seconds)
        day = Day(
            number=1,
            slug="probe",
            title="A probe",
            module=1,
            asks="What happens?",
            minutes=1,
            capability=capability,
            programs=(program,),
            predict=predict,
        )
        folder = layout.root / day.folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "probe.cu").write_text('extern "C" __global__ void nothing() {}\n')
        last = 'lab.check("something", True)\n' if checked else ""
        (folder / "seen").unlink(missing_ok=True)
        (folder / "probe.py").write_text(f"# %%\nfrom gpu100 import lab\n{text}\n# %%\n{last}")
        return capture_one(Job(day, program), layout, machine)

    return run


def lines(record: Record, cell: int = 1) -> tuple[str, ...]:
    """What a cell printed."""
    return next((output.stdout for output in record.transcript if output.cell == cell), ())


def errors(record: Record) -> str:
    return "\n".join(line for output in record.transcript for line in output.stderr)


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory, h200: Machine) -> tuple[Layout, dict[str, Record]]:
    """The small course, captured once: where it lies, and its records as they were yielded."""
    root = tmp_path_factory.mktemp("captured") / "mini"
    shutil.copytree(Path(__file__).parent / "mini", root, ignore=shutil.ignore_patterns("__pycache__"))
    layout = Layout(root)
    jobs = jobs_of(load_course(layout).days, layout)
    store = EvidenceStore(layout.evidence)
    done = capture(jobs, layout, h200, store, store.write_machine(h200))
    return layout, {step.job.program.name: step.record for step in done}


def test_every_written_program_is_a_job(mini: Layout) -> None:
    days = load_course(mini).days
    assert [job.program.name for job in jobs_of(days, mini)] == ["hello", "twice"]
    (mini.root / "code/day01-hello/hello.py").unlink()
    assert [job.program.name for job in jobs_of(days, mini)] == ["twice"]


def test_a_good_program_is_ok_after_two_runs(captured: tuple[Layout, dict[str, Record]]) -> None:
    for record in captured[1].values():
        assert (record.status, record.reason, record.attempts) == ("ok", None, 2)
        assert (record.exit_code, record.signal) == (0, None)
        assert record.seconds > 0


def test_every_cell_has_its_lines(captured: tuple[Layout, dict[str, Record]]) -> None:
    greetings = tuple(f"thread {i} says hello" for i in range(8))
    judged = ("check: every number is there (8 comparisons)", "prediction all-speak: held (8 numbers)")
    assert captured[1]["hello"].transcript == (
        CellOutput(cell=1, stdout=greetings),
        CellOutput(cell=2, stdout=judged, volatile=((1, 22, 26),)),  # the outcome, compared by itself
    )


def test_values_have_their_declared_unit_and_their_scale(captured: tuple[Layout, dict[str, Record]]) -> None:
    assert captured[1]["twice"].values == {
        "blocks": Exact(kind="exact", unit="blocks", value={"1": 1, "2": 1, "3": 1, "300": 2}),
        "idle": Exact(kind="exact", unit="%", value=82.8, scale={"elements": 300}),
    }


def test_checks_say_how_much_they_compared(captured: tuple[Layout, dict[str, Record]]) -> None:
    assert captured[1]["twice"].checks == (Check(what="twice is the sum with itself", compared=300),)


def test_a_prediction_that_failed_is_a_result(captured: tuple[Layout, dict[str, Record]]) -> None:
    claim = text_digest("The last block has no idle thread.")
    judgement = captured[1]["twice"].predictions["last-block-full"]
    assert judgement == Judgement(outcome="failed", claim=claim, saw="212 idle threads")
    assert captured[1]["twice"].status == "ok"


def test_a_prediction_of_another_lane_is_not_asked_for(captured: tuple[Layout, dict[str, Record]]) -> None:
    assert sorted(captured[1]["twice"].predictions) == ["last-block-full", "needs-two"]


def test_records_are_written_where_they_belong_and_fresh(captured: tuple[Layout, dict[str, Record]]) -> None:
    layout, records = captured
    machines = EvidenceStore(layout.evidence).read()
    assert [machine.folder for machine in machines] == ["h200/580.159.04-nvrtc13.0.88"]
    for day in load_course(layout).days:
        (standing,) = standings(layout, day, day.programs[0], machines)
        assert standing.state == "fresh"
        assert standing.record == records[day.programs[0].name]


def test_a_record_names_nothing_of_the_machine_it_was_made_on(captured: tuple[Layout, dict[str, Record]]) -> None:
    layout, records = captured
    texts = [dump(record) for record in records.values()]
    assert not [place for place in (str(layout.root), str(Path.home()), sys.prefix) for text in texts if place in text]


def test_a_value_that_moves_fails(probe: Capture) -> None:
    record = probe('import os\nlab.exact("answer", os.getpid())', values=(ANSWER,))
    assert record.status == "failed"
    assert record.reason is not None
    assert record.reason.startswith("value 'answer' moved between two runs: ")


def test_a_line_that_moves_fails(probe: Capture) -> None:
    record = probe('import os\nprint("one")\nprint("pid", os.getpid())')
    assert record.status == "failed"
    assert record.reason is not None
    assert record.reason.startswith("cell 1, line 2 moved between two runs: 'pid ")


def test_a_line_that_comes_in_the_second_run_fails(probe: Capture) -> None:
    record = probe(BAD_IF_SECOND + 'print("one")\nif second: print("two")')
    assert (record.status, record.reason) == ("failed", "two runs printed different numbers of lines")


def test_a_line_that_changes_its_cell_fails(probe: Capture) -> None:
    text = BAD_IF_SECOND + 'if not second: print("one")\n# %%\nif second: print("one")'
    record = probe(text)
    assert (record.status, record.reason) == ("failed", "two runs printed different numbers of lines")


def test_a_value_of_the_first_run_only_fails(probe: Capture) -> None:
    record = probe(BAD_IF_SECOND + 'if not second: lab.exact("answer", 1)')
    assert (record.status, record.reason) == ("failed", "value 'answer' moved between two runs: 1, then None")


def test_a_prediction_that_holds_in_one_run_of_two_has_failed(probe: Capture) -> None:
    record = probe(BAD_IF_SECOND + 'lab.predict("likely", second, saw="luck")', predict=(LIKELY,))
    judged = record.predictions["likely"]
    assert (record.status, judged.outcome) == ("ok", "failed")
    assert judged.saw == "failed in one run (luck), held in the other"


def test_a_measured_value_and_what_is_printed_of_it_may_move(probe: Capture) -> None:
    text = BAD_IF_SECOND + "m = lab.Measured((9.5, 10.0, 10.5)) * (1 + second)\n"
    text += 'lab.measured("time", m, better="lower")\nprint(f"took {m:.1f} ms")\n'
    text += 'lab.table(["n", "ms"], [[1, m]])'
    spec = ValueSpec(name="time", kind="measured", unit="ms", what="Time")
    record = probe(text, values=(spec,))
    assert (record.status, record.reason) == ("ok", None)
    cell = record.transcript[0]
    assert "took 20.0 ms" in cell.stdout
    assert "took ~ ms" in comparable(cell)
    value = record.values["time"]
    assert isinstance(value, Measured)
    assert (value.value, value.p20, value.samples, value.unit) == (20.0, 19.4, (19.0, 20.0, 21.0), "ms")


def test_exact_text_beside_measured_text_may_not_move(probe: Capture) -> None:
    record = probe(BAD_IF_SECOND + 'print(f"{lab.Measured((1.0,)):.1f} ms in run {1 + second}")')
    assert record.reason == "cell 1, line 1 moved between two runs: '~ ms in run 1', then '~ ms in run 2'"


def test_lines_without_order_are_compared_as_a_heap(probe: Capture) -> None:
    text = BAD_IF_SECOND + 'with lab.unordered():\n    print("b" if second else "a")\n    print("a" if second else "b")'
    assert probe(text).status == "ok"
    other = probe(text.replace('print("a" if second else "b")', 'print("a" if second else "c")'))
    assert other.reason == "cell 1, line 2 moved between two runs: 'c', then 'b'"


def test_an_observed_count_keeps_the_range_of_both_runs(probe: Capture) -> None:
    spec = ValueSpec(name="stale", kind="observed", unit="reads", what="Stale reads")
    record = probe(BAD_IF_SECOND + 'lab.observed("stale", [7, 9] if not second else [3, 8])', values=(spec,))
    assert record.values == {"stale": Observed(kind="observed", unit="reads", value=8, low=3, high=9)}


def test_a_tolerant_value_moves_within_its_tolerance_only(probe: Capture) -> None:
    spec = ValueSpec(name="sum", kind="tolerant", what="A sum")
    text = BAD_IF_SECOND + 'lab.tolerant("sum", 1.0 + 1e-6 * second, relative={})'
    assert probe(text.format(1e-5), values=(spec,)).status == "ok"
    assert "value 'sum' moved" in (probe(text.format(1e-7), values=(spec,)).reason or "")


def test_a_codegen_value_may_not_move(probe: Capture) -> None:
    spec = ValueSpec(name="loads", kind="codegen", unit="loads", what="Load instructions")
    record = probe(BAD_IF_SECOND + 'lab.codegen("loads", 4 + second)', values=(spec,))
    assert record.reason == "value 'loads' moved between two runs: 4, then 5"


def test_a_series_is_declared_and_keeps_its_places(probe: Capture) -> None:
    spec = SeriesSpec(name="sweep", what="A sweep")
    text = BAD_IF_SECOND + "m = lab.Measured((1.0, 2.0, 3.0)) * (1 + second)\n"
    text += 'lab.series("sweep", [(1, m), (2 + {}, 2 * m)], x_unit="blocks", y_unit="GB/s")'
    record = probe(text.format("0"), series=(spec,))
    assert record.status == "ok"
    assert record.series["sweep"].points[1] == Point(x=2.0, y=8.0, p20=5.6, p80=10.4)
    assert probe(text.format("second"), series=(spec,)).reason == "series 'sweep' moved between two runs"
    assert probe(text.format("0")).reason == "series 'sweep' is not declared in course.toml"


def test_a_number_of_comparisons_that_moves_fails(probe: Capture) -> None:
    text = BAD_IF_SECOND + "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()):\n"
    record = probe(text + '    lab.check("all of them", [True] * (1 + second))')
    expected = "a check or a kernel's registers moved between two runs"
    assert (record.status, record.reason) == ("failed", expected)


def test_what_stderr_says_may_move(probe: Capture) -> None:
    record = probe('import os, sys\nprint("pid", os.getpid(), file=sys.stderr)')
    assert record.status == "ok"
    assert errors(record).startswith("pid ")


def test_a_value_that_nobody_declared_fails(probe: Capture) -> None:
    record = probe('lab.exact("answer", 42)')
    assert (record.status, record.reason) == ("failed", "value 'answer' is not declared in course.toml")


def test_a_declared_value_that_is_not_reported_fails(probe: Capture) -> None:
    record = probe("", values=(ANSWER,))
    assert (record.status, record.reason) == ("failed", "value 'answer' is declared and was not reported")


def test_a_prediction_that_is_not_reported_fails(probe: Capture) -> None:
    record = probe("", predict=(LIKELY,))
    assert (record.status, record.reason) == ("failed", "prediction 'likely' is not reported")


def test_a_prediction_that_nobody_declared_fails(probe: Capture) -> None:
    record = probe('lab.predict("likely", True)')
    assert (record.status, record.reason) == ("failed", "prediction 'likely' is not declared in course.toml")


def test_a_prediction_that_does_not_apply_names_its_condition(probe: Capture) -> None:
    record = probe('lab.predict("likely", False, applies=False)', predict=(LIKELY,))
    assert record.status == "ok"
    judgement = record.predictions["likely"]
    assert (judgement.outcome, judgement.condition) == ("not-applicable", "there are two GPUs")


def test_a_program_that_checks_nothing_fails(probe: Capture) -> None:
    record = probe('print("trust me")', checked=False)
    assert (record.status, record.reason) == ("failed", "it checked nothing")


def test_a_failed_check_says_how_much_was_wrong(probe: Capture) -> None:
    record = probe('lab.check("sums", [True, False, True, False])')
    expected = ("failed", "sums: 2 of 4 wrong, the first at index 1", 1)
    assert (record.status, record.reason, record.attempts) == expected


def test_a_value_that_is_not_finite_fails_at_its_line(probe: Capture) -> None:
    record = probe('lab.exact("answer", float("nan"))', values=(ANSWER,))
    assert record.status == "failed"
    assert (record.reason or "").startswith("ValueError: ")
    assert 'lab.exact("answer", float("nan"))' in errors(record)


def test_an_exception_shows_the_programs_own_line(probe: Capture) -> None:
    record = probe('print("before")\ndef fall():\n    return 1 / 0\n# %%\nfall()')
    assert (record.status, record.reason) == ("failed", "ZeroDivisionError: division by zero")
    assert (record.exit_code, record.attempts) == (1, 1)
    assert lines(record) == ("before",)
    assert errors(record).splitlines() == [
        '  File "[ROOT]/code/day01-probe/probe.py", line 7, in <module>',
        "    fall()",
        '  File "[ROOT]/code/day01-probe/probe.py", line 5, in fall',
        "    return 1 / 0",
        *(["           ~~^~~"] if "~~^~~" in errors(record) else []),
        "ZeroDivisionError: division by zero",
    ]


def test_a_syntax_error_shows_its_line(probe: Capture) -> None:
    record = probe("a = (1")
    assert record.status == "failed"
    assert (record.reason or "").startswith("SyntaxError: ")
    assert '"[ROOT]/code/day01-probe/probe.py", line 3' in errors(record)


def test_a_crash_names_its_signal_and_keeps_what_came_before(probe: Capture) -> None:
    text = 'import os\nlab.exact("answer", 42)\nprint("before", flush=True)\nos.abort()'
    record = probe(text, values=(ANSWER,))
    assert (record.status, record.reason) == ("crash", "ended by SIGABRT")
    assert (record.exit_code, record.signal, record.attempts) == (None, "SIGABRT", 1)
    assert record.values["answer"].value == 42
    assert lines(record) == ("before",)


def test_an_exit_in_the_middle_fails(probe: Capture) -> None:
    for code in ("", "0", "3"):
        record = probe(f'print("before")\nimport sys\nsys.exit({code})')
        assert record.status == "failed"
        assert (record.reason or "").startswith("SystemExit")
        assert lines(record) == ("before",)


def test_an_end_without_a_word_is_a_crash(probe: Capture) -> None:
    record = probe("import os\nos._exit(0)")
    assert (record.status, record.reason) == ("crash", "ended with exit code 0 before its end")


def test_one_bad_run_of_two_is_enough(probe: Capture) -> None:
    record = probe(BAD_IF_SECOND + "import os\nif not second: os._exit(0)")
    assert (record.status, record.reason) == ("crash", "ended with exit code 0 before its end")
    assert record.attempts == 2


def test_an_endless_program_is_ended_with_its_children(probe: Capture, tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    lock.touch()
    began = time.monotonic()
    record = probe(
        f"""
import fcntl, os, subprocess, sys
held = os.open({str(lock)!r}, os.O_RDWR)
fcntl.flock(held, fcntl.LOCK_EX)
subprocess.Popen(["sleep", "60"], pass_fds=[held])
print("running", flush=True)
while True: pass
""",
        seconds=2,
    )
    assert (record.status, record.reason, record.attempts) == ("timeout", "still running after 2 s", 1)
    assert lines(record) == ("running",)
    # The lock is free once the last process that inherited it is gone.
    with lock.open("r+") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                assert time.monotonic() < began + 10, "its child is still running"
                time.sleep(0.05)


def test_a_flood_of_output_is_cut_and_counted(probe: Capture) -> None:
    megabytes = 100
    began = time.monotonic()
    record = probe(
        f"""
import os, sys
block = b"y" * 99 + b"\\n"
for _ in range({megabytes}):
    os.write(1, block * 10_000)
"""
    )
    assert time.monotonic() - began < 10
    assert record.status == "ok"
    kept, count = lines(record)[:-1], lines(record)[-1]
    assert kept[0] == "y" * 99
    dropped = int(count.removeprefix("[").split()[0].replace(",", ""))
    assert count.endswith(" more bytes]")
    total = megabytes * 1_000_000
    assert total <= dropped + sum(len(line) + 1 for line in kept) <= total + 500  # and marks
    assert len(dump(record)) < 1_000_000


def test_paths_are_redacted_wherever_they_are_kept(probe: Capture, tmp_path: Path) -> None:
    where = dataclasses.replace(ANSWER, name="where")
    record = probe(
        """
import sys
from pathlib import Path
print(__file__, sys.executable)
print(Path.home() / "data", file=sys.stderr)
lab.exact("where", __file__)
lab.predict("likely", True, saw=f"found in {Path(__file__).parent}")
lab.check(f"{Path.home() / 'data'} is there", True)
""",
        values=(where,),
        predict=(LIKELY,),
    )
    assert record.status == "ok"
    program = "[ROOT]/code/day01-probe/probe.py"
    assert lines(record)[0].startswith(f"{program} [PYTHON]/")
    assert errors(record) == "[HOME]/data"
    assert record.values["where"].value == program
    assert record.predictions["likely"].saw == "found in [ROOT]/code/day01-probe"
    assert record.checks[0].what == "[HOME]/data is there"
    text = json.dumps(json.loads(dump(record)))
    assert str(tmp_path) not in text
    assert str(Path.home()) + "/" not in text


def test_a_reason_is_redacted_too(probe: Capture) -> None:
    record = probe('raise RuntimeError(f"cannot read {__file__}")')
    assert record.reason == "RuntimeError: cannot read [ROOT]/code/day01-probe/probe.py"


def test_a_gpu_below_the_days_capability_is_unsupported_and_not_tried(
    probe: Capture, t4: Machine, tmp_path: Path
) -> None:
    record = probe(BAD_IF_SECOND, capability="9.0", machine=t4)
    assert (record.status, record.attempts) == ("unsupported", 0)
    assert record.reason == "day01 needs compute capability 9.0; this GPU has 7.5"
    assert not list(tmp_path.rglob("seen"))


def test_a_program_that_finds_itself_unsupported_says_why(probe: Capture) -> None:
    record = probe('from gpu100.errors import Unsupported\nraise Unsupported("it takes two GPUs")')
    assert (record.status, record.reason) == ("unsupported", "it takes two GPUs")


def test_a_source_that_does_not_compile_is_told_apart(probe: Capture) -> None:
    record = probe('from gpu100.errors import CompileError\nraise CompileError("no luck", log="probe.cu(3): error")')
    assert (record.status, record.reason) == ("compile-error", "no luck")
    assert "probe.cu(3): error" in errors(record)


def test_a_failed_cuda_call_is_told_apart(probe: Capture) -> None:
    record = probe('from gpu100.errors import DeviceError\nraise DeviceError("CUDA_ERROR_ILLEGAL_ADDRESS")')
    assert (record.status, record.reason) == ("cuda-error", "CUDA_ERROR_ILLEGAL_ADDRESS")


def test_what_the_c_library_prints_stays_in_its_cell(probe: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    # Device printf arrives through the C library's buffer, which Python does not flush, and which
    # this variable would turn off.
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    text = 'import ctypes\nc = ctypes.CDLL(None)\nc.printf(b"from C\\n")\n# %%\nprint("from Python")'
    record = probe(text)
    assert (lines(record, 1), lines(record, 2)) == (("from C",), ("from Python",))


def test_a_cell_without_a_last_newline_ends_there(probe: Capture) -> None:
    record = probe('print("no newline", end="")\n# %%\nprint("next")')
    assert (lines(record, 1), lines(record, 2)) == (("no newline",), ("next",))


def test_a_program_is_run_under_its_own_rules(probe: Capture) -> None:
    # Not those of the worker, which postpones annotations.
    record = probe('def f(x: int) -> None: ...\nprint(f.__annotations__["x"], __name__)')
    assert lines(record) == ("<class 'int'> __main__",)
