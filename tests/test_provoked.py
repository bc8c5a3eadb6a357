"""What records know of errors, on the errors' page: read from them, and changing with them."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from bs4 import BeautifulSoup
from gpu100.content.course import load_course
from gpu100.content.error_reference import load_error_reference
from gpu100.content.sources import load_sources
from gpu100.evidence.status import Standing
from gpu100.model.course import Course, ValueSpec
from gpu100.model.machine import Machine
from gpu100.model.record import Exact, Record
from gpu100.paths import Layout
from gpu100.render.lookup import errors_page
from gpu100.render.provoked import Found, provoked

SEEN: dict[str, dict[str, Any]] = {
    "driver": {"bad pointer": "CUDA_ERROR_ILLEGAL_ADDRESS", "too big": "CUDA_ERROR_OUT_OF_MEMORY"},
    "runtime": {"bad pointer": "cudaErrorIllegalAddress", "too big": "cudaErrorMemoryAllocation"},
    "reporter": {"bad pointer": "the wait", "too big": "the call"},
    "survives": {"bad pointer": False, "too big": True},
}


class Ground:
    """The small course, in which day 2's program provokes two errors."""

    def __init__(self, layout: Layout, machine: Machine, record: Record) -> None:
        self.layout, self.machine, self.record = layout, machine, record

    def course(self, tables: tuple[str, ...] = tuple(SEEN)) -> Course:
        course = load_course(self.layout)
        specs = tuple(ValueSpec(name=name, kind="exact", what=name, by="mistake") for name in tables)
        days = [
            dataclasses.replace(
                day, programs=tuple(dataclasses.replace(p, values=p.values + specs) for p in day.programs)
            )
            if day.number == 2
            else day
            for day in course.days
        ]
        return dataclasses.replace(course, days=tuple(days))

    def standing(self, seen: dict[str, dict[str, Any]], stale: str | None = None) -> Standing:
        values = {name: Exact(kind="exact", value=table) for name, table in seen.items()}
        record = dataclasses.replace(self.record, values={**self.record.values, **values})
        return Standing("h200/x", self.machine, record, stale)

    def found(self, standing: Standing, course: Course | None = None) -> Found:
        course = course or self.course()
        errors = load_error_reference(self.layout, course, load_sources(self.layout))
        return provoked(course, {(2, "twice"): (standing,)}, errors.values())

    def page(self, found: Found) -> BeautifulSoup:
        course, sources = self.course(), load_sources(self.layout)
        errors = load_error_reference(self.layout, course, sources)
        day = course.days[1]
        return BeautifulSoup(errors_page(errors.values(), sources, lambda _: (day, "there"), found), "html.parser")


@pytest.fixture
def ground(mini: Layout, h200: Machine, record: Record) -> Ground:
    return Ground(mini, h200, record)


def told(found: Found) -> dict[str, list[tuple[str, str, str, bool]]]:
    return {
        id: [(mistake, how.apis, how.reporter, how.survives) for how, mistakes in many.items() for mistake in mistakes]
        for id, many in found.items()
    }


def test_each_mistake_is_told_at_the_error_that_it_ended_with(ground: Ground) -> None:
    found = ground.found(ground.standing(SEEN))
    assert told(found) == {
        "illegal-address": [("bad pointer", "driver and runtime", "the wait", False)],
        "out-of-memory": [("too big", "driver and runtime", "the call", True)],
    }
    assert {one.machine for many in found.values() for one in many} == {"NVIDIA H200, driver 580.159.04"}


@pytest.mark.parametrize(
    ("table", "mistake", "changed", "expected"),
    [
        ("reporter", "too big", "the wait", [("too big", "driver and runtime", "the wait", True)]),
        ("survives", "too big", False, [("too big", "driver and runtime", "the call", False)]),
        ("runtime", "too big", "cudaErrorUnknown", [("too big", "driver", "the call", True)]),
        ("driver", "too big", "CUDA_ERROR_UNKNOWN", [("too big", "runtime", "the call", True)]),
    ],
)
def test_what_is_told_changes_with_the_record(
    ground: Ground, table: str, mistake: str, changed: object, expected: list[Any]
) -> None:
    seen = {**SEEN, table: {**SEEN[table], mistake: changed}}
    assert told(ground.found(ground.standing(seen)))["out-of-memory"] == expected


def test_mistakes_that_came_out_alike_are_told_together(ground: Ground) -> None:
    seen = {name: {**table, "far too big": table["too big"]} for name, table in SEEN.items()}
    found = ground.found(ground.standing(seen))
    assert list(found["out-of-memory"].values()) == [["too big", "far too big"]]
    assert "driver 580.159.04: too big, far too big. Reported by the call" in ground.page(found).get_text()


def test_two_interfaces_may_file_one_mistake_under_two_errors(ground: Ground) -> None:
    seen = {**SEEN, "runtime": {**SEEN["runtime"], "too big": "cudaErrorIllegalAddress"}}
    found = told(ground.found(ground.standing(seen)))
    assert found["out-of-memory"] == [("too big", "driver", "the call", True)]
    assert ("too big", "runtime", "the call", True) in found["illegal-address"]


def test_a_program_takes_part_by_what_it_declares(ground: Ground) -> None:
    standing = ground.standing(SEEN)
    assert ground.found(standing, ground.course(("driver", "reporter"))) == {}
    assert ground.found(standing, ground.course(("reporter", "survives"))) == {}
    assert set(ground.found(standing, ground.course(("runtime", "reporter", "survives")))) == {
        "illegal-address",
        "out-of-memory",
    }


def test_a_run_that_failed_tells_nothing_and_one_that_is_stale_says_so(ground: Ground) -> None:
    standing = ground.standing(SEEN)
    assert standing.record
    failed = dataclasses.replace(standing, record=dataclasses.replace(standing.record, status="failed", reason="no"))
    assert ground.found(failed) == {}
    shown = ground.page(ground.found(ground.standing(SEEN, "twice.cu changed")))
    assert "NVIDIA H200, driver 580.159.04 (stale)" in shown.get_text()


def test_the_page_names_the_machine_and_no_longer_calls_unknown_what_was_seen(ground: Ground) -> None:
    shown = ground.page(ground.found(ground.standing(SEEN)))
    item = shown.select("#illegal-address")[0].find_parent("section").select("ul.provoked li")[0]  # type: ignore[union-attr]
    assert item.get_text() == (
        "NVIDIA H200, driver 580.159.04: bad pointer. "
        "Reported by the wait, and called so by driver and runtime; the context is lost (day 2)."
    )
    link = item.select_one("a")
    assert link is not None
    assert link["href"] == "there"
    assert len(shown.select("ul.provoked")) == 2
    assert ground.page({}).select("ul.provoked") == []
