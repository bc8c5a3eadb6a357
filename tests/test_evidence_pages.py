"""The pages of the evidence: with one machine and with many, and with whatever a record can hold."""

from __future__ import annotations

import dataclasses
import json
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from conftest import RECORD1, built, second_machine
from gpu100.decode import decode
from gpu100.errors import CourseError
from gpu100.evidence.fields import ROOTS, described
from gpu100.evidence.key import program_key
from gpu100.evidence.schema import parse
from gpu100.evidence.store import EvidenceStore, MachineEvidence
from gpu100.model.lanes import LaneResult, NativeLane, SanitizerLane
from gpu100.model.machine import Driver, Machine
from gpu100.model.record import Exact, Record
from gpu100.paths import Layout
from gpu100.render.evidence_json import evidence_json
from gpu100.render.evidence_pages import machine_page, machine_title
from gpu100.render.expressions import Block, ExpressionError, Inline, evaluate
from gpu100.render.loading import load_site, site_of
from gpu100.render.page import PageNames, Site
from gpu100.site.evidence import with_machines


def shown(site: Site, expression: str, path: str = "evidence/index.md") -> BeautifulSoup:
    day = next((day for day in site.course.days if day.page.as_posix() == path), None)
    result = evaluate(expression, PageNames(site, path, day).names())
    assert isinstance(result, Block)
    return BeautifulSoup(result.html, "html.parser")


def cells(table: BeautifulSoup | Tag) -> list[list[str]]:
    return [[cell.get_text(" ", strip=True) for cell in row.select("th, td")] for row in table.select("tbody tr")]


def newer(machine: Machine, driver: str = "590.1", nvrtc: str = "13.0.88") -> Machine:
    software = dataclasses.replace(machine.software, nvrtc=nvrtc)
    return dataclasses.replace(machine, driver=Driver(version=driver, cuda_raw=13010), software=software)


# --- the matrix ---


def test_with_one_machine_the_matrix_has_one_column(layout: Layout) -> None:
    page = shown(load_site(layout), "evidence_matrix()")
    assert [cell.get_text(" ", strip=True) for cell in page.select("thead th")] == [
        "day", "program", "H200 driver 580.159.04 NVRTC 13.0.88",
    ]  # fmt: skip
    assert [[*row[:2], row[2].split()[0]] for row in cells(page)] == [
        ["1, Hello from every thread", "hello", "fresh"], ["2, Twice as much", "twice", "fresh"],
    ]  # fmt: skip


def test_every_state_is_a_word_and_a_shape(layout: Layout, h200: Machine, t4: Machine) -> None:
    second_machine(layout, t4, status="crash", reason="it crashed")
    second_machine(layout, newer(h200), status="unsupported", reason="it needs more")
    path = layout.code / "day02-twice" / "twice.py"
    path.write_text(path.read_text(encoding="utf-8") + "\n# %%\nprint(1)\n", encoding="utf-8")
    page = shown(load_site(layout), "evidence_matrix()")
    found = [[mark.get_text() for mark in row.select(".mark")] for row in page.select("tbody tr")]
    assert found == [["fresh", "not supported", "failed"], ["stale", "missing", "missing"]]
    classes = [[mark["class"][1] for mark in row.select(".mark")] for row in page.select("tbody tr")]
    assert classes == [["fresh", "unsupported", "failed"], ["stale", "missing", "missing"]]
    legend = [item.get_text(" ", strip=True).split(" recorded")[0] for item in page.select(".legend li")]
    assert legend[:2] == ["fresh 1", "stale 1"]
    style = (Path(__file__).parent.parent / "docs/assets/stylesheets/evidence.css").read_text(encoding="utf-8")
    for state in ("failed", "missing", "unsupported"):
        assert f".{state}" in style or f"({state}" in style or f".{state}," in style


def test_without_evidence_the_pages_say_so(mini: Layout) -> None:
    site = load_site(mini)
    for expression in ("evidence_matrix()", "evidence_machines()", "evidence_drift()"):
        assert "No machine has sent evidence" in shown(site, expression).get_text()
    assert json.loads(evidence_json(site))["machines"] == {}


def test_thirty_machines_have_thirty_columns_the_reference_first(layout: Layout, t4: Machine) -> None:
    for number in range(29):
        gpu = dataclasses.replace(t4.gpu, name=f"NVIDIA A{number:02}")
        second_machine(layout, dataclasses.replace(t4, gpu=gpu))
    page = shown(load_site(layout), "evidence_matrix()")
    heads = [cell.get_text(" ", strip=True) for cell in page.select("thead th")]
    assert len(heads) == 32
    assert heads[2].startswith("H200")
    assert all(len(row) == 32 for row in cells(page))
    assert len(cells(shown(load_site(layout), "evidence_machines()"))) == 30


# --- a machine's page ---


def test_a_machines_page_has_facts_predictions_and_results(layout: Layout) -> None:
    site = load_site(layout)
    (at,) = site.recorded.machines
    page = shown(site, f'evidence_machine("{at.folder}")')
    facts = {dt.get_text(): dt.parent.dd.get_text(" ", strip=True) for dt in page.select("dt")}  # type: ignore[union-attr]
    assert facts["Memory"] == "139.8\u00a0GiB, and 60\u00a0MiB of L2"
    assert facts["Driver"] == "580.159.04, which serves CUDA 13.0"
    outcomes = [row[2] for row in cells(page.select_one('[aria-label^="Predictions"]'))]  # type: ignore[arg-type]
    assert {"held", "failed"} <= set(outcomes)
    assert len(page.select("section.program")) == 2


def test_lanes_are_told_and_a_failed_one_is_marked_wherever_its_record_is_shown(layout: Layout) -> None:
    store = EvidenceStore(layout.evidence)
    (evidence,) = store.read()
    hello = evidence.record(1, "hello")
    assert hello is not None
    reason = "line 1 of 8 is not where Python's are"
    lanes: dict[str, LaneResult] = {
        "native": NativeLane(kind="native", status="failed", reason=reason),
        "sanitizer": SanitizerLane(kind="sanitizer", status="ok", tool="Compute Sanitizer 2025.3.1"),
    }
    store.write(store.root / evidence.folder, dataclasses.replace(hello, lanes=lanes))
    site = load_site(layout)
    panel = shown(site, 'evidence("hello")', "days/day01-hello.md")
    (note,) = (note for note in panel.select(".record > .record-note") if note.select(".mark.failed"))
    assert note.get_text(" ", strip=True) == f"native failed {reason}"
    assert [item.get_text() for item in panel.select(".provenance li")] == [
        f"native: failed: {reason}", "sanitizer (Compute Sanitizer 2025.3.1): ok",
    ]  # fmt: skip
    assert next(row[2].split()[:3] for row in cells(shown(site, "evidence_matrix()"))) == ["fresh", "native", "failed"]
    assert f"native failed: {reason}" in shown(site, f'evidence_machine("{evidence.folder}")').get_text()
    on = json.loads(evidence_json(site))["programs"][0]["on"][evidence.folder]
    assert (on["state"], on["why"]) == ("fresh", f"native failed: {reason}")


def test_a_stale_record_shows_no_result_as_current(layout: Layout) -> None:
    path = layout.code / "day01-hello" / "hello.py"
    path.write_text(path.read_text(encoding="utf-8") + "\n# %%\nprint(1)\n", encoding="utf-8")
    site = load_site(layout)
    page = shown(site, f'evidence_machine("{site.recorded.machines[0].folder}")')
    section = page.select_one("section.program")
    assert section is not None
    assert "stale" in section.get_text()
    assert section.select("table") == []
    data = json.loads(evidence_json(site))["programs"][0]["on"]["h200/580.159.04-nvrtc13.0.88"]
    assert data["state"] == "stale"
    assert "values" not in data


def test_a_machine_that_is_not_there_is_an_error_that_names_the_nearest(layout: Layout) -> None:
    with pytest.raises(CourseError) as caught:
        shown(load_site(layout), 'evidence_machine("h200/580.159.04-nvrtc13.0.8")')
    assert "did you mean 'h200/580.159.04-nvrtc13.0.88'" in (caught.value.hint or "")


def test_two_machines_of_one_kind_have_titles_of_their_own(layout: Layout, h200: Machine) -> None:
    second_machine(layout, dataclasses.replace(h200, gpu=dataclasses.replace(h200.gpu, power_limit_watts=500.0)))
    titles = [machine_title(at) for at in load_site(layout).recorded.machines]
    assert titles == ["H200, 580.159.04, NVRTC 13.0.88", "H200, 580.159.04, NVRTC 13.0.88 (2)"]


def test_the_machines_take_their_place_in_the_navigation(layout: Layout) -> None:
    machines = load_site(layout).recorded.machines
    nav, had = with_machines(["index.md", {"Evidence": ["x.md", {"Machines": ["machines"]}]}], machines)
    assert had
    page = {"H200, 580.159.04, NVRTC 13.0.88": "evidence/h200/580.159.04-nvrtc13.0.88.md"}
    assert nav == ["index.md", {"Evidence": ["x.md", {"Machines": [page]}]}]
    assert with_machines(["index.md", {"A": "b.md"}], machines) == (["index.md", {"A": "b.md"}], False)


# --- drift, on its page and in panels ---


def pair(layout: Layout, machine: Machine, **changes: object) -> BeautifulSoup:
    """Day 1's panel where another machine has recorded it as well."""
    second_machine(layout, machine, **{"started": "2031-01-01T00:00:00Z", **changes})
    return shown(load_site(layout), 'evidence("hello")', "days/day01-hello.md")


def test_a_page_says_that_it_holds_under_a_newer_driver(layout: Layout, h200: Machine) -> None:
    page = pair(layout, newer(h200, nvrtc="13.1.80"))
    (record,) = page.select(".record")
    assert "driver 590.1" in record.select_one(".record-head").get_text()  # type: ignore[union-attr]
    note = record.select_one(".reverified").get_text(" ", strip=True)  # type: ignore[union-attr]
    assert note.startswith("re-verified without drift : NVIDIA H200, driver 590.1, NVRTC 13.1.80, 2031-01-01 .")
    assert "what it was under driver 580.159.04, NVRTC 13.0.88" in note
    earlier = record.select_one("details.earlier")
    assert earlier is not None
    assert earlier.summary.get_text() == "What it printed under driver 580.159.04, NVRTC 13.0.88"  # type: ignore[union-attr]
    assert [pre.get_text() for pre in record.select("pre")] == [earlier.pre.get_text()] * 2  # type: ignore[union-attr]


def test_a_page_says_what_a_newer_driver_changed(layout: Layout, h200: Machine) -> None:
    first = parse(Record, (layout.evidence / RECORD1).read_text(encoding="utf-8"), RECORD1)
    name, value = next((name, value) for name, value in first.values.items() if isinstance(value, Exact))
    page = pair(layout, newer(h200), values={**first.values, name: dataclasses.replace(value, value=777)})
    note = page.select_one(".reverified").get_text(" ", strip=True)  # type: ignore[union-attr]
    assert note.startswith("drift NVIDIA H200, driver 590.1, NVRTC 13.0.88,")
    assert f"value {name}" in note
    assert "777" in note
    assert "re-verified" not in note
    row = cells(shown(load_site(layout), "evidence_drift()"))[0]
    assert row[2] == "value"
    moved = json.loads(evidence_json(load_site(layout)))["drift"][0]["programs"][0]
    assert (moved["verdict"], moved["moved"]) == ("value", [{"name": name, "verdict": "value"}])


def test_lines_that_moved_are_folded_one_by_one_where_there_are_several(layout: Layout, h200: Machine) -> None:
    first = parse(Record, (layout.evidence / RECORD1).read_text(encoding="utf-8"), RECORD1)
    cell, *others = first.transcript
    changed = dataclasses.replace(cell, stdout=(*cell.stdout, "one line more", "and another"))
    page = pair(layout, newer(h200), transcript=(changed, *others))
    (folded,) = page.select(".moved details")
    assert folded.summary.get_text() == f"text what cell {cell.cell} printed"  # type: ignore[union-attr]
    assert [pre.get_text() for pre in folded.select("pre")] == ["nothing", "one line more\nand another"]
    assert page.select(".moved q") == []


def test_a_record_of_another_version_is_no_pair(layout: Layout, h200: Machine) -> None:
    first = parse(Record, (layout.evidence / RECORD1).read_text(encoding="utf-8"), RECORD1)
    page = pair(layout, newer(h200), key=dataclasses.replace(first.key, digest="0" * 64))
    assert page.select(".reverified") == []
    assert "made from different versions" in shown(load_site(layout), "evidence_drift()").get_text()


def test_another_gpu_has_its_own_panel_and_no_pair(layout: Layout, t4: Machine) -> None:
    page = pair(layout, t4)
    assert len(page.select(".record")) == 2
    assert page.select(".reverified") == []
    said = shown(load_site(layout), "evidence_drift()").get_text()
    assert "NVIDIA H200, Tesla T4" in said


# --- the schema ---


def test_every_type_that_a_file_decodes_into_is_described(h200: Machine, record: Record) -> None:
    known = {one.name: {field.name for field in one.fields} for one in described(*ROOTS)}
    seen = set(_types(h200)) | set(_types(record))
    assert {kind.__name__ for kind in seen} <= known.keys()
    for kind in seen:
        assert known[kind.__name__] == {field.name for field in dataclasses.fields(kind)}
    kinds = {field.name: field.kind for one in described(Record) if one.name == "Record" for field in one.fields}
    assert kinds["checks"] == "list of Check"
    assert kinds["reason"] == "text"


def _types(value: Any) -> Iterator[type]:
    if dataclasses.is_dataclass(value):
        yield type(value)
        for field in dataclasses.fields(value):
            yield from _types(getattr(value, field.name))
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, tuple | list) else ():
        yield from _types(item)


def test_what_is_said_to_be_required_is_what_a_file_may_not_lack() -> None:
    for one in described(*ROOTS):
        assert one.meaning, f"{one.name} has no docstring"
    needed = {field.name for one in described(Record) if one.name == "Record" for field in one.fields if field.required}
    with pytest.raises(CourseError) as caught:
        decode(Record, {})
    assert any(repr(name) in str(caught.value) for name in needed)


def test_the_page_of_the_schema_lists_every_field(layout: Layout) -> None:
    page = shown(load_site(layout), "evidence_fields()")
    for one in described(*ROOTS):
        section = page.select_one(f"#schema-{one.name}")
        assert section is not None
        assert len(cells(section.parent)) == len(one.fields)  # type: ignore[arg-type]


# --- nothing of a record becomes markup ---

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'{{ 7*7 }}{% raw %}</template><!--"


def hostile(value: Any, hint: Any = None) -> Any:
    """``value`` with markup in every text of it that no fixed set of words decides."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        hints = typing.get_type_hints(type(value))
        changes = {f.name: hostile(getattr(value, f.name), hints[f.name]) for f in dataclasses.fields(value)}
        return dataclasses.replace(value, **changes)
    if isinstance(value, dict):
        return {key: hostile(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(hostile(item) for item in value)
    fixed = typing.get_origin(hint) is typing.Literal
    return f"{value}{HOSTILE}" if isinstance(value, str) and not fixed else value


def hostile_site(layout: Layout, h200: Machine) -> Site:
    """A site whose only evidence nobody would let in."""
    from gpu100.content.course import load_course

    course = load_course(layout)
    records = []
    for found in EvidenceStore(layout.evidence).read()[0].records:
        day = next(day for day in course.days if day.number == found.day)
        program = day.program(found.program)
        assert program is not None
        odd = hostile(found)
        records.append(dataclasses.replace(odd, program=found.program, key=program_key(layout, day, program)))
    machine = dataclasses.replace(
        hostile(h200), gpu=dataclasses.replace(hostile(h200.gpu), capability="9.0"), harness=hostile(h200.harness)
    )
    later = dataclasses.replace(machine, driver=dataclasses.replace(machine.driver, version=f"999{HOSTILE}"))
    changed = [dataclasses.replace(record, values={}, transcript=()) for record in records]
    evidence = (
        MachineEvidence("a" + HOSTILE, machine, tuple(records)),
        MachineEvidence("b" + HOSTILE, later, tuple(changed)),
    )
    return site_of(layout, course, evidence)


def test_markup_in_every_field_stays_text_on_every_page(layout: Layout, h200: Machine) -> None:
    site = hostile_site(layout, h200)
    folder = json.dumps(site.recorded.machines[0].folder)
    expressions = [
        ("evidence_matrix()", "evidence/index.md"),
        ("evidence_machines()", "evidence/index.md"),
        ("evidence_drift()", "evidence/drift.md"),
        ('evidence("hello")', "days/day01-hello.md"),
        ('evidence("twice")', "days/day02-twice.md"),
        ("header()", "days/day01-hello.md"),
    ]
    pages = [shown(site, expression, path) for expression, path in expressions]
    names = PageNames(site, "evidence/x.md").names()
    machine = names["evidence_machine"](json.loads(folder))
    assert isinstance(machine, Block)
    pages.append(BeautifulSoup(machine.html, "html.parser"))
    texts = 0
    for page in pages:
        assert page.select("script, img, template, iframe") == []
        assert not any(name.startswith("on") for element in page.find_all(True) for name in element.attrs)
        texts += page.get_text().count("<script>alert(1)</script>")
        for element in page.find_all(True):
            assert element.name in TAGS, element.name
    assert texts > 50, "the markup was not where it should have been shown"
    assert json.loads(evidence_json(site))["programs"]
    day = next(day for day in site.course.days if day.number == 1)
    value = PageNames(site, day.page.as_posix(), day).value("hello." + day.programs[0].values[0].name)
    assert isinstance(value, Inline)


TAGS = {
    "a", "code", "dd", "details", "div", "dl", "dt", "h2", "h3", "li", "ol", "p", "path", "pre", "q", "section", "span",
    "strong", "summary", "svg", "table", "tbody", "td", "th", "thead", "time", "tr", "ul",
}  # fmt: skip


# --- built ---


def test_a_course_without_a_place_for_machines_builds_and_has_the_json(layout: Layout) -> None:
    site = built(layout, strict=True)
    data = json.loads((site / "evidence.json").read_text(encoding="utf-8"))
    assert data["version"] == 1
    assert [program["program"] for program in data["programs"]] == ["hello", "twice"]
    assert not (site / "evidence").exists()


def test_the_pages_are_built_and_linked(layout: Layout, h200: Machine, t4: Machine) -> None:
    second_machine(layout, newer(h200))
    second_machine(layout, t4)
    folder = layout.docs / "evidence"
    folder.mkdir()
    (folder / "index.md").write_text("# Evidence\n\n{{ evidence_matrix() }}\n\n{{ evidence_machines() }}\n", "utf-8")
    (folder / "drift.md").write_text("# Drift\n\n{{ evidence_drift() }}\n\n{{ evidence_rules() }}\n", "utf-8")
    path = layout.root / "mkdocs.yml"
    nav = "  - Evidence: [evidence/index.md, machines, evidence/drift.md]\n  - Errors:"
    path.write_text(path.read_text(encoding="utf-8").replace("  - Errors:", nav), encoding="utf-8")
    site = built(layout, strict=True)
    for at in load_site(layout).recorded.machines:
        page = site / machine_page(at.folder).removesuffix(".md") / "index.html"
        assert at.machine.gpu.name in page.read_text(encoding="utf-8")
    matrix = BeautifulSoup((site / "evidence" / "index.html").read_text(encoding="utf-8"), "html.parser")
    links = [link["href"] for link in matrix.select(".matrix thead a")]
    assert len(links) == 3
    assert all((site / "evidence" / link / "index.html").is_file() for link in links)
    days = [link["href"] for link in matrix.select(".matrix tbody a")]
    assert all((site / "evidence" / link / "index.html").resolve().is_file() for link in days)


def test_a_page_names_a_value_of_another_day(layout: Layout) -> None:
    site = load_site(layout)
    hello, twice = site.course.days[:2]
    name = f"hello.{hello.programs[0].values[0].name}"
    there = PageNames(site, hello.page.as_posix(), hello)
    here = PageNames(site, twice.page.as_posix(), twice)
    assert here.value(name, day=1).text == there.value(name).text
    (key,) = next(iter(here.values.values()))
    assert key == f"day01 {name}", "the reader's choice of a GPU must not mix up two days"
    with pytest.raises(ExpressionError, match="day02 has no program 'hello'"):
        here.value(name)
    with pytest.raises(ExpressionError, match="there is no day 4000"):
        here.value(name, day=4000)
