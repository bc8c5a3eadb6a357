"""The benchmarks of the SIMT model: that they run, and that they find what they are for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bench import simt
from bench.simt_cases import large, small
from gpu100.device.simt.device import SimtDevice
from gpu100.model.gpus import PROFILES


@pytest.fixture(scope="module")
def device(tmp_path_factory: pytest.TempPathFactory) -> SimtDevice:
    return SimtDevice(PROFILES["h200"], cache=tmp_path_factory.mktemp("cubins"))


def test_every_case_has_a_kernel_and_a_limit(device: SimtDevice) -> None:
    kernels = simt._compiled(device)
    assert len(kernels) == 16
    for size, cases in (("large", large()), ("small", small())):
        assert {case.kernel for case in cases} == simt.LIMITS[size].keys()
        assert {case.kernel for case in cases} <= kernels.keys()
        threads = [int(np.prod(case.grid) * np.prod(case.block)) for case in cases]
        assert all(count >= 1 << 14 if size == "large" else count == 256 for count in threads)


def test_a_kernel_that_has_become_slower_misses_its_limit(device: SimtDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    case = small()[0]
    kernel = simt._compiled(device)[case.kernel]
    monkeypatch.setattr(simt, "plain_pass", lambda size: 1e-6)
    fine = simt.rate_figure(device, kernel, case, "small", 2)
    assert fine.met
    assert "target 20" in fine.how
    monkeypatch.setattr(simt, "plain_pass", lambda size: 1e-12)
    assert not simt.rate_figure(device, kernel, case, "small", 2).met


def test_a_wrong_result_is_no_figure(device: SimtDevice) -> None:
    case = replace(small()[0], right=lambda results: False)
    with pytest.raises(SystemExit, match="vadd is wrong"):
        simt.rate_figure(device, simt._compiled(device)["vadd"], case, "small", 1)


def test_decoding_is_one_figure(device: SimtDevice) -> None:
    figure = simt._decode_figure(device, 1)
    assert figure.value > 1
    assert "16 kernels" in figure.how


def test_a_program_that_fails_is_no_figure(tmp_path: Path) -> None:
    program = tmp_path / "broken.py"
    program.write_text("import sys\nsys.exit(3 if __name__ == '__main__' else 0)\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"broken\.py fails"):
        simt._program(program)
