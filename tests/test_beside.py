"""Lanes beside each other: that they are, that they take turns where they must, and what ends them."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path

import pytest
from gpu100.capture.beside import beside
from gpu100.capture.lane import Gained, LaneWork
from gpu100.capture.lanes import OtherLane
from gpu100.capture.plan import Job, jobs_of, took
from gpu100.capture.remaining import Remaining
from gpu100.capture.run import Step, capture
from gpu100.content.course import load_course
from gpu100.evidence.store import EvidenceStore
from gpu100.model.course import CounterSpec, ValueSpec
from gpu100.model.lanes import NativeLane
from gpu100.model.machine import Machine
from gpu100.model.record import Record
from gpu100.paths import Layout
from standin_tools import CLEAN, Tools, put_on_path

GREETINGS = "for i in range(8): print(f'thread {i} says hello')"
COUNTED = ValueSpec(
    name="loads", kind="exact", unit="sectors", what="Loads", counter=CounterSpec(kernel="hello", metric="loads.sum")
)


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    return put_on_path(tmp_path / "tools", monkeypatch)


@pytest.fixture
def records(layout: Layout) -> dict[str, Record]:
    (evidence,) = EvidenceStore(layout.evidence).read()
    return {f"day{record.day:02} {record.program}": record for record in evidence.records}


def works(layout: Layout, machine: Machine, *lanes: OtherLane) -> list[LaneWork]:
    """The ``lanes`` of the first program."""
    job = jobs_of(load_course(layout).days, layout)[0]
    return [LaneWork(lane, job, layout, machine) for lane in lanes]


def sanitizer(tools: Tools, does: str) -> None:
    """What Compute Sanitizer does before it says that all is clean."""
    path = tools.place / "bin" / "compute-sanitizer"
    begin, last = path.read_text(encoding="utf-8").split("print(state[")
    path.write_text(f"{begin}\n{does}\nprint(state[{last}", encoding="utf-8")


def said(gained: list[tuple[LaneWork, Gained]]) -> list[tuple[str, str, str | None]]:
    return sorted((work.lane, found.result.status, found.result.reason) for work, found in gained)


MEET = """
import tempfile, time
folder = pathlib.Path({folder!r})
(folder / str(os.getpid())).touch()
end = time.monotonic() + 20
while len(list(folder.glob("*"))) < 3:  # one lane runs two tools at once
    if time.monotonic() > end:
        sys.exit("no other lane came")
    time.sleep(0.02)
"""


@pytest.mark.parametrize(("count", "status"), [(2, "ok"), (1, "failed")])
def test_two_lanes_run_at_once_where_there_is_room_for_two(
    layout: Layout,
    h200: Machine,
    tools: Tools,
    records: dict[str, Record],
    tmp_path: Path,
    count: int,
    status: str,
) -> None:
    meeting = tmp_path / "meeting"
    meeting.mkdir()
    sanitizer(tools, MEET.format(folder=str(meeting)).replace("20", "20" if count > 1 else "0.2"))
    tools.settle(clean=CLEAN)
    gained = list(beside(works(layout, h200, "sanitizer", "sanitizer"), records, tmp_path, count))
    assert {found.result.status for _, found in gained} >= {status}
    assert count == 1 or [found.result.reason for _, found in gained] == [None, None]


ALONE = """
import os, sys, time
try:
    os.mkdir({folder!r})
except FileExistsError:
    sys.exit("another is at work")
time.sleep(0.3)
os.rmdir({folder!r})
"""


def test_built_programs_take_turns_since_they_take_the_memory_that_is_free(
    layout: Layout, h200: Machine, tools: Tools, records: dict[str, Record], tmp_path: Path
) -> None:
    tools.settle(native=ALONE.format(folder=str(tmp_path / "busy")) + GREETINGS)
    gained = list(beside(works(layout, h200, "native", "native", "native"), records, tmp_path, 3))
    assert said(gained) == [("native", "ok", None)] * 3
    lane = gained[0][1].result
    assert isinstance(lane, NativeLane)
    assert lane.compared == 8


def alive(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_what_still_runs_is_ended_where_a_capture_stops(
    layout: Layout, h200: Machine, tools: Tools, records: dict[str, Record], tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    pids.mkdir()
    begun = f"import time\n(pathlib.Path({str(pids)!r}) / str(os.getpid())).touch()\ntime.sleep(60)"
    sanitizer(tools, begun)
    wait = f"import os, time\nwhile len(os.listdir({str(pids)!r})) < 4: time.sleep(0.02)\n"
    tools.settle(native=wait + GREETINGS)
    running = beside(works(layout, h200, "sanitizer", "native", "sanitizer"), records, tmp_path, 3)
    assert next(running)[0].lane == "native"
    running.close()  # type: ignore[attr-defined]
    end = time.monotonic() + 10
    sleepers = [int(path.name) for path in pids.glob("*")]
    assert len(sleepers) == 4
    while any(map(alive, sleepers)) and time.monotonic() < end:
        time.sleep(0.02)
    assert not any(map(alive, sleepers)), "a tool went on running"


def test_a_process_that_is_ended_from_outside_fails_its_lane_and_is_told(
    layout: Layout, h200: Machine, tools: Tools, records: dict[str, Record], tmp_path: Path
) -> None:
    sanitizer(tools, "os.kill(os.getppid(), 9)")
    gained = list(beside(works(layout, h200, "sanitizer", "sanitizer"), records, tmp_path, 2))
    reason = "the process that ran it, or one beside it, was ended from outside"
    assert said(gained) == [("sanitizer", "failed", reason)] * 2


def test_what_counts_comes_before_what_shares_the_gpu(
    layout: Layout, h200: Machine, tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpu100.capture.beside.at_once", lambda: 2)
    tools.settle(native=GREETINGS, table='"ID","Kernel Name","loads.sum"\n"","","sector"\n"0","hello","4"')
    jobs = [counted(job) for job in jobs_of(load_course(layout).days, layout)]
    store = EvidenceStore(layout.evidence)
    folder = store.write_machine(h200)
    steps = list(capture(jobs, layout, h200, store, folder, lanes=("native", "counters", "sanitizer")))
    assert [step.lane for step in steps][:4] == ["run", "counters"] * 2
    assert sorted(step.lane for step in steps[4:]) == ["native", "native", "sanitizer", "sanitizer"]
    (evidence,) = store.read()
    last = {step.job.name: step.record for step in steps}
    assert [evidence.record(1, "hello"), evidence.record(2, "twice")] == list(last.values())
    for record in last.values():
        assert set(record.lanes) == {"native", "counters", "sanitizer"}, "what one lane wrote, another lost"


def counted(job: Job) -> Job:
    program = dataclasses.replace(job.program, values=(*job.program.values, COUNTED))
    return Job(dataclasses.replace(job.day, programs=(program,)), program)


def test_time_left_is_what_each_part_took_last_time_or_such_parts_take(
    layout: Layout, records: dict[str, Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpu100.capture.remaining.at_once", lambda: 4)
    jobs = jobs_of(load_course(layout).days, layout)
    hello, twice = (
        dataclasses.replace(record, seconds=took) for record, took in zip(records.values(), (8.0, 3.0), strict=True)
    )
    lane = NativeLane(kind="native", status="ok", seconds=4.0)
    hello = dataclasses.replace(hello, lanes={"native": lane})

    def left(last: list[Record], lanes: list[OtherLane], kept: dict[str, Record] | None = None) -> float:
        return Remaining(jobs, layout, lanes, kept or {}, took(last)).after(Step(jobs[0], "run", hello))

    assert left([hello, twice], []) == 3.0
    assert left([], []) == 8.0, "the second is taken to be like the first"
    assert left([hello, twice], ["native"]) == 3.0 + 4.0 / 4 + 4.0 / 4, "and four of them run at once"
    assert left([hello, twice], ["native"], {jobs[0].name: hello}) == 3.0 + 4.0 / 4, "one has it already"
    bad = dataclasses.replace(hello, status="failed", reason="no")
    remaining = Remaining(jobs, layout, ["native"], {}, took([hello, twice]))
    assert remaining.after(Step(jobs[0], "run", bad)) == 3.0 + 4.0 / 4, "what failed gets no lanes"
