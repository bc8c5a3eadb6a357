"""What an SM, a block and a thread may have at most, by compute capability.

``content/facts.toml`` cites these numbers and is refused where it says another; every machine.json
is held against them.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpu100.model.capability import Capability
from gpu100.model.machine import Gpu

KIB = 1024


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of one compute capability; sizes are bytes, registers have 32 bits."""

    capability: Capability
    warps_per_sm: int
    blocks_per_sm: int
    shared_bytes_per_sm: int
    shared_bytes_reserved: int
    """What the driver keeps of a block's shared memory."""
    shared_granularity: int
    """A block's shared memory is rounded up to a multiple of it."""
    shared_bytes_static: int = 48 * KIB
    """The most a block has without opting in."""
    warp_size: int = 32
    threads_per_block: int = 1024
    registers_per_sm: int = 64 * KIB
    registers_per_block: int = 64 * KIB
    registers_per_thread: int = 255
    register_granularity: int = 256
    """A warp's registers are rounded up to a multiple of it."""
    partitions_per_sm: int = 4
    """Parts of an SM, each with a scheduler and a quarter of the registers."""

    @property
    def threads_per_sm(self) -> int:
        return self.warps_per_sm * self.warp_size

    @property
    def shared_bytes_per_block(self) -> int:
        """The most a block may ask for, by opting in."""
        return self.shared_bytes_per_sm - self.shared_bytes_reserved


def _limits(
    capability: str, warps: int, blocks: int, shared: int, *, reserved: int = 1, granularity: int = 128
) -> Limits:
    return Limits(
        capability=Capability.parse(capability),
        warps_per_sm=warps,
        blocks_per_sm=blocks,
        shared_bytes_per_sm=shared * KIB,
        shared_bytes_reserved=reserved * KIB,
        shared_granularity=granularity,
    )


LIMITS: tuple[Limits, ...] = (
    _limits("7.5", 32, 16, 64, reserved=0, granularity=256),
    _limits("8.0", 64, 32, 164),
    _limits("8.6", 48, 16, 100),
    _limits("8.7", 48, 16, 164),
    _limits("8.8", 48, 16, 100),
    _limits("8.9", 48, 24, 100),
    _limits("9.0", 64, 32, 228),
    _limits("10.0", 64, 32, 228),
    _limits("10.3", 64, 32, 228),
    _limits("11.0", 48, 24, 228),
    _limits("12.0", 48, 24, 100),
    _limits("12.1", 48, 24, 100),
)
"""Those that NVRTC 13.0 compiles for; others are not on record."""

COMPARED = (
    "warp_size",
    "threads_per_block",
    "threads_per_sm",
    "blocks_per_sm",
    "registers_per_sm",
    "shared_bytes_per_sm",
    "shared_bytes_per_block",
)
"""Limits that a machine.json tells too, under the same names."""


def limits_of(capability: Capability) -> Limits | None:
    """The limits of ``capability``, whatever its suffix; None where they are not on record."""
    return next(
        (
            limits
            for limits in LIMITS
            if (limits.capability.major, limits.capability.minor) == (capability.major, capability.minor)
        ),
        None,
    )


def contradictions(gpu: Gpu) -> tuple[str, ...]:
    """Where what a GPU reports is not what its compute capability allows."""
    limits = limits_of(gpu.compute_capability)
    if limits is None:
        return (f"the limits of compute capability {gpu.capability} are not on record",)
    pairs = ((name, getattr(gpu, name), getattr(limits, name)) for name in COMPARED)
    return tuple(
        f"{name} is {reported:,} on {gpu.name}, and {expected:,} for compute capability {gpu.capability}"
        for name, reported, expected in pairs
        if reported != expected
    )
