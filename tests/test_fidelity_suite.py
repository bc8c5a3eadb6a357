"""The fidelity suite's cases: kernels that compile, launches that fit them, inputs that stay the same."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from gpu100.device import nvrtc
from gpu100.device.arguments import bind
from gpu100.device.interface import Source
from gpu100.device.signature import Parameter, kernels
from gpu100.errors import UsageError
from gpu100.fidelity import case as case_module
from gpu100.fidelity.case import KERNELS, Case, Out, Seeded
from gpu100.fidelity.suite import CASES, case_of, group_of
from gpu100.model.behaviour import COMPILE_OPTIONS

FILES = sorted(KERNELS.glob("*.cu"))


def parameters_of(case: Case) -> tuple[Parameter, ...]:
    return kernels(case.path.read_text(encoding="utf-8"))[case.kernel]


def test_the_suite_is_large_enough_and_its_names_differ() -> None:
    names = [case.name for case in CASES]
    assert len(CASES) >= 24
    assert len(set(names)) == len(names)
    odd = [case.name for case in CASES if math.prod(case.block) % 32]
    assert len(odd) >= 2, "blocks of whole warps only"


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
def test_every_file_compiles(file: Path, arch: str) -> None:
    assert nvrtc.compile_source(Source.read(file, KERNELS), arch, COMPILE_OPTIONS)


def test_no_kernel_is_without_a_case() -> None:
    there = {(file.stem, name) for file in FILES for name in kernels(file.read_text(encoding="utf-8"))}
    assert there
    assert {(case.source, case.kernel) for case in CASES} == there


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_launch_fits_its_kernel(case: Case) -> None:
    given = [_on_device(argument) for argument in case.arguments()]
    bind(case.kernel, parameters_of(case), given)
    assert math.prod(case.block) <= 1024
    assert case.shared_bytes <= 48 << 10, "more has to be asked for by opting in"
    outputs = [argument for argument in case.arguments() if isinstance(argument, Out)]
    assert outputs, "nothing would be compared"
    for out in outputs:
        assert out.initial is None or (out.initial.shape, out.initial.dtype) == (out.expected.shape, out.expected.dtype)
    assert case.teaches.endswith(".")
    assert group_of(case)


def _on_device(argument: object) -> object:
    held = argument.expected if isinstance(argument, Out) else argument
    return SimpleNamespace(dtype=held.dtype) if isinstance(held, np.ndarray) else held


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_arguments_are_the_same_each_time_and_never_trivial(case: Case) -> None:
    first, second = case.arguments(), case.arguments()
    for one, other in zip(first, second, strict=True):
        if isinstance(one, np.ndarray):
            assert isinstance(other, np.ndarray)
            assert one.tobytes() == other.tobytes()
            assert len(np.unique(one)) > 1, "inputs of one value hide mistakes"
    assert case.key() == case.key()


def test_the_random_inputs_are_those_that_were_measured() -> None:
    seeded = Seeded("a name")
    drawn = [seeded.floats(100), seeded.doubles(100), seeded.ints(100, 7), seeded.words(100), seeded.order(100)]
    digest = hashlib.sha256(b"".join(array.tobytes() for array in drawn)).hexdigest()
    assert digest == "df3eb9d3156d05c8af9d4d06d06bda58940d922a31c7628337c060e626f7c693"
    assert np.abs(drawn[0]).max() < 1
    assert sorted(drawn[4].tolist()) == list(range(100))


def test_an_altered_kernel_launch_or_input_has_another_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of("copy_float")
    key = case.key()
    assert dataclasses.replace(case, grid=(17,)).key() != key
    assert dataclasses.replace(case, tolerance=1e-6).key() != key
    assert dataclasses.replace(case, make=lambda _: case.make(Seeded("other"))).key() != key
    assert dataclasses.replace(case, teaches="Something else.").key() == key
    text = case.path.read_text(encoding="utf-8")
    (tmp_path / "copies.cu").write_text(text.replace("out[i] = in[i];", "out[i] = in[i] ;", 1), encoding="utf-8")
    monkeypatch.setattr(case_module, "KERNELS", tmp_path)
    assert case.key() != key


def test_one_bit_is_noticed_where_every_bit_is_promised() -> None:
    case, values = case_of("copy_float"), np.array([1.0, -0.0], np.float32)
    other = values.copy()
    other.view(np.uint32)[0] ^= 1
    assert case.agree(values, values.copy())
    assert not case.agree(values, other)
    assert not case.agree(values, np.array([1.0, 0.0], np.float32)), "a zero's sign is a bit too"
    assert not case.agree(values, values.astype(np.float64))


def test_a_tolerance_is_kept() -> None:
    case, values = case_of("matmul_naive"), np.array([100.0, 0.1], np.float32)
    assert case.agree(values + np.array([5e-4, 5e-6], np.float32), values)
    assert not case.agree(values + np.array([0.0, 5e-5], np.float32), values)
    assert not case.agree(np.array([np.nan, 0.1], np.float32), values)


def test_a_name_that_nobody_gave_has_a_hint() -> None:
    with pytest.raises(UsageError, match="copy_flaot") as caught:
        case_of("copy_flaot")
    assert caught.value.hint == "did you mean 'copy_float'?"
