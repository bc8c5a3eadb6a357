"""What no measurement can exceed: rates that the hardware's wires and clocks allow at most.

A value above one of them was not measured as it says: a wrong count of bytes, a timer that ended
early, a number typed by hand. The run that holds it is void.
"""

from __future__ import annotations

import re

from gpu100.model.machine import Gpu

BUS_BITS: dict[str, int] = {
    "h200": 6144,
    "h200-nvl": 6144,
    "h100-80gb-hbm3": 5120,
    "h100-pcie": 5120,
    "a100-sxm4-40gb": 5120,
    "a100-pcie-40gb": 5120,
    "a100-sxm4-80gb": 5120,
    "a100-80gb-pcie": 5120,
    "a10": 384,
    "a10g": 384,
    "a40": 384,
    "l4": 192,
    "l40": 384,
    "l40s": 384,
    "tesla-t4": 256,
    "geforce-rtx-3060": 192,
    "geforce-rtx-3090": 384,
    "geforce-rtx-4060": 128,
    "geforce-rtx-4060-laptop-gpu": 128,
    "geforce-rtx-4070": 192,
    "geforce-rtx-4080": 256,
    "geforce-rtx-4090": 384,
    "geforce-rtx-5090": 512,
}
"""Width of the memory's interface, by the GPU's slug, as its maker states it: a machine.json has the
clock and not the width. A GPU that is missing is held to its first-level caches alone."""

TRANSFERS_PER_CLOCK = 2
"""The driver tells the clock at which both edges carry data, whatever the memory's kind."""

L1_BYTES_PER_CLOCK = 128
"""What an SM's load and store units move a clock, shared memory and L1 alike, from capability 7.0 on."""

_GIGA = 10**9
_BYTES_PER_SECOND = {"B/s": 1, "KB/s": 10**3, "MB/s": 10**6, "GB/s": _GIGA, "TB/s": 10**12}
_BINARY = {"KiB/s": 2**10, "MiB/s": 2**20, "GiB/s": 2**30, "TiB/s": 2**40}


def bytes_per_second(value: float, unit: str) -> float | None:
    """``value`` as bytes a second; None where ``unit`` is no rate of bytes."""
    factor = (_BYTES_PER_SECOND | _BINARY).get(re.sub(r"\s", "", unit))
    return None if factor is None else value * factor


def memory_ceiling(gpu: Gpu) -> float | None:
    """Bytes a second between the GPU and its memory; None where its interface is not on record."""
    bits = BUS_BITS.get(gpu.slug)
    return None if bits is None else bits / 8 * TRANSFERS_PER_CLOCK * gpu.memory_clock_khz * 1000


def sm_ceiling(gpu: Gpu) -> float:
    """Bytes a second that all SMs together can load or store, from wherever."""
    return float(gpu.sms * L1_BYTES_PER_CLOCK * gpu.sm_clock_khz * 1000)
