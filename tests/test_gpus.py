"""The GPUs that the model can be: as the machines, the limits and the published figures have them."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from gpu100.content.course import load_course
from gpu100.content.facts import load_facts
from gpu100.content.sources import load_sources
from gpu100.errors import EvidenceError, UsageError
from gpu100.evidence.store import EvidenceStore
from gpu100.model.device import DeviceSpec
from gpu100.model.facts import Facts
from gpu100.model.gpus import DEFAULT, H200, PROFILES, RTX4060, T4, as_real, modeled_slug
from gpu100.model.limits import COMPARED, contradictions
from gpu100.model.machine import Machine
from gpu100.paths import Layout


@pytest.fixture(scope="module")
def facts(repository: Layout) -> Facts:
    return load_facts(repository, load_sources(repository), {day.number for day in load_course(repository).days})


def test_no_profile_contradicts_its_capability() -> None:
    for gpu in PROFILES.values():
        assert contradictions(gpu) == ()
    planted = dataclasses.replace(T4, blocks_per_sm=32)
    assert len(contradictions(planted)) == 1


def test_the_h200_is_the_one_of_the_evidence(repository: Layout) -> None:
    machines = [at.machine for at in EvidenceStore(repository.evidence).read() if at.machine.gpu.slug == "h200"]
    assert machines, "nothing was compared"
    for machine in machines:
        assert as_real(H200) == machine.gpu


def test_the_published_figures_are_theirs(facts: Facts) -> None:
    example = next(formula.example for formula in facts.formula if formula.id == "peak-fp32")
    peak = RTX4060.sms * 128 * 2 * RTX4060.sm_clock_khz / 1e9
    assert example.startswith(f"{RTX4060.sms} SMs")
    assert f"{peak:.1f} TFLOP/s" in example
    rated = next(formula.example for formula in facts.formula if formula.id == "rated-bandwidth")
    bandwidth = 128 * 2 * RTX4060.memory_clock_khz / 8 / 1e6
    assert f"{bandwidth:.0f} GB/s" in rated
    for gpu in PROFILES.values():
        assert facts.examples(gpu.capability), gpu.name
        for limit in facts.limit:
            if limit.id in COMPARED:
                assert getattr(gpu, limit.id) == (limit.by[gpu.capability] if limit.by else limit.value)


def test_a_model_is_never_taken_for_the_gpu(h200: Machine, tmp_path: Path) -> None:
    assert not h200.gpu.is_model
    for name, gpu in PROFILES.items():
        assert gpu.is_model
        assert gpu.slug.endswith("-simt-model"), name
        assert gpu.slug != modeled_slug(gpu)
    assert modeled_slug(PROFILES[DEFAULT]) == h200.gpu.slug
    with pytest.raises(EvidenceError, match="no evidence"):
        EvidenceStore(tmp_path).write_machine(dataclasses.replace(h200, gpu=H200))
    assert not list(tmp_path.iterdir())


def test_a_folder_of_the_models_is_refused(h200: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = EvidenceStore(tmp_path)
    with monkeypatch.context() as planted:
        planted.setattr("gpu100.evidence.store._refuse_model", lambda machine, where: None)
        store.write_machine(dataclasses.replace(h200, gpu=H200))
    with pytest.raises(EvidenceError, match=r"h200-simt-model/.*/machine\.json is of the SIMT model"):
        store.read()


def test_a_device_is_asked_for_by_a_word() -> None:
    assert DeviceSpec.parse("gpu") == DeviceSpec("gpu", 0)
    assert DeviceSpec.parse("gpu:3") == DeviceSpec("gpu", 3)
    assert DeviceSpec.parse(" Model ") == DeviceSpec("model", profile=DEFAULT)
    for name in PROFILES:
        assert DeviceSpec.parse(f"model:{name}") == DeviceSpec("model", profile=name)
        assert str(DeviceSpec.parse(f"model:{name}")) == f"model:{name}"
    assert str(DeviceSpec.parse("gpu")) == "gpu:0"


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("modle:t4", "did you mean 'model:t4'?"),
        ("model:h20", "did you mean 'model:h200'?"),
        ("gpu:x", "did you mean 'gpu:1'?"),
        ("gpu:", "did you mean 'gpu:1'?"),
        ("cpu", "did you mean 'gpu'?"),
        ("xyz", "devices are gpu, gpu:1, model, model:h200, model:t4 and model:rtx4060"),
        ("", "devices are gpu, gpu:1, model, model:h200, model:t4 and model:rtx4060"),
    ],
)
def test_a_device_that_does_not_exist_names_the_nearest(word: str, hint: str) -> None:
    with pytest.raises(UsageError, match="there is no device") as caught:
        DeviceSpec.parse(word)
    assert caught.value.hint == hint
