"""Facts from elsewhere: the limits are the model's, the machines agree with them, the examples add up."""

from __future__ import annotations

import dataclasses
import math
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from gpu100.author.checks import facts as rule
from gpu100.author.context import Context
from gpu100.author.report import Finding
from gpu100.content.course import load_course
from gpu100.content.facts import load_facts
from gpu100.content.sources import load_sources
from gpu100.errors import ContentError
from gpu100.evidence.store import EvidenceStore
from gpu100.model.capability import NVRTC_13_0, Capability
from gpu100.model.facts import Facts
from gpu100.model.limits import COMPARED, LIMITS, contradictions, limits_of
from gpu100.model.machine import Machine
from gpu100.paths import Layout
from gpu100.render.expressions import ExpressionError
from gpu100.render.reference import fact_text, limits_table

Edit = Callable[[Path, str, str], None]


@pytest.fixture(scope="module")
def facts(repository: Layout) -> Facts:
    return read(repository)


@pytest.fixture
def copy(repository: Layout, tmp_path: Path) -> Layout:
    """The real content, to be changed at will."""
    shutil.copytree(repository.content, tmp_path / "content")
    return Layout(tmp_path)


def read(layout: Layout) -> Facts:
    return load_facts(layout, load_sources(layout), {day.number for day in load_course(layout).days})


def test_every_capability_of_the_toolkit_has_its_limits() -> None:
    assert [limits.capability for limits in LIMITS] == list(NVRTC_13_0)
    assert limits_of(Capability.parse("9.0a")) == limits_of(Capability.parse("9.0"))
    assert limits_of(Capability.parse("7.0")) is None


def test_every_limit_of_the_facts_is_the_models(facts: Facts) -> None:
    compared = 0
    for limit in facts.limit:
        for limits in LIMITS:
            capability = str(limits.capability)
            stated = limit.by[capability] if limit.by else limit.value
            assert stated == getattr(limits, limit.id), (limit.id, capability)
            compared += 1
    assert compared == len(facts.limit) * len(LIMITS) > 100


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"12.1" = 48 }', '"12.1" = 49 }', "'warps_per_sm' is 49 for 12.1, where the model has 48"),
        ("value = 255", "value = 256", "'registers_per_thread' is 256"),
        ('id = "warp_size"', 'id = "warp_sise"', "did you mean 'warp_size'?"),
        ('id = "global-index"', 'id = "bank"', "fact 'bank' stands twice"),
        ('sources = ["bpg.bandwidth"]', 'sources = ["bpg.bandwith"]', "'bpg.bandwith', which is no source"),
        ('sources = ["bpg.bandwidth"]', "sources = []", "'effective-bandwidth' has no source"),
        ("days = [12]", "days = [101]", "names day 101, which does not exist"),
        ('capability = "8.0"', 'capability = "5.2"', "compute capability 5.2 are not on record"),
        ("value = 49152", "", "needs one of `value` and `by`"),
    ],
)
def test_a_fact_that_cannot_be_right_is_refused(copy: Layout, edit: Edit, old: str, new: str, said: str) -> None:
    edit(copy.content / "facts.toml", old, new)
    with pytest.raises(ContentError) as caught:
        read(copy)
    assert said in str(caught.value)
    assert caught.value.line is not None


def test_a_capability_that_a_limit_leaves_out_is_missed(copy: Layout) -> None:
    path = copy.content / "facts.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(', "12.1" = 48', "", 1), encoding="utf-8")
    with pytest.raises(ContentError, match=r"'warps_per_sm' does not say what holds for 12\.1"):
        read(copy)


def test_every_machine_of_the_evidence_agrees_with_the_limits(repository: Layout) -> None:
    machines = EvidenceStore(repository.evidence).read()
    assert machines
    assert [contradictions(evidence.machine.gpu) for evidence in machines] == [()] * len(machines)


@pytest.mark.parametrize("name", COMPARED)
def test_a_machine_that_reports_something_else_is_found(h200: Machine, t4: Machine, name: str) -> None:
    for machine in (h200, t4):
        assert contradictions(machine.gpu) == ()
        wrong = dataclasses.replace(machine.gpu, **{name: getattr(machine.gpu, name) + 1})
        assert any(found.startswith(f"{name} is ") for found in contradictions(wrong))


def test_a_machine_of_an_unknown_capability_is_found(h200: Machine) -> None:
    strange = dataclasses.replace(h200.gpu, capability="6.1")
    assert contradictions(strange) == ("the limits of compute capability 6.1 are not on record",)


def test_the_check_of_the_course_holds_machines_against_the_facts(layout: Layout, h200: Machine) -> None:
    course = load_course(layout)

    def found() -> list[object]:
        return list(rule.check(Context(layout, course, course.days)))

    assert found() == [len(COMPARED)]
    odd = dataclasses.replace(h200, gpu=dataclasses.replace(h200.gpu, blocks_per_sm=16))
    EvidenceStore(layout.evidence).write_machine(odd)
    [finding] = [item for item in found() if isinstance(item, Finding)]
    assert "blocks_per_sm is 16 on NVIDIA H200, and 32" in finding.message
    assert finding.path == "evidence/h200/580.159.04-nvrtc13.0.88-2/machine.json"


def test_the_numbers_of_every_example_are_worked_out(facts: Facts) -> None:
    def up(number: int, step: int) -> int:
        return math.ceil(number / step) * step

    def by_registers(registers: int) -> int:
        return 4 * (16384 // up(32 * registers, 256))

    def sectors(stride: int, offset: int = 0) -> int:
        return len({(4 * (stride * lane + offset)) // 32 for lane in range(32)})

    def degree(stride: int) -> int:
        banks = [stride * lane % 32 for lane in range(32)]
        return max(banks.count(bank) for bank in banks)

    assert (degree(32), degree(33), math.gcd(32, 32), math.gcd(33, 32)) == (32, 1, 32, 1)
    assert [sectors(stride) for stride in (1, 2, 4, 8, 16)] == [min(4 * s, 32) for s in (1, 2, 4, 8, 16)]
    blocks = math.ceil(1_000_000 / 256)
    resident = by_registers(72) // 8
    worked: dict[str, list[object]] = {
        "global-index": [blocks, blocks * 256],
        "warps-per-block": [math.ceil(100 / 32), 128 - 100, f"{(128 - 100) / 128:.1%}"],
        "occupancy": [256 * 72, resident, f"{resident * 8} of 48", f"{resident * 8 / 48:.0%}"],
        "warps-by-registers": [min(by_registers(104), 24), 65536 // up(32 * 104, 256)],
        "launch-refused": [up(32 * 176, 256) * up(9, 4), 288 * 176],
        "sectors": [*(f"takes {sectors(s)}" for s in (1, 2, 4)), sectors(8), f"takes {sectors(1, 1)}"],
        "bank": [f"{degree(32)}-fold", 32 * 33 * 4, 32 * 32 * 4],
        "waves": [108 * 8, f"{65536 / (108 * 8):.2f}"],
        "effective-bandwidth": [3 * 4 * 2**26, f"{3 * 4 * 2**26 / 3.554e-3 / 1e9:.1f}"],
        "ridge": [f"{19.5e12 / 1555e9:.2f}", f"{1 / 12 * 1555e9 / 19.5e12:.2%}"],
        "rated-bandwidth": [f"{128 * 16 // 8} GB/s"],
        "peak-fp32": [f"{24 * 128 * 2 * 2.175e9 / 1e12:.1f} TFLOP/s"],
    }
    assert worked.keys() == {formula.id for formula in facts.formula}
    for formula in facts.formula:
        for number in worked[formula.id]:
            assert (f"{number:,}" if isinstance(number, int) else str(number)) in formula.example, formula.id


def test_a_fact_stands_in_a_sentence(facts: Facts) -> None:
    assert fact_text(facts, "warp_size", None).text == "32\u00a0lanes"
    assert fact_text(facts, "shared_bytes_per_block", "9.0").text == "227\u00a0KiB"
    published = fact_text(facts, "rtx4060.vector-add.time", None)
    assert published.text == "3.554\u00a0ms"
    assert published.attributes["title"].startswith("published elsewhere")


@pytest.mark.parametrize(
    ("name", "at", "said"),
    [
        ("warps_per_sm", None, "differs by compute capability"),
        ("warps_per_sm", "9.9", "has no entry '9.9'"),
        ("warps_per_ms", None, "did you mean 'warps_per_sm'?"),
    ],
)
def test_a_fact_that_is_none_is_refused(facts: Facts, name: str, at: str | None, said: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        fact_text(facts, name, at)
    assert said in str(caught.value)


def test_a_table_has_the_limits_it_is_asked_for(facts: Facts, repository: Layout) -> None:
    html = limits_table(facts, ("warps_per_sm", "blocks_per_sm"), load_sources(repository))
    assert '<td class="num">8.9</td><td class="num">48</td><td class="num">24</td><td>RTX 4060</td>' in html
    assert html.count("<tr>") == 1 + len(LIMITS)
    assert "Compared on <time>2026-11-29</time>" in html
    with pytest.raises(ExpressionError, match="no 'warps'"):
        limits_table(facts, ("warps",), {})


def test_a_course_may_have_no_facts(mini: Layout) -> None:
    assert read(mini) == Facts()
