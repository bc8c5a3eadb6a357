"""What kernels take, as ptxas tells it: against what a driver told on the H200."""

from __future__ import annotations

from pathlib import Path

import pytest
from gpu100.content.course import load_course
from gpu100.device import nvrtc
from gpu100.device import resources as module
from gpu100.device.interface import Source
from gpu100.device.resources import resources
from gpu100.errors import CompileError, DeviceError
from gpu100.evidence.key import source_of
from gpu100.evidence.store import EvidenceStore
from gpu100.paths import Layout

ALL = """
__device__ __noinline__ float far(float x, int n) {
    float a[40];
    for (int i = 0; i < n; ++i) a[(i * 7) % 40] = x * i;
    return a[n % 40] + a[(n * 3) % 40];
}
extern "C" __global__ void shared(float* y) {
    __shared__ float tile[1000];
    tile[threadIdx.x] = y[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = tile[999 - threadIdx.x];
}
extern "C" __global__ void stack(float* y, int n) { y[threadIdx.x] = far(y[threadIdx.x], n); }
extern "C" __global__ void empty() {}
extern "C" __global__ void __launch_bounds__(1024, 2) crowded(const double* x, double* y) {
    double a[48];
#pragma unroll
    for (int i = 0; i < 48; ++i) a[i] = x[i * 1024 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 3; ++r)
#pragma unroll
        for (int i = 0; i < 48; ++i) a[i] = a[i] * a[(i * 5 + r) % 48] + a[(i + 1) % 48];
    double sum = 0;
#pragma unroll
    for (int i = 0; i < 48; ++i) sum += a[i];
    y[threadIdx.x] = sum;
}
"""


def source(folder: Path, text: str) -> Source:
    path = folder / "probe.cu"
    path.write_text(text, encoding="utf-8")
    return Source(path=path, name="probe.cu", text=text)


def test_what_a_driver_told_is_what_ptxas_tells(repository: Layout) -> None:
    course, compared = load_course(repository), 0
    for machine in EvidenceStore(repository.evidence).read():
        for record in machine.records:
            day, made = course.day(record.day), record.compiler
            program = day.program(record.program) if day else None
            if not day or not program or not made or made.nvrtc != nvrtc.version():
                continue
            path = source_of(repository, day, program).with_suffix(".cu")
            taken = resources(Source.read(path, repository.root), made.arch, made.options)
            for name, facts in record.kernels.items():
                assert taken[name].facts == facts, (record.program, name)
                compared += 1
    print(f"{compared} kernels compared")
    if not compared:
        pytest.skip("no evidence was made by this NVRTC")


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"])
def test_each_resource_is_found(tmp_path: Path, arch: str) -> None:
    taken = resources(source(tmp_path, ALL), arch, ("--std=c++17",))
    assert set(taken) == {"shared", "stack", "empty", "crowded"}
    assert all(1 <= of.registers <= 255 for of in taken.values())
    assert [of.shared_bytes for of in (taken["shared"], taken["empty"])] == [4000, 0]
    assert taken["stack"].local_bytes >= 160
    assert (taken["empty"].local_bytes, taken["empty"].spill_store_bytes) == (0, 0)
    assert taken["crowded"].registers <= (32 if arch == "sm_90" else 64)  # two blocks of 1,024 where they fit
    assert taken["crowded"].spill_store_bytes > 0
    assert taken["crowded"].spill_load_bytes > 0


def test_options_count(tmp_path: Path) -> None:
    few = resources(source(tmp_path, ALL), "sm_90", ("--maxrregcount=24",))
    assert max(of.registers for of in few.values()) <= 32  # __launch_bounds__ goes before it


def test_the_account_is_cached_apart_from_the_cubin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    probe, cache = source(tmp_path, ALL), tmp_path / "cache"
    cubin = nvrtc.compile_source(probe, "sm_90", (), cache=cache)
    first = resources(probe, "sm_90", (), cache=cache)
    monkeypatch.setattr(nvrtc, "_compile", lambda *args: pytest.fail("compiled again"))
    assert resources(probe, "sm_90", (), cache=cache) == first
    assert nvrtc.compile_source(probe, "sm_90", (), cache=cache) == cubin


def test_a_source_without_kernels_takes_nothing(tmp_path: Path) -> None:
    assert resources(source(tmp_path, "__device__ int x;\n"), "sm_90", ()) == {}


def test_a_source_that_does_not_compile_says_so(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="missing"):
        resources(source(tmp_path, 'extern "C" __global__ void k() { missing(); }'), "sm_90", ())


def test_an_account_that_is_not_understood_is_no_zero(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = b"ptxas info : Compiling entry function 'k' for 'sm_90'\nptxas info : Takes 8 registers\n"
    monkeypatch.setattr(module, "compile_source", lambda *args, **kwargs: said)
    with pytest.raises(DeviceError, match="ptxas does not say what k takes"):
        resources(source(tmp_path, ALL), "sm_90", ())
