"""The committed comparison of the SIMT model with a GPU: made again here, on the model."""

from __future__ import annotations

from typing import cast

import pytest
from gpu100.content.explained import load_explained
from gpu100.device.choose import open_device
from gpu100.evidence.schema import dump
from gpu100.evidence.store import EvidenceStore, MachineEvidence
from gpu100.fidelity.compare import Comparison, CountingDevice, compare
from gpu100.fidelity.metrics import COUNTERS
from gpu100.fidelity.suite import CASES
from gpu100.model.course import Course
from gpu100.model.device import DeviceSpec
from gpu100.paths import Layout


@pytest.fixture(scope="module")
def measured(repository: Layout, course: Course) -> list[MachineEvidence]:
    found = [machine for machine in EvidenceStore(repository.evidence).read() if machine.fidelity]
    assert any(machine.machine.gpu.slug == course.reference_gpu for machine in found), "the reference GPU is missing"
    return found


@pytest.fixture(scope="module")
def made(repository: Layout, measured: list[MachineEvidence]) -> dict[str, Comparison]:
    """By machine's folder."""
    explained, comparisons = load_explained(repository), {}
    for machine in measured:
        spec = DeviceSpec.parse(f"model:{machine.machine.gpu.slug}")
        assert machine.fidelity is not None
        comparisons[machine.folder] = compare(
            lambda spec=spec: cast(CountingDevice, open_device(spec)),  # type: ignore[misc]
            machine.fidelity.measurement,
            explained,
        )
    return comparisons


def test_nothing_differs_without_a_reason(made: dict[str, Comparison]) -> None:
    for folder, comparison in made.items():
        assert comparison.problems == [], folder
        print(f"{folder}: {comparison.table.compared} pairs of counters of {len(comparison.table.cases)} cases")
        assert len(comparison.table.cases) == len(CASES)


def test_the_committed_tables_are_what_the_model_says_now(
    made: dict[str, Comparison], measured: list[MachineEvidence]
) -> None:
    for machine in measured:
        assert machine.fidelity is not None
        assert machine.fidelity.table is not None, "gpu100 fidelity compare writes it"
        assert dump(machine.fidelity.table) == dump(made[machine.folder].table), machine.folder


def test_sectors_and_wavefronts_are_nearly_all_equal(made: dict[str, Comparison]) -> None:
    """The goal is equality; what is explained away must stay the exception."""
    exact = {counter.name for counter in COUNTERS if counter.grade == "exact"}
    for folder, comparison in made.items():
        pairs = [pair for case in comparison.table.cases for name, pair in case.counters.items() if name in exact]
        equal = sum(pair.verdict == "equal" for pair in pairs)
        print(f"{folder}: {equal} of {len(pairs)} equal")
        assert equal >= 0.9 * len(pairs), folder
