"""CUDA C++ to a cubin or to PTX, through NVRTC. Needs neither a GPU nor a driver.

NVRTC is called through ``cuda.bindings.nvrtc`` rather than cuda.core's Program: options stay
the strings that the record shows, and the same call gives PTX where no driver is installed.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any, Literal

from cuda import pathfinder
from cuda.bindings import nvrtc
from cuda.core.utils import FileStreamProgramCache

from gpu100.device.interface import Source
from gpu100.errors import CompileError, DeviceError
from gpu100.fingerprint import digest
from gpu100.includes import local_includes

Target = Literal["cubin", "ptx", "usage"]
"""``usage`` is ptxas's own account of a cubin: registers, shared memory, stack and spills by function."""


def compile_source(
    source: Source, arch: str, options: tuple[str, ...], *, target: Target = "cubin", cache: Path | None = None
) -> bytes:
    """``source`` compiled for exactly ``arch`` (``sm_90``); from ``cache`` where it is there already.

    Warnings of a compilation that succeeds go to no one: NVRTC's log is only kept when it refuses,
    or where ``usage`` asks for it.

    Raises:
        CompileError: NVRTC refused the source; its log names file and line.
    """
    key = _cache_key(source, arch, options, target)
    if cache is None:
        return _compile(source, arch, options, target)
    with FileStreamProgramCache(cache) as entries:
        stored = entries.get(key)
        if stored is None:
            stored = _compile(source, arch, options, target)
            entries[key] = stored
        return bytes(stored)


@functools.cache
def version() -> str:
    """NVRTC's full version, such as ``13.0.88``.

    The API reports major and minor only; the header comment of compiled PTX has all three.
    """
    probe = Source(path=Path("probe.cu"), name="probe.cu", text="__global__ void probe() {}\n")
    ptx = _compile(probe, "sm_90", (), "ptx").decode()
    match = re.search(r"release [\d.]+, V(\d+\.\d+\.\d+)", ptx)
    return match[1] if match else "unknown"


@functools.cache
def include_options() -> tuple[str, ...]:
    """Where the toolkit's headers are: ``include`` and ``include/cccl``, as pathfinder finds them.

    Both are needed: cooperative groups includes cuda/std from inside its own header.
    """
    found = (pathfinder.locate_nvidia_header_directory(name) for name in ("cudart", "cccl"))
    return tuple(f"--include-path={place.abs_path}" for place in found if place is not None)


def architectures() -> tuple[str, ...]:
    """What it compiles for: ``sm_75`` and so on."""
    return tuple(f"sm_{number}" for number in _call(nvrtc.nvrtcGetSupportedArchs()))


def _compile(source: Source, arch: str, options: tuple[str, ...], target: Target) -> bytes:
    # The architecture of a virtual target gives PTX, that of a real one a cubin.
    gpu_arch = arch.replace("sm_", "compute_") if target == "ptx" else arch
    folder = f"--include-path={source.path.parent}"
    verbose = ["--ptxas-options=-v"] if target == "usage" else []
    flags = [f"--gpu-architecture={gpu_arch}", *options, *verbose, folder, *include_options()]
    program = _call(nvrtc.nvrtcCreateProgram(source.text.encode(), source.name.encode(), 0, [], []))
    try:
        status, *_ = nvrtc.nvrtcCompileProgram(program, len(flags), [flag.encode() for flag in flags])
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            raise CompileError(f"{source.name} does not compile for {arch}", log=_log(program))
        if target == "usage":
            return _log(program).encode()
        if target == "ptx":
            return _read(nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX, program).rstrip(b"\0")
        return _read(nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN, program)
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def _log(program: Any) -> str:
    return _read(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program).decode().strip("\0\n ")


def _read(size: Any, get: Any, program: Any) -> bytes:
    buffer = bytearray(_call(size(program)))
    _call(get(program, buffer))
    return bytes(buffer)


def _call(result: tuple[Any, ...]) -> Any:
    status, *values = result
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise DeviceError(f"NVRTC: {status.name}", name=status.name)
    return values[0] if values else None


def _cache_key(source: Source, arch: str, options: tuple[str, ...], target: Target) -> str:
    parts: dict[str, bytes | str] = {
        "source": source.text,
        "name": source.name,
        "arch": arch,
        "target": target,
        "options": "\0".join((*options, *include_options())),
        "nvrtc": version(),
    }
    if source.path.is_file():
        parts |= {f"include {path}": path.read_bytes() for path in local_includes(source.path)}
    return digest(parts)
