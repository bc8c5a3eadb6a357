"""GPUs that the SIMT model can be: what each reports of itself, and where that is known from.

Limits per SM and per block are those of :mod:`gpu100.model.limits`. What else a GPU reports is
here. The model has no clock, no caches and no memory of its own, so of these figures only the
number of SMs and the limits decide anything; the rest is there because programs may ask for it.
"""

from __future__ import annotations

import dataclasses

from gpu100.model.capability import Capability
from gpu100.model.limits import limits_of
from gpu100.model.machine import MODEL_MARK, Gpu, gpu_slug

MIB = 1 << 20


def _gpu(
    name: str,
    capability: str,
    *,
    sms: int,
    memory_bytes: int,
    l2_bytes: int,
    sm_clock_khz: int,
    memory_clock_khz: int,
    ecc: bool,
    power_limit_watts: float | None = None,
    mig: bool | None = None,
) -> Gpu:
    limits = limits_of(Capability.parse(capability))
    assert limits is not None, f"the limits of {capability} are on record"
    return Gpu(
        name=f"{name}{MODEL_MARK}",
        capability=capability,
        sms=sms,
        warp_size=limits.warp_size,
        threads_per_block=limits.threads_per_block,
        threads_per_sm=limits.threads_per_sm,
        blocks_per_sm=limits.blocks_per_sm,
        registers_per_sm=limits.registers_per_sm,
        shared_bytes_per_sm=limits.shared_bytes_per_sm,
        shared_bytes_per_block=limits.shared_bytes_per_block,
        memory_bytes=memory_bytes,
        l2_bytes=l2_bytes,
        sm_clock_khz=sm_clock_khz,
        memory_clock_khz=memory_clock_khz,
        ecc=ecc,
        power_limit_watts=power_limit_watts,
        mig=mig,
    )


H200 = _gpu(
    "NVIDIA H200",
    "9.0",
    sms=132,
    memory_bytes=150_109_880_320,
    l2_bytes=60 * MIB,
    sm_clock_khz=1_980_000,
    memory_clock_khz=3_201_000,
    ecc=True,
    power_limit_watts=700.0,
    mig=False,
)
"""As evidence/h200/*/machine.json has it, figure by figure."""

T4 = _gpu(
    "Tesla T4",
    "7.5",
    sms=40,
    memory_bytes=15_843_721_216,
    l2_bytes=4 * MIB,
    sm_clock_khz=1_590_000,
    memory_clock_khz=5_001_000,
    ecc=True,
    power_limit_watts=70.0,
)
"""NVIDIA's data sheet of the T4: 2,560 lanes, which are 40 SMs of 64, 70 W, 16 GB of GDDR6 with ECC
at 10 Gbit/s a pin. The rest as drivers report it in public logs: a highest clock of 1.59 GHz and
14.75 GiB of memory (github.com/NVIDIA/DALI/issues/1813), 4 MiB of L2 (the Turing white paper's TU104)."""

RTX4060 = _gpu(
    "NVIDIA GeForce RTX 4060 Laptop GPU",
    "8.9",
    sms=24,
    memory_bytes=8 << 30,
    l2_bytes=32 * MIB,
    sm_clock_khz=2_175_000,
    memory_clock_khz=8_000_000,
    ecc=False,
)
"""The laptop GPU whose measurements content/facts.toml cites (rtx4060.write-up): 24 SMs at 2,175 MHz,
8 GB at 16 Gbit/s a pin, which is twice what is reported as the memory's clock. 32 MB of L2 after
github.com/accel-sim/gpgpu-sim_distribution/pull/135; the desktop card of that name has less."""

PROFILES: dict[str, Gpu] = {"h200": H200, "t4": T4, "rtx4060": RTX4060}
"""By the word that a device is asked for: ``model:t4``."""

DEFAULT = "h200"
"""The GPU that the model is unless another is asked for: the one that the evidence comes from."""


def modeled_slug(gpu: Gpu) -> str:
    """The slug of the GPU that a profile is a model of: the folder its evidence is in."""
    return gpu_slug(gpu.name.removesuffix(MODEL_MARK))


def as_real(gpu: Gpu) -> Gpu:
    """The same description without the mark, to be held against what a driver reports."""
    return dataclasses.replace(gpu, name=gpu.name.removesuffix(MODEL_MARK))
