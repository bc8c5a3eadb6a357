"""One kernel, two hosts: day 5's, launched from C++ and from Python, timed in the same way.

``python -m bench.hosts``, on a machine with a GPU and nvcc; exit code 1 where the medians are more
than 2 % apart. It is not among the other figures, which need neither.
"""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
from gpu100.capture.native import find
from gpu100.capture.tools import run_tool
from gpu100.device.choose import open_device
from gpu100.device.interface import Source
from gpu100.lab import timing
from gpu100.model.behaviour import COMPILE_OPTIONS
from gpu100.model.device import GPU
from gpu100.paths import Layout, find_root

MOST_APART = 0.02
ROUNDS, N, THREADS = 5, 1 << 26, 256
DAY = "day05-vector-add"

# What lab.time does: warm up, make a sample long against the timer's resolution, take so many of them.
HARNESS = """
#define main the_days_own_main
#include "vector_add.cu"
#undef main
#include <cmath>

static float elapsed(int launches, float* a, float* b, float* c) {
    cudaEvent_t begin, end;
    float ms;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    for (int i = 0; i < launches; ++i) add<<<N / THREADS, THREADS>>>(a, b, c, N);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    return ms * 1e-3f / launches;
}

int main() {
    const std::vector<float> host_a = random_floats(N, 1), host_b = random_floats(N, 2);
    const size_t bytes = size_t(N) * sizeof(float);
    float *a, *b, *c;
    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    CHECK(cudaMalloc(&c, bytes));
    CHECK(cudaMemcpy(a, host_a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, host_b.data(), bytes, cudaMemcpyHostToDevice));
    for (float warm = 0; warm < 0.5f;) warm += 100 * elapsed(100, a, b, c);
    const int launches = int(std::ceil(SAMPLE_SECONDS / elapsed(10, a, b, c)));
    for (int sample = 0; sample < SAMPLES; ++sample)
        std::printf("%.9g\\n", elapsed(launches, a, b, c));
    return 0;
}
"""


def from_cpp(binary: Path, layout: Layout) -> float:
    """The median seconds of a launch from C++."""
    ran = run_tool([binary], root=layout.root, seconds=120)
    if ran.ended_badly:
        raise SystemExit(f"the C++ host {ran.ended_badly}: {ran.last_words}")
    return statistics.median(map(float, ran.stdout.split()))


def build(folder: Path, layout: Layout) -> Path:
    """The C++ host, around the day's own .cu."""
    source, binary = folder / "hosts.cu", folder / "hosts"
    source.write_text(HARNESS, encoding="utf-8")
    nvcc, _ = find()
    arch = open_device(GPU).gpu.compute_capability.arch
    sizes = {"N": N, "THREADS": THREADS, "SAMPLES": timing.SAMPLES, "SAMPLE_SECONDS": timing.SAMPLE_SECONDS}
    defined = [f"-D{name}={value}" for name, value in sizes.items()]
    command = [nvcc, f"-arch={arch}", *COMPILE_OPTIONS, *defined, f"-I{layout.code / DAY}", "-o", binary, source]
    built = run_tool(command, root=layout.root, seconds=180)
    if built.ended_badly:
        raise SystemExit(built.stderr)
    return binary


def from_python(layout: Layout) -> float:
    """The median seconds of a launch through lab."""
    device = open_device(GPU, cache=layout.cache)
    kernels, _ = device.compile(Source.read(layout.code / DAY / "vector_add.cu", layout.root), COMPILE_OPTIONS)
    random = np.random.default_rng(5)
    a, b = (device.array(random.standard_normal(N, dtype=np.float32)) for _ in range(2))
    c = device.empty(N, "float32")
    return timing.time(device, lambda: kernels["add"].launch(N // THREADS, THREADS, a, b, c, N)).median


def main() -> int:
    layout = find_root()
    with tempfile.TemporaryDirectory() as folder:
        binary = build(Path(folder), layout)
        pairs = [(from_cpp(binary, layout), from_python(layout)) for _ in range(ROUNDS)]
    cpp, python = (statistics.median(side) for side in zip(*pairs, strict=True))
    for one, other in pairs:
        print(f"C++ {one * 1e6:.2f} us, Python {other * 1e6:.2f} us")
    apart = abs(math.log(python / cpp))
    print(f"medians of {ROUNDS}: C++ {cpp * 1e6:.2f} us, Python {python * 1e6:.2f} us, {100 * apart:.2f} % apart")
    print(f"{3 * 4 * N / python / 1e9:,.0f} GB/s")
    return 0 if apart <= MOST_APART else 1


if __name__ == "__main__":
    sys.exit(main())
