"""Verdicts of comparisons, each by a change that has to bring it about."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from gpu100.evidence.drift import Drift, drift
from gpu100.evidence.items import Verdict
from gpu100.evidence.normalize import Normalizer
from gpu100.evidence.pace import pace, pace_of_series
from gpu100.evidence.pairs import compare_machines, earlier_than, newest_two, only_in_one, page_drifts
from gpu100.evidence.status import Standing, best_per_gpu, toolchain
from gpu100.evidence.store import MachineEvidence
from gpu100.model.lanes import CountersLane, SanitizerLane
from gpu100.model.machine import Driver, Machine
from gpu100.model.normalize import Rule
from gpu100.model.record import (
    CellOutput,
    Check,
    Codegen,
    Exact,
    Kernel,
    Measured,
    Observed,
    Point,
    Record,
    Series,
    Tolerant,
)

SAMPLES = (9.0, 9.5, 10.0, 10.5, 11.0)


def timed(factor: float = 1.0, *, clock: float | None = 1000.0, unit: str = "ms", **more: object) -> Measured:
    """Ten milliseconds, give or take a tenth, times ``factor``."""
    samples = tuple(factor * sample for sample in SAMPLES)
    known: dict[str, object] = {
        "kind": "measured", "value": samples[2], "unit": unit, "better": "lower", "p20": samples[1] * 0.99,
        "p80": samples[3] * 1.01, "samples": samples, "sm_clock_mhz": clock,
    }  # fmt: skip
    return Measured(**(known | more))  # type: ignore[arg-type]


@pytest.fixture
def full(record: Record) -> Record:
    """A record with every kind of value."""
    more = {
        "registers": Codegen(kind="codegen", value=12, unit="registers"),
        "sum": Tolerant(kind="tolerant", value=1.0, relative=1e-6),
        "time": timed(),
        "turns": Observed(kind="observed", value=3, low=1, high=5),
    }
    series = {
        "steps": Series(kind="exact", x_unit="threads", y_unit="blocks", points=(Point(x=1, y=1), Point(x=2, y=4))),
        "times": Series(
            kind="measured",
            x_unit="bytes",
            y_unit="ms",
            points=(Point(x=1, y=1, p20=0.9, p80=1.1), Point(x=2, y=2, p20=1.9, p80=2.1)),
        ),
    }
    return dataclasses.replace(record, values={**record.values, **more}, series=series)


@pytest.fixture
def against(full: Record, h200: Machine) -> Callable[..., Drift]:
    """The comparison of that record with one in which something has changed."""

    def compare(after: Record | None = None, machine: Machine = h200, **changes: object) -> Drift:
        later = dataclasses.replace(after or full, **changes)  # type: ignore[arg-type]
        return drift(Standing("a", h200, full), Standing("b", machine, later), Normalizer())

    return compare


def test_a_record_is_the_same_as_itself_and_every_item_is_counted(against: Callable[..., Drift]) -> None:
    found = against()
    assert found.verdict == "same"
    assert found.holds
    assert not found.drifted
    # 2 cells, 4 exact, registers, sum, time; 2 series; checks; 2 predictions; 1 kernel.
    assert found.compared == 15
    assert found.left_out() == {"free to differ in every run": ["turns"]}


Change = Callable[[Record], Record]


def value(name: str, **changes: object) -> Change:
    def change(record: Record) -> Record:
        changed = dataclasses.replace(record.values[name], **changes)  # type: ignore[arg-type]
        return dataclasses.replace(record, values={**record.values, name: changed})

    return change


def line(text: str) -> Change:
    def change(record: Record) -> Record:
        first, *rest = record.transcript
        return dataclasses.replace(record, transcript=(dataclasses.replace(first, stdout=(text,)), *rest))

    return change


def field(**changes: object) -> Change:
    return lambda record: dataclasses.replace(record, **changes)  # type: ignore[arg-type]


def outcome(name: str, to: str) -> Change:
    def change(record: Record) -> Record:
        judged = dataclasses.replace(record.predictions[name], outcome=to)  # type: ignore[arg-type]
        return dataclasses.replace(record, predictions={**record.predictions, name: judged})

    return change


PLANTED: list[tuple[Verdict, str, Change]] = [
    ("status", "status", field(status="crash", reason="ended by SIGSEGV")),
    ("text", "what cell 2 printed", line("elements  block")),
    ("text", "what cell 7 printed", field(transcript=(CellOutput(cell=7, stdout=("more",)),))),
    ("value", "blocks", value("blocks", value={"1": 1, "300": 3})),
    ("value", "idle", value("idle", value=82.9)),
    ("value", "guarded", value("guarded", value=1)),
    ("value", "idle", value("idle", unit="percent")),
    ("value", "sum", value("sum", value=1.1)),
    ("value", "checks", field(checks=(Check(what="twice is the sum with itself", compared=299),))),
    ("value", "prediction needs-two", outcome("needs-two", "failed")),
    ("value", "widest", lambda r: dataclasses.replace(r, values={k: v for k, v in r.values.items() if k != "widest"})),
    ("value", "series steps", lambda r: dataclasses.replace(r, series={**r.series, "steps": r.series["times"]})),
    ("codegen", "registers", value("registers", value=13)),
    ("codegen", "kernel twice", field(kernels={"twice": Kernel(registers=13, shared_bytes=1024, local_bytes=8)})),
    ("slower", "time", lambda r: dataclasses.replace(r, values={**r.values, "time": timed(1.5)})),
    ("faster", "time", lambda r: dataclasses.replace(r, values={**r.values, "time": timed(0.5)})),
    ("ambiguous", "time", lambda r: dataclasses.replace(r, values={**r.values, "time": timed(1.5, clock=None)})),
]


@pytest.mark.parametrize(("verdict", "name", "change"), PLANTED)
def test_what_moved_is_found_and_named(
    against: Callable[..., Drift], full: Record, verdict: Verdict, name: str, change: Change
) -> None:
    found = against(change(full))
    assert found.verdict == verdict
    assert name in [item.name for item in found.moved if item.verdict == verdict]
    assert found.holds == (verdict not in ("status", "text", "value"))
    assert found.drifted == (verdict != "ambiguous")


def test_of_checks_only_those_that_moved_are_told(against: Callable[..., Drift], full: Record) -> None:
    kept, *_ = full.checks
    found = against(field(checks=(kept, Check(what="one more", compared=2)))(full))
    assert [(item.name, item.before, item.after) for item in found.moved] == [("checks", "", "one more (2 compared)")]


def test_text_comes_before_code_and_code_before_time(against: Callable[..., Drift], full: Record) -> None:
    slower = dataclasses.replace(
        full, values={**full.values, "time": timed(1.5), "registers": Codegen(kind="codegen", value=9)}
    )
    assert against(slower).verdict == "value"  # the unit went with it
    slower = value("registers", value=9)(dataclasses.replace(full, values={**full.values, "time": timed(1.5)}))
    assert against(slower).verdict == "codegen"
    assert against(line("x")(slower)).verdict == "text"
    assert [item.verdict for item in against(line("x")(slower)).moved] == ["text", "codegen", "slower"]


def test_other_keys_gpus_and_runs_that_never_were_are_not_compared(
    against: Callable[..., Drift], full: Record, t4: Machine
) -> None:
    key = dataclasses.replace(full.key, digest="0" * 64)
    for found in (
        against(key=key),
        against(machine=t4),
        against(status="unsupported", reason="it needs two GPUs"),
        against(program="thrice"),
    ):
        assert found.verdict == "not comparable"
        assert found.why
        assert not found.drifted
        assert found.compared == 0


def test_another_scale_or_a_reworded_claim_is_left_out(against: Callable[..., Drift], full: Record) -> None:
    found = against(value("idle", scale={"elements": 301}, value=1.0)(full))
    assert (found.verdict, found.left_out()["of another size"]) == ("same", ["idle"])
    judged = {name: dataclasses.replace(one, claim="another") for name, one in full.predictions.items()}
    found = against(predictions=judged)
    assert len(found.left_out()["the claim was reworded in between"]) == 2


def test_two_failures_of_one_kind_are_the_same(full: Record, h200: Machine) -> None:
    failed = dataclasses.replace(full, status="crash", reason="ended by SIGSEGV")
    other = dataclasses.replace(failed, reason="ended by SIGBUS")
    sides = Standing("a", h200, failed), Standing("b", h200, failed), Standing("c", h200, other)
    assert drift(sides[0], sides[1], Normalizer()).verdict == "same"
    assert drift(sides[0], sides[2], Normalizer()).verdict == "status"


def test_a_lane_of_one_side_is_left_out_and_one_that_failed_is_found(
    against: Callable[..., Drift], full: Record
) -> None:
    counted = CountersLane(kind="counters", status="ok", values=("sectors",))
    with_lane = dataclasses.replace(
        full, lanes={"counters": counted}, values={**full.values, "sectors": Exact(kind="exact", value=4)}
    )
    found = against(with_lane)
    assert found.verdict == "same"
    assert "sectors" in found.left_out()["counted on one side only"]
    clean = dataclasses.replace(full, lanes={"sanitizer": SanitizerLane(kind="sanitizer", status="ok")})
    dirty = SanitizerLane(kind="sanitizer", status="failed", reason="memcheck: an invalid read")
    machine = Standing("a", dataclasses.replace(against().after.machine), clean)
    broken = Standing("b", machine.machine, dataclasses.replace(clean, lanes={"sanitizer": dirty}))
    assert drift(machine, broken, Normalizer()).verdict == "status"


def test_a_rule_takes_a_drivers_name_out_and_counts(full: Record, h200: Machine) -> None:
    rule = Rule(
        id="driver", pattern=r"driver (?P<differs>[\d.]+)", shown="[DRIVER]", why="x", match=("driver 1",), miss=("x",)
    )  # fmt: skip
    sides = [Standing(name, h200, line(f"driver {name}")(full)) for name in ("580", "590")]
    normalizer = Normalizer([rule])
    assert drift(*sides, Normalizer()).verdict == "text"
    assert drift(*sides, normalizer).verdict == "same"
    assert normalizer.hits == {"driver": 2}


@pytest.mark.parametrize("changes", [{"pattern": "("}, {"pattern": "x"}, {"shown": "DRIVER"}, {"match": ()},
                                     {"miss": ("driver 580",)}, {"match": ("no driver",)}])  # fmt: skip
def test_a_rule_whose_cases_do_not_hold_is_refused(changes: dict[str, object]) -> None:
    good: dict[str, object] = {
        "id": "driver", "pattern": r"driver (?P<differs>\d+)", "shown": "[DRIVER]", "why": "x",
        "match": ("driver 580",), "miss": ("a driver",),
    }  # fmt: skip
    Rule(**good)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="driver"):
        Rule(**(good | changes))  # type: ignore[arg-type]


# --- measured values ---


def test_spreads_that_touch_are_the_same() -> None:
    assert pace(timed(), timed(1.05)).verdict == "same"


def test_a_gap_below_one_percent_is_the_same_however_narrow_the_spread() -> None:
    narrow = {"p20": 10.0, "p80": 10.0}
    assert pace(timed(**narrow), timed(value=10.09, p20=10.09, p80=10.09)).verdict == "same"
    assert pace(timed(**narrow), timed(value=10.2, p20=10.2, p80=10.2)).verdict == "slower"


def test_a_higher_clock_is_no_better_program() -> None:
    found = pace(timed(clock=1000), timed(0.6, clock=1666))
    assert (found.verdict, found.why) == ("ambiguous", "apart in time, and not in clock cycles")
    assert pace(timed(clock=1000), timed(0.6, clock=1000)).verdict == "faster"


def test_a_rate_is_taken_per_cycle_and_higher_is_better() -> None:
    rate = {"unit": "GB/s", "better": "higher"}
    assert pace(timed(**rate), timed(2.0, **rate)).verdict == "faster"
    assert pace(timed(**rate), timed(2.0, clock=2000, **rate)).verdict == "ambiguous"
    assert pace(timed(**rate), timed(0.5, **rate)).verdict == "slower"


def test_a_ratio_has_no_clock_that_could_confirm_it() -> None:
    found = pace(timed(unit="%"), timed(2.0, unit="%"))
    assert (found.verdict, "neither a time nor a rate" in found.why) == ("ambiguous", True)


def test_cycles_are_what_they_are() -> None:
    assert pace(timed(unit="cycles", clock=None), timed(2.0, unit="cycles", clock=None)).verdict == "slower"


def test_a_clock_that_was_held_back_is_not_compared() -> None:
    for pair in ((timed(throttled=("hw slowdown",)), timed()), (timed(), timed(throttled=("hw slowdown",)))):
        found = pace(*pair)
        assert found.verdict == "not comparable"
        assert "hw slowdown" in found.why


def test_a_measured_series_is_the_same_or_ambiguous(full: Record) -> None:
    times = full.series["times"]
    assert pace_of_series(times, times).verdict == "same"
    moved = dataclasses.replace(times, points=(times.points[0], Point(x=2, y=3, p20=2.9, p80=3.1)))
    assert pace_of_series(times, moved).why == "1 of 2 points apart, and a series records no clock"


# --- what is compared with what ---


def machine_of(h200: Machine, driver: str, nvrtc: str = "13.0.88") -> Machine:
    software = dataclasses.replace(h200.software, nvrtc=nvrtc)
    return dataclasses.replace(h200, driver=Driver(version=driver, cuda_raw=13000), software=software)


def evidence_of(machine: Machine, *records: Record, suffix: str = "") -> MachineEvidence:
    return MachineEvidence(f"{machine.gpu.slug}/{machine.folder}{suffix}", machine, records)


def test_versions_are_ordered_as_numbers(h200: Machine) -> None:
    drivers = ["580.159.04", "580.95.05", "590.1", "570.86"]
    found = sorted((machine_of(h200, driver) for driver in drivers), key=toolchain)
    assert [machine.driver.version for machine in found] == ["570.86", "580.95.05", "580.159.04", "590.1"]


def test_the_two_newest_toolchains_of_each_gpu_are_a_pair(h200: Machine, t4: Machine, record: Record) -> None:
    found = [evidence_of(machine_of(h200, driver), record) for driver in ("590.1", "570.86", "580.95")]
    found += [evidence_of(machine_of(h200, "590.1"), record, suffix="-2"), evidence_of(t4, record)]
    (pair,) = newest_two(found)
    assert pair[0].machine.driver.version == "580.95"
    assert pair[1].machine.driver.version == "590.1"


def test_two_machines_of_one_toolchain_are_a_pair_where_there_is_no_other(h200: Machine, record: Record) -> None:
    first, second = evidence_of(h200, record), evidence_of(h200, record, suffix="-2")
    assert newest_two([first, second]) == [(first, second)]
    assert next(compare_machines(first, second, Normalizer())).same_toolchain


def test_what_only_one_machine_has_is_said(h200: Machine, record: Record) -> None:
    other = dataclasses.replace(record, day=1, program="hello")
    sides = evidence_of(h200, record), evidence_of(machine_of(h200, "590.1"), other)
    assert list(compare_machines(*sides, Normalizer())) == []
    assert only_in_one(*sides) == [
        "day02-twice (in h200/580.159.04-nvrtc13.0.88)",
        "day01-hello (in h200/590.1-nvrtc13.0.88)",
    ]


def test_a_page_shows_the_newer_driver_and_holds_it_against_the_older(h200: Machine, record: Record) -> None:
    older = Standing("old", h200, dataclasses.replace(record, started="2027-01-01T00:00:00Z"))
    newer = Standing("new", machine_of(h200, "590.1"), record)
    assert best_per_gpu((older, newer), "h200") == (newer,)
    assert earlier_than(newer, (older, newer)) == older
    (found,) = page_drifts({(2, "twice"): (newer,)}, {(2, "twice"): (older, newer)}, Normalizer())[2, "twice"]
    assert (found.before, found.after, found.verdict) == (older, newer, "same")


def test_a_newer_driver_that_fails_is_drift_on_the_page_of_the_older(h200: Machine, record: Record) -> None:
    older = Standing("old", h200, record)
    newer = Standing("new", machine_of(h200, "590.1"), dataclasses.replace(record, status="crash", reason="SIGSEGV"))
    best = best_per_gpu((older, newer), "h200")
    assert best == (older,)
    (found,) = page_drifts({(2, "twice"): best}, {(2, "twice"): (older, newer)}, Normalizer())[2, "twice"]
    assert (found.before, found.after, found.verdict) == (older, newer, "status")


def test_a_record_of_another_version_of_the_program_is_no_counterpart(h200: Machine, record: Record) -> None:
    key = dataclasses.replace(record.key, digest="0" * 64)
    stale = Standing("old", machine_of(h200, "570.1"), dataclasses.replace(record, key=key))
    assert earlier_than(Standing("new", h200, record), (stale,)) is None


def test_a_stale_record_is_held_against_nothing(h200: Machine, record: Record) -> None:
    other = Standing("old", machine_of(h200, "570.1"), record)
    assert earlier_than(Standing("new", h200, record), (other,)) == other
    assert earlier_than(Standing("new", h200, record, stale="twice.cu changed"), (other,)) is None
