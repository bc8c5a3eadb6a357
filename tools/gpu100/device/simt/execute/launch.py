"""One launch: its limits, its chunks of blocks, and what it counted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu100.device.resources import Resources
from gpu100.device.simt.decode.emit import Code
from gpu100.device.simt.execute.budget import Budget
from gpu100.device.simt.execute.counts import Counts
from gpu100.device.simt.execute.runtime import Runtime
from gpu100.device.simt.execute.schedule import Scheduler
from gpu100.device.simt.execute.state import Dim3, State
from gpu100.device.simt.memory.access import Access
from gpu100.device.simt.memory.device_memory import DeviceMemory
from gpu100.device.simt.memory.lanes import Lanes
from gpu100.device.simt.ptx.ir import WIDTHS, Function
from gpu100.device.simt.report import LaunchReport
from gpu100.errors import DeviceError
from gpu100.model.limits import Limits
from gpu100.model.machine import Gpu
from gpu100.model.occupancy import registers_of_block

CHUNK_LANES = 1 << 15
"""Threads that run side by side: enough to make NumPy's calls cheap, few enough for the caches."""

_MOST_GRID = ((1 << 31) - 1, 65535, 65535)
_MOST_BLOCK = (1024, 1024, 64)


@dataclass(frozen=True)
class Launch:
    """What a launch asks for."""

    grid: Dim3
    block: Dim3
    dynamic_bytes: int
    """Dynamic shared memory per block."""
    cooperative: bool = False

    @property
    def threads(self) -> int:
        return math.prod(self.block)

    @property
    def blocks(self) -> int:
        return math.prod(self.grid)


def check_limits(
    launch: Launch,
    taken: Resources,
    resident: int,
    gpu: Gpu,
    limits: Limits,
    *,
    most_threads: int | None = None,
    most_shared: int | None = None,
) -> None:
    """Refuse what the device would refuse, by the same name.

    ``resident`` is how many blocks the whole device holds at once, ``most_threads`` the kernel's own
    limit where it states one, with ``__launch_bounds__``, and ``most_shared`` what it has opted in to
    of shared memory, static and dynamic together.

    Raises:
        DeviceError: CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES or
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, and which limit.
    """
    for what, axes, most in (("grid", launch.grid, _MOST_GRID), ("block", launch.block, _MOST_BLOCK)):
        for axis, size, limit in zip("xyz", axes, most, strict=True):
            if not 0 < size <= limit:
                raise _invalid(f"a {what} has 1 to {limit:,} along {axis}, not {size:,}")
    if launch.threads > limits.threads_per_block:
        raise _invalid(f"a block has at most {limits.threads_per_block:,} threads, not {launch.threads:,}")
    if most_threads and launch.threads > most_threads:
        raise _invalid(f"the kernel is compiled for at most {most_threads:,} threads a block, not {launch.threads:,}")
    shared = taken.shared_bytes + launch.dynamic_bytes
    allowed = most_shared or limits.shared_bytes_static
    if launch.dynamic_bytes < 0 or shared > allowed:
        raise _invalid(f"a block has at most {allowed:,} bytes of shared memory, not {shared:,}")
    needed = registers_of_block(limits, -(-launch.threads // limits.warp_size), taken.registers)
    if needed > limits.registers_per_block:
        raise DeviceError(
            f"a block of {launch.threads:,} threads with {taken.registers} registers each takes {needed:,}, "
            f"and has at most {limits.registers_per_block:,} on {gpu.name}",
            name="CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
        )
    if launch.cooperative and launch.blocks > resident:
        raise DeviceError(
            f"a cooperative launch of {launch.blocks:,} blocks, where {resident:,} are resident at once",
            name="CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
        )


def _invalid(message: str) -> DeviceError:
    return DeviceError(message, name="CUDA_ERROR_INVALID_VALUE")


def pack(kernel: Function, offsets: Mapping[str, int], values: Sequence[Any], nbytes: int) -> bytes:
    """The kernel's parameters as it reads them."""
    data = bytearray(nbytes)
    for variable, value in zip(kernel.parameters, values, strict=True):
        raw = np.asarray(value).tobytes()
        offset = offsets[variable.name]
        data[offset : offset + len(raw)] = raw
    return bytes(data)


def run(
    code: Code,
    launch: Launch,
    parameters: bytes,
    *,
    memory: DeviceMemory,
    runtime: Runtime,
    sms: int,
    budget: int,
) -> LaunchReport:
    """Run all blocks of a launch, chunk by chunk.

    Raises:
        Fault: a thread did what none may.
    """
    runtime.launches += 1
    held = [memory.allocate(max(len(parameters), 1), "the kernel's parameters", read_only=True)]
    memory.write(held[0].address, parameters.ljust(1, b"\0"))
    if launch.cooperative:
        held.append(memory.allocate(64, "the grid's barrier"))
        memory.fill(held[1].address, 64, 0, initialized=True)
    access = Access(
        memory,
        code.sites,
        shared_bytes=_dynamic_end(code, launch.dynamic_bytes),
        local_bytes=code.layout.local_bytes,
        granule=_granule(code),
        shapes=code.shapes,
    )
    state = State(
        code,
        access,
        runtime,
        grid=launch.grid,
        block=launch.block,
        parameters=parameters,
        parameter_address=held[0].address,
        dynamic_bytes=launch.dynamic_bytes,
        sms=sms,
        grid_workspace=held[1].address if launch.cooperative else 0,
    )
    counts = Counts(len(code.program.blocks))
    functions = code.bind(state)
    scheduler = Scheduler(code, functions, state, counts, Budget(budget))
    try:
        with np.errstate(all="ignore"):
            functions["uniform"]()
            for lanes in _chunks(launch):
                state.begin(lanes)
                counts.begin(lanes)
                scheduler.run(lanes)
    finally:
        for allocation in held:
            memory.free(allocation.address)
        code.shapes.settle()
    memory.settle()
    return LaunchReport.of(code, launch.grid, launch.block, counts, access)


def _chunks(launch: Launch) -> Iterator[Lanes]:
    # Blocks of a cooperative launch wait for each other, so all of them run side by side.
    at_once = launch.blocks if launch.cooperative else max(1, CHUNK_LANES // launch.threads)
    for first in range(0, launch.blocks, at_once):
        yield Lanes(first, min(at_once, launch.blocks - first), launch.block, launch.grid)


def _dynamic_end(code: Code, dynamic_bytes: int) -> int:
    """Bytes of shared memory, up to the end of the dynamic part."""
    if not dynamic_bytes:
        return code.layout.static_bytes
    return max(code.layout.shared.values(), default=code.layout.static_bytes) + dynamic_bytes


def _granule(code: Code) -> int:
    """The unit in which two threads' accesses to shared memory are the same: the smallest of them."""
    shared = (site.instruction for site in code.sites if site.space in ("shared", "generic"))
    return min((WIDTHS[instruction.type] // 8 for instruction in shared), default=4)
