"""What CI asks of the evidence, with a fault planted for each question."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from gpu100.capture.plan import jobs_of
from gpu100.capture.run import capture
from gpu100.content.course import load_course
from gpu100.content.differs import load_notes
from gpu100.errors import EvidenceError
from gpu100.evidence.check import MOST_BYTES, Report, check_evidence, require
from gpu100.evidence.schema import parse
from gpu100.evidence.store import EvidenceStore
from gpu100.model.lanes import LaneResult, NativeLane
from gpu100.model.machine import Machine
from gpu100.model.record import SCHEMA, Record
from gpu100.paths import Layout
from gpu100.render.loading import load_site, shortfalls


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, h200: Machine) -> Path:
    """The small course with its evidence."""
    import shutil

    root = tmp_path_factory.mktemp("check") / "mini"
    shutil.copytree(Path(__file__).parent / "mini", root, ignore=shutil.ignore_patterns("__pycache__"))
    layout = Layout(root)
    store = EvidenceStore(layout.evidence)
    list(capture(jobs_of(load_course(layout).days, layout), layout, h200, store, store.write_machine(h200)))
    return root


@pytest.fixture
def layout(whole: Path, tmp_path: Path) -> Layout:
    import shutil

    return Layout(Path(shutil.copytree(whole, tmp_path / "mini")))


def check(layout: Layout) -> Report:
    return check_evidence(load_course(layout), layout, load_notes(layout))


def folder(layout: Layout) -> Path:
    return next(layout.evidence.glob("h200/*"))


def test_whole_evidence_has_no_problem_and_is_counted(layout: Layout) -> None:
    report = check(layout)
    assert report.problems == []
    assert str(report) == "2 records of 1 machine checked, 0 problems"
    require(report)


def test_the_committed_evidence_is_whole(repository: Layout) -> None:
    require(check(repository))


def test_nothing_to_check_is_a_failure(layout: Layout) -> None:
    for path in layout.evidence.rglob("*.json"):
        path.unlink()
    with pytest.raises(EvidenceError):
        require(check(layout))
    with pytest.raises(EvidenceError, match="no record to check"):
        require(Report())


def test_every_problem_is_told_at_once(layout: Layout) -> None:
    for path in folder(layout).glob("day*.json"):
        path.write_text(path.read_text(encoding="utf-8").replace('"attempts": 2', '"attempts": 3'), encoding="utf-8")
    report = check(layout)
    assert sum("is not what was captured" in problem for problem in report.problems) == 2
    with pytest.raises(EvidenceError) as caught:
        require(report)
    assert str(caught.value).count("is not what was captured") == 2


@pytest.mark.parametrize(
    "plant",
    ["notes.txt", "h200/README.md", "h200/580.159.04-nvrtc13.0.88/deep/er/day01-hello.json", "day01-hello.json"],
)
def test_a_foreign_file_is_found(layout: Layout, plant: str) -> None:
    path = layout.evidence / plant
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}")
    assert f"{plant} does not belong in evidence/" in check(layout).problems


def test_half_a_file_is_told_with_where_it_is_from(layout: Layout) -> None:
    (folder(layout) / ".day01-hello.json.k2x9").write_text("{")
    (said,) = check(layout).problems
    assert said == (
        "h200/580.159.04-nvrtc13.0.88/.day01-hello.json.k2x9 is half a file, which a killed capture left; "
        "the next one removes it"
    )


def test_a_link_is_found(layout: Layout) -> None:
    (folder(layout) / "day03-link.json").symlink_to("machine.json")
    assert any("is a link" in problem for problem in check(layout).problems)


def test_a_record_as_large_as_none_can_be_is_found(layout: Layout) -> None:
    path = folder(layout) / "day01-hello.json"
    path.write_text(path.read_text(encoding="utf-8") + " " * MOST_BYTES, encoding="utf-8")
    assert any("bytes; a record has at most" in problem for problem in check(layout).problems)


def test_a_record_of_a_program_that_does_not_exist_is_found(layout: Layout) -> None:
    path = folder(layout) / "day01-hello.json"
    record = parse(Record, path.read_text(encoding="utf-8"), path.name)
    EvidenceStore(layout.evidence).write(folder(layout), dataclasses.replace(record, program="hallo"))
    assert "h200/580.159.04-nvrtc13.0.88: day 1 has no program 'hallo'" in check(layout).problems


def test_a_stale_published_day_is_found(layout: Layout, edit: Callable[[Path, str, str], None]) -> None:
    edit(layout.code / "day01-hello" / "hello.py", "BLOCKS, THREADS = 2, 4", "BLOCKS, THREADS = 4, 2")
    expected = "day01 is published, and hello on the h200 is not fresh: code/day01-hello/hello.py changed"
    assert check(layout).problems == [expected]


def with_lane(layout: Layout, machine: Machine, name: str, lane: LaneResult) -> None:
    """The record of ``name`` on ``machine``, with that lane besides."""
    store = EvidenceStore(layout.evidence)
    record = next(record for record in store.read()[0].records if record.program == name)
    store.write(store.write_machine(machine), dataclasses.replace(record, lanes={lane.kind: lane}))


UNLIKE = NativeLane(kind="native", status="failed", reason="line 1 of 8 is not where Python's are")


def test_a_failed_lane_of_a_published_day_is_found(layout: Layout, h200: Machine) -> None:
    with_lane(layout, h200, "hello", dataclasses.replace(UNLIKE, started="2026-03-04T05:06:07Z"))
    expected = "day01 is published, and hello on the h200: native failed: line 1 of 8 is not where Python's are"
    assert check(layout).problems == [expected]
    assert [(found.message, found.fatal) for found in shortfalls(load_site(layout))] == [(expected, False)]


def test_a_lane_that_is_not_available_or_of_a_draft_or_of_another_gpu_is_none(
    layout: Layout, h200: Machine, t4: Machine
) -> None:
    failed = dataclasses.replace(UNLIKE, started="2026-03-04T05:06:07Z")
    with_lane(layout, h200, "hello", dataclasses.replace(failed, status="not-available", reason="no nvcc"))
    with_lane(layout, h200, "twice", failed)
    store = EvidenceStore(layout.evidence)
    hello = next(record for record in store.read()[0].records if record.program == "hello")
    store.write(store.write_machine(t4), dataclasses.replace(hello, lanes={"native": failed}))
    report = check(layout)
    assert report.problems == []
    assert list(shortfalls(load_site(layout))) == []


def test_a_failed_lane_is_no_matter_where_a_newer_record_is_shown(layout: Layout, h200: Machine) -> None:
    with_lane(layout, h200, "hello", dataclasses.replace(UNLIKE, started="2026-03-04T05:06:07Z"))
    store = EvidenceStore(layout.evidence)
    newer = dataclasses.replace(h200, driver=dataclasses.replace(h200.driver, version="590.1"))
    hello = next(record for record in store.read()[0].records if record.program == "hello")
    store.write(store.write_machine(newer), dataclasses.replace(hello, lanes={}))
    assert check(layout).problems == []


def test_a_published_day_without_evidence_is_found(layout: Layout) -> None:
    (folder(layout) / "day01-hello.json").unlink()
    assert check(layout).problems == ["day01 is published, and hello on the h200 is not fresh: missing"]


def test_a_second_machine_of_the_same_kind_has_a_folder_of_its_own(layout: Layout, h200: Machine) -> None:
    store = EvidenceStore(layout.evidence)
    other = dataclasses.replace(h200, gpu=dataclasses.replace(h200.gpu, power_limit_watts=500.0))
    assert store.folder_for(h200).name == "580.159.04-nvrtc13.0.88"
    assert store.write_machine(other).name == "580.159.04-nvrtc13.0.88-2"
    assert store.folder_for(other).name == "580.159.04-nvrtc13.0.88-2"
    assert store.folder_for(dataclasses.replace(other, gpus=2)).name == "580.159.04-nvrtc13.0.88-3"
    assert [evidence.folder for evidence in store.read()] == [
        "h200/580.159.04-nvrtc13.0.88",
        "h200/580.159.04-nvrtc13.0.88-2",
    ]
    require(check(layout))


def test_another_python_is_still_the_same_machine(layout: Layout, h200: Machine) -> None:
    newer = dataclasses.replace(h200, software=dataclasses.replace(h200.software, python="3.13.0"))
    assert EvidenceStore(layout.evidence).folder_for(newer).name == "580.159.04-nvrtc13.0.88"


def test_an_older_schema_is_migrated_and_still_sealed(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder(layout) / "day01-hello.json"
    text = path.read_text(encoding="utf-8")
    # As if the next schema called attempts otherwise: files of today's must be brought there.
    newer = {SCHEMA: lambda data: {**data, "schema": SCHEMA + 1, "attempts": 7}}
    monkeypatch.setattr("gpu100.evidence.schema.SCHEMA", SCHEMA + 1)
    monkeypatch.setattr("gpu100.evidence.schema.MIGRATIONS", newer)
    assert parse(Record, text, "old").attempts == 7
    data = json.loads(text)
    data["seconds"] = 0.0
    with pytest.raises(EvidenceError, match="not what was captured"):
        parse(Record, json.dumps(data), "edited")
