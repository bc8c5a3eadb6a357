"""How many blocks of a kernel one SM holds: CUDA's occupancy calculation, as a model answers it.

On a GPU the driver is asked instead; tests hold this against its recorded answers. The rules are those
of ``cuda_occupancy.h`` (CUDA 13.0): four resources, each allows so many blocks, the least decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gpu100.model.limits import Limits

Resource = Literal["blocks", "warps", "registers", "shared memory", "block size", "registers of a block"]
"""What leaves no room for one block more; the last two allow none at all."""


@dataclass(frozen=True)
class Residency:
    """Blocks that one SM holds at a time, and what does not allow another."""

    blocks: int
    limited_by: tuple[Resource, ...]
    """Every resource that is used up; more than one where they run out together."""
    allows: dict[Resource, int]
    """Blocks that each resource would allow by itself."""


def residency(limits: Limits, *, threads: int, registers: int, shared_bytes: int = 0) -> Residency:
    """How many blocks of ``threads`` threads are resident on an SM, and why not more.

    ``registers`` are a thread's, ``shared_bytes`` the block's, static and dynamic together. As in
    the driver's own query, a kernel's ``__launch_bounds__`` do not count here: the launch refuses.
    """
    warps = -(-threads // limits.warp_size)
    allows: dict[Resource, int] = {
        "blocks": limits.blocks_per_sm,
        "warps": limits.warps_per_sm // max(warps, 1),
        "registers": _by_registers(limits, warps, registers),
        "shared memory": _by_shared(limits, shared_bytes),
    }
    if not 1 <= threads <= limits.threads_per_block:
        allows["block size"] = 0
    of_block = registers_of_block(limits, warps, registers)
    if registers > limits.registers_per_thread or of_block > limits.registers_per_block:
        allows["registers of a block"] = 0
    blocks = min(allows.values())
    return Residency(blocks, tuple(name for name, most in allows.items() if most == blocks), allows)


def blocks_per_sm(limits: Limits, *, threads: int, registers: int, shared_bytes: int = 0) -> int:
    """The number alone, as the driver's query gives it."""
    return residency(limits, threads=threads, registers=registers, shared_bytes=shared_bytes).blocks


def registers_of_block(limits: Limits, warps: int, registers: int) -> int:
    """Registers that a block takes: its warps are counted up to whole rounds over the SM's partitions."""
    return _of_warp(limits, registers) * _up(warps, limits.partitions_per_sm)


def _by_registers(limits: Limits, warps: int, registers: int) -> int:
    """Each partition has its own registers, and a warp lies in one of them."""
    if not registers or not warps:
        return limits.blocks_per_sm
    in_partition = limits.registers_per_sm // limits.partitions_per_sm // _of_warp(limits, registers)
    return in_partition * limits.partitions_per_sm // warps


def _by_shared(limits: Limits, shared_bytes: int) -> int:
    # The driver's own kilobyte counts even where the kernel asks for nothing.
    taken = _up(shared_bytes + limits.shared_bytes_reserved, limits.shared_granularity)
    if shared_bytes > limits.shared_bytes_per_block:
        return 0
    return limits.shared_bytes_per_sm // taken if taken else limits.blocks_per_sm


def _of_warp(limits: Limits, registers: int) -> int:
    return _up(registers * limits.warp_size, limits.register_granularity)


def _up(value: int, unit: int) -> int:
    """``value``, rounded up to a multiple of ``unit``."""
    return -(-value // unit) * unit
