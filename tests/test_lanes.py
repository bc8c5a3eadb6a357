"""Lanes beside the run, with tools that a test decides: what each must catch, and what it must not lose."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from gpu100.capture import lane as one_lane
from gpu100.capture.lane import LaneWork, added, gain, scratch_of
from gpu100.capture.lanes import OTHER_LANES, OtherLane, lacking, lanes_due, parse_lanes
from gpu100.capture.plan import Job, jobs_of
from gpu100.capture.run import capture
from gpu100.cli.capturing import Capturing
from gpu100.content.course import load_course
from gpu100.errors import ContentError, UsageError
from gpu100.evidence.schema import dump, parse
from gpu100.evidence.store import EvidenceStore
from gpu100.lab import session
from gpu100.lab.on_model import sized
from gpu100.lab.session import Session
from gpu100.model.course import CounterSpec, FindingSpec, Lane, PredictionSpec, ValueSpec
from gpu100.model.lanes import CountersLane, LaneResult, NativeLane, SanitizerLane
from gpu100.model.machine import Machine
from gpu100.model.record import SCHEMA, Exact, Observed, Record
from gpu100.paths import Layout
from stand_in import StandIn
from standin_tools import CLEAN, Tools, put_on_path

GREETINGS = "for i in range(8): print(f'thread {i} says hello')"
LOADS, REQUESTS, READ = "l1tex__sectors.sum", "l1tex__requests.sum", "dram__bytes_read.sum"
COUNTED = (
    ValueSpec(
        name="loads",
        kind="exact",
        unit="sectors",
        what="Loads",
        counter=CounterSpec(kernel="hello", metric=LOADS, scale=("threads",)),
    ),
    ValueSpec(
        name="per_load", kind="exact", what="A load", counter=CounterSpec(kernel="hello", metric=LOADS, per=REQUESTS)
    ),
    ValueSpec(
        name="read", kind="observed", unit="bytes", what="Read", counter=CounterSpec(kernel="hello", metric=READ)
    ),
)
BAD_STORE = """========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at hello(unsigned int *)+0x70 in /home/somebody/hello.cu:8
=========     by thread (3,0,0) in block (0,0,0)
=========     Access to 0x7f3c7ec000fc is out of bounds
========= ERROR SUMMARY: 1 error
"""
MEANT = FindingSpec(tool="memcheck", what="Invalid __global__ write", kernel="hello")


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    return put_on_path(tmp_path / "tools", monkeypatch)


class Bench:
    """One program of the small course with its record, and the lanes over it."""

    def __init__(self, layout: Layout, machine: Machine) -> None:
        self.layout, self.machine = layout, machine
        self.store = EvidenceStore(layout.evidence)
        self.job = jobs_of(load_course(layout).days, layout)[0]
        (evidence,) = self.store.read()
        record = evidence.record(1, "hello")
        assert record
        self.record = record

    def declare(self, *, predict: tuple[PredictionSpec, ...] = (), **program: Any) -> None:
        spec = dataclasses.replace(self.job.program, **program)
        day = dataclasses.replace(self.job.day, programs=(spec,), predict=predict)
        self.job = Job(day, spec)

    def run(self, lane: OtherLane) -> LaneResult:
        work = LaneWork(lane, self.job, self.layout, self.machine)
        with scratch_of(self.layout) as scratch:
            self.record = added(self.record, work, gain(work, self.record, scratch))
        assert parse(Record, dump(self.record), "here") == self.record
        return self.record.lanes[lane]


@pytest.fixture
def bench(layout: Layout, h200: Machine, tools: Tools) -> Bench:
    return Bench(layout, h200)


def counts(*rows: tuple[object, object, object], kernel: str = "hello") -> str:
    """ncu's raw page, a row a launch."""
    lines = [["ID", "Kernel Name", LOADS, REQUESTS, READ], ["", "", "sector", "request", "byte"]]
    lines += [[str(at), kernel, *map(str, row)] for at, row in enumerate(rows)]
    return "\n".join(",".join(f'"{cell}"' for cell in line) for line in lines)


# native ------------------------------------------------------------------------------------------


def test_a_native_program_that_says_the_same_is_ok(bench: Bench, tools: Tools) -> None:
    tools.settle(native=GREETINGS)
    lane = bench.run("native")
    assert isinstance(lane, NativeLane)
    assert (lane.status, lane.reason, lane.compared, lane.tool) == ("ok", None, 8, "nvcc 13.0.88")
    assert lane.options[0] == "-arch=sm_90"
    assert lane.stdout[7] == "thread 7 says hello"
    assert bench.record.schema == SCHEMA


def test_a_native_line_that_differs_fails_the_lane_and_not_the_run(bench: Bench, tools: Tools) -> None:
    tools.settle(native=GREETINGS.replace("{i} says", "{i if i != 5 else 6} says"))
    before = bench.record
    lane = bench.run("native")
    assert lane.status == "failed"
    assert (lane.reason or "").startswith("line 7 of 8 that the C++ host prints is not where Python's are: ")
    assert (bench.record.status, bench.record.values) == ("ok", before.values)


@pytest.mark.parametrize(
    ("native", "why"),
    [
        ("", "printed nothing, so nothing was compared"),
        ("print('thread 0 says hello'); raise SystemExit(3)", "ended with exit code 3"),
        ("import os; os.abort()", "was ended by SIGABRT"),
    ],
)
def test_a_native_program_that_ends_badly_or_says_nothing_fails(
    bench: Bench, tools: Tools, native: str, why: str
) -> None:
    tools.settle(native=native)
    lane = bench.run("native")
    assert (lane.status, why in (lane.reason or "")) == ("failed", True), lane.reason


def test_a_native_program_that_never_ends_is_ended(bench: Bench, tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_lane, "PATIENCE", 0.05)
    tools.settle(native="import time; time.sleep(60)")
    lane = bench.run("native")
    assert (lane.status, "was still running after 1 s" in (lane.reason or "")) == ("failed", True), lane.reason
    assert lane.seconds < 20


def test_what_nvcc_refuses_is_told_without_paths(bench: Bench, tools: Tools) -> None:
    tools.settle(nvcc_says=f"{bench.layout.root}/hello.cu(3): error: no luck\n")
    lane = bench.run("native")
    assert (lane.status, lane.reason) == (
        "failed",
        "nvcc 13.0.88 ended with exit code 1: [ROOT]/hello.cu(3): error: no luck",
    )


def test_an_nvcc_that_does_not_know_the_gpu_is_not_available(bench: Bench, tools: Tools) -> None:
    tools.settle(nvcc_says="nvcc fatal   : Value 'sm_90' is not defined for option 'gpu-architecture'\n")
    assert bench.run("native").status == "not-available"


# a tool that is missing ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lane", "tool"), [("native", "nvcc"), ("native", "g++"), ("counters", "ncu"), ("sanitizer", "compute-sanitizer")]
)
def test_a_missing_tool_is_not_available_and_never_ok(
    bench: Bench, tools: Tools, monkeypatch: pytest.MonkeyPatch, lane: OtherLane, tool: str
) -> None:
    claim = PredictionSpec(
        id="likely",
        claim="It is so.",
        because="It must be.",
        lane=lane,
        holds="loads == 1" if lane == "counters" else "",
    )
    bench.declare(values=COUNTED, predict=(claim,))
    tools.settle(native=GREETINGS)
    tools.remove(tool)
    monkeypatch.setenv("PATH", str(tools.place / "bin"))
    result = bench.run(lane)
    assert result.status == "not-available"
    assert f"no `{tool}`" in (result.reason or "")
    judged = bench.record.predictions["likely"]
    assert (judged.outcome, f"no `{tool}`" in judged.saw) == ("not-evaluated", True)


# counters ------------------------------------------------------------------------------------------


def test_counters_become_values_of_the_record(bench: Bench, tools: Tools) -> None:
    bench.declare(values=COUNTED)
    tools.settle(table=counts(("1,024", 256, 4000), (1024, 256, 4100)))
    lane = bench.run("counters")
    assert isinstance(lane, CountersLane)
    assert (lane.status, lane.tool, lane.missing) == ("ok", "Nsight Compute 2025.3.1.0", {})
    assert (lane.launches, lane.values) == ({"hello": 2}, ("loads", "per_load", "read"))
    values = bench.record.values
    assert values["loads"] == Exact(kind="exact", unit="sectors", value=1024, scale={"threads": 8})
    assert values["per_load"] == Exact(kind="exact", value=4)
    assert values["read"] == Observed(kind="observed", unit="bytes", value=4100, low=4000, high=4100)
    assert values["threads"].value == 8


def test_clocks_are_left_alone_and_only_the_kernel_is_profiled(bench: Bench, tools: Tools) -> None:
    bench.declare(values=COUNTED)
    tools.settle(table=counts((1024, 256, 4000)))
    bench.run("counters")
    words = " ".join(tools.asked)
    assert "--clock-control none" in words
    assert "--kernel-id ::regex:^(hello)$:[1-5] " in words
    assert "--lane counters" in words
    assert "--events" not in words


def test_an_exact_count_that_moves_between_launches_fails(bench: Bench, tools: Tools) -> None:
    bench.declare(values=COUNTED)
    tools.settle(table=counts((1024, 256, 4000), (1025, 256, 4000)))
    lane = bench.run("counters")
    assert (lane.status, lane.reason) == ("failed", "value 'loads' moved between 2 launches of hello: 1024, then 1025")
    assert "loads" not in bench.record.values


def test_a_count_of_an_earlier_lane_does_not_outlive_its_failure(bench: Bench, tools: Tools) -> None:
    bench.declare(values=COUNTED)
    tools.settle(table=counts((1024, 256, 4000)))
    bench.run("counters")
    tools.settle(ncu_says="==ERROR== The application returned an error code (1).")
    assert bench.run("counters").status == "failed"
    assert bench.record.values.keys() == {"threads"}


def test_a_denied_counter_names_the_setting(bench: Bench, tools: Tools) -> None:
    bench.declare(values=COUNTED)
    tools.settle(ncu_says="==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access counters")
    lane = bench.run("counters")
    assert lane.status == "not-available"
    assert "NVreg_RestrictProfilingToAdminUsers=0" in (lane.reason or "")


def test_a_metric_that_ncu_lacks_is_missing_and_said(bench: Bench, tools: Tools) -> None:
    bench.declare(values=COUNTED)
    tools.settle(table=counts((1024, 256, "n/a")), unknown=[READ])
    lane = bench.run("counters")
    assert isinstance(lane, CountersLane)
    assert lane.status == "ok"
    assert lane.missing == {"read": f"this Nsight Compute has no {READ} for this GPU"}
    assert "read" not in bench.record.values


@pytest.mark.parametrize("table", [counts(), counts((1024, 256, 4000), kernel="other"), counts(("n/a", "n/a", "n/a"))])
def test_nothing_counted_is_a_failure(bench: Bench, tools: Tools, table: str) -> None:
    bench.declare(values=COUNTED)
    tools.settle(table=table)
    lane = bench.run("counters")
    assert (lane.status, (lane.reason or "").startswith("nothing was counted")) == ("failed", True), lane.reason


@pytest.mark.parametrize(("loads", "outcome"), [(1024, "held"), (1025, "failed")])
def test_a_prediction_is_judged_by_counters(bench: Bench, tools: Tools, loads: int, outcome: str) -> None:
    claim = PredictionSpec(id="four", claim="Four.", because="It is.", lane="counters", holds="loads == 128 * threads")
    bench.declare(values=(*bench.job.program.values, *COUNTED), predict=(claim,))
    tools.settle(table=counts((loads, 256, 1)))
    bench.run("counters")
    judged = bench.record.predictions["four"]
    assert (judged.outcome, judged.saw) == (outcome, f"loads = {loads}, threads = 8")


# sanitizer -----------------------------------------------------------------------------------------


def test_a_clean_program_is_ok_with_all_four_tools(bench: Bench, tools: Tools) -> None:
    lane = bench.run("sanitizer")
    assert isinstance(lane, SanitizerLane)
    assert (lane.status, lane.tool) == ("ok", "Compute Sanitizer 2025.3.1")
    assert lane.findings == {"memcheck": (), "racecheck": (), "initcheck": (), "synccheck": ()}


def test_a_finding_that_nobody_declared_fails(bench: Bench, tools: Tools) -> None:
    claim = PredictionSpec(id="clean", claim="It is.", because="It must be.", lane="sanitizer")
    bench.declare(predict=(claim,))
    tools.settle(logs={"memcheck": BAD_STORE})
    lane = bench.run("sanitizer")
    expected = "memcheck: Invalid __global__ write of size 4 bytes in hello, 1 times, which nobody declared"
    assert (lane.status, lane.reason) == ("failed", expected)
    assert bench.record.predictions["clean"].outcome == "failed"


def test_a_declared_finding_that_ends_the_program_leaves_the_rest_unseen(bench: Bench, tools: Tools) -> None:
    bench.declare(findings=(MEANT,))
    tools.settle(logs={"memcheck": BAD_STORE}, exits={"memcheck": 1})
    assert "under memcheck the program ended with exit code 1" in (bench.run("sanitizer").reason or "")


def test_a_declared_finding_is_ok(bench: Bench, tools: Tools) -> None:
    bench.declare(findings=(MEANT,))
    tools.settle(logs={"memcheck": BAD_STORE})
    lane = bench.run("sanitizer")
    assert isinstance(lane, SanitizerLane)
    assert lane.status == "ok"
    assert [(f.what, f.kernel, f.count) for f in lane.findings["memcheck"]] == [
        ("Invalid __global__ write of size 4 bytes", "hello", 1)
    ]
    assert "somebody" not in dump(bench.record)


def test_a_declared_finding_that_does_not_appear_fails(bench: Bench, tools: Tools) -> None:
    bench.declare(findings=(MEANT,))
    lane = bench.run("sanitizer")
    expected = "memcheck did not find what is declared: 'Invalid __global__ write' in hello"
    assert (lane.status, lane.reason) == ("failed", expected)


@pytest.mark.parametrize(
    "spec",
    [
        dataclasses.replace(MEANT, kernel="other"),
        dataclasses.replace(MEANT, tool="initcheck"),
        dataclasses.replace(MEANT, what="Invalid __global__ read"),
    ],
)
def test_a_finding_answers_for_its_own_declaration_only(bench: Bench, tools: Tools, spec: FindingSpec) -> None:
    bench.declare(findings=(spec,))
    tools.settle(logs={"memcheck": BAD_STORE})
    assert "which nobody declared" in (bench.run("sanitizer").reason or "")


@pytest.mark.parametrize(
    ("log", "why"),
    [
        ("", "the log has no summary"),
        ("========= COMPUTE-SANITIZER\n", "the log has no summary"),
        ("========= ERROR SUMMARY: 3 errors\n", "counts 3, and nothing is named"),
        (f"========= Target application terminated before first instrumented API call\n{CLEAN}", "terminated before"),
    ],
)
def test_a_tool_that_did_not_do_its_work_is_no_clean_one(bench: Bench, tools: Tools, log: str, why: str) -> None:
    tools.settle(logs={"racecheck": log})
    lane = bench.run("sanitizer")
    assert (lane.status, why in (lane.reason or "")) == ("failed", True), lane.reason
    assert (lane.reason or "").startswith("racecheck: ")


def test_a_program_that_fails_under_a_tool_fails_the_lane(bench: Bench, tools: Tools) -> None:
    tools.settle(exits={"synccheck": 1})
    assert "under synccheck the program ended with exit code 1" in (bench.run("sanitizer").reason or "")


def test_words_of_the_programs_own_say_nothing_of_the_sanitizer(bench: Bench, tools: Tools) -> None:
    tools.settle(prints="cluster launch: not supported", logs={"memcheck": BAD_STORE})
    assert bench.run("sanitizer").status == "failed"


def test_a_gpu_that_the_sanitizer_does_not_support_is_not_available(bench: Bench, tools: Tools) -> None:
    tools.settle(logs={"memcheck": "========= Error: Device not supported\n"}, exits={"memcheck": 1})
    assert bench.run("sanitizer").status == "not-available"


# which lanes, and when -----------------------------------------------------------------------------


def test_lanes_are_chosen_by_name() -> None:
    assert parse_lanes("run") == ()
    assert parse_lanes("sanitizer, run,native") == ("native", "sanitizer")
    assert parse_lanes(",".join(("run", *OTHER_LANES))) == OTHER_LANES
    with pytest.raises(UsageError, match="no lane 'natve'") as caught:
        parse_lanes("run,natve")
    assert caught.value.hint == "did you mean 'native'?"


def test_a_lane_is_due_until_it_is_ok_or_its_tool_stays_away(bench: Bench, tools: Tools) -> None:
    due = lanes_due(bench.job, bench.layout, bench.record, OTHER_LANES)
    assert due == ("native", "sanitizer"), "it names no metric, and has no exercise"
    tools.settle(native="")
    bench.run("native")
    bench.run("sanitizer")
    assert lanes_due(bench.job, bench.layout, bench.record, OTHER_LANES) == ("native",), "it failed"
    tools.settle(native=GREETINGS)
    bench.run("native")
    assert lanes_due(bench.job, bench.layout, bench.record, OTHER_LANES) == ()


def test_a_lane_without_its_tool_is_due_again_once_there_is_one(
    bench: Bench, tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tools.place / "bin" / "compute-sanitizer"
    path.rename(path.with_name("away"))
    bench.run("sanitizer")
    assert lanes_due(bench.job, bench.layout, bench.record, ["sanitizer"]) == ()
    path.with_name("away").rename(path)
    assert lanes_due(bench.job, bench.layout, bench.record, ["sanitizer"]) == ("sanitizer",)


def test_a_fresh_record_gets_the_lanes_it_lacks_without_a_new_run(bench: Bench, tools: Tools) -> None:
    (evidence,) = bench.store.read()
    kept = lacking([bench.job], bench.layout, evidence, ["sanitizer"])
    assert list(kept) == ["day01 hello"]
    folder = bench.store.root / evidence.folder
    ran = list(capture([bench.job], bench.layout, bench.machine, bench.store, folder, lanes=["sanitizer"], kept=kept))
    (written,) = (at.record(1, "hello") for at in bench.store.read())
    assert [step.record for step in ran] == [written]
    assert written
    assert (written.started, list(written.lanes)) == (bench.record.started, ["sanitizer"])
    (evidence,) = bench.store.read()
    assert lacking([bench.job], bench.layout, evidence, ["sanitizer"]) == {}


def test_a_lane_that_is_interrupted_loses_nothing_before_it(
    bench: Bench, tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*words: object, **more: object) -> SanitizerLane:
        raise KeyboardInterrupt

    monkeypatch.setattr("gpu100.capture.sanitized.run", interrupted)
    tools.settle(native=GREETINGS)
    folder = bench.store.root / bench.store.read()[0].folder
    with pytest.raises(KeyboardInterrupt):
        list(capture([bench.job], bench.layout, bench.machine, bench.store, folder, lanes=OTHER_LANES))
    (written,) = (at.record(1, "hello") for at in bench.store.read())
    assert written
    assert (written.status, list(written.lanes)) == ("ok", ["native"])


def test_a_program_that_failed_gets_no_lanes(bench: Bench, tools: Tools) -> None:
    source = bench.layout.code / "day01-hello" / "hello.py"
    source.write_text(source.read_text() + "\n1 / 0\n", encoding="utf-8")
    folder = bench.store.root / bench.store.read()[0].folder
    (step,) = capture([bench.job], bench.layout, bench.machine, bench.store, folder, lanes=OTHER_LANES)
    assert (step.lane, step.record.status, step.record.lanes) == ("run", "failed", {})


@pytest.mark.parametrize(("native", "failed"), [(GREETINGS, False), ("print('thread 9 says hello')", True)])
def test_a_capture_tells_each_lane_and_fails_where_one_did(
    bench: Bench, tools: Tools, capsys: pytest.CaptureFixture[str], native: str, failed: bool
) -> None:
    tools.settle(native=native)
    tools.remove("compute-sanitizer")
    capturing = Capturing([bench.job], bench.layout, bench.store, OTHER_LANES)
    capturing.on(bench.machine)
    said = capsys.readouterr().out
    assert capturing.failed is failed
    assert ("native: failed: line 1 of 1" in said) is failed
    assert "sanitizer: not available: Compute Sanitizer is not installed" in said
    capturing.on(bench.machine)
    assert ("Nothing is due" in capsys.readouterr().out) is not failed, "a lane that failed is tried again"


def test_a_record_that_is_not_what_was_captured_is_captured_again(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    (evidence,) = bench.store.read()
    path = bench.store.root / evidence.folder / "day01-hello.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"attempts": 2', '"attempts": 3'), encoding="utf-8")
    capturing = Capturing([bench.job], bench.layout, bench.store, ())
    capturing.on(bench.machine)
    said = capsys.readouterr().out
    assert "left out: h200/580.159.04-nvrtc13.0.88/day01-hello.json is not what was captured" in said
    assert [record.status for record in capturing.records] == ["ok"]
    assert len(bench.store.read()[0].records) == 2


def test_an_edited_lane_is_refused(bench: Bench, tools: Tools) -> None:
    tools.settle(native="")
    bench.run("native")
    data = json.loads(dump(bench.record))
    data["lanes"]["native"] |= {"status": "ok", "reason": None}
    with pytest.raises(Exception, match="is not what was captured"):
        parse(Record, json.dumps(data), "edited")


def test_a_lane_under_anothers_name_is_refused(bench: Bench, tools: Tools) -> None:
    lane = bench.run("sanitizer")
    with pytest.raises(ValueError, match="another lane"):
        dataclasses.replace(bench.record, lanes={"native": lane})


def test_a_counter_that_speaks_of_no_value_is_refused(mini: Layout) -> None:
    text = mini.course.read_text(encoding="utf-8")
    old = 'what = "Threads that said hello" }'
    assert old in text
    counter = 'counter = { kernel = "hello", metric = "m", scale = ["thread"] }'
    mini.course.write_text(text.replace(old, f'what = "Threads", {counter} }}'), encoding="utf-8")
    with pytest.raises(ContentError, match="speaks of 'thread', which is no value of hello"):
        load_course(mini)


@pytest.mark.parametrize(("findings", "watched"), [((), "application-only"), ((MEANT,), "all")])
def test_processes_of_a_program_are_watched_where_a_finding_is_expected(
    bench: Bench, tools: Tools, findings: tuple[FindingSpec, ...], watched: str
) -> None:
    seen = tools.place / "seen.txt"
    path = tools.place / "bin" / "compute-sanitizer"
    begin, last = path.read_text(encoding="utf-8").split("print(state[")
    keep = f"open({str(seen)!r}, 'a').write(words[words.index('--target-processes') + 1] + '\\n')\n"
    path.write_text(f"{begin}{keep}print(state[{last}", encoding="utf-8")
    tools.settle(logs={"memcheck": BAD_STORE} if findings else {})
    bench.declare(findings=findings)
    assert bench.run("sanitizer").status == "ok"
    assert set(seen.read_text(encoding="utf-8").split()) == {watched}


@pytest.mark.parametrize(("lane", "size"), [("run", 100), ("counters", 100), ("sanitizer", 1)])
def test_the_sanitizer_runs_the_small_size_and_counters_the_full_one(
    monkeypatch: pytest.MonkeyPatch, lane: Lane, size: int
) -> None:
    monkeypatch.setattr(session, "_current", Session(lane=lane, devices=[StandIn(is_model=False)]))
    assert sized(100, on_model=1) == size
    assert sized(100, on_model=2, under_sanitizer=1) == size
    assert sized(100, on_model=1, under_profiler=4) == (4 if lane == "counters" else size)
