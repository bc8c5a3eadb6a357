"""What the doctor reads off what a GPU and its libraries say: each symptom with its cure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from gpu100.errors import plural
from gpu100.units import byte_size

State = Literal["ok", "warning", "problem"]

LEAST_FREE_BYTES = 1 << 30
_BY_HAND = "pip install -r requirements/cuda.txt"


@dataclass(frozen=True)
class Item:
    """One thing that was looked at."""

    name: str
    state: State
    says: str
    cure: str = ""

    def __post_init__(self) -> None:
        assert (self.state == "ok") or self.cure, f"{self.name}: a symptom without a cure"


def of_machine(found: dict[str, Any]) -> Iterator[Item]:
    """Everything that the probe's answer tells."""
    if "software" in found:
        yield from _of_compiler(found)
    if "error" in found:
        yield _nothing(found)
        return
    yield from _of_gpu(found)
    yield from _of_driver(found)
    yield _clock(found)
    yield _others(found["processes"])


def _nothing(found: dict[str, Any]) -> Item:
    if "missing" in found:
        return Item("cuda-python", "problem", found["error"], f"make evidence installs it, or {_BY_HAND}")
    cure = found.get("hint") or "without a GPU, `make evidence` runs the programs on the SIMT model"
    return Item("GPU", "problem", found["error"], cure)


def _of_compiler(found: dict[str, Any]) -> Iterator[Item]:
    versions = ", ".join(f"{name.replace('_', '-')} {version}" for name, version in found["software"].items())
    yield Item("libraries", "ok", versions)
    if found["headers"] == 2:
        yield Item("headers", "ok", "the runtime's and CCCL's are there")
    else:
        says = f"{2 - found['headers']} of 2 folders of CUDA's headers cannot be found"
        yield Item(
            "headers", "problem", says, "pip install nvidia-cuda-runtime nvidia-cuda-cccl, as requirements/ does"
        )


def _of_gpu(found: dict[str, Any]) -> Iterator[Item]:
    gpu, free = found["gpu"], found["free_bytes"]
    memory = f"{byte_size(gpu['memory_bytes'])} of memory, {byte_size(free)} free"
    says = f"{gpu['name']}, compute capability {gpu['capability']}, {gpu['sms']} SMs, {memory}"
    if free < LEAST_FREE_BYTES:
        yield Item("GPU", "problem", says, "end what holds its memory: nvidia-smi lists it")
    else:
        yield Item("GPU", "ok", says)
    arch = f"sm_{gpu['capability'].replace('.', '')}"
    if arch not in found["architectures"]:
        says = f"NVRTC {found['software']['nvrtc']} does not compile for {arch}"
        yield Item(
            "architecture", "problem", says, "pip install another nvidia-cuda-nvrtc: this GPU is too new or too old"
        )
    if gpu.get("mig"):
        cure = "nothing, if that is meant; else have its owner turn MIG off"
        yield Item("MIG", "warning", "the GPU is cut into instances, and times are of this instance", cure)
    if len(set(found["gpus"])) > 1:
        yield Item("GPUs", "ok", f"{plural(len(set(found['gpus'])), 'name')} of GPU: each is captured once")


def _of_driver(found: dict[str, Any]) -> Iterator[Item]:
    served, nvrtc = found["cuda"], found["software"]["nvrtc"]
    says = f"{found['driver']['version']}, which serves CUDA {served}; NVRTC is {nvrtc}"
    if _major(nvrtc) > _major(served):
        cure = f"update the driver to one for CUDA {_major(nvrtc)}, or pip install an NVRTC of CUDA {_major(served)}"
        yield Item("driver", "problem", says, cure)
    else:
        yield Item("driver", "ok", says)


def _clock(found: dict[str, Any]) -> Item:
    clock, most = found.get("clock"), found["gpu"]["sm_clock_khz"] / 1000
    if not clock:
        return Item(
            "clock",
            "warning",
            "nobody tells it: NVML is missing",
            "NVML comes with the driver; a container has to be given it",
        )
    says = f"{clock['mhz']:,.0f} MHz under load, of at most {most:,.0f}"
    if not clock["reasons"]:
        return Item("clock", "ok", f"{says}, and nothing holds it down")
    held = ", ".join(clock["reasons"])
    cure = "let it cool and idle; nvidia-smi -rgc takes back clocks that were set; records say it where it stays"
    return Item("clock", "warning", f"{says}, held down by: {held}", cure)


def _others(processes: int | None) -> Item:
    if processes is None:
        return Item("other processes", "warning", "nobody tells whether there are any", "see that there are none")
    if processes:
        says = f"{processes} other {'process uses' if processes == 1 else 'processes use'} the GPU"
        return Item("other processes", "warning", says, "end them: what is measured beside them is not the GPU's best")
    return Item("other processes", "ok", "none")


def _major(version: str) -> int:
    return int(version.partition(".")[0]) if version[:1].isdigit() else 0
