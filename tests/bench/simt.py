"""What the SIMT model costs: its kernels, decoding them, and the days' programs on it.

Seconds are the processor's. Each kernel is held against a plain NumPy pass of the same round, whose
arrays are as long as the model's: what slows the machine down meets both. The targets of the
project are rates of a quiet machine; the table states how far each kernel is from its own.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from gpu100.content.course import load_course
from gpu100.device.interface import Source
from gpu100.device.simt.device import SimtDevice, SimtKernel
from gpu100.evidence.key import source_of
from gpu100.model.behaviour import COMPILE_OPTIONS
from gpu100.model.gpus import PROFILES

from bench.figures import Figure, median
from bench.simt_cases import Array, Case, large, small
from bench.synthetic import REPOSITORY

TARGETS = {"large": 300.0, "small": 20.0}
"""Million lane instructions a second."""
DECODE_TARGET, DAY_TARGET = 50.0, 3.0
"""Milliseconds a kernel, seconds a program."""

LIMITS: Mapping[str, Mapping[str, float]] = {
    "large": {
        "vadd": 6,
        "grid_stride": 13,
        "stride8": 10,
        "odd_even": 18,
        "transpose": 10,
        "transpose_padded": 12,
        "reduce_shuffle": 10,
        "reduce_tree": 14,
        "matmul": 20,
        "matmul_tiled": 25,
        "histogram": 38,
        "scan": 22,
        "stencil": 18,
        "mandelbrot": 22,
        "horner": 140,
        "sort_local": 90,
    },
    "small": {
        "vadd": 85,
        "grid_stride": 32,
        "odd_even": 95,
        "transpose": 38,
        "reduce_shuffle": 35,
        "reduce_tree": 270,
        "matmul": 42,
        "matmul_tiled": 68,
        "histogram": 60,
        "scan": 145,
        "mandelbrot": 48,
        "horner": 150,
        "sort_local": 135,
    },
}
"""Some twice what each figure was when its limit was set: what slows a kernel down twofold is found."""
DECODE_LIMIT = 8.0

LANES = {"large": 1 << 15, "small": 256}
"""Elements of the NumPy pass."""
PASSES = {"large": 64, "small": 1024}


def simt_figures(scratch: Path, rounds: int) -> Iterator[Figure]:
    """Everything about the model."""
    device = SimtDevice(PROFILES["h200"], cache=scratch / "cubins")
    kernels = _compiled(device)
    for size, cases in (("large", large()), ("small", small())):
        for case in cases:
            yield rate_figure(device, kernels[case.kernel], case, size, rounds)
    yield _decode_figure(device, rounds)
    yield from day_figures()


def _compiled(device: SimtDevice) -> Mapping[str, SimtKernel]:
    path = Path(__file__).with_name("kernels.cu")
    return device.compile(Source.read(path, REPOSITORY.root), COMPILE_OPTIONS)[0]


def rate_figure(device: SimtDevice, kernel: SimtKernel, case: Case, size: str, rounds: int) -> Figure:
    """Time for each lane instruction, as a multiple of NumPy's for each element."""
    arrays = [device.array(arg) if isinstance(arg, np.ndarray) else arg for arg in case.args]
    kernel.launch(case.grid, case.block, *arrays)
    device.synchronize()
    results = [array.to_numpy() for array in arrays if not isinstance(array, np.int32)]
    if not case.right(results):
        raise SystemExit(f"{case.title} is wrong on the model")
    work = device.reports[-1].totals["lane_instructions"]
    times, ratios = [], []
    for _ in range(rounds):
        began = time.process_time()
        kernel.launch(case.grid, case.block, *arrays)
        times.append(time.process_time() - began)
        ratios.append(times[-1] / work / plain_pass(size))
    return median(f"model: {case.title}, {size}", ratios, LIMITS[size][case.kernel], "x", _rate(work, times, size))


def _rate(work: int, times: Sequence[float], size: str) -> str:
    rate = work / statistics.median(times) / 1e6
    reached = "reached" if rate >= TARGETS[size] else "not reached"
    return f"{rate:.0f} M lane instructions/s, target {TARGETS[size]:.0f} {reached}"


def plain_pass(size: str) -> float:
    """Seconds for an element of NumPy's ``a + b`` over as many lanes as the model takes at once."""
    a = np.random.default_rng(1).random(LANES[size], np.float32)
    b = a[::-1].copy()
    kept: list[Array] = []
    began = time.process_time()
    for _ in range(PASSES[size]):
        kept = [a + b]
    del kept
    return (time.process_time() - began) / PASSES[size] / LANES[size]


def _decode_figure(device: SimtDevice, rounds: int) -> Figure:
    """From PTX to functions, for all kernels, as a multiple of Python's own compiling of those functions."""
    found: dict[str, list[float]] = {}
    ratios = []
    for _ in range(rounds):
        began = time.process_time()
        kernels = _compiled(device)  # NVRTC's part comes from its cache
        parsed = (time.process_time() - began) / len(kernels)
        own = 0.0
        for name, kernel in kernels.items():
            began = time.process_time()
            text = kernel.code.text
            between = time.process_time()
            compile(text, name, "exec")
            own += time.process_time() - between
            found.setdefault(name, []).append(parsed + between - began)
        ratios.append(sum(times[-1] for times in found.values()) / own)
    slowest = max(found, key=lambda name: statistics.median(found[name]))
    milliseconds = 1e3 * statistics.median(found[slowest])
    reached = "reached" if milliseconds <= DECODE_TARGET else "not reached"
    how = f"{len(found)} kernels; {slowest} {milliseconds:.0f} ms, target {DECODE_TARGET:.0f} {reached}"
    return median("model: decoding", ratios, DECODE_LIMIT, "x", how)


def day_figures() -> Iterator[Figure]:
    """The written programs at their reduced sizes, each in a process of its own."""
    for day in load_course(REPOSITORY).days:
        for program in day.programs:
            path = source_of(REPOSITORY, day, program)
            if path.is_file():
                seconds = _program(path)
                reached = "reached" if seconds <= DAY_TARGET else "not reached"
                how = f"one run, target {DAY_TARGET:g} s {reached}"
                yield median(f"model: {day.tag}, {program.name}", [seconds], 2 * DAY_TARGET, "s", how)


def _program(path: Path) -> float:
    """The processor's seconds of a program on the model, the interpreter's start among them."""
    command = [sys.executable, "-m", "gpu100", "run", str(path), "--device", "model", "--counters", "none"]
    subprocess.run(command, cwd=REPOSITORY.root, check=False, capture_output=True)  # fills caches
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=REPOSITORY.root, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{path.name} fails on the model:\n{done.stdout}{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
