"""``gpu100 practice``: a reader's file is checked in a process of its own, told in words, and never overwritten."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from conftest import built
from gpu100.capture import practiced
from gpu100.capture.lanes import lanes_due
from gpu100.capture.plan import Job as CaptureJob
from gpu100.content.course import load_course
from gpu100.content.practice import PracticeFiles, exercises, require_practice
from gpu100.errors import CheckFailed, CourseError, UsageError
from gpu100.evidence.store import EvidenceStore
from gpu100.model.device import GPU, MODEL, DeviceSpec
from gpu100.model.machine import MODEL_MARK, Machine
from gpu100.model.practice import Attempt, Found, Verdict
from gpu100.model.record import Record
from gpu100.paths import Layout
from gpu100.practice.cases import awkward
from gpu100.practice.desk import Desk
from gpu100.practice.progress import FILE, DayProgress, Progress, read_progress, write_progress
from gpu100.practice.run import Job, check_answer, check_attempt
from gpu100.render.practice import blocks, differing

HEAD = 'extern "C" __global__ void thrice(int n, const float* x, float* y) {\n'
RIGHT = HEAD + "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i < n) y[i] = 3 * x[i];\n}\n"


def files_of(layout: Layout) -> PracticeFiles:
    return require_practice(layout, load_course(layout), 2)


@dataclass
class Room:
    """A reader's folder with one file to check."""

    files: PracticeFiles
    folder: Path

    def check(self, text: str | bytes, *, seconds: float = 20.0, seed: int | None = 5) -> Verdict:
        path = self.folder / "thrice.cu"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return check_attempt(Job(self.files.check, path, "mine.cu", MODEL, seed=seed, seconds=seconds))


@pytest.fixture
def room(mini: Layout, tmp_path: Path) -> Room:
    folder = tmp_path / "mine"
    folder.mkdir()
    return Room(files_of(mini), folder)


# The library


def test_awkward_sizes_go_from_nothing_past_two_bytes_around_the_block() -> None:
    assert awkward(256) == (0, 1, 31, 32, 33, 255, 256, 257, 785, 65537)
    assert set(awkward(64)) >= {63, 64, 65}


# One attempt


def test_a_right_answer_passes_with_inputs_that_change(room: Room) -> None:
    first, second = room.check(RIGHT, seed=None), room.check(RIGHT, seed=None)
    assert first.passed
    assert second.passed
    assert first.seed != second.seed, "inputs that stay the same can be learned by heart"
    assert (first.cases, first.device) == (6, "NVIDIA H200 (SIMT model)")


def test_the_smallest_failing_case_is_shown_with_what_was_expected(room: Room) -> None:
    verdict = room.check(RIGHT.replace("i < n", "i < n && i != 2"))
    assert (verdict.case, verdict.launch, verdict.passes) == ("n = 3", "1 block of 4 threads", 2)
    assert re.fullmatch(r"y\[2\] is not written; expected -?\d\.\d+", verdict.lines[0])
    assert verdict.lines[1] == "1 of 3 elements of y is wrong"
    assert room.check(RIGHT.replace("i < n", "i < n && i != 2")) == verdict, "a seed repeats a check"


def test_a_checker_that_fails_itself_is_not_the_readers_mistake(
    room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a case was tried, too: no kernel makes Python raise."""
    (tmp_path / "sitecustomize.py").write_text(
        "import gpu100.practice.looks as looks\n"
        "def fails(placed, body):\n"
        "    raise ValueError('of the checker')\n"
        "looks._between = fails\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(CourseError, match="the check itself failed: ValueError: of the checker"):
        room.check(RIGHT)


def test_a_fault_is_told_with_the_line_of_the_readers_file(room: Room) -> None:
    verdict = room.check(RIGHT.replace("if (i < n) ", ""))
    assert verdict.found == "no-guard"
    assert "mine.cu:3: reads 4 bytes" in verdict.lines[0]


def test_an_answer_of_several_files_device_functions_and_templates_passes(room: Room) -> None:
    (room.folder / "more.cuh").write_text(
        '#include "most.cuh"\ntemplate <int N> __device__ float of(float x) { return N * x; }\n'
    )
    (room.folder / "most.cuh").write_text("__device__ int place() { return blockIdx.x * blockDim.x + threadIdx.x; }\n")
    assert room.check(f'#include "more.cuh"\n{HEAD}int i = place();\nif (i < n) y[i] = of<3>(x[i]);\n}}\n').passed


BAD: dict[str, tuple[str | bytes, Found, str]] = {
    "endless": (HEAD + "volatile int go = 1;\nwhile (go) {}\n}\n", "endless", "mine.cu:3: still here after"),
    "deletes its parameters": (HEAD + "delete[] y;\n}\n", "crash", "which malloc did not give"),
    "traps": (HEAD + "__trap();\n}\n", "crash", "mine.cu:2: executes a trap"),
    "another signature": (
        RIGHT.replace("int n, const float* x", "const float* x, int n"),
        "signature",
        "thrice takes (float* x, int n",
    ),
    "without its kernel": ("int x;\n", "signature", "has no kernel thrice: it has none"),
    "with a mangled name": (RIGHT.replace('extern "C" ', ""), "signature", "has no kernel thrice"),
    "does not compile": (
        RIGHT.replace("3 * x[i]", "3 * z[i]"),
        "compile",
        'mine.cu(3): error: identifier "z" is undefined',
    ),
    "includes above": (
        '#include "../secret.h"\n' + RIGHT,
        "source",
        "mine.cu:1 includes '../secret.h', which is outside",
    ),
    "includes anywhere": ('/* */ #  include "/etc/passwd"\n' + RIGHT, "source", "mine.cu:1 includes '/etc/passwd'"),
    "includes in angles": ("%:include </etc/passwd>\n" + RIGHT, "source", "mine.cu:1 includes '/etc/passwd'"),
    "includes behind a backslash": (
        '#inc\\\nlude "/etc/passwd"\n' + RIGHT,
        "source",
        "mine.cu:1 includes '/etc/passwd'",
    ),
    "includes a macro": ('#define F "/etc/passwd"\n#include F\n' + RIGHT, "source", "mine.cu:2: an include by a macro"),
    "not text": (b"\xff\xfe\0", "source", "is not UTF-8"),
    "with a zero byte": (b"int x;\0", "source", "is not text"),
    "too long": (" " * (1 << 19), "source", "where 262,144 are plenty"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told_and_bounded(room: Room, name: str) -> None:
    text, found, says = BAD[name]
    verdict = room.check(text)
    assert (verdict.found, says in "\n".join(verdict.lines)) == (found, True), verdict
    assert len(verdict.lines) <= 40


def test_an_include_through_a_link_to_elsewhere_is_refused(room: Room, tmp_path: Path) -> None:
    (tmp_path / "secret.h").write_text("int secret;\n")
    (room.folder / "link.h").symlink_to(tmp_path / "secret.h")
    assert "outside" in room.check('#include "link.h"\n' + RIGHT).lines[0]


def test_what_floods_the_screen_is_cut(room: Room) -> None:
    verdict = room.check(HEAD + 'for (int j = 0; j < 2000; ++j) printf("line %d \\033[2J\\n", j);\n}\n')
    assert not verdict.passed
    assert len(verdict.printed) == 11
    assert verdict.printed[0] == "line 0 ?[2J", "a terminal obeys no kernel"
    assert re.fullmatch(r"\[[\d,]+ more (lines|bytes)\]", verdict.printed[-1])


def test_a_check_that_takes_too_long_is_ended_with_all_that_it_started(room: Room) -> None:
    began = time.monotonic()
    verdict = room.check(RIGHT, seconds=0.05)
    assert (verdict.found, verdict.lines) == ("endless", ("still being compiled after 0 seconds, and ended",))
    assert time.monotonic() - began < 5


def test_an_exercise_that_is_at_fault_is_no_verdict(room: Room, edit: Callable[[Path, str, str], None]) -> None:
    edit(room.files.check, "practice.blocks(case.n, 4), 4, args", "practice.blocks(case.n, 4), 4, args[1:]")
    with pytest.raises(CourseError, match="3 parameters"):
        room.check(RIGHT)


# The reader's desk


def test_the_starter_is_put_there_once_and_never_over_their_work(mini: Layout, tmp_path: Path) -> None:
    desk = Desk.at(files_of(mini), tmp_path / "practice")
    assert [path.name for path in desk.lay_out()] == ["thrice.cu", "three.cuh"]
    desk.file.write_text("mine")
    (desk.folder / "three.cuh").unlink()
    assert [path.name for path in desk.lay_out()] == ["three.cuh"]
    assert desk.file.read_text() == "mine"
    desk.file.unlink()
    desk.file.symlink_to(tmp_path / "nowhere")
    assert desk.lay_out() == []


def test_a_folder_that_cannot_be_written_is_told(mini: Layout, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        Desk.at(files_of(mini), tmp_path / "file").lay_out()


def test_progress_counts_attempts_hints_and_what_was_shown(mini: Layout, tmp_path: Path) -> None:
    desk = Desk.at(files_of(mini), tmp_path)
    desk.note(Verdict(passed=False, found="tail"))
    assert [desk.next_hint(), desk.next_hint(), desk.next_hint()] == [
        (1, "Which element is the first of your block?"),
        (2, "A block has `blockDim.x` threads."),
        (2, "A block has `blockDim.x` threads."),
    ]
    desk.show_solution()
    assert (desk.standing.state, desk.standing.attempts, desk.standing.hints) == ("shown", 1, 2)
    desk.note(Verdict(passed=True))
    desk.show_solution()
    kept = Desk.at(files_of(mini), tmp_path).standing
    assert (kept.state, kept.attempts) == ("solved", 2)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", kept.when)


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"schema": 1, "days": {"2": {"state": "won"}}}', "\ud800"])
def test_damaged_progress_is_put_aside_and_told(tmp_path: Path, damage: str) -> None:
    (tmp_path / FILE).write_bytes(damage.encode(errors="surrogatepass"))
    progress, remark = read_progress(tmp_path)
    assert progress == Progress()
    assert remark
    assert "progress.damaged.json" in remark
    write_progress(tmp_path, progress.having(2, DayProgress(state="begun")))
    assert read_progress(tmp_path)[1] is None
    assert not list(tmp_path.glob(".*")), "nothing half-written is left"


# The command


def ran(layout: Layout, *words: str | Path, code: int = 0) -> str:
    command = [sys.executable, "-m", "gpu100", "practice", *map(str, words)]
    done = subprocess.run(command, cwd=layout.root, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def test_from_a_clone_to_a_solved_exercise(mini: Layout) -> None:
    """What somebody does who follows what is on the screen, and reads no code of ours."""
    assert "day   2  Three times as much" in ran(mini)
    first = ran(mini, "day02", "--device", "model", code=1)
    file = re.search(r"Your file: (\S+) \(new: open it in your editor\)", first)
    assert file
    assert "wrong at n = 1, with 1 block of 4 threads" in first
    assert "unwritten: Nothing is written at all." in first
    assert "Hint 1 of 2: .venv/bin/gpu100 practice 2 --hint" in first
    assert "Which element is the first of your block?" in ran(mini, "2", "--hint")
    (mini.root / file[1]).write_text(RIGHT)
    last = ran(mini, "2", "--device", "model")
    assert "right: all 6 cases on NVIDIA H200 (SIMT model)" in last
    assert (mini.root / file[1]).read_text() == RIGHT
    assert "solved, 2 attempts" in ran(mini)
    shown = ran(mini, "2", "--solution")
    assert "three<float>() * x[i]" in shown
    assert "the guard leaves the others out" in shown
    assert (mini.root / file[1]).read_text() == RIGHT


def test_a_seed_repeats_a_check_and_into_chooses_the_folder(mini: Layout, tmp_path: Path) -> None:
    words = ("2", "--device", "model", "--into", tmp_path / "else", "--seed", "7")
    first, second = ran(mini, *words, code=1), ran(mini, *words, code=1)
    assert first.replace(" (new: open it in your editor)", "") == second
    assert (tmp_path / "else" / "day02" / "thrice.cu").is_file()
    assert not (mini.root / "practice").exists()


def test_days_without_an_exercise_are_told(mini: Layout) -> None:
    assert "day 1 has no exercise" in ran(mini, "1", code=2)
    assert "days with one: 2" in ran(mini, "1", code=2)
    assert "there is no day 9" in ran(mini, "9", code=2)
    assert "'five' is no day" in ran(mini, "five", code=2)
    assert "there is no device 'modle'" in ran(mini, "2", "--device", "modle", code=2)


def test_watching_checks_again_at_each_save_until_it_is_right(mini: Layout) -> None:
    command = [sys.executable, "-u", "-m", "gpu100", "practice", "2", "--watch", "--device", "model"]
    with subprocess.Popen(command, cwd=mini.root, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        for line in child.stdout:
            if line.startswith("Watching"):
                break
        (mini.root / "practice/day02/thrice.cu").write_text(RIGHT)
        rest = child.stdout.read()
        assert child.wait() == 0
    assert "right: all 6 cases" in rest


# A new exercise


def test_a_new_exercise_proves_itself_and_says_what_is_to_be_declared(mini: Layout) -> None:
    command = [sys.executable, "-m", "gpu100", "new-day", "1", "--practice"]
    done = subprocess.run(command, cwd=mini.root, capture_output=True, text=True, check=True)
    again = subprocess.run(command, cwd=mini.root, capture_output=True, text=True, check=False)
    assert (again.returncode, "is already there" in again.stderr) == (2, True)
    declared = done.stdout[done.stdout.index("[day.practice]") : done.stdout.index("Next:")]
    course = mini.course.read_text()
    mini.course.write_text(course.replace("[[day.programs]]", f"{declared}\n[[day.programs]]", 1))
    assert "NOT" not in ran(mini, "1", "--prove")


# What is stored, shown and recorded


def test_proving_writes_what_is_committed(mini: Layout) -> None:
    path = files_of(mini).proof_file
    before = path.read_text()
    path.unlink()
    assert "NOT" not in ran(mini, "2", "--prove")
    assert path.read_text() == before


def test_every_exercise_of_the_course_is_proven(repository: Layout) -> None:
    found = list(exercises(repository, load_course(repository)))
    assert {files.day.number for files in found} >= {1, 4, 5}
    for files in found:
        proof = files.proof()
        assert proof, files.day.tag
        assert proof.fingerprint == files.fingerprint(), files.renew
        assert [a.name for a in proof.attempts if not a.as_it_should] == [], files.day.tag
        assert len([a for a in proof.attempts if a.role == "wrong"]) >= 4


def test_a_difference_is_shown_by_its_lines_and_a_rewrite_as_a_whole() -> None:
    assert differing(RIGHT, RIGHT.replace("i < n", "i <= n")) == "if (i <= n) y[i] = 3 * x[i];"
    many = HEAD + "".join(f"int a{i} = {i};\n" for i in range(9)) + "}\n"
    assert differing(RIGHT, many) == many
    assert differing(RIGHT, RIGHT) == RIGHT


def test_a_hints_markdown_is_escaped() -> None:
    html = blocks("A `<b>` & more\nof it.\n\n```cuda\nif (i < n) ...\n```\n")
    assert html.startswith("<p>A <code>&lt;b&gt;</code> &amp; more of it.</p>")
    assert "&lt;" in html.split("<pre", 1)[1]


@pytest.fixture
def recorded(captured_mini: Path, layout: Layout) -> Callable[[str], None]:
    """Give the record of day 2 a lane of practice, in which the first wrong answer was found to be ``found``."""

    def record_it(fingerprint: str) -> None:
        from dataclasses import replace

        from gpu100.model.lanes import PracticeLane

        attempt = Attempt(
            name="alone",
            role="wrong",
            states="local-index",
            outcome="failed",
            found="local-index",
            case="n = 5",
            lines=("y[4] <was> not written",),
        )
        lane = PracticeLane(
            kind="practice", status="ok", started="2026-11-30T03:00:00Z", fingerprint=fingerprint, attempts=(attempt,)
        )
        store = EvidenceStore(layout.evidence)
        (evidence,) = store.read()
        day2 = next(record for record in evidence.records if record.program == "twice")
        store.write(layout.evidence / evidence.folder, replace(day2, lanes={**day2.lanes, "practice": lane}))

    return record_it


def page_of(layout: Layout) -> BeautifulSoup:
    html = (built(layout) / "days" / "day02-twice" / "index.html").read_text(encoding="utf-8")
    return BeautifulSoup(html, "html.parser")


def test_the_page_shows_task_hints_solution_and_failing_answers(
    layout: Layout, recorded: Callable[[str], None]
) -> None:
    recorded(files_of(layout).fingerprint())
    shown = page_of(layout).select_one(".practice")
    assert shown is not None
    assert "Three times as much." in shown.text
    assert "make practice DAY=2" in shown.text
    assert "practice/day02/thrice.cu" in shown.text
    summaries = [summary.text for summary in shown.select("summary")]
    assert summaries == [
        "Hint 1 of 2",
        "Hint 2 of 2",
        "Solution",
        "4 wrong answers, and what checking them says",
    ]
    assert shown.select_one("details details summary").text == "Hint 2 of 2", "hints open one by one"
    link = shown.select_one('a[href^="https://godbolt.org/"]')
    assert link is not None
    wrong = shown.select("details")[-1]
    assert "off-by-one. Element n is not there." in wrong.text
    assert 'reads 4 bytes at "x" + 0' in wrong.text
    on_gpu = wrong.select_one("[data-value='practice.alone']")
    assert on_gpu is not None
    assert on_gpu.text == "On NVIDIA H200: local-index at n = 5: y[4] <was> not written"


def test_what_a_gpu_said_of_other_files_is_not_shown(layout: Layout, recorded: Callable[[str], None]) -> None:
    recorded("of yesterday")
    assert page_of(layout).select("[data-value^='practice.']") == []


def test_the_lane_says_which_file_did_what_it_must_not(
    mini: Layout, h200: Machine, record: Record, edit: Callable[[Path, str, str], None]
) -> None:
    day = files_of(mini).day
    lane = practiced.run(mini, day, MODEL)
    assert lane.status == "ok"
    assert [attempt.name for attempt in lane.attempts] == [
        "starter",
        "solution",
        "alone",
        "no_guard",
        "too_far",
        "twice",
    ]
    job = CaptureJob(day, day.programs[0])
    held = record.__class__(**{**record.__dict__, "lanes": {"practice": lane}})
    assert lanes_due(job, mini, held, ["practice"]) == ()
    assert lanes_due(job, mini, record, ["practice"]) == ("practice",)
    edit(files_of(mini).folder / "wrong" / "twice.cu", "2 * x[i]", "3 * x[i]")
    assert lanes_due(job, mini, held, ["practice"]) == ("practice",), "the exercise has changed since"
    with pytest.raises(CheckFailed, match="twice passed, and states wrong-result"):
        practiced.run(mini, day, MODEL)


def test_a_proof_of_a_newer_kind_is_refused(mini: Layout) -> None:
    files = files_of(mini)
    data = json.loads(files.proof_file.read_text())
    files.proof_file.write_text(json.dumps({**data, "colour": "green"}))
    with pytest.raises(CourseError, match="unknown key 'colour'"):
        files.proof()


# A GPU's word, and the model's


READS_TOO_FAR = HEAD + "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (x[i] != 0 && i < n) y[i] = 3 * x[i];\n}\n"


@pytest.mark.parametrize(
    ("text", "device", "found"),
    [(READS_TOO_FAR, None, "no-guard"), (READS_TOO_FAR, GPU, None), (RIGHT, None, None)],
    ids=["read past the end", "the GPU alone is asked", "right"],
)
def test_what_a_gpu_passes_is_tried_on_the_model(
    room: Room, monkeypatch: pytest.MonkeyPatch, text: str, device: DeviceSpec | None, found: Found | None
) -> None:
    """A GPU that sees no read past the end is stood in for by one that passes everything."""

    def checked(job: Job) -> Verdict:
        if job.device == MODEL:
            return check_attempt(job)
        return Verdict(passed=True, cases=3, seed=5, device="A GPU")

    monkeypatch.setattr("gpu100.practice.run.check_attempt", checked)
    path = room.folder / "thrice.cu"
    path.write_text(text)
    verdict = check_answer(Job(room.files.check, path, "mine.cu", device))
    assert verdict.found == found
    assert verdict.device.endswith(MODEL_MARK) == bool(found)
