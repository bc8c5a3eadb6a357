"""The miniature course, built for real: what its pages show, and what stops the build."""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from conftest import RECORD1, REPOSITORY, built, second_machine
from gpu100.evidence.schema import parse
from gpu100.model.machine import Machine
from gpu100.model.record import CellOutput, Exact, Record
from gpu100.paths import Layout
from gpu100.site.leftover import leftover_braces
from mkdocs.exceptions import Abort

Edit = Callable[[Path, str, str], None]
Refusal = Callable[[Layout], str]

DAY1 = "days/day01-hello"


@pytest.fixture
def refusal(caplog: pytest.LogCaptureFixture) -> Callable[[Layout], str]:
    """What a build that fails says."""

    def refused(layout: Layout) -> str:
        with pytest.raises(Abort):
            built(layout)
        return caplog.text

    return refused


def page(site: Path, name: str) -> BeautifulSoup:
    return BeautifulSoup((site / name / "index.html").read_text(encoding="utf-8"), "html.parser")


def text_of(soup: BeautifulSoup, selector: str) -> str:
    found = soup.select_one(selector)
    assert found is not None, f"no {selector} in the page"
    return " ".join(found.get_text().split())


@pytest.fixture(scope="session")
def site(captured_mini: Path) -> Path:
    """The site as it comes, strictly built."""
    return built(Layout(captured_mini), strict=True)


def test_a_day_page_shows_title_facts_and_status(site: Path) -> None:
    day = page(site, DAY1)
    assert text_of(day, "h1").startswith("Hello from every thread")
    header = text_of(day, ".day-header")
    assert "verified" in header
    assert "NVIDIA H200" in header
    assert "compute capability 7.5" in header


def test_the_panel_shows_transcript_provenance_and_outcome(site: Path) -> None:
    panel = text_of(page(site, DAY1), "#evidence-hello")
    for expected in ("NVIDIA H200", "driver 580.159.04", "NVRTC 13.0.88", "fresh", "thread 7 says hello", "held"):
        assert expected in panel


def test_a_failed_prediction_is_published_as_failed(site: Path) -> None:
    day = page(site, "days/day02-twice")
    failed = text_of(day, ".result.failed")
    assert "failed" in failed
    assert "212 idle threads" in failed
    assert "not evaluated" in text_of(day, ".result.not-evaluated")  # the sanitizer has not run


def test_a_value_is_injected_with_its_unit(site: Path) -> None:
    assert text_of(page(site, DAY1), ".value") == "8 threads"
    assert text_of(page(site, "days/day02-twice"), "td .value") == "2 blocks"


def test_braces_in_code_stay_themselves(site: Path) -> None:
    day = page(site, DAY1)
    assert text_of(day, "p code") == "int m[2][2] = {{1, 2}, {3, 4}};"
    assert "int m[2][2] = {{1, 2}, {3, 4}};" in text_of(day, ".language-cuda, .highlight")


def test_shown_code_is_the_file_without_markers(site: Path) -> None:
    text = page(site, DAY1).get_text()
    assert "--8<--" not in text
    assert "Nobody may be missing" in text


def test_the_quiz_has_a_note_for_every_option(site: Path) -> None:
    day = page(site, DAY1)
    assert len(day.select(".quiz .option")) == len(day.select(".quiz .note")) == 4
    assert all(note.get_text(strip=True) for note in day.select(".quiz .note"))


def test_a_source_shows_its_section_and_date(site: Path) -> None:
    assert text_of(page(site, DAY1), ".source") == "Hardware Implementation, 2026-11-29"


def test_days_link_in_the_order_of_the_course(site: Path) -> None:
    first, second = page(site, DAY1), page(site, "days/day02-twice")
    assert [link["href"] for link in first.select('head link[rel="next"]')] == ["../day02-twice/"]
    assert [link["href"] for link in second.select('head link[rel="prev"]')] == ["../day01-hello/"]
    assert first.select_one('a[href="../day02-twice/"]') is not None


def test_after_the_last_written_day_comes_no_page_of_another_kind(site: Path) -> None:
    last, errors = page(site, "days/day02-twice"), page(site, "errors")
    assert last.select('head link[rel="prev"]') != []
    assert last.select('head link[rel="next"]') == []
    assert errors.select('head link[rel="prev"]') == []
    assert errors.select('head link[rel="next"]') != []


def test_every_day_is_listed_with_minutes_capability_and_where_it_is_verified(site: Path) -> None:
    home = page(site, ".")
    first, second = (" ".join(day.get_text().split()) for day in home.select(".module li"))
    assert first == "1 Hello from every thread verified on NVIDIA H200 5 min from compute capability 7.5"
    assert second == "2 Twice as much draft, recorded on NVIDIA H200 4 min from compute capability 7.5"
    assert [cell.get_text() for cell in home.select(".map .cell")] == [
        "Day 1, Hello from every thread",
        "Day 2, Twice as much",
    ]
    assert [entry.get_text(" ", strip=True) for entry in home.select(".legend li:not([hidden])")] == [
        "verified 1",
        "draft 1",
        "visited 0",
    ]


def test_a_day_with_its_title_is_read_and_a_planned_one_called_so(layout: Layout, edit: Edit) -> None:
    edit(layout.docs / f"{DAY1}.md", "{{ day(2) }} multiplies.", "It leads to {{ day(2, titled=True) }}.")
    assert "It leads to day 2, Twice as much." in text_of(page(built(layout), DAY1), "article")
    (layout.docs / "days" / "day02-twice.md").unlink()
    edit(layout.course, 'status = "draft"', 'status = "planned"')
    assert "It leads to day 2, Twice as much (planned)." in text_of(page(built(layout), DAY1), "article")


def test_the_map_links_every_written_day(site: Path) -> None:
    home = page(site, ".")
    assert len(home.select("main a[href^='days/']")) >= 2


def test_no_page_holds_braces_outside_code(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) >= 5
    for path in pages:
        assert leftover_braces(path.read_text(encoding="utf-8")) == []


def test_a_lab_is_the_program_with_its_output_and_no_foreign_style(site: Path) -> None:
    lab = page(site, "labs/day01-hello")
    body = text_of(lab, ".jupyter-wrapper")
    assert "thread 7 says hello" in body
    assert "%%writefile hello.cu" in body
    assert "%pip install" in body
    main = lab.select_one("article")
    assert main is not None
    assert main.select("style, script") == []
    assert [link["href"] for link in main.select("link")] == ["../../assets/stylesheets/lab.css"]


def test_a_lab_shows_every_cell_once_and_nothing_else_of_jupyter(site: Path) -> None:
    lab = page(site, "labs/day01-hello")
    cells = json.loads((site / "notebooks" / "day01-hello.ipynb").read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    printed = [output["text"] for cell in code for output in cell["outputs"]]
    assert len(code) >= 4
    assert printed
    assert [shown.get_text() for shown in lab.select(".highlight code")] == [cell["source"] + "\n" for cell in code]
    assert [shown.get_text() + "\n" for shown in lab.select(".transcript")] == printed
    assert lab.select("clipboard-copy, [class*=jp-], [class*=Prompt], article svg, article [style]") == []
    assert "In [" not in text_of(lab, "article")


def test_a_lab_begins_with_its_title_its_day_and_where_it_was_recorded(site: Path) -> None:
    lab = page(site, "labs/day01-hello")
    first, note = (element for element in lab.select(".jupyter-wrapper > *")[:2])
    assert first.name == "h1"
    assert "NVIDIA H200, driver 580.159.04, NVRTC 13.0.88" in note.get_text()
    day, download = (str(link["href"]) for link in note.select("a"))
    assert (site / "labs" / "day01-hello" / day / "index.html").resolve() == site / DAY1 / "index.html"
    assert (site / "labs" / "day01-hello" / download).resolve().is_file()


def test_what_a_lab_writes_to_a_file_has_the_files_colors(site: Path) -> None:
    cu = next(
        code
        for code in page(site, "labs/day01-hello").select(".lab-setup code")
        if code.get_text().startswith("%%writefile")
    )
    assert cu.select_one(".kr") is not None  # __global__
    assert [span for span in cu.select(".s, .s1, .s2") if "\n" in span.get_text()] == []


def test_a_lab_without_a_fresh_record_says_so(layout: Layout) -> None:
    (layout.evidence / RECORD1).with_name("day02-twice.json").unlink()
    lab = page(built(layout), "labs/day02-twice")
    assert "without outputs" in text_of(lab, ".lab-note")
    assert lab.select(".transcript") == []
    assert lab.select(".highlight")


def test_labs_are_kept_out_of_the_search(site: Path) -> None:
    index = (site / "search" / "search_index.json").read_text(encoding="utf-8")
    assert "Twice as much" in index
    assert "writefile" not in index


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('value("hello.threads")', 'value("hello.thraeds")', "did you mean 'hello.threads'?"),
        ('value("hello.threads")', 'valeu("hello.threads")', "did you mean 'value'?"),
        ('evidence("hello")', 'evidence("helo")', "did you mean 'hello'?"),
        ('source("guide.hardware")', 'source("guide.hardwear")', "did you mean 'guide.hardware'?"),
        ("day(2)", "day(3)", "there is no day 3"),
        ('value("hello.threads")', 'value("hello.threads", 4)', "is one value, not a table"),
        ("{{ predictions() }}", "<p>{{ predictions() }}</p>", "holds braces that nothing evaluates"),
        ("## Predictions", '## {{ value("hello.threads") }}', "stands in a heading"),
        ('lab("hello")', 'lab("hello") | upper', "uses a filter"),
    ],
)
def test_an_expression_that_means_nothing_stops_the_build(
    layout: Layout, edit: Edit, refusal: Refusal, old: str, new: str, said: str
) -> None:
    path = layout.docs / f"{DAY1}.md"
    edit(path, old, new)
    lines = path.read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, 1) if new in text)
    told = refusal(layout)
    assert f"docs/{DAY1}.md:{line}:" in told
    assert said in told


def test_a_page_without_a_day_stops_the_build(layout: Layout, refusal: Refusal) -> None:
    (layout.docs / "days" / "day02-twic.md").write_text("## The question\n")
    told = refusal(layout)
    assert "docs/days/day02-twic.md: this page belongs to no day" in told
    assert "did you mean 'day02-twice.md'?" in told


def test_a_day_without_its_page_stops_the_build(layout: Layout, refusal: Refusal) -> None:
    (layout.docs / f"{DAY1}.md").unlink()
    assert f"docs/{DAY1}.md: day01 is published and has no page" in refusal(layout)


def test_a_page_without_its_program_stops_the_build(layout: Layout, refusal: Refusal) -> None:
    (layout.code / "day01-hello" / "hello.cu").unlink()
    (layout.code / "day01-hello" / "hello.py").unlink()
    told = refusal(layout)
    assert "code/day01-hello/hello.cu: day01 has a page and lacks this half" in told
    assert "code/day01-hello/hello.py: day01 has a page and lacks this half" in told


def test_a_misspelled_key_of_the_course_stops_the_build_at_its_line(
    layout: Layout, edit: Edit, refusal: Refusal
) -> None:
    edit(layout.course, "minutes = 5\n", "minuets = 5\n")
    line = layout.course.read_text(encoding="utf-8").splitlines().index("minuets = 5") + 1
    told = refusal(layout)
    assert f"content/course.toml:{line}: day[0].minuets: unknown key 'minuets'" in told
    assert "did you mean 'minutes'?" in told


def test_a_quiz_option_without_a_note_stops_the_build(layout: Layout, edit: Edit, refusal: Refusal) -> None:
    edit(layout.quiz(1), "Blocks and threads multiply; they do not add.", "")
    told = refusal(layout)
    assert "content/quizzes/day01.toml:1: question[0]: question 'day01-how-many': option '6' has no note" in told


def test_all_problems_of_all_pages_are_told_at_once(layout: Layout, edit: Edit, refusal: Refusal) -> None:
    edit(layout.docs / f"{DAY1}.md", 'lab("hello")', 'lab("helo")')
    edit(layout.docs / "days/day02-twice.md", 'evidence("twice")', 'evidence("twise")')
    assert "2 problems" in refusal(layout)


def test_code_that_is_not_there_is_told_with_its_line(layout: Layout, edit: Edit, refusal: Refusal) -> None:
    edit(layout.docs / "days/day02-twice.md", "twice.cu:kernel", "twice.cu:kernal")
    assert "docs/days/day02-twice.md:18: Snippet section 'kernal' could not be located" in refusal(layout)


def test_a_changed_program_makes_its_values_stale_and_says_why(layout: Layout, edit: Edit) -> None:
    edit(layout.code / "day01-hello" / "hello.py", "BLOCKS, THREADS = 2, 4", "BLOCKS, THREADS = 2, 5")
    day = page(built(layout), DAY1)
    value = day.select_one(".value")
    assert value is not None
    assert "stale" in value["class"]
    assert "code/day01-hello/hello.py changed" in text_of(day, "#evidence-hello")
    assert "verified" not in text_of(day, ".day-header .mark")


def test_a_stale_published_day_stops_a_strict_build(layout: Layout, edit: Edit) -> None:
    edit(layout.code / "day01-hello" / "hello.py", "BLOCKS, THREADS = 2, 4", "BLOCKS, THREADS = 2, 5")
    with pytest.raises(Abort):
        built(layout, strict=True)


def test_a_draft_may_be_unmeasured_and_says_so(layout: Layout) -> None:
    (layout.evidence / RECORD1).with_name("day02-twice.json").unlink()
    day = page(built(layout), "days/day02-twice")
    assert text_of(day, "td .value") == "not measured yet"
    assert "not measured yet" in text_of(day, "#evidence-twice")


def test_a_published_day_may_not_be_unmeasured(layout: Layout, refusal: Refusal) -> None:
    (layout.evidence / RECORD1).unlink()
    assert "day01 is published, and hello on the h200 is not measured yet" in refusal(layout)


def test_an_edited_record_stops_the_build(layout: Layout, refusal: Refusal) -> None:
    path = layout.evidence / RECORD1
    path.write_text(path.read_text(encoding="utf-8").replace('"value": 8', '"value": 9'), encoding="utf-8")
    assert f"{RECORD1} is not what was captured" in refusal(layout)


def test_a_claim_reworded_after_the_run_shows(layout: Layout, edit: Edit) -> None:
    edit(layout.course, "so none is missing and none stands twice", "without exception")
    assert "reworded after it was judged" in text_of(page(built(layout), DAY1), ".result")


def test_a_measured_number_of_a_transcript_is_marked_and_nothing_beside_it(layout: Layout, h200: Machine) -> None:
    lines = ("step        ms", "------  ------", "copy    39.915", "39.915 <ms> of 40", "prediction p: held")
    volatile = ((1, 8, 14), (2, 6, 14), (3, 0, 6), (4, 14, 18))
    second_machine(layout, h200, transcript=(CellOutput(cell=1, stdout=lines, volatile=volatile),))
    day = page(built(layout), DAY1)
    transcript = day.select_one(".transcript")
    assert transcript is not None
    assert transcript.get_text() == "\n".join(lines)
    assert [span.get_text() for span in transcript.select(".measured")] == ["39.915", "39.915"]
    assert "dotted" in text_of(day, ".provenance")


def test_a_transcript_without_measured_numbers_speaks_of_none(site: Path) -> None:
    day = page(site, DAY1)
    assert day.select(".transcript .measured") == []
    assert "dotted" not in text_of(day, ".provenance")


def test_a_page_carries_every_machines_values(layout: Layout, t4: Machine) -> None:
    second_machine(layout, t4, values={"threads": Exact(kind="exact", value=4, unit="threads")})
    day = page(built(layout), DAY1)
    assert [record["data-gpu"] for record in day.select(".record")] == ["h200", "tesla-t4"]
    data = day.select_one("#gpu100-data")
    assert data is not None
    assert '"text": "8\\u00a0threads"' in str(data)
    assert '"text": "4\\u00a0threads"' in str(data)
    assert text_of(day, ".value") == "8 threads"


def test_every_value_names_its_machine_and_a_stale_one_its_mark(layout: Layout, edit: Edit) -> None:
    edit(layout.code / "day02-twice" / "twice.py", "THREADS = 256", "THREADS = 128")
    site = built(layout)
    values = [value for path in site.rglob("index.html") for value in page(path.parent, ".").select(".value")]
    assert len(values) == 2
    assert all("NVIDIA H200" in value["title"] for value in values)
    assert ["stale" in value["class"] for value in values] == ["stale:" in value["title"] for value in values]
    assert any("stale" in value["class"] for value in values)


def test_what_a_program_printed_is_shown_and_never_run(layout: Layout, h200: Machine) -> None:
    path = layout.evidence / RECORD1
    record = parse(Record, path.read_text(encoding="utf-8"), path.name)
    first, *rest = record.transcript
    evil = dataclasses.replace(first, stdout=("<script>alert(1)</script>", "\x1b[31mred\x1b[0m"))
    second_machine(layout, h200, transcript=(evil, *rest))
    html = (built(layout) / DAY1 / "index.html").read_text(encoding="utf-8")
    assert "<script>alert(1)</script>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "\x1b" not in html


def test_a_failed_build_leaves_the_old_site(layout: Layout, edit: Edit) -> None:
    shutil.copy(REPOSITORY.root / "Makefile", layout.root)
    environment = Path(sys.prefix)
    make = ["make", "-o", f"{environment}/.site", "site", f"VENV={environment}", "WHEEL="]

    def run() -> int:
        return subprocess.run(make, cwd=layout.root, capture_output=True, check=False).returncode

    assert run() == 0
    index = layout.root / "site" / "days" / "day01-hello" / "index.html"
    before = index.read_bytes()
    edit(layout.docs / f"{DAY1}.md", 'lab("hello")', 'lab("helo")')
    assert run() != 0
    assert index.read_bytes() == before
