"""Faults on purpose: a machine is vouched for only where they are caught.

In a child, since the second of them leaves its process without a usable context:
``python -m gpu100.capture.planted sums 77`` and ``python -m gpu100.capture.planted fault``.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from gpu100.device.arguments import Address
from gpu100.device.choose import open_device
from gpu100.device.interface import Device, Kernel, Source
from gpu100.errors import CheckFailed, CourseError, DeviceError
from gpu100.lab.results import check
from gpu100.model.behaviour import COMPILE_OPTIONS
from gpu100.model.device import GPU

COUNT = 4096
NONE_WRONG = -1
WILD = Address(16)
"""No allocation is ever there."""

_SOURCE = """
extern "C" __global__ void planted_sums(const float* a, const float* b, float* c, int n, int wrong) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i] + (i == wrong ? 1.0f : 0.0f);
}

extern "C" __global__ void planted_store(int* nowhere) {
    *nowhere = 1;
}
"""


def sums(device: Device, wrong: int) -> str:
    """What the course's comparison says of sums of which element ``wrong`` is wrong; empty where it is content."""
    random = np.random.default_rng(7)
    a, b = (random.standard_normal(COUNT, dtype=np.float32) for _ in range(2))
    result = device.empty(COUNT, "float32")
    kernel = _kernels(device)["planted_sums"]
    kernel.launch(COUNT // 256, 256, device.array(a), device.array(b), result, COUNT, wrong)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            check("every sum is the CPU's", result.to_numpy() == a + b)
    except CheckFailed as error:
        return error.message
    return ""


def fault(device: Device) -> str:
    """The name of the error that a store to nowhere ends with; empty where nothing complains."""
    try:
        _kernels(device)["planted_store"].launch(1, 1, WILD)
        device.synchronize()
    except DeviceError as error:
        return error.name or error.message
    return ""


def _kernels(device: Device) -> Mapping[str, Kernel]:
    source = Source(path=Path("planted.cu"), name="planted.cu", text=_SOURCE)
    kernels, _ = device.compile(source, COMPILE_OPTIONS)
    return kernels


def _main(what: str, *rest: str) -> None:
    try:
        device = open_device(GPU)
        said = sums(device, int(rest[0])) if what == "sums" else fault(device)
        answer = {"said": said}
    except CourseError as error:
        answer = {"error": error.message}
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    _main(*sys.argv[1:])
