"""What a GPU lets pass or reports without a place, the SIMT model tells with line, block and thread."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gpu100.device.arguments import Address
from gpu100.device.interface import Source
from gpu100.device.simt.device import SimtDevice, SimtKernel
from gpu100.device.simt.faults import Fault, NotModeled
from gpu100.errors import DeviceError
from gpu100.model.behaviour import COMPILE_OPTIONS
from gpu100.model.gpus import PROFILES

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "simt" / "faults.cu"
NAME = "simt/faults.cu"


class Bench:
    """A fresh device for a test, with the kernels that are wrong."""

    def __init__(self, profile: str = "h200", **options: Any) -> None:
        cache = HERE.parent / "build" / "test-cache"
        cache.mkdir(parents=True, exist_ok=True)
        self.device = SimtDevice(PROFILES[profile], cache=cache, **options)
        self.kernels, _ = self.device.compile(Source.read(SOURCE, HERE), COMPILE_OPTIONS)

    def __getitem__(self, name: str) -> SimtKernel:
        return self.kernels[name]

    def ints(self, count: int) -> Any:
        return self.device.array(np.arange(count, dtype="int32"))

    def out(self, count: int, dtype: str = "int32") -> Any:
        return self.device.empty(count, dtype)

    def fault(self) -> Fault:
        with pytest.raises(Fault) as caught:
            self.device.synchronize()
        return caught.value


@pytest.fixture
def bench() -> Bench:
    return Bench()


def line(words: str, kernel: str) -> str:
    """``file:line`` of the first line with these words after ``kernel`` begins."""
    text = SOURCE.read_text()
    start = text.index(f" {kernel}(")
    return f"{NAME}:{text[: text.index(words, start)].count(chr(10)) + 1}"


def told(fault: Fault, kernel: str, words: str, block: tuple[int, int, int], thread: tuple[int, int, int]) -> bool:
    """Whether the fault is put where it happened."""
    assert fault.place is not None
    assert fault.place.location is not None
    assert str(fault.place.location.outermost) == line(words, kernel)
    return (fault.place.block, fault.place.thread) == (block, thread)


def test_off_by_one(bench: Bench) -> None:
    a, b = (bench.device.array(np.ones(1000, "float32")) for _ in range(2))
    bench["off_by_one"].launch(4, 256, a, b, bench.out(1000, "float32"), 1000)
    fault = bench.fault()
    assert (fault.kind, fault.name) == ("out-of-bounds", "CUDA_ERROR_ILLEGAL_ADDRESS")
    assert told(fault, "off_by_one", "reads past a", (3, 0, 0), (232, 0, 0))
    text = str(fault)
    assert re.search(r'reads 4 bytes .*"[ab]" \+ 4000', text)
    assert "0 bytes past its end" in text
    assert "thread (232, 0, 0)" in text
    assert line("reads past a", "off_by_one") in text


def test_missing_barrier_names_both_threads_and_lines(bench: Bench) -> None:
    bench["no_barrier"].launch(2, 256, bench.ints(512), bench.out(512))
    fault = bench.fault()
    assert (fault.kind, fault.name) == ("race", "")
    assert line("// writes", "no_barrier") in str(fault)
    assert line("reads too early", "no_barrier") in str(fault)
    assert len(re.findall(r"thread \(\d+, 0, 0\)", str(fault))) >= 2


def test_a_write_after_reads_is_a_race_too(bench: Bench) -> None:
    bench["reads_then_writes"].launch(1, 64, bench.ints(64), bench.out(64))
    fault = bench.fault()
    assert fault.kind == "race"
    assert line("// all read", "reads_then_writes") in str(fault)
    assert line("// one writes", "reads_then_writes") in str(fault)


def test_misaligned(bench: Bench) -> None:
    bench["misaligned"].launch(1, 32, bench.device.array(np.zeros(64, "int8")), bench.out(32))
    fault = bench.fault()
    assert (fault.kind, fault.name) == ("misaligned", "CUDA_ERROR_MISALIGNED_ADDRESS")
    assert told(fault, "misaligned", "not a multiple", (0, 0, 0), (0, 0, 0))


def test_memory_nobody_wrote(bench: Bench) -> None:
    bench["reads_garbage"].launch(1, 32, bench.out(32, "float32"), bench.out(32, "float32"))
    fault = bench.fault()
    assert fault.kind == "uninitialized"
    assert "never_written" in str(fault)
    assert told(fault, "reads_garbage", "nobody wrote", (0, 0, 0), (0, 0, 0))


def test_shared_memory_nobody_wrote(bench: Bench) -> None:
    bench["reads_garbage_in_shared"].launch(2, 64, bench.out(128))
    fault = bench.fault()
    assert fault.kind == "uninitialized"
    assert told(fault, "reads_garbage_in_shared", "nobody wrote", (0, 0, 0), (7, 0, 0))


def test_past_the_end_of_shared_memory(bench: Bench) -> None:
    bench["past_shared"].launch(1, 64, bench.out(64), shared_bytes=256)
    fault = bench.fault()
    assert fault.kind == "out-of-bounds"
    assert told(fault, "past_shared", "// past", (0, 0, 0), (63, 0, 0))


def test_a_barrier_that_some_have_returned_before(bench: Bench) -> None:
    bench["early_return"].launch(2, 64, bench.ints(128), bench.out(128), 100)
    fault = bench.fault()
    assert fault.kind == "barrier"
    assert "28 of the 64 threads" in str(fault)
    assert told(fault, "early_return", "not all come", (1, 0, 0), (0, 0, 0))


def test_two_barriers_in_the_arms_of_a_branch(bench: Bench) -> None:
    bench["two_barriers"].launch(1, 64, bench.out(64))
    fault = bench.fault()
    assert fault.kind == "barrier"
    assert line("// one", "two_barriers") in str(fault)
    assert line("// other", "two_barriers") in str(fault)


def test_deadlock_says_who_waits_where(bench: Bench) -> None:
    bench["waits_for_more"].launch(1, 64, bench.out(64))
    fault = bench.fault()
    assert fault.kind == "deadlock"
    assert "64 at a barrier" in str(fault)
    assert line("// waits", "waits_for_more") in str(fault)


def test_a_warp_that_never_meets(bench: Bench) -> None:
    bench["half_a_warp"].launch(1, 32, bench.out(32))
    fault = bench.fault()
    assert fault.kind == "deadlock"
    assert line("// waits", "half_a_warp") in str(fault)
    assert "16 at shfl.sync" in str(fault)
    assert "16 at a barrier" in str(fault)


def test_endless_loop() -> None:
    bench = Bench(budget=500)
    bench["never_ends"].launch(1, 32, bench.device.array(np.zeros(1, "int32")), bench.out(32))
    fault = bench.fault()
    assert fault.kind == "endless-loop"
    assert line("// waits", "never_ends") in str(fault)


def test_a_budget_that_suffices_is_no_fault() -> None:
    bench = Bench(budget=500)
    bench["fine"].launch(1000, 64, bench.out(64000))
    bench.device.synchronize()


def test_stack_overflow(bench: Bench) -> None:
    bench["too_deep"].launch(1, 32, bench.out(32), 10)
    bench.device.synchronize()
    bench["too_deep"].launch(1, 32, bench.out(32), 1000)
    fault = bench.fault()
    assert (fault.kind, fault.name) == ("stack-overflow", "CUDA_ERROR_ILLEGAL_ADDRESS")
    assert line("3 * deep", "deep") in str(fault)


def test_assert_and_trap() -> None:
    bench = Bench()
    bench["asserts"].launch(2, 32, 40)
    fault = bench.fault()
    assert (fault.kind, fault.name) == ("assert", "CUDA_ERROR_ASSERT")
    assert "I < n" in str(fault) or "< n" in str(fault)
    assert told(fault, "asserts", "// asserts", (1, 0, 0), (8, 0, 0))
    bench = Bench()
    bench["traps"].launch(2, 32, 40)
    assert told(bench.fault(), "traps", "// traps", (1, 0, 0), (8, 0, 0))


def test_constants_are_read_only(bench: Bench) -> None:
    bench["writes_constant"].launch(1, 32, bench.out(32))
    fault = bench.fault()
    assert fault.kind == "read-only"
    assert told(fault, "writes_constant", "read-only", (0, 0, 0), (0, 0, 0))


def test_use_after_free(bench: Bench) -> None:
    gone = bench.ints(32)
    pointer = bench.device.array(np.array([gone.allocation.address], "uint64"))
    del gone
    bench["follows"].launch(1, 32, pointer, bench.out(32))
    fault = bench.fault()
    assert (fault.kind, fault.name) == ("use-after-free", "CUDA_ERROR_ILLEGAL_ADDRESS")
    assert told(fault, "follows", "// freed", (0, 0, 0), (0, 0, 0))


def test_null_and_wild_pointers() -> None:
    for address in (0, 0x7F0000000000):
        bench = Bench()
        bench["fine"].launch(1, 32, Address(address))
        assert bench.fault().name == "CUDA_ERROR_ILLEGAL_ADDRESS"


def test_a_fault_is_told_once_and_stays(bench: Bench) -> None:
    bench["fine"].launch(1, 32, Address(0))
    bench.fault()
    with pytest.raises(DeviceError, match="an earlier launch failed") as again:
        bench.out(4).to_numpy()
    assert again.value.name == "CUDA_ERROR_ILLEGAL_ADDRESS"
    with pytest.raises(DeviceError, match="an earlier launch failed"):
        bench["fine"].launch(1, 32, bench.out(32))


def test_what_is_not_modeled_is_said_where_it_stands(bench: Bench) -> None:
    with pytest.raises(NotModeled) as clock:
        bench["reads_clock"].launch(1, 32, bench.out(32, "int64"))
    assert str(clock.value).startswith("not modeled: the clock register %clock64")
    assert line("// clock", "reads_clock") in str(clock.value)
    with pytest.raises(NotModeled) as texture:
        bench["texture"].launch(1, 32, 1, bench.out(32, "float32"))
    assert "not modeled: tex.2d.v4.f32.f32" in str(texture.value)
    assert NAME in str(texture.value)
    # The other kernels of the file run all the same.
    bench["fine"].launch(1, 32, bench.out(32))
    bench.device.synchronize()


def test_memory_that_the_model_does_not_have(bench: Bench) -> None:
    with pytest.raises(DeviceError) as caught:
        bench.device.empty(1 << 44, "uint8")
    assert caught.value.name == "CUDA_ERROR_OUT_OF_MEMORY"
    assert "16,384\xa0GiB asked for; the model has" in str(caught.value)


@pytest.mark.parametrize(
    ("grid", "block", "shared", "name"),
    [
        (1, 1025, 0, "CUDA_ERROR_INVALID_VALUE"),
        (0, 32, 0, "CUDA_ERROR_INVALID_VALUE"),
        (1, 0, 0, "CUDA_ERROR_INVALID_VALUE"),
        ((1, 65536), 32, 0, "CUDA_ERROR_INVALID_VALUE"),
        (1, (1, 1, 65), 0, "CUDA_ERROR_INVALID_VALUE"),
        (1, (32, 32, 2), 0, "CUDA_ERROR_INVALID_VALUE"),
        (1, 32, 48 * 1024 + 1, "CUDA_ERROR_INVALID_VALUE"),
    ],
)
def test_limits_of_a_launch(bench: Bench, grid: Any, block: Any, shared: int, name: str) -> None:
    with pytest.raises(DeviceError) as caught:
        bench["fine"].launch(grid, block, bench.out(32), shared_bytes=shared)
    assert caught.value.name == name
    bench["fine"].launch(1, 32, bench.out(32))  # a refused launch leaves nothing behind
    bench.device.synchronize()


def test_more_shared_memory_has_to_be_asked_for(bench: Bench) -> None:
    most = bench.device.limits.shared_bytes_per_block
    bench["fine"].allow_shared(most)
    bench["fine"].launch(1, 32, bench.out(32), shared_bytes=most)
    bench.device.synchronize()
    for shared in (most + 1, -1):
        with pytest.raises(DeviceError) as caught:
            bench["fine"].allow_shared(shared)
        assert caught.value.name == "CUDA_ERROR_INVALID_VALUE"
    bench["fine"].allow_shared(64 << 10)
    with pytest.raises(DeviceError, match="at most 65,536 bytes"):
        bench["fine"].launch(1, 32, bench.out(32), shared_bytes=(64 << 10) + 1)


def test_a_kernel_states_how_many_threads_it_is_for(bench: Bench) -> None:
    bench["bounded"].launch(1, 128, bench.out(129))
    with pytest.raises(DeviceError, match="at most 128 threads") as caught:
        bench["bounded"].launch(1, 129, bench.out(129))
    assert caught.value.name == "CUDA_ERROR_INVALID_VALUE"


def test_a_cooperative_launch_fits_on_the_device_at_once() -> None:
    bench = Bench("t4")
    with pytest.raises(DeviceError) as caught:
        bench["fine"].launch(40 * 16 + 1, 64, bench.out(64 * 641), cooperative=True)
    assert caught.value.name == "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"
    bench["fine"].launch(40 * 16, 64, bench.out(64 * 640), cooperative=True)
    bench.device.synchronize()
