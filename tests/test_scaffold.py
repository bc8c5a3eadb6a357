"""A new day: scaffolded, checked, built, and taken from a plan to a page that passes."""

from __future__ import annotations

import ast
import dataclasses
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from conftest import REPOSITORY, built
from gpu100.author.checks import run_checks, todo
from gpu100.author.checks.anatomy import ORDER
from gpu100.author.context import Context
from gpu100.author.entry import entry_lines
from gpu100.author.page import Page
from gpu100.author.report import Report
from gpu100.author.scaffold import new_day, write
from gpu100.author.words import BECAUSE
from gpu100.capture.plan import Job
from gpu100.capture.run import capture_one
from gpu100.content.course import load_course
from gpu100.content.questions import load_questions
from gpu100.content.quizzes import load_quiz
from gpu100.device.interface import Source
from gpu100.device.nvrtc import compile_source
from gpu100.errors import ContentError, CourseError, UsageError
from gpu100.evidence.store import EvidenceStore
from gpu100.model.behaviour import COMPILE_OPTIONS
from gpu100.model.course import Course, Day
from gpu100.model.machine import Machine
from gpu100.paths import Layout

Edit = Callable[[Path, str, str], None]

FIXTURE = Path(__file__).with_name("day37")
GUIDE = REPOSITORY.docs / "contribute" / "new-day.md"
PAGE, CU, PY = (
    "docs/days/day37-radix-sort.md",
    "code/day37-radix-sort/radix_sort.cu",
    "code/day37-radix-sort/radix_sort.py",
)
QUIZ = "content/quizzes/day37.toml"


@pytest.fixture
def real(tmp_path: Path) -> Layout:
    """The real course, to be changed at will."""
    root = tmp_path / "real"
    for name in ("code", "content", "docs", "evidence"):
        shutil.copytree(REPOSITORY.root / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY.root / "mkdocs.yml", root)
    return Layout(root)


@pytest.fixture
def small(layout: Layout) -> Layout:
    """The miniature course with its evidence, and with the guide's planned day in it."""
    entry = next(text for text in fences("toml") if "[day.plan]" in text)
    module = '[[module]]\nnumber = 4\ntitle = "Parallel patterns"\ngoal = "Sort."\n'
    around = "".join(
        f'\n[[day]]\nnumber = {number}\nslug = "planned-{number}"\ntitle = "Planned"\nmodule = 4\n'
        f'asks = "What is planned?"\nminutes = 20\ncapability = "7.5"\n'
        for number in (34, 35, 36, 38)
    )
    with layout.course.open("a", encoding="utf-8") as file:
        file.write(f"\n{module}\n{entry}\n{around}")
    return layout


def fences(language: str) -> list[str]:
    """The guide's blocks in a language, in order."""
    return [fence.text for fence in Page(GUIDE.read_text(encoding="utf-8")).fences if fence.language == language]


def day_of(layout: Layout, number: int = 37) -> Day:
    day = load_course(layout).day(number)
    assert day is not None
    return day


def checked(layout: Layout, number: int = 37) -> Report:
    return run_checks(Context(layout=layout, course=load_course(layout), days=(day_of(layout, number),)))


def todos(layout: Layout) -> list[str]:
    """What the rule for placeholders says of day 37: where, and what."""
    course = load_course(layout)
    found = run_checks(Context(layout=layout, course=course, days=(day_of(layout),)), (todo,)).findings
    return [f"{finding.where}: {finding.message}" for finding in found]


def scaffolded(layout: Layout, number: int = 37) -> Layout:
    write(layout, new_day(layout, number))
    return layout


def tree(layout: Layout) -> dict[str, bytes]:
    """Every file of the course, byte for byte."""
    return {layout.relative(path): path.read_bytes() for path in layout.root.rglob("*") if path.is_file()}


def refusal(layout: Layout, number: int) -> CourseError:
    before = tree(layout)
    with pytest.raises(CourseError) as caught:
        scaffolded(layout, number)
    assert tree(layout) == before
    return caught.value


# Plans


def test_every_planned_day_has_a_plan_and_no_published_one_has(course: Course) -> None:
    planned = [day for day in course.days if day.status == "planned"]
    assert planned
    assert [day.number for day in planned if day.plan is None or not day.plan.predict] == []
    assert [day.number for day in course.days if day.status == "published" and day.plan] == []


def test_every_question_of_a_plan_is_listed(course: Course) -> None:
    listed = load_questions(REPOSITORY)
    named = {number for day in course.days if day.plan for number in day.plan.questions}
    assert len(named) > 30
    assert named - listed.keys() == set()
    assert all(asked.seen for asked in listed.values())


def test_a_question_that_stands_twice_is_refused(real: Layout, edit: Edit) -> None:
    path = real.content / "questions.toml"
    edit(path, "number = 52\n", "number = 51\n")
    with pytest.raises(ContentError, match=r"content/questions\.toml:\d+: question 51 stands twice"):
        load_questions(real)


def test_plans_are_in_american_spelling() -> None:
    paths = (REPOSITORY.course, REPOSITORY.content / "questions.toml")
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    stems = "ali|ari|chroni|ili|neri|nti|oni|ori|rali"
    british = rf"\w*(?:(?:{stems})s(?:e[ds]?|ing|ation)|[lb]our|aviour|metre)\b|\bgrey\b|centre"
    assert re.findall(british, text) == []
    assert re.findall(british, "specialised neighbour, synchronise, normalising, grey") != []


# The scaffold


def test_a_new_day_has_its_files_and_is_a_draft(real: Layout) -> None:
    before = tree(real)
    scaffolded(real)
    after = tree(real)
    assert after.keys() - before.keys() == {PAGE, CU, PY, QUIZ}
    assert {name for name in before if before[name] != after[name]} == {"content/course.toml"}
    day = day_of(real)
    assert day.status == "draft"
    assert day.plan is not None
    assert [p.claim for p in day.predict] == list(day.plan.predict)
    assert {p.because for p in day.predict} == {BECAUSE}
    assert [value.name for value in day.programs[0].values] == ["right"]
    quiz = load_quiz(real, day)
    assert quiz is not None


def test_the_rest_of_the_course_keeps_every_byte(real: Layout) -> None:
    before = real.course.read_bytes().splitlines(keepends=True)
    scaffolded(real)
    after = real.course.read_bytes().splitlines(keepends=True)
    place = entry_lines([line.decode() for line in before], 37)
    added = len(after) - len(before)
    assert after[: place.start] == before[: place.start]
    assert after[place.stop + added :] == before[place.stop :]


def test_the_page_has_every_part_in_order(real: Layout) -> None:
    page = Page((scaffolded(real).root / PAGE).read_text(encoding="utf-8"))
    assert [s.title for s in page.sections if not s.title.startswith("TODO: ")] == list(ORDER)
    assert [
        s.title for s in page.sections if not re.search(r"^\s*(- )?TODO: |\{\{ \w+\(.*\) \}\}$", s.prose, re.M)
    ] == []


def test_every_planned_day_can_be_scaffolded(course: Course) -> None:
    planned = [day.number for day in course.days if day.status == "planned"]
    scaffolds = [new_day(REPOSITORY, number) for number in planned]
    assert scaffolds
    for scaffold in scaffolds:
        page, cu, py, _ = scaffold.files.values()
        ast.parse(py)
        assert "$" not in page.replace("$ ", "").replace("\n    $", "")
        assert max(map(len, [*cu.splitlines(), *py.splitlines()])) <= 90
        assert len({p.id for p in scaffold.day.predict}) == len(scaffold.day.predict)


def test_the_kernel_compiles_for_old_and_new(real: Layout) -> None:
    path = scaffolded(real).root / CU
    source = Source(path=path, name=CU, text=path.read_text(encoding="utf-8"))
    for arch in ("sm_75", "sm_120"):
        assert b"twice" in compile_source(source, arch, COMPILE_OPTIONS)


def test_untouched_it_builds_strictly_as_a_draft(real: Layout) -> None:
    html = (built(scaffolded(real), strict=True) / "days/day37-radix-sort/index.html").read_text(encoding="utf-8")
    assert html.count("not measured yet") == 2
    assert "draft" in html


def test_untouched_it_fails_check_with_the_list_of_what_to_write(real: Layout) -> None:
    report = checked(scaffolded(real))
    assert not report.ok
    found = todos(real)
    assert len(found) > 25
    assert {text.partition(":")[0] for text in found} == {PAGE, CU, PY, QUIZ, "content/course.toml"}
    assert any("the plan of a day that is being written is still there" in text for text in found)
    assert sum("Judge it, by a condition that can fail." in text for text in found) == 3


def test_a_plans_every_part_reaches_the_page(real: Layout, course: Course) -> None:
    day = next(day for day in course.days if day.plan and day.plan.facts and day.plan.widget and day.plan.questions)
    assert day.plan is not None
    text = (scaffolded(real, day.number).root / "docs" / day.page).read_text(encoding="utf-8")
    for part in (day.asks, day.plan.experiment, day.plan.facts, f"`{day.plan.widget}`", "Settle it too: "):
        assert part in text
    assert f"{{{{ day({day.number + 1}) }}}}" in text


def test_the_hundredth_day_names_no_day_after_it(real: Layout) -> None:
    scaffolded(real, 100)
    assert "day(101)" not in (real.root / "docs/days/day100-day-101.md").read_text(encoding="utf-8")
    assert (real.content / "quizzes/day100.toml").is_file()


def test_windows_line_ends_and_a_byte_order_mark_are_kept(real: Layout) -> None:
    data = real.course.read_bytes()
    real.course.write_bytes(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"))
    scaffolded(real)
    after = real.course.read_bytes()
    assert after.startswith(b"\xef\xbb\xbf#")
    assert after.count(b"\n") == after.count(b"\r\n") > data.count(b"\n")
    assert day_of(real).status == "draft"
    assert any("content/course.toml" in text for text in todos(real))


# What stands in the way


@pytest.mark.parametrize("number", [-1, 0, 101, 2000])
def test_a_day_outside_the_hundred_is_refused(real: Layout, number: int) -> None:
    error = refusal(real, number)
    assert (error.message, error.exit_code) == (f"day {number} is outside 1 to 100", 2)
    assert error.hint


def test_a_day_that_is_not_declared_is_refused(mini: Layout) -> None:
    assert str(refusal(mini, 37)).startswith("content/course.toml has no day 37\n  declare it there first")


def test_a_day_that_is_written_is_refused(real: Layout) -> None:
    assert (
        str(refusal(real, 2))
        == "day 2 is not planned any more: it is published\n  go on in docs/days/day02-gpu-vs-cpu.md"
    )
    scaffolded(real)
    assert "it is draft" in refusal(real, 37).message


@pytest.mark.parametrize("name", [PAGE, CU, QUIZ, "docs/days/day37-sorting.md", "code/day37-old/a.py"])
def test_a_file_that_stands_there_stops_it_before_anything_is_written(real: Layout, name: str) -> None:
    path = real.root / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    error = refusal(real, 37)
    assert isinstance(error, UsageError)
    assert error.message in (f"{name} is already there", f"{Path(name).parent.as_posix()} is already there")
    assert error.hint
    assert "nothing was written" in error.hint


def test_a_file_that_comes_meanwhile_is_kept_and_the_rest_taken_back(real: Layout) -> None:
    scaffold = new_day(real, 37)
    (real.root / QUIZ).write_text("mine")
    before = tree(real)
    with pytest.raises(UsageError, match=r"content/quizzes/day37\.toml is already there"):
        write(real, scaffold)
    assert tree(real) == before


def test_a_course_that_changed_meanwhile_is_kept(real: Layout, edit: Edit) -> None:
    scaffold = new_day(real, 37)
    edit(real.course, 'title = "Radix sort"', 'title = "Sorting by digits"')
    before = tree(real)
    with pytest.raises(UsageError, match="changed meanwhile"):
        write(real, scaffold)
    assert tree(real) == before


def test_a_slug_of_another_day_is_refused_with_its_line(real: Layout, edit: Edit) -> None:
    edit(real.course, 'slug = "radix-sort"', 'slug = "histogram"')
    error = refusal(real, 37)
    assert isinstance(error, ContentError)
    assert "slug 'histogram' is taken by another day" in error.message
    assert error.line


def test_a_slug_that_can_name_no_file_is_refused(real: Layout, edit: Edit) -> None:
    edit(real.course, 'slug = "radix-sort"', 'slug = "../radix sort"')
    assert "'../radix sort' cannot name a file" in refusal(real, 37).message


def test_malformed_toml_is_refused_with_line_and_column(real: Layout, edit: Edit) -> None:
    edit(real.course, 'slug = "radix-sort"', 'slug = = "radix-sort"')
    assert re.match(r"content/course\.toml:\d+: not TOML: .* \(column 8\)", refusal(real, 37).message)


def test_a_merge_conflict_is_refused_with_its_line(real: Layout, edit: Edit) -> None:
    sides = '<<<<<<< HEAD\nslug = "radix-sort"\n=======\nslug = "radix"\n>>>>>>> theirs'
    edit(real.course, 'slug = "radix-sort"', sides)
    assert re.match(r"content/course\.toml:\d+: a merge conflict is unresolved", refusal(real, 37).message)


def test_a_course_that_is_not_utf8_is_refused_with_the_offset(real: Layout) -> None:
    data = real.course.read_bytes().replace(b"Radix sort", b"Radix s\xf6rt")
    real.course.write_bytes(data)
    expected = f"content/course.toml: not UTF-8: byte {data.index(0xF6)} cannot be read"
    assert refusal(real, 37).message == expected


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('[{ name = "radix_sort" }]', '[{ name = "radix_sort" }, { name = "merge_sort" }]', "has 2 programs"),
        ('[{ name = "radix_sort" }]', "[]", "has 0 programs"),
        ('[{ name = "radix_sort" }]', '[{ name = "Radix Sort" }]', "'Radix Sort' cannot name a file"),
        ('[{ name = "radix_sort" }]', '[\n  { name = "radix_sort" },\n]', "cannot be made a draft here"),
        (
            '[{ name = "radix_sort" }]',
            '[{ name = "radix_sort", values = [{ name = "n", kind = "exact", what = "Keys" }] }]',
            "already declares values",
        ),
    ],
)
def test_an_entry_that_cannot_be_made_a_draft_is_refused(
    real: Layout, edit: Edit, old: str, new: str, said: str
) -> None:
    edit(real.course, old, new)
    error = refusal(real, 37)
    assert said in error.message
    assert error.hint


def gpu100(layout: Layout, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gpu100", *words]
    return subprocess.run(command, cwd=layout.root, capture_output=True, text=True, check=False)


def test_a_dry_run_says_what_would_be_written_and_writes_nothing(small: Layout) -> None:
    before = tree(small)
    ran = gpu100(small, "new-day", "37", "--dry-run")
    assert ran.returncode == 0, ran.stderr
    assert tree(small) == before
    for name in (PAGE, CU, PY, QUIZ, "content/course.toml"):
        assert f"would write {name}" in ran.stdout
    assert '\n+status = "draft"\n' in ran.stdout


def test_the_command_says_what_it_wrote_and_then_refuses(small: Layout) -> None:
    ran = gpu100(small, "new-day", "37")
    assert f"wrote {PAGE} (" in ran.stdout
    ran = gpu100(small, "new-day", "37")
    assert (ran.returncode, ran.stderr) == (
        2,
        f"error: day 37 is not planned any more: it is draft\n  go on in {PAGE}\n",
    )


# The rule for placeholders


def test_a_placeholder_is_found_wherever_an_author_may_leave_one(real: Layout, edit: Edit, h200: Machine) -> None:
    finished(real, h200)
    assert todos(real) == []
    for name, old, new in (
        (PAGE, "## Pitfalls\n", "## Pitfalls\n\nTODO: one more.\n"),
        (PAGE, "    The number of passes", "    TODO: The number of passes"),
        (PAGE, "## Fewer passes, wider counters", "## TODO: Fewer passes"),
        (CU, "// How often", "// TODO: How often"),
        (PY, "# # Radix sort", "# # TODO: Radix sort"),
        (QUIZ, 'ask = "Why does', 'ask = "TODO: Why does'),
        ("content/course.toml", 'because = "Each pass reads', 'because = "TODO: Each pass reads'),
    ):
        whole = (real.root / name).read_bytes()
        edit(real.root / name, old, new)
        (found,) = todos(real)
        assert found.startswith(f"{name}:")
        (real.root / name).write_bytes(whole)


def test_code_that_shows_a_placeholder_is_none(real: Layout, edit: Edit, h200: Machine) -> None:
    finished(real, h200)
    edit(
        real.root / PAGE, "## Pitfalls\n", "## Pitfalls\n\n```text\nTODO: in a fence\n```\n\nA line of `TODO: code`.\n"
    )
    assert todos(real) == []


def test_a_plan_that_is_still_there_is_found(real: Layout, edit: Edit, h200: Machine) -> None:
    finished(real, h200)
    entry = (FIXTURE / "entry.toml").read_text(encoding="utf-8")
    edit(real.course, entry, f'{entry}\n[day.plan]\nexperiment = "Sort."\npredict = ["It sorts."]\n')
    assert len(todos(real)) == 1


# From scaffold to a page that passes


def finished(layout: Layout, machine: Machine) -> None:
    """Day 37 as its author leaves it: scaffolded, every TODO replaced, captured on a stand-in for a GPU."""
    scaffolded(layout)
    filled(layout)
    captured(layout, machine)


def filled(layout: Layout) -> None:
    """What the author writes."""
    lines = layout.course.read_text(encoding="utf-8").splitlines(keepends=True)
    place = entry_lines(lines, 37)
    head = "".join(lines[place.start : place.stop]).partition('status = "draft"\n')[0]
    entry = head.replace("minutes = 25", "minutes = 20") + (FIXTURE / "entry.toml").read_text(encoding="utf-8")
    layout.course.write_text("".join([*lines[: place.start], entry, *lines[place.stop :]]), encoding="utf-8")
    for name, fixture in ((PAGE, "page.md"), (CU, "radix_sort.cu"), (PY, "radix_sort.py"), (QUIZ, "quiz.toml")):
        shutil.copy(FIXTURE / fixture, layout.root / name)
    with (layout.content / "sources.toml").open("a", encoding="utf-8") as file:
        file.write((FIXTURE / "sources.toml").read_text(encoding="utf-8"))


def captured(layout: Layout, machine: Machine) -> None:
    """Evidence of day 37. Its program computes with NumPy, so that it needs no GPU to be captured."""
    day = day_of(layout)
    record = capture_one(Job(day, day.programs[0]), layout, machine)
    assert (record.status, record.reason) == ("ok", None)
    store = EvidenceStore(layout.evidence)
    store.write(store.write_machine(machine), record)


def test_day_37_is_taken_from_scaffold_to_a_page_that_passes(real: Layout, h200: Machine, edit: Edit) -> None:
    machine = dataclasses.replace(h200, harness=dataclasses.replace(h200.harness, tree="unknown"))
    scaffolded(real)
    claims = [(p.id, p.claim) for p in day_of(real).predict]
    assert not checked(real).ok
    filled(real)
    assert [(p.id, p.claim) for p in day_of(real).predict] == claims
    edit(real.course, 'status = "draft"', 'status = "published"')
    captured(real, machine)
    site = built(real, strict=True)
    html = (site / "days/day37-radix-sort/index.html").read_text(encoding="utf-8")
    assert "not measured yet" not in html
    assert "TODO" not in html
    report = checked(real)
    assert report.ok, report.text()
    assert report.looked["todo"] == 5


# The guide


COMMAND = re.compile(r"^\$ (.*)$", re.MULTILINE)
RUN, FAILS = "On a laptop", "On a laptop, and it fails"
PUBLISHED = (FIXTURE / "entry.toml").read_text(encoding="utf-8").replace('"draft"', '"published"')
SKIPPED = {"In a second terminal", "On a machine with a GPU", "With a file that somebody sent"}
"""Blocks of the guide that a test cannot run: each says to its reader what it needs."""


def blocks() -> list[tuple[str, list[str]]]:
    """The guide's console blocks: title, commands."""
    fences = [f for f in Page(GUIDE.read_text(encoding="utf-8")).fences if f.language == "console"]
    found = []
    for fence in fences:
        title = re.search(r'title="(.*)"', fence.info)
        assert title, f"the console block on line {fence.line} does not say what it needs"
        found.append((title[1], COMMAND.findall(fence.text)))
    return found


def workplace(layout: Layout) -> None:
    """What make finds in a clone: the Makefile, an environment that is set up already, the notebooks' style."""
    shutil.copy(REPOSITORY.root / "Makefile", layout.root)
    style = "docs/assets/stylesheets/lab.css"
    (layout.root / style).parent.mkdir(parents=True)
    shutil.copy(REPOSITORY.root / style, layout.root / style)
    bin = layout.root / ".venv" / "bin"
    bin.mkdir(parents=True)
    for name, module in (("gpu100", "gpu100"), ("mkdocs", "mkdocs"), ("pip", "pip"), ("python", None)):
        run = f"{sys.executable} -m {module}" if module else sys.executable
        (bin / name).write_text(f'#!/bin/sh\nexec {run} "$@"\n')
        (bin / name).chmod(0o755)
    for extra in ("site", "cuda", "dev"):
        (bin.parent / f".{extra}").touch()
    wheel = layout.root / "build" / "wheel" / ".built"
    wheel.parent.mkdir(parents=True)
    wheel.touch()
    (layout.root / "pyproject.toml").touch()


def test_every_block_of_the_guide_is_run_or_says_what_it_needs() -> None:
    titles = [title for title, _ in blocks()]
    assert {RUN, FAILS} | SKIPPED == set(titles)
    assert titles.count(RUN) == 3
    assert all(commands for _, commands in blocks())


def test_the_guides_commands_work_in_its_order(
    small: Layout, h200: Machine, edit: Edit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)  # an author's laptop, where a site that is not built is no finding
    workplace(small)
    ran, skipped = [], []
    for title, commands in blocks():
        for command in commands:
            if title in SKIPPED:
                skipped.append(command)
                continue
            child = subprocess.run(command, shell=True, cwd=small.root, capture_output=True, text=True, check=False)
            assert (child.returncode != 0) == (title == FAILS), (command, child.stdout, child.stderr)
            ran.append(command)
        if title == FAILS:  # steps 3 to 8, which are no commands
            filled(small)
            captured(small, h200)
        if any("check 37" in command for command in commands) and title == RUN and day_of(small).status != "published":
            edit(small.course, (FIXTURE / "entry.toml").read_text("utf-8"), PUBLISHED)  # step 10
    assert day_of(small).status == "published"
    print(f"{len(ran)} commands run, {len(skipped)} need what this machine may lack: {skipped}")
    assert len(ran) == 9
    assert len(skipped) == 4


def test_the_guide_shows_what_an_author_types(real: Layout) -> None:
    html = (built(real, strict=True) / "contribute/new-day/index.html").read_text(encoding="utf-8")
    text = BeautifulSoup(html, "html.parser").get_text()
    for typed in ('\n--8<-- "day37-radix-sort/radix_sort.cu:kernel"\n', '{{ value("radix_sort.passes", 4) }}'):
        assert typed in text
    for title in {RUN, FAILS} | SKIPPED:
        assert title in text


def test_the_guides_toml_is_what_the_course_has_and_the_test_writes() -> None:
    plan, *others = (tomllib.loads(text) for text in fences("toml"))
    with REPOSITORY.course.open("rb") as file:
        day = next(day for day in tomllib.load(file)["day"] if day["number"] == 37)
    if day.get("status", "planned") == "planned":  # once it is written, the guide keeps what it began with
        assert plan["day"] == [day]
    entry = tomllib.loads(f"[[day]]\n{(FIXTURE / 'entry.toml').read_text(encoding='utf-8')}")["day"][0]
    sources = tomllib.loads((FIXTURE / "sources.toml").read_text(encoding="utf-8"))
    assert others[1]["day"]["predict"][0] in entry["predict"]
    assert others[2] == sources
