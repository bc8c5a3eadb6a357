"""Model against GPU: what agrees, what is explained, and planted faults that must be found."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from gpu100.cli import app
from gpu100.content.course import load_course
from gpu100.content.explained import load_explained
from gpu100.decode import encode
from gpu100.device.interface import Source
from gpu100.errors import CheckFailed, ContentError, DeviceError, EvidenceError
from gpu100.evidence.bundle import pack, unpack
from gpu100.evidence.check import check_evidence
from gpu100.evidence.fidelity import MEASUREMENT_FILE, TABLE_FILE
from gpu100.evidence.schema import dump, seal
from gpu100.evidence.store import EvidenceStore
from gpu100.fidelity.case import Case, Out
from gpu100.fidelity.compare import Comparison, CountingDevice, compare, counted, verdict_of
from gpu100.fidelity.metrics import COUNTERS, Counter
from gpu100.fidelity.run import stored
from gpu100.fidelity.suite import case_of
from gpu100.model.fidelity import FidelityTable, MeasuredCase, Measurement
from gpu100.model.machine import Machine
from gpu100.model.record import SCHEMA
from gpu100.paths import Layout
from gpu100.render.expressions import Block, ExpressionError, Inline
from gpu100.render.fidelity import FidelityNames
from typer.testing import CliRunner

EXACT, TOLERANT, SPINNING = "copy_float", "matmul_naive", "compare_and_swap"
SUBSET = [case_of(name) for name in (EXACT, "gather", TOLERANT, SPINNING)]
TOTALS = {counter.name: 8 for counter in COUNTERS if counter.name != "threads_per_instruction"} | {
    "warp_instructions": 100,
    "lane_instructions": 3200,
}
"""What the stand-in for the model counts in each launch."""


class Array:
    def __init__(self, host: np.ndarray) -> None:
        self.host, self.shape, self.dtype = host.copy(), host.shape, host.dtype

    def to_numpy(self) -> np.ndarray:
        return self.host


@dataclasses.dataclass
class Report:
    kernel: str
    totals: Mapping[str, float]


@dataclasses.dataclass
class Model:
    """A model that is right in everything, unless told otherwise by kernel."""

    totals: dict[str, dict[str, float]] = dataclasses.field(default_factory=dict)
    wrong: dict[str, Callable[[np.ndarray], np.ndarray]] = dataclasses.field(default_factory=dict)
    fails: set[str] = dataclasses.field(default_factory=set)
    lacks: set[str] = dataclasses.field(default_factory=set)
    reports: list[Report] = dataclasses.field(default_factory=list)

    def compile(self, source: Source, options: tuple[str, ...]) -> tuple[Any, None]:
        return {case.kernel: Kernel(self, case) for case in SUBSET}, None

    def array(self, host: np.ndarray) -> Array:
        return Array(host)

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Array:
        return Array(np.zeros(shape, dtype))

    def synchronize(self) -> None: ...


@dataclasses.dataclass
class Kernel:
    model: Model
    case: Case

    def launch(self, grid: Any, block: Any, *args: Any, shared_bytes: int = 0) -> None:
        name = self.case.kernel
        if name in self.model.fails:
            raise DeviceError("not modeled: wgmma")
        for argument, array in zip(self.case.arguments(), args, strict=True):
            if isinstance(argument, Out):
                array.host = self.model.wrong.get(name, lambda values: values)(argument.expected)
        totals = TOTALS | self.model.totals.get(name, {})
        kept = {counter: count for counter, count in totals.items() if counter not in self.model.lacks}
        self.model.reports.append(Report(name, kept))


def on_gpu(case: Case, **metrics: float) -> MeasuredCase:
    """What agrees with ``TOTALS``, but for ``metrics`` by a counter's name."""
    told: dict[str, float] = {}
    for counter in COUNTERS:
        wanted = metrics.get(counter.name, 32 if counter.name == "threads_per_instruction" else TOTALS[counter.name])
        for alternative in counter.metrics[:1]:
            told |= dict.fromkeys(alternative, 0) | {alternative[0]: wanted}
    opcodes = {"BAR": int(metrics.get("barriers", 8)), "ATOMS": int(metrics.get("shared_atomic_requests", 8))}
    results = tuple(stored(case, out.expected) for out in case.arguments() if isinstance(out, Out))
    return MeasuredCase(key=case.key(), kernel=case.kernel, right=True, results=results, metrics=told, opcodes=opcodes)


@pytest.fixture
def measurement(h200: Machine) -> Measurement:
    return Measurement(
        schema=SCHEMA,
        started="2026-11-29T12:00:00+00:00",
        machine=h200,
        profiler="2025.3.1.0",
        missing={},
        cases={case.name: on_gpu(case) for case in SUBSET},
    )


def compared(
    measurement: Measurement, model: Model | None = None, explained: Mapping[tuple[str, str], str] | None = None
) -> Comparison:
    # A device whose launch failed is given up, as a GPU would have to be.
    return compare(lambda: cast(CountingDevice, model or Model()), measurement, explained or {}, SUBSET)


def altered(measurement: Measurement, name: str, **changes: Any) -> Measurement:
    case = dataclasses.replace(measurement.cases[name], **changes)
    return dataclasses.replace(measurement, cases=measurement.cases | {name: case})


def test_what_agrees_is_equal_in_every_counter(measurement: Measurement) -> None:
    table = compared(measurement).require()
    assert [case.name for case in table.cases] == [case.name for case in SUBSET]
    counted_cases = len(SUBSET) - 1  # compare-and-swap has no counters to compare
    shown = sum(counter.grade == "shown" for counter in COUNTERS)
    assert table.count("equal") == counted_cases * len(COUNTERS)
    assert table.compared == table.count("equal")
    assert shown == 1
    assert table.measurement == seal(measurement)
    assert {case.name: case.results for case in table.cases} == {
        EXACT: "every bit",
        "gather": "every bit",
        TOLERANT: "within tolerance, and every bit",
        SPINNING: "every bit",
    }


def test_a_spinning_kernels_counters_are_not_compared(measurement: Measurement) -> None:
    table = compared(measurement, Model(totals={SPINNING: {"global_atomic_requests": 999}})).require()
    case = next(case for case in table.cases if case.name == SPINNING)
    assert case.uncounted
    assert case.counters == {}


@pytest.mark.parametrize("counter", [counter.name for counter in COUNTERS if counter.grade == "exact"])
def test_an_altered_metric_is_noticed(measurement: Measurement, counter: str) -> None:
    metrics = on_gpu(case_of("gather"), **{counter: 9})
    made = compared(altered(measurement, "gather", metrics=metrics.metrics, opcodes=metrics.opcodes))
    assert made.problems == [f"gather: {counter} is 8 on the model, 9 on the GPU"]
    with pytest.raises(CheckFailed, match=counter):
        made.require()


def test_an_explained_disagreement_is_in_the_table(measurement: Measurement) -> None:
    gpu = on_gpu(case_of("gather"), global_load_sectors=9)
    why = {("gather", "global_load_sectors"): "The compiler merges two loads."}
    table = compared(altered(measurement, "gather", metrics=gpu.metrics), explained=why).require()
    pair = next(case for case in table.cases if case.name == "gather").counters["global_load_sectors"]
    assert (pair.model, pair.gpu, pair.verdict, pair.why) == (8, 9, "explained", "The compiler merges two loads.")
    assert table.count("explained") == 1


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        (("gather", "barriers"), "barriers of gather is explained, and does not differ"),
        (("gathre", "barriers"), "no such case: did you mean 'gather'?"),
        (("gather", "bariers"), "no such counter was measured"),
        ((SPINNING, "barriers"), "does not differ"),
    ],
)
def test_a_stale_explanation_is_found(measurement: Measurement, pair: tuple[str, str], said: str) -> None:
    made = compared(measurement, explained={pair: "Once it did."})
    assert len(made.problems) == 1
    assert said in made.problems[0]


def test_one_bit_of_a_result_is_noticed(measurement: Measurement) -> None:
    def flip(values: np.ndarray) -> np.ndarray:
        other = values.copy()
        other.view(np.uint32)[17] ^= 1
        return other

    assert compared(measurement, Model(wrong={EXACT: flip})).problems == [
        f"{EXACT}: the model's results are not the GPU's"
    ]


def test_a_result_may_differ_within_its_tolerance_only(measurement: Measurement) -> None:
    near = compared(measurement, Model(wrong={TOLERANT: lambda values: values + np.float32(1e-6)})).require()
    assert next(case for case in near.cases if case.name == TOLERANT).results == "within tolerance"
    far = compared(measurement, Model(wrong={TOLERANT: lambda values: values + np.float32(1e-3)}))
    assert far.problems == [f"{TOLERANT}: the model's results are further from the GPU's than 1e-05"]


def test_a_case_that_changed_since_it_was_measured_is_found(measurement: Measurement) -> None:
    made = compared(altered(measurement, EXACT, key="0" * 64))
    assert made.problems == [f"{EXACT} has changed since it was measured: measure again"]
    assert EXACT not in [case.name for case in made.table.cases]


def test_cases_that_only_one_side_has_are_found(measurement: Measurement) -> None:
    cases = {name: case for name, case in measurement.cases.items() if name != EXACT}
    cases["nobody"] = measurement.cases[EXACT]
    problems = compared(dataclasses.replace(measurement, cases=cases)).problems
    assert problems == [
        f"{EXACT} was not measured: gpu100 fidelity measure, on the GPU",
        "nobody was measured and is no case of the suite",
    ]


def test_a_case_that_fails_on_the_model_does_not_end_the_others(measurement: Measurement) -> None:
    made = compared(measurement, Model(fails={"gather"}))
    assert made.problems == ["gather does not run on the model: not modeled: wgmma"]
    assert len(made.table.cases) == len(SUBSET) - 1


def test_comparing_nothing_is_no_success(measurement: Measurement) -> None:
    made = compared(altered(measurement, EXACT, key=""), Model(fails={"gather", TOLERANT, SPINNING}))
    assert "nothing was compared" in made.problems


def test_a_counter_that_the_model_lacks_is_told(measurement: Measurement) -> None:
    made = compared(measurement, Model(lacks={"barriers"}))
    assert f"{EXACT}: the model does not count barriers" in made.problems


def test_a_counter_that_the_profiler_lacks_is_left_out_and_said(measurement: Measurement) -> None:
    cases = {name: dataclasses.replace(case, opcodes={}) for name, case in measurement.cases.items()}
    table = compared(dataclasses.replace(measurement, cases=cases)).require()
    assert table.unmeasured == ("barriers",)
    assert "barriers" not in {kind.name for kind in table.counters}
    assert all("barriers" not in case.counters for case in table.cases)


def test_zeros_on_both_are_counted_and_not_listed(measurement: Measurement) -> None:
    metrics = on_gpu(case_of(EXACT), local_load_sectors=0, local_load_requests=0)
    model = Model(totals={EXACT: {"local_load_sectors": 0, "local_load_requests": 0}})
    table = compared(altered(measurement, EXACT, metrics=metrics.metrics), model).require()
    case = table.cases[0]
    assert case.zeros == 2
    assert "local_load_sectors" not in case.counters
    assert table.count("equal") == compared(measurement).require().count("equal")


def test_verdicts() -> None:
    exact, indicative, shown = (
        Counter(name="n", title="n", grade=grade, meaning="", within=0.1)  # type: ignore[arg-type]
        for grade in ("exact", "indicative", "shown")
    )
    assert verdict_of(exact, 5, 5.0) == "equal"
    assert verdict_of(exact, 100, 101) is None
    assert verdict_of(indicative, 110, 100) == "near"
    assert verdict_of(indicative, 111, 100) is None
    assert verdict_of(indicative, 1, 0) is None
    assert verdict_of(shown, 1, 100) == "shown"


def test_active_threads_are_worked_out_from_the_models_counts() -> None:
    assert counted("threads_per_instruction", {"warp_instructions": 3, "lane_instructions": 80}) == 26.6667
    assert counted("threads_per_instruction", {"barriers": 1}) is None
    assert counted("threads_per_instruction", {"warp_instructions": 0, "lane_instructions": 0}) is None


# content/fidelity.toml ---------------------------------------------------------------------------


def test_explanations_are_read_by_case_and_counter(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    assert load_explained(layout) == {}
    layout.content.mkdir()
    (layout.content / "fidelity.toml").write_text(
        '[[explained]]\ncases = ["a", "b"]\ncounters = ["x"]\nwhy = "Because."\n', encoding="utf-8"
    )
    assert load_explained(layout) == {("a", "x"): "Because.", ("b", "x"): "Because."}


def test_a_pair_explained_twice_is_refused_with_its_line(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.content.mkdir()
    entry = '[[explained]]\ncases = ["a"]\ncounters = ["x"]\nwhy = "Because."\n'
    (layout.content / "fidelity.toml").write_text(entry * 2, encoding="utf-8")
    with pytest.raises(ContentError, match="x of a is explained twice") as caught:
        load_explained(layout)
    assert caught.value.line == 5


# The two files in a machine's folder -------------------------------------------------------------


@pytest.fixture
def kept(layout: Layout, measurement: Measurement, h200: Machine) -> Path:
    """The machine's folder of the small course, with both files in it."""
    folder = EvidenceStore(layout.evidence).folder_for(h200)
    (folder / MEASUREMENT_FILE).write_text(dump(measurement), encoding="utf-8")
    (folder / TABLE_FILE).write_text(dump(compared(measurement).require()), encoding="utf-8")
    return folder


def test_the_store_reads_both_beside_the_records(kept: Path, layout: Layout, measurement: Measurement) -> None:
    (evidence,) = EvidenceStore(layout.evidence).read()
    assert evidence.fidelity is not None
    assert evidence.fidelity.measurement == measurement
    assert evidence.fidelity.table == compared(measurement).require()
    assert len(evidence.records) == 2


def test_a_check_of_the_evidence_accepts_them(kept: Path, layout: Layout) -> None:
    assert check_evidence(load_course(layout), layout).problems == []


@pytest.mark.parametrize("name", [MEASUREMENT_FILE, TABLE_FILE])
def test_one_altered_digit_is_found(kept: Path, layout: Layout, name: str) -> None:
    text = (kept / name).read_text(encoding="utf-8")
    (kept / name).write_text(text.replace(": 100,", ": 101,", 1).replace(": 100\n", ": 101\n", 1), encoding="utf-8")
    assert (kept / name).read_text(encoding="utf-8") != text
    (problem,) = check_evidence(load_course(layout), layout).problems
    assert "is not what was captured" in problem


def test_a_table_of_another_measurement_is_found(kept: Path, layout: Layout, measurement: Measurement) -> None:
    later = dataclasses.replace(measurement, started="2026-12-01T12:00:00+00:00")
    (kept / MEASUREMENT_FILE).write_text(dump(later), encoding="utf-8")
    with pytest.raises(EvidenceError, match="made from another measurement"):
        EvidenceStore(layout.evidence).read()


def test_a_table_without_a_measurement_is_found(kept: Path, layout: Layout) -> None:
    (kept / MEASUREMENT_FILE).unlink()
    with pytest.raises(EvidenceError, match=r"compares with no fidelity\.json"):
        EvidenceStore(layout.evidence).read()


def test_a_measurement_of_another_machine_is_found(kept: Path, layout: Layout, measurement: Measurement) -> None:
    gpu = dataclasses.replace(measurement.machine.gpu, sms=1)
    other = dataclasses.replace(measurement, machine=dataclasses.replace(measurement.machine, gpu=gpu))
    (kept / MEASUREMENT_FILE).write_text(dump(other), encoding="utf-8")
    with pytest.raises(EvidenceError, match="measured on another machine"):
        EvidenceStore(layout.evidence).read()


def test_they_travel_in_a_bundle(kept: Path, layout: Layout, tmp_path: Path) -> None:
    archive = tmp_path / "evidence.tar.gz"
    pack(layout.evidence, archive, [kept])
    written = unpack(archive, tmp_path / "elsewhere")
    assert {MEASUREMENT_FILE, TABLE_FILE} <= {path.name for path in written}


# The command ------------------------------------------------------------------------------------


@pytest.fixture
def command(
    kept: Path, layout: Layout, measurement: Measurement, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """``gpu100 fidelity compare`` in the small course, on the stand-in for the model."""
    monkeypatch.chdir(layout.root)
    monkeypatch.setattr(
        "gpu100.fidelity.compare.compare",
        lambda make, measured, explained: compare(lambda: cast(CountingDevice, Model()), measured, explained, SUBSET),
    )
    return lambda *words: CliRunner().invoke(app, ["fidelity", "compare", *words])


def test_the_table_is_written_beside_the_measurement(command: Callable[..., Any], kept: Path) -> None:
    (kept / TABLE_FILE).unlink()
    assert command("--check").exit_code == 1
    done = command()
    assert done.exit_code == 0, done.output
    assert "4 cases, 54 pairs of counters: 54 equal, 0 near, 0 explained" in done.output
    assert (kept / TABLE_FILE).is_file()
    assert command("--check").exit_code == 0


def test_a_table_that_is_out_of_date_is_found_and_made_again(
    command: Callable[..., Any], kept: Path, measurement: Measurement
) -> None:
    later = dataclasses.replace(measurement, started="2026-12-01T12:00:00+00:00")
    (kept / MEASUREMENT_FILE).write_text(dump(later), encoding="utf-8")
    refused = command("--check")
    assert isinstance(refused.exception, EvidenceError)
    assert "is not what the model says now" in str(refused.exception)
    assert command().exit_code == 0
    assert command("--check").exit_code == 0


def test_what_nothing_explains_leaves_the_table_as_it_was(
    command: Callable[..., Any], kept: Path, measurement: Measurement
) -> None:
    before = (kept / TABLE_FILE).read_text(encoding="utf-8")
    gpu = on_gpu(case_of("gather"), barriers=9)
    (kept / MEASUREMENT_FILE).write_text(dump(altered(measurement, "gather", opcodes=gpu.opcodes)), encoding="utf-8")
    refused = command()
    assert isinstance(refused.exception, CheckFailed)
    assert "gather: barriers is 8 on the model, 9 on the GPU" in str(refused.exception)
    assert (kept / TABLE_FILE).read_text(encoding="utf-8") == before


# The page ---------------------------------------------------------------------------------------


@pytest.fixture
def table(measurement: Measurement) -> FidelityTable:
    gpu = on_gpu(case_of("gather"), global_load_sectors=1234, warp_instructions=90)
    why = {("gather", "global_load_sectors"): "The compiler merges `ld` & `ld`."}
    return compared(altered(measurement, "gather", metrics=gpu.metrics), explained=why).require()


def shown(table: FidelityTable | None, name: str, *args: str) -> str:
    made = FidelityNames(table).names()[name](*args)
    assert isinstance(made, Inline | Block)
    return made.text if isinstance(made, Inline) else made.html


def test_numbers_in_sentences(table: FidelityTable) -> None:
    assert shown(table, "fidelity", "cases") == "4"
    assert shown(table, "fidelity", "explained") == "1"
    assert shown(table, "fidelity", "near") == "1"
    assert shown(table, "fidelity", "bits") == "4"
    assert shown(table, "fidelity", "gpu") == "NVIDIA H200"


def test_a_fact_that_nobody_has_is_refused(table: FidelityTable) -> None:
    with pytest.raises(ExpressionError, match="no 'caess'") as caught:
        shown(table, "fidelity", "caess")
    assert caught.value.hint == "did you mean 'cases'?"


def test_the_table_shows_both_numbers_where_they_differ(table: FidelityTable) -> None:
    html = shown(table, "fidelity_table")
    assert "8 / 1,234 <span" in html
    assert 'id="fidelity-gather"' in html
    assert case_of("gather").teaches in html
    assert "Counters are not compared: how often" in html
    assert "every bit, though only 1e-05 was asked" in html


def test_a_difference_is_told_with_its_reason(table: FidelityTable) -> None:
    html = shown(table, "fidelity_differences")
    assert "The compiler merges <code>ld</code> &amp; <code>ld</code>." in html
    assert "1,234" in html
    assert 'href="#fidelity-gather"' in html


def test_every_counter_says_what_is_asked_of_it(table: FidelityTable) -> None:
    html = shown(table, "fidelity_counters")
    assert html.count("<tr>") == len(COUNTERS) + 1
    assert "2 equal, 1 explained" in html
    assert "within 10%" in html


def test_without_a_measurement_the_page_says_so() -> None:
    for name, *args in (["fidelity", "cases"], ["fidelity_table"], ["fidelity_counters"], ["fidelity_differences"]):
        assert "not measured yet" in shown(None, name, *args)


def test_a_table_comes_back_from_its_file(table: FidelityTable) -> None:
    assert encode(table)["cases"][0]["name"] == EXACT
