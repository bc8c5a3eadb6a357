"""A GPU and the software around it, without anything that identifies a person or a machine."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpu100.model.capability import Capability

MODEL_MARK = " (SIMT model)"
"""Ends the name of a GPU that is only modeled, so that no line, slug or folder passes for the real one's."""


@dataclass(frozen=True, kw_only=True)
class Gpu:
    """What the driver says of the GPU, or what the model is told to be."""

    name: str
    """As the driver calls it."""
    capability: str
    """Its compute capability, such as 9.0."""
    sms: int
    """Streaming multiprocessors."""
    warp_size: int
    """Threads of a warp."""
    threads_per_block: int
    """The most a block may have."""
    threads_per_sm: int
    """The most that are resident on one SM."""
    blocks_per_sm: int
    """The most that are resident on one SM."""
    registers_per_sm: int
    """Of 32 bits."""
    shared_bytes_per_sm: int
    """Shared memory of one SM."""
    shared_bytes_per_block: int
    """The most a block may ask for, by opting in."""
    memory_bytes: int
    """All of the GPU's memory."""
    l2_bytes: int
    """Of its L2 cache."""
    sm_clock_khz: int
    """The highest that its SMs may run at."""
    memory_clock_khz: int
    """The highest that its memory may run at."""
    ecc: bool
    """Whether its memory corrects errors."""
    power_limit_watts: float | None = None
    """What it may draw; left out where NVML does not tell."""
    mig: bool | None = None
    """Whether it is split into parts; left out where it cannot be."""

    @property
    def slug(self) -> str:
        return gpu_slug(self.name)

    @property
    def is_model(self) -> bool:
        """Whether this describes the SIMT model: nothing that ran on it is evidence."""
        return self.name.endswith(MODEL_MARK)

    @property
    def warps_per_sm(self) -> int:
        return self.threads_per_sm // self.warp_size

    @property
    def compute_capability(self) -> Capability:
        return Capability.parse(self.capability)


@dataclass(frozen=True, kw_only=True)
class Driver:
    """The driver: its version as displayed, and the newest CUDA it serves."""

    version: str
    """As displayed: 580.159.04."""
    cuda_raw: int
    """As ``cuDriverGetVersion`` returns it: 13000 for CUDA 13.0."""

    @property
    def cuda(self) -> str:
        return f"{self.cuda_raw // 1000}.{self.cuda_raw % 1000 // 10}"


@dataclass(frozen=True, kw_only=True)
class Software:
    """What compiled and ran the programs."""

    nvrtc: str
    """The compiler's version, to the last number."""
    cuda_core: str
    """Version of cuda-core."""
    cuda_bindings: str
    """Version of cuda-bindings."""
    numpy: str
    """Version of NumPy."""
    python: str
    """Version of Python."""
    os: str
    """Its kind and processor: Linux x86_64."""


@dataclass(frozen=True, kw_only=True)
class Harness:
    """The course's own state."""

    version: str
    """The course's own."""
    behaviour: int
    """What the harness makes programs do, as a number that is bumped by hand."""
    tree: str
    """clean, dirty or unknown: whether the working tree was what git had committed."""


@dataclass(frozen=True, kw_only=True)
class Machine:
    """machine.json: one GPU under one driver and NVRTC version."""

    schema: int
    """The version of this file's form."""
    gpu: Gpu
    """What ran the programs."""
    driver: Driver
    """What it ran them under."""
    software: Software
    """What compiled and started them."""
    harness: Harness
    """The course that did so."""
    gpus: int = 1
    """How many GPUs the machine has."""

    def same_as(self, other: Machine) -> bool:
        """Whether two descriptions may be of one machine: all that is not the course's or Python's."""
        mine, others = ((m.gpu, m.driver, m.gpus, m.software.nvrtc, m.software.os) for m in (self, other))
        return mine == others

    @property
    def folder(self) -> str:
        """``580.159.04-nvrtc13.0.88``: the folder's name below the GPU's."""
        return f"{self.driver.version}-nvrtc{self.software.nvrtc}"


def gpu_slug(name: str) -> str:
    """``"NVIDIA H200"`` -> ``"h200"``; every run of other characters becomes one dash."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower().removeprefix("nvidia ")).strip("-")
