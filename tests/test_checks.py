"""``gpu100 check``: every rule finds the faults planted for it, where they are, and nothing in a sound course."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import REPOSITORY, built
from gpu100.author.checks import RULES, Rule, run_checks
from gpu100.author.context import Context
from gpu100.author.page import Page
from gpu100.author.report import Finding, Report
from gpu100.content.course import load_course
from gpu100.errors import ContentError
from gpu100.fingerprint import json_digest
from gpu100.paths import Layout

PRACTICE = "code/day02-twice/practice"
PAGE1, PAGE2 = "docs/days/day01-hello.md", "docs/days/day02-twice.md"
HELLO, TWICE = "code/day01-hello/hello", "code/day02-twice/twice"
QUIZ1, QUIZ2 = "content/quizzes/day01.toml", "content/quizzes/day02.toml"
COURSE, SOURCES = "content/course.toml", "content/sources.toml"
QUESTIONS, MACHINE = "content/questions.toml", "evidence/h200/580.159.04-nvrtc13.0.88/machine.json"
ASKED = """
[[question]]
number = 1
ask = "How does one function become many threads?"
days = [1]
seen = ["somebody/somewhere #1"]
"""
UNCITED = """[[source]]
id = "guide.old"
title = "CUDA C Programming Guide"
publisher = "NVIDIA"
address = "https://docs.nvidia.com/cuda/archive/"
section = "Blocks"
looked_at = "2026-11-29"
backs = "What a page said once."

[[source]]"""
BUILT1 = "site/days/day01-hello/index.html"

BY_NAME = {rule.RULE: rule for rule in RULES}
SLOW = ("fences", "programs", "nvcc", "proofs")
"""Rules that start a compiler."""

NVCC = """#!{python}
import pathlib, sys
if sys.argv[1:] == ["--version"]:
    print("nvcc of these tests")
else:
    with open({calls!r}, "a") as calls:
        print(*sys.argv[1:], file=calls)
    for number, line in enumerate(pathlib.Path(sys.argv[-1]).read_text().splitlines(), 1):
        if "std::prinft" in line:
            sys.exit(f'{{sys.argv[-1]}}({{number}}): error: namespace "std" has no member "prinft"')
"""


@dataclass(frozen=True)
class Fault:
    """One thing to do to a sound course, and what has to be found."""

    file: str
    """Where it is planted."""
    old: str
    """What is replaced there; empty where the file is new, and ``*`` where it is removed."""
    new: str
    says: str
    path: str = ""
    """Where it is found, if not where it was planted."""
    at: str = ""
    """What stands on the line that is named; empty where no line is."""
    reseal: bool = False
    """Whether it is a fault of evidence that nobody edited."""

    def plant(self, layout: Layout) -> None:
        path = layout.root / self.file
        if self.old == "*":
            path.unlink()
        elif not self.old:
            assert not path.exists()
            path.parent.mkdir(exist_ok=True)
            path.write_text(self.new, encoding="utf-8")
        else:
            text = path.read_text(encoding="utf-8")
            assert text.count(self.old) == 1, f"{self.old!r} stands {text.count(self.old)} times in {path.name}"
            path.write_text(text.replace(self.old, self.new), encoding="utf-8")
        if self.reseal:
            data = json.loads(path.read_text(encoding="utf-8"))
            data["digest"] = json_digest({key: value for key, value in data.items() if key != "digest"})
            path.write_text(json.dumps(data), encoding="utf-8")


def on(file: str, old: str, new: str, says: str, *, path: str = "", at: str = "") -> Fault:
    return Fault(file=file, old=old, new=new, says=says, path=path, at=at)


FAULTS: dict[str, list[Fault]] = {
    "files": [
        on("code/day01-hello/old.cu", "", "int x;\n", "belongs to no day's page, program or quiz"),
        on("code/mistakes/alone.cu", "", "int x;\n", "belongs to no day's page, program or quiz"),
        on("docs/days/day03-thrice.md", "", "## The question\n", "belongs to no day's page"),
        on("content/quizzes/day03.toml", "", "", "belongs to no day's page"),
        on("code/day02-twice/numbers.txt", "*", "", "lacks an input of its program 'twice'"),
        on(f"{TWICE}.cu", "*", "", "lacks this half of its program 'twice'"),
        on("code/day02-twice/twice.cu", '#include "scale.cuh"\n', "", "belongs", path="code/day02-twice/scale.cuh"),
    ],
    "todo": [on(PAGE1, "## Results", "TODO: tell it\n\n## Results", "tell it", at="TODO:")],
    "anatomy": [
        on(PAGE1, "## Go deeper", "## Further", "there is no section 'Go deeper'"),
        on(PAGE1, "## Quiz", "## Next\n\nSoon.\n\n## Quiz", "the section 'Next' stands twice"),
        on(PAGE1, "## Predictions", "## Predictions first", "there is no section 'Predictions'"),
        on(PAGE1, "## Next", "## Aside\n\nWords.\n\n## Next", "'Aside' stands after the program", at="## Aside"),
        on(PAGE1, "## Next", "# Hello\n\n## Next", "the title 'Hello' is course.toml's to set", at="# Hello"),
        on(PAGE1, "{{ quiz() }}", "None today.", "'Quiz' does not show {{ quiz() ... }}", at="## Quiz"),
        on(PAGE1, '{{ run("hello") }}', "Run it.", "does not show {{ run( ... }}", at="## Run it yourself"),
        on(PAGE2, "## The last block has threads to spare", "", "1 idea sections, where 2 to 5 belong"),
        on(PAGE2, "## Results", "## Run it yourself\n\n## Results", "'Results' is out of order", at="## Results"),
    ],
    "question": [
        on(PAGE2, ' ({{ source("guide.hardware") }})?', "?", "names no place where it is asked", at="## The question"),
        on(
            SOURCES,
            'looked_at = "2026-11-29"',
            'unread = "Nobody could."',
            "no source of the question says when",
            path=PAGE1,
            at="## The question",
        ),
    ],
    "expressions": [
        on(PAGE1, 'value("hello.threads")', 'value("hello.thraeds")', "'hello.thraeds' is not declared", at="thraeds"),
        on(PAGE2, "{{ day(1) }}", "{{ day(7) }}", "there is no day 7", at="day(7)"),
        on(PAGE1, "## Braces", "## {{ day(2) }} and braces", "stands in a heading", at="## {{"),
        on(PAGE1, "{{ quiz() }}", "Now: {{ quiz() }}", "is a block inside a sentence", at="Now:"),
        on("docs/index.md", "course_map()", "course_mapp()", "nothing is called 'course_mapp'", at="course_mapp"),
    ],
    "references": [
        on(PAGE1, "hello.py:number", "helo.py:number", "code/day01-hello/helo.py does not exist", at="helo.py"),
        on(PAGE2, "twice.cu:kernel", "twice.cu:kernal", "no section 'kernal' from start to end", at="kernal"),
        on(PAGE2, "That was all.", "On day 1 it began.", "'day 1' is typed", at="On day 1"),
        on(f"{TWICE}.cu", "// --8<-- [end:kernel]\n", "", "no section 'kernel'", path=PAGE2, at="twice.cu:kernel"),
    ],
    "predictions": [
        on(COURSE, "The sanitizer finds nothing.", "Clean.", "'clean': its claim is no sentence", at='id = "clean"'),
        on(f"{HELLO}.py", 'lab.predict("all-speak", distinct', "print(distinct", "'all-speak' is never judged"),
        on(f"{HELLO}.py", 'predict("all-speak"', 'predict("all-talk"', "'all-talk' is judged and not", at="all-talk"),
        on(COURSE, "none is missing and none", "none is absent and none", "in other words than these", at="all-speak"),
    ],
    "fresh": [
        on(f"{HELLO}.py", "BLOCKS, THREADS = 2, 4", "BLOCKS, THREADS = 4, 2", "on the h200 is stale", path=PAGE1),
        on(
            "evidence/h200/580.159.04-nvrtc13.0.88/day02-twice.json",
            '"status": "ok"',
            '"status": "failed"',
            "day02-twice.json is not what was captured",
            path="evidence",
        ),
        on("evidence/h200/580.159.04-nvrtc13.0.88/day01-hello.json", "*", "", "not measured yet", path=PAGE1),
    ],
    "numbers": [
        on(PAGE1, "All of {{", "In 3.5 ms, all of {{", "'3.5 ms' is typed", at="3.5 ms"),
        on(PAGE2, "must do nothing.", "must do nothing.\n\nThat costs 12% here.", "'12%' is typed", at="12%"),
        on(PAGE2, "That was all.", "It ran at 1,200.5 GB/s.", "'1,200.5 GB/s' is typed", at="1,200.5"),
    ],
    "quiz": [
        on(QUIZ1, '"day01-how-many"', '"how-many"', "does not say which day it is of", at="[[question]]"),
        on(QUIZ2, '"day02-spare"', '"day01-how-many"', "has an id that another question has", at="[[question]]"),
        on(QUIZ1, '"6"', '"None of the above"', "has the option 'None of the above'", at="[[question]]"),
        on(QUIZ2, '"2 blocks"', '"12 blocks"', "and the NVIDIA H200 has 2 blocks", at="[[question]]"),
        on(QUIZ2, '"twice.blocks"', '"twice.bloks"', "which day02 does not declare", at="[[question]]"),
        on(QUIZ2, 'at = "300"', 'at = "400"', "the NVIDIA H200 has not: 'blocks' has no entry", at="[[question]]"),
        on(QUIZ1, "Blocks and threads multiply; they do not add.", " ", "has no note", at="[[question]]"),
    ],
    "sources": [
        on(SOURCES, 'section = "Hardware Implementation"', 'section = ""', "does not say where in it", at='id = "'),
        on(SOURCES, 'looked_at = "2026-11-29"\n', "", "has no date", at='id = "'),
        on(SOURCES, "2026-11-29", "2999-01-01", "which is to come", at='id = "'),
        on(SOURCES, "backs", 'unread = "No."\nbacks', "was looked at and was not", at='id = "'),
        on(SOURCES, "[[source]]", UNCITED, "'guide.old' is one that no page leans on", at='"guide.old"'),
    ],
    "needs": [
        on(COURSE, "needs = [1]", "needs = [0]", "needs day 0, which does not exist", at="needs = [0]"),
        on(COURSE, "needs = [1]", "needs = [1, 1]", "needs day 1 more than once", at="needs = [1, 1]"),
    ],
    "reading": [
        on(COURSE, "minutes = 5\n", "minutes = 50\n", "50 minutes are stated", at="minutes = 50"),
        on(COURSE, "minutes = 4\n", "minutes = 1\n", "1 minutes are stated", at="minutes = 1"),
    ],
    "width": [
        on(f"{HELLO}.cu", "own number.", f"own number{'.' * 60}", "columns, where a page shows 90", at="own number"),
        on(PAGE1, "int m[2][2] = {{1, 2}, {3, 4}};\n", f"int m;{' ' * 90}//\n", "98 columns", at="int m;"),
    ],
    "fences": [
        on(PAGE1, "int m[2][2] = {{1, 2}, {3, 4}};\n", "// a pair\nint m[2][2 = {};\n", "sm_75: expected a", at="[2 ="),
        on(PAGE2, '--8<-- "day02-twice/twice.py:blocks"', "def f(:", "the python block is not Python", at="def f(:"),
        on(PAGE1, "```cuda", "```{ .cuda data-fragment='' }", "marked as a fragment, without a reason", at="```{"),
    ],
    "programs": [
        on(f"{HELLO}.cu", "number[i] = i;", "numbers[i] = i;", 'identifier "numbers" is undefined', at="numbers[i]"),
        on(
            f"{TWICE}.cu",
            "    unsigned int i =",
            '    asm volatile("cp.async.wait_all;");\n    unsigned int i =',
            "does not compile for sm_75: ",
        ),
    ],
    "questions": [on(QUESTIONS, "days = [1]", "days = [1, 9]", "day 9, which does not exist", at="number = 1")],
    "facts": [
        Fault(
            file=MACHINE,
            old='"blocks_per_sm": 32',
            new='"blocks_per_sm": 24',
            says="blocks_per_sm is 24 on NVIDIA H200, and 32 for",
            reseal=True,
        )
    ],
    "practice": [
        on(f"{PRACTICE}/starter.cu", "// TODO: which", "// Which", "a starter says by a TODO"),
        on(f"{PRACTICE}/solution.cu", "*", "", "the exercise of day02 lacks solution.cu"),
        on(f"{PRACTICE}/hints.md", "## Hint 2", "## Hint 3", "its headings are Hint 1, Hint 3, Solution"),
        on(f"{PRACTICE}/hints.md", "`blockDim.x` ", "", "the last hint holds no code"),
        on(f"{PRACTICE}/hints.md", "Which element is the first of your block?", "", "a section is empty"),
        on(
            f"{PRACTICE}/hints.md",
            "## Hint 1\n\nWhich element is the first of your block?\n\n## Hint 2",
            "## Hint 1",
            "1 hints",
        ),
        on(f"{PRACTICE}/wrong/alone.cu", "*", "", "3 wrong answers, where 4 or more belong", path=f"{PRACTICE}/wrong"),
        on(
            f"{PRACTICE}/wrong/alone.cu",
            "local-index",
            "local-indx",
            "states 'local-indx', which is no reason",
            at="fails",
        ),
        on(f"{PRACTICE}/wrong/alone.cu", "// fails: local-index\n", "", "does not say why it fails"),
        on(f"{PRACTICE}/wrong/alone.cu", "// The same in every block.\n", "", "does not say what the mistake is"),
        on(
            f"{PRACTICE}/check.py",
            "(0, 1, 3, 4, 5, 9)],\n",
            "(0, 1, 3, 4, 5, 9)],\n    speed=practice.Speed(case=practice.case(n=9), nbytes=72),\n",
            "asks for speed, and no wrong answer is too slow",
            at="speed=",
        ),
        on(f"{PRACTICE}/failures.json", "*", "", "was never proven"),
        on(
            f"{PRACTICE}/failures.json",
            '"found": "wrong-result"',
            '"found": "tail"',
            "twice failed for tail, and states wrong",
        ),
        on(f"{PRACTICE}/failures.json", '"name": "alone"', '"nome": "alone"', "unknown key 'nome'"),
        on(f"{PRACTICE}/three.cuh", "T(3)", "T(4)", "is of other files", path=f"{PRACTICE}/failures.json"),
        on(PAGE2, "{{ practice() }}", "None.", "the page does not show its exercise", at="## Practice"),
    ],
    "proofs": [
        on(
            f"{PRACTICE}/wrong/alone.cu",
            "threadIdx.x;",
            "blockIdx.x * blockDim.x + threadIdx.x;",
            "passes, and has to fail",
        ),
        on(f"{PRACTICE}/wrong/alone.cu", "fails: local-index", "fails: tail", "fails for local-index, and states tail"),
        on(f"{PRACTICE}/solution.cu", "i < n", "i <= n", "the solution fails for off-by-one at n = 0"),
        on(f"{PRACTICE}/starter.cu", "}", "", "the starter fails for compile"),
        on(f"{PRACTICE}/check.py", "practice.exercise(", "practice.exercice(", "has no attribute 'exercice'"),
        on(
            f"{PRACTICE}/failures.json",
            '"case": "n = 5"',
            '"case": "n = 9"',
            "and failures.json has it otherwise",
            path=f"{PRACTICE}/wrong/alone.cu",
        ),
    ],
    "nvcc": [on(f"{TWICE}.cu", "std::printf", "std::prinft", 'nvcc: namespace "std" has no member', at="std::prinft")],
    "links": [
        on(BUILT1, '<a class="day" href="../day02-twice/"', '<a href="../day09/"', "'../day09/' leads", at="../day09/"),
        on(BUILT1, "</body>", '<p><a href="#nowhere">x</a>\n</body>', "nothing is called #nowhere", at="#nowhere"),
        on(BUILT1, "</body>", '<img src="gone.svg">\n</body>', "'gone.svg' leads nowhere: no such file", at="gone.svg"),
        on(BUILT1, "</body>", '<a href="../day02-twice/#no">x</a>\n</body>', "nothing is called #no there", at="#no"),
    ],
}


@pytest.fixture(scope="session")
def sound_root(captured_mini: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The miniature course with evidence and its site, checked once, so that its kernels are compiled."""
    root = Path(shutil.copytree(captured_mini, tmp_path_factory.mktemp("sound") / "mini"))
    (root / QUESTIONS).write_text(ASKED, encoding="utf-8")
    shutil.copytree(REPOSITORY.docs / "assets", root / "docs" / "assets")
    built(Layout(root))
    checked(Layout(root), "programs", "fences", "proofs")
    return root


@pytest.fixture
def sound(sound_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    """A copy of it, to be changed at will, and an nvcc that knows one mistake."""
    nvcc = tmp_path / "bin" / "nvcc"
    nvcc.parent.mkdir()
    nvcc.write_text(NVCC.format(python=sys.executable, calls=str(tmp_path / "calls")), encoding="utf-8")
    nvcc.chmod(0o755)
    monkeypatch.setenv("PATH", f"{nvcc.parent}{os.pathsep}{os.environ['PATH']}")
    return Layout(Path(shutil.copytree(sound_root, tmp_path / "mini")))


def checked(layout: Layout, *names: str, days: tuple[int, ...] = (), ci: bool = False) -> Report:
    course = load_course(layout)
    chosen = tuple(day for day in course.days if not days or day.number in days)
    rules: tuple[Rule, ...] = tuple(BY_NAME[name] for name in names) or RULES
    return run_checks(Context(layout, course, chosen), rules, ci=ci)


def findings(layout: Layout, *names: str) -> list[Finding]:
    return checked(layout, *names).findings


def test_nothing_is_found_in_a_sound_course_and_every_rule_has_looked(sound: Layout) -> None:
    report = checked(sound, ci=True)
    assert report.findings == []
    assert report.skipped == {}
    assert list(report.looked) == list(BY_NAME)
    assert {name for name, count in report.looked.items() if count == 0} == set()


def test_every_rule_has_a_fault_planted_for_it() -> None:
    assert set(FAULTS) == set(BY_NAME)
    assert all(FAULTS.values())
    assert all(rule.__doc__ for rule in RULES)


@pytest.mark.parametrize(
    ("rule", "fault"),
    [pytest.param(rule, fault, id=f"{rule}-{i}") for rule, faults in FAULTS.items() for i, fault in enumerate(faults)],
)
def test_the_planted_fault_is_found(sound: Layout, rule: str, fault: Fault) -> None:
    fault.plant(sound)
    found = findings(sound, rule)
    hits = [finding for finding in found if fault.says in finding.message]
    assert hits, f"not found among {[finding.message for finding in found]}"
    path = fault.path or fault.file
    assert {(finding.rule, finding.path) for finding in hits if finding.path == path} == {(rule, path)}
    if fault.at:
        lines = (sound.root / path).read_text(encoding="utf-8").splitlines()
        assert fault.at in lines[(next(f for f in hits if f.path == path).line or 0) - 1]


def test_all_findings_come_at_once_grouped_by_day(sound: Layout) -> None:
    for fault in (FAULTS["numbers"][0], FAULTS["references"][1], FAULTS["expressions"][4]):
        fault.plant(sound)
    report = checked(sound, *(name for name in BY_NAME if name not in SLOW))
    text = report.text()
    assert [line for line in text.splitlines() if not line.startswith(" ")][:3] == ["The course", "Day 1", "Day 2"]
    assert re.search(r"  docs/days/day01-hello.md:\d+: '3.5 ms' is typed \[numbers\]", text)
    assert text.endswith(f"{len(RULES) - len(SLOW)} rules, {report.items} items checked, 3 findings, 1 not run")


def test_of_one_day_only_that_days_faults_are_found(sound: Layout) -> None:
    FAULTS["numbers"][0].plant(sound)
    FAULTS["references"][1].plant(sound)
    names = [name for name in BY_NAME if name not in SLOW]
    assert {finding.day for finding in checked(sound, *names, days=(2,)).findings} == {2}


def test_a_day_that_needs_a_later_one_is_refused_before_any_rule(sound: Layout) -> None:
    on(COURSE, "needs = [1]", "needs = [2]", "").plant(sound)
    with pytest.raises(ContentError, match="needs day 2, which does not come before it"):
        checked(sound)


class TestWhatIsAllowed:
    """What a rule must not find, since honest pages hold it."""

    @pytest.mark.parametrize(
        "prose",
        [
            'Somebody saw 12% ({{ source("guide.hardware") }}). A second took 3 ms.',
            "It is published as 1.5 TB/s.",
            "Suppose that a copy takes 20 ms.",
            "Blocks of 256 threads in 3 rows of 4 KiB, `3 ms` in code.",
            'As measured ({{ source("guide.hardware") }}):\n\n| n | time |\n|---|---|\n| 3 | 4 ms |',
        ],
    )
    def test_numbers_that_are_not_ours(self, sound: Layout, prose: str) -> None:
        on(PAGE1, "All of {{", f"{prose}\n\nAll of {{{{", "").plant(sound)
        assert findings(sound, "numbers") == []

    def test_blocks_that_compile_or_say_why_not(self, sound: Layout) -> None:
        fences = (
            "```cuda\nint i = blockIdx.x * blockDim.x + threadIdx.x;\n```",
            "```cuda\n__device__ float half_of(float x) { return x / 2; }\n```",
            '```{ .cuda data-fragment="a host\'s launch" }\nhello<<<2, 4>>>(number);\n```',
            '=== "C++"\n\n    ```cuda\n    int x;\n    ```',
            "```python\nfor n in range(3):\n    print(n)\n```",
            "```console\n$ make test\n```",
        )
        on(PAGE1, "## Next", "\n\n".join((*fences, "## Next")), "").plant(sound)
        report = checked(sound, "fences", "expressions", "width")
        assert report.findings == []
        assert report.looked["fences"] == 10

    def test_what_a_days_practice_holds(self, sound: Layout) -> None:
        on("code/day02-twice/practice/more.cuh", "", "int x;\n", "").plant(sound)
        assert findings(sound, "files") == []

    def test_an_answer_that_holds_the_value_without_its_unit(self, sound: Layout) -> None:
        on(QUIZ2, '"2 blocks"', '"Two of them: 2."', "").plant(sound)
        assert findings(sound, "quiz") == []


class TestWhatCannotBeRun:
    """A rule that this machine is not fit for is told of as not run, never as passed."""

    @pytest.fixture
    def no_cuda(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "without" / "cuda").mkdir(parents=True)
        (tmp_path / "without/cuda/__init__.py").write_text("raise ImportError('not on this machine')\n")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path / "without"))

    @pytest.mark.usefixtures("no_cuda")
    def test_without_nvrtc(self, sound: Layout) -> None:
        report = checked(sound, "fences", "programs")
        assert report.findings == []
        assert report.looked["programs"] == 0
        assert "ImportError: not on this machine" in report.skipped["programs"]
        assert "not run: programs: no NVRTC to compile with" in report.text()
        assert {finding.rule for finding in checked(sound, "fences", "programs", ci=True).findings} == {
            "fences",
            "programs",
        }

    def test_without_nvcc_which_ci_may_lack(self, sound: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", "")
        report = checked(sound, "nvcc", ci=True)
        assert report.findings == []
        assert "there is no nvcc on PATH" in report.skipped["nvcc"]

    def test_without_a_built_site(self, sound: Layout) -> None:
        shutil.rmtree(sound.root / "site")
        assert "there is no built site in site/ (make site)" in checked(sound, "links").skipped["links"]
        assert [finding.message for finding in checked(sound, "links", ci=True).findings] == [
            "was not run: there is no built site in site/"
        ]

    def test_with_a_site_from_before_a_change(self, sound: Layout) -> None:
        (sound.root / PAGE1).touch()
        assert checked(sound, "links").skipped["links"] == f"site/ is older than {PAGE1} (make site)"


def test_a_compiler_that_crashes_is_a_finding_and_the_rest_is_compiled(
    sound: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import os\n"
        "from gpu100.device import nvrtc\n"
        "compile_source = nvrtc.compile_source\n"
        "def crash(source, *rest, **named):\n"
        "    if 'hello' in source.name:\n"
        "        os.abort()\n"
        "    return compile_source(source, *rest, **named)\n"
        "nvrtc.compile_source = crash\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    report = checked(sound, "programs")
    assert [(finding.path, "NVRTC crashed" in finding.message) for finding in report.findings] == [
        (f"{HELLO}.cu", True)
    ]


def test_what_nvcc_has_compiled_is_not_compiled_again(sound: Layout, tmp_path: Path) -> None:
    checked(sound, "nvcc")
    calls = (tmp_path / "calls").read_text(encoding="utf-8").splitlines()
    assert sorted(calls) == ["-arch=sm_75 -c -o /dev/null hello.cu", "-arch=sm_75 -c -o /dev/null twice.cu"]
    checked(sound, "nvcc")
    on("code/day02-twice/scale.cuh", "2.0f", "3.0f", "").plant(sound)
    checked(sound, "nvcc")
    assert (tmp_path / "calls").read_text(encoding="utf-8").splitlines()[2:] == ["-arch=sm_75 -c -o /dev/null twice.cu"]


def test_an_answer_is_held_against_every_machine(sound: Layout, t4: object) -> None:
    from conftest import second_machine
    from gpu100.model.record import Exact

    record = "h200/580.159.04-nvrtc13.0.88/day02-twice.json"
    values = {"blocks": Exact(kind="exact", unit="blocks", value={"300": 5})}
    second_machine(sound, t4, record=record, values=values)  # type: ignore[arg-type]
    assert ["the Tesla T4 has 5 blocks" in finding.message for finding in findings(sound, "quiz")] == [True]


class TestTheCommand:
    """``gpu100 check`` itself: exit codes and formats."""

    @staticmethod
    def ran(layout: Layout, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "gpu100", "check", *words]
        done = subprocess.run(command, cwd=layout.root, capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def test_a_sound_day_ends_with_0(self, sound: Layout) -> None:
        done = self.ran(sound, "2")
        assert (done.returncode, done.stderr) == (0, "")
        assert re.fullmatch(rf"{len(RULES)} rules, \d+ items checked, 0 findings\n", done.stdout)

    def test_findings_end_with_1_as_json_too(self, sound: Layout) -> None:
        FAULTS["references"][1].plant(sound)
        shutil.rmtree(sound.root / "site")
        done = self.ran(sound, "2", "--format", "json")
        assert done.returncode == 1
        told = json.loads(done.stdout)
        (finding,) = [finding for finding in told["findings"] if finding["rule"] == "references"]
        assert (finding["path"], finding["day"]) == (PAGE2, 2)
        assert finding["line"] > 1
        assert "links" in told["skipped"]
        assert set(told["looked"]) == set(BY_NAME)

    def test_where_nothing_is_written_nothing_was_checked(self, sound: Layout) -> None:
        (sound.root / PAGE2).unlink()
        done = self.ran(sound, "2")
        assert done.returncode == 1
        assert "nothing was checked: no page is written yet" in done.stderr

    def test_a_day_that_does_not_exist_ends_with_2(self, sound: Layout) -> None:
        done = self.ran(sound, "77")
        assert (done.returncode, done.stderr) == (2, "error: there is no day 77\n")


class TestReport:
    """What is said of findings, however it is said."""

    report = Report(looked={"width": 3, "links": 0}, skipped={"links": "there is no built site (make site)"})
    report.findings.append(
        Finding(rule="width", message="100% wide: too wide\nby far", path="code/a,b.cu", line=7, day=3, hint="break it")
    )

    def test_as_text(self) -> None:
        assert self.report.text().splitlines() == [
            "Day 3",
            "  code/a,b.cu:7: 100% wide: too wide",
            "by far [width]",
            "      break it",
            "not run: links: there is no built site (make site)",
            "2 rules, 3 items checked, 1 finding, 1 not run",
        ]

    def test_as_annotations_of_a_pull_request(self) -> None:
        assert self.report.github().splitlines() == [
            "::error file=code/a%2Cb.cu,line=7,title=width::100%25 wide: too wide%0Aby far%0Abreak it",
            "::notice title=links was not run::there is no built site (make site)",
            "2 rules, 3 items checked, 1 finding, 1 not run",
        ]

    def test_that_looked_at_nothing_is_not_well(self) -> None:
        assert not Report(looked={"width": 0}).ok
        assert Report(looked={"width": 1}).ok


def test_a_page_is_read_as_its_author_wrote_it() -> None:
    page = Page(
        '## One\n\n=== "C++"\n\n    ```{ .cuda data-fragment="a line" }\n      int `{{ x }}`;\n    ```\n\n'
        '```cuda\n--8<-- "day01-a/a.cu:kernel"\n```\n\n## Two\n\nWords, `{{ y }}` and {{ source("a.b") }}.\n'
    )
    typed, included = page.fences
    assert (typed.language, typed.fragment, typed.text, typed.typed) == ("cuda", "a line", "  int `{{ x }}`;", True)
    assert (included.language, included.fragment, included.typed) == ("cuda", None, False)
    assert [(s.file, s.section, s.line) for s in included.snippets] == [("day01-a/a.cu", "kernel", 10)]
    assert [(e.source, e.line) for e in page.expressions] == [('source("a.b")', 15)]
    assert (page.cited(page.sections[0]), page.cited(page.sections[1]), page.cited()) == ([], ["a.b"], ["a.b"])


def test_the_real_course_passes() -> None:
    names = [name for name in BY_NAME if name != "links"]  # whose site `make check` builds
    report = checked(REPOSITORY, *names)
    print(report.text())
    assert report.findings == []
    assert {name for name, count in report.looked.items() if count == 0} - {"nvcc"} == set()
