"""What the sanitizer found, as a page shows it: every tool, every finding, and nothing that was not recorded."""

from __future__ import annotations

import dataclasses

import pytest
from bs4 import BeautifulSoup
from gpu100.errors import CourseError
from gpu100.evidence.store import EvidenceStore
from gpu100.model.lanes import SANITIZER_TOOLS, FirstFound, LaneResult, SanitizerFinding, SanitizerLane, SanitizerTool
from gpu100.paths import Layout
from gpu100.render.expressions import Block, evaluate
from gpu100.render.loading import load_site
from gpu100.render.page import PageNames

WRITE = SanitizerFinding(
    what="Invalid __global__ write of size 4 bytes",
    kernel="hello",
    count=1,
    first=FirstFound(
        file="hello.cu", line=21, block=(3, 0, 0), thread=(64, 0, 0), away=1, side="after", allocation=4_000_000
    ),
)
CLEAN: dict[SanitizerTool, tuple[SanitizerFinding, ...]] = dict.fromkeys(SANITIZER_TOOLS, ())


def shown(layout: Layout, lane: SanitizerLane | None, program: str = "hello") -> BeautifulSoup:
    """The block on the page of day 1, whose record has ``lane``."""
    store = EvidenceStore(layout.evidence)
    (evidence,) = store.read()
    hello = evidence.record(1, "hello")
    assert hello is not None
    lanes: dict[str, LaneResult] = {"sanitizer": lane} if lane else {}
    store.write(store.root / evidence.folder, dataclasses.replace(hello, lanes=lanes))
    site = load_site(layout)
    day = site.course.days[0]
    result = evaluate(f'sanitizer("{program}")', PageNames(site, day.page.as_posix(), day).names())
    assert isinstance(result, Block)
    return BeautifulSoup(result.html, "html.parser")


def lines(page: BeautifulSoup) -> list[str]:
    return [item.get_text(" ", strip=True).replace("\N{NO-BREAK SPACE}", " ") for item in page.select(".findings li")]


def lane(memcheck: tuple[SanitizerFinding, ...]) -> SanitizerLane:
    return SanitizerLane(
        kind="sanitizer",
        status="ok",
        tool="Compute Sanitizer 2025.3.1",
        started="2026-11-30T01:00:00Z",
        findings=CLEAN | {"memcheck": memcheck},
    )


def test_a_finding_with_its_thread_its_line_and_its_allocation(layout: Layout) -> None:
    page = shown(layout, lane((WRITE,)))
    assert lines(page) == [
        "memcheck Invalid __global__ write of size 4 bytes in hello, hello.cu line 21, by thread (64, 0, 0) of block "
        "(3, 0, 0) 1 byte after the nearest allocation, which has 4,000,000 bytes",
        "racecheck nothing",
        "initcheck nothing",
        "synccheck nothing",
    ]
    (record,) = page.select(".evidence > .record[data-gpu=h200]")
    assert "Compute Sanitizer 2025.3.1" in record.get_text()
    assert record.select("time[datetime]")


@pytest.mark.parametrize(
    ("finding", "says"),
    [
        (dataclasses.replace(WRITE, count=3, first=None), "Invalid __global__ write of size 4 bytes, 3 times"),
        (dataclasses.replace(WRITE, kernel="", first=FirstFound(away=4)), "Invalid __global__ write of size 4 bytes"),
        (dataclasses.replace(WRITE, what="<b>bold</b>", kernel="", first=None), "<b>bold</b>"),
    ],
)
def test_what_the_tool_did_not_say_is_not_made_up(layout: Layout, finding: SanitizerFinding, says: str) -> None:
    first = lines(shown(layout, lane((finding,))))[0]
    assert first.startswith(f"memcheck {says}")
    assert not [word for word in ("line", "thread", "nearest") if word in first.removeprefix(says)]


def test_of_several_the_place_is_the_firsts(layout: Layout) -> None:
    found = lines(shown(layout, lane((dataclasses.replace(WRITE, count=2),))))
    assert "2 times the first in hello, hello.cu line 21" in found[0]


def test_a_tool_that_did_not_run_is_not_called_clean(layout: Layout) -> None:
    failed = SanitizerLane(kind="sanitizer", status="failed", reason="memcheck ran out of time", started="2026-11-30")
    page = shown(layout, failed)
    assert lines(page) == []
    assert "failed memcheck ran out of time" in page.get_text(" ", strip=True)


def test_without_the_lane_nothing_was_measured(layout: Layout) -> None:
    page = shown(layout, None)
    assert page.select_one(".mark.missing")
    assert page.select(".findings") == []


def test_a_program_that_the_day_does_not_have(layout: Layout) -> None:
    with pytest.raises(CourseError, match="has no program"):
        shown(layout, None, program="goodbye")
