"""The SIMT model as a device: the same interface as a GPU's, without a GPU."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gpu100.device import nvrtc
from gpu100.device.arguments import Address, bind
from gpu100.device.interface import ClockReading, Dim, Source, extent
from gpu100.device.resources import Resources, resources
from gpu100.device.signature import Parameter, kernels
from gpu100.device.simt.decode.emit import Code, emit
from gpu100.device.simt.decode.flow import build
from gpu100.device.simt.decode.layout import function_addresses, lay_out
from gpu100.device.simt.execute.launch import Launch, check_limits, pack, run
from gpu100.device.simt.execute.runtime import Runtime
from gpu100.device.simt.faults import Fault
from gpu100.device.simt.memory.device_memory import Allocation, DeviceMemory
from gpu100.device.simt.ptx.file_names import with_own_names
from gpu100.device.simt.ptx.ir import Module
from gpu100.device.simt.ptx.parser import parse
from gpu100.device.simt.report import LaunchReport
from gpu100.errors import DeviceError, Unsupported
from gpu100.model.limits import Limits, limits_of
from gpu100.model.machine import Gpu
from gpu100.model.occupancy import blocks_per_sm
from gpu100.model.record import Compiler
from gpu100.model.record import Kernel as KernelFacts

BUDGET = 1_000_000
"""Basic blocks that one launch may run, whatever the number of lanes, before it is said to loop for ever."""


class SimtDevice:
    """A model of the GPU ``profile``: its limits, and none of its speed.

    A launch runs at once. What it prints and what is wrong with it arrive at :meth:`synchronize`,
    as they do from a GPU, and after a fault every later call fails.
    """

    is_model = True

    def __init__(self, profile: Gpu, *, cache: Path | None = None, budget: int = BUDGET) -> None:
        """A device with no memory taken.

        Raises:
            Unsupported: the limits of its compute capability are not on record.
        """
        limits = limits_of(profile.compute_capability)
        if limits is None:
            raise Unsupported(f"the limits of compute capability {profile.capability} are not on record")
        self._gpu = profile
        self.limits: Limits = limits
        self.memory = DeviceMemory(min(profile.memory_bytes, _host_memory() // 2))
        self.runtime = Runtime(self.memory)
        self.reports: list[LaunchReport] = []
        """What each launch so far was asked to do."""
        self.cache = cache
        self.budget = budget
        self._fault: DeviceError | None = None
        self._reported = False

    @property
    def gpu(self) -> Gpu:
        return self._gpu

    def compile(self, source: Source, options: tuple[str, ...]) -> tuple[Mapping[str, SimtKernel], Compiler]:
        """The source's kernels; instructions that the model lacks are told when one is launched."""
        arch = self._gpu.compute_capability.arch
        text = nvrtc.compile_source(source, arch, options, target="ptx", cache=self.cache)
        module = parse(with_own_names(text.decode(), source))
        taken = resources(source, arch, options, cache=self.cache)
        addresses = self._place(module)
        found = {
            name: SimtKernel(self, source, options, parameters, module, addresses, taken[name], name)
            for name, parameters in kernels(source.text).items()
            if name in module.kernels
        }
        return found, Compiler(nvrtc=nvrtc.version(), arch=arch, options=options)

    def array(self, host: npt.NDArray[Any]) -> SimtArray:
        array = SimtArray(self, host.shape, host.dtype)
        array.copy_from(host)
        return array

    def empty(self, shape: Dim, dtype: npt.DTypeLike) -> SimtArray:
        array = SimtArray(self, shape if isinstance(shape, tuple) else (shape,), np.dtype(dtype))
        if array.nbytes:
            self.memory.fill(array.allocation.address, array.nbytes)
        return array

    def free_bytes(self) -> int:
        return self.memory.free_bytes

    def synchronize(self) -> None:
        """Show what kernels have printed, and raise what was wrong with them."""
        sys.stdout.write(self.runtime.take_printed())
        self.check()

    def elapsed(self, work: Callable[[], None]) -> None:
        """Do ``work``; how long a GPU would take is not known."""
        work()

    def flush_l2(self) -> None:
        """There is no cache to flush."""

    def sm_clock(self) -> ClockReading | None:
        return None

    def check(self) -> None:
        """Raise the fault of an earlier launch: in full the first time, by its name from then on."""
        if self._fault is None:
            return
        if not self._reported:
            self._reported = True
            raise self._fault
        raise DeviceError(f"an earlier launch failed: {self._fault.message}", name=self._fault.name)

    def launch(self, kernel: SimtKernel, launch: Launch, parameters: bytes) -> None:
        """Run ``kernel`` and keep what it counted, or its fault."""
        try:
            report = run(
                kernel.code,
                launch,
                parameters,
                memory=self.memory,
                runtime=self.runtime,
                sms=self._gpu.sms,
                budget=self.budget,
            )
        except Fault as fault:
            self._fault = fault
        else:
            self.reports.append(replace(report, source=kernel.source))

    def _place(self, module: Module) -> dict[str, int]:
        """Allocate the module's variables, with what they hold at first."""
        variables = [v for v in module.variables.values() if v.space in ("global", "const")]
        addresses: dict[str, int] = {}
        for variable in variables:
            read_only = variable.space == "const"
            allocation = self.memory.allocate(max(variable.nbytes, 1), variable.name, read_only=read_only)
            addresses[variable.name] = allocation.address
        known = {**addresses, **function_addresses(module)}
        for variable in variables:
            data = bytearray((variable.initial or b"").ljust(variable.nbytes, b"\0"))
            for offset, symbol, addend in variable.addresses:
                if symbol in known:
                    data[offset : offset + 8] = (known[symbol] + addend).to_bytes(8, "little")
            if data:
                self.memory.write(addresses[variable.name], bytes(data))
        return addresses


class SimtKernel:
    """A kernel that a :class:`SimtDevice` can launch."""

    def __init__(
        self,
        device: SimtDevice,
        source: Source,
        options: tuple[str, ...],
        parameters: tuple[Parameter, ...],
        module: Module,
        addresses: Mapping[str, int],
        taken: Resources,
        name: str,
    ) -> None:
        self.name = name
        self.parameters = parameters
        self.source = source
        self.options = options
        self.decode_seconds = 0.0
        """What parsing into blocks and generating their functions took, once it has been done."""
        self._device = device
        self._module = module
        self._addresses = addresses
        self._taken = taken
        self._shared_most = device.limits.shared_bytes_static

    @property
    def facts(self) -> KernelFacts:
        return self._taken.facts

    @cached_property
    def code(self) -> Code:
        """The kernel as functions over lanes.

        Raises:
            NotModeled: it holds an instruction that the model does not have.
        """
        began = time.perf_counter()
        program = build(self._module, self.name)
        code = emit(program, lay_out(program, self._addresses))
        self.decode_seconds = time.perf_counter() - began
        return code

    def blocks_per_sm(self, threads: int, shared_bytes: int = 0) -> int:
        return blocks_per_sm(
            self._device.limits,
            threads=threads,
            registers=self._taken.registers,
            shared_bytes=self._taken.shared_bytes + shared_bytes,
        )

    def allow_shared(self, shared_bytes: int) -> None:
        most = self._device.limits.shared_bytes_per_block
        if not 0 <= self._taken.shared_bytes + shared_bytes <= most:
            message = f"a block has at most {most:,} bytes of shared memory on {self._device.gpu.name}"
            raise DeviceError(message, name="CUDA_ERROR_INVALID_VALUE")
        self._shared_most = max(self._taken.shared_bytes + shared_bytes, self._device.limits.shared_bytes_static)

    def launch(self, grid: Dim, block: Dim, *args: object, shared_bytes: int = 0, cooperative: bool = False) -> None:
        bound = bind(self.name, self.parameters, args)
        self._device.check()
        launch = Launch(extent(grid), extent(block), shared_bytes, cooperative)
        resident = self._device.gpu.sms * self.blocks_per_sm(launch.threads, shared_bytes) if cooperative else 0
        bounds = self._module.functions[self.name].directives.get("maxntid")
        most = math.prod(bounds) if bounds else None
        check_limits(
            launch,
            self._taken,
            resident,
            self._device.gpu,
            self._device.limits,
            most_threads=most,
            most_shared=self._shared_most,
        )
        for parameter, arg in zip(self.parameters, bound, strict=True):
            if isinstance(arg, SimtArray):
                arg.allocation.label = parameter.name  # as messages about this launch are to call it
        layout = self.code.layout
        values = [_raw(arg) for arg in bound]
        self._device.launch(
            self, launch, pack(self.code.program.kernel, layout.parameters, values, layout.parameter_bytes)
        )


class SimtArray:
    """Memory of the model with a shape and an element type."""

    def __init__(self, device: SimtDevice, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape = shape
        self.dtype = dtype
        self.nbytes = math.prod(shape) * dtype.itemsize
        self._memory = device.memory
        self._device = device
        self.allocation: Allocation = device.memory.allocate(self.nbytes)

    @property
    def address(self) -> int:
        return self.allocation.address

    def copy_from(self, host: npt.NDArray[Any]) -> None:
        if host.shape != self.shape or host.dtype != self.dtype:
            raise ValueError(f"{host.dtype}{host.shape} does not fit {self.dtype}{self.shape}")
        self._device.synchronize()
        if self.nbytes:
            self._memory.write(self.allocation.address, np.ascontiguousarray(host))

    def to_numpy(self) -> npt.NDArray[Any]:
        self._device.synchronize()
        if not self.nbytes:
            return np.empty(self.shape, self.dtype)
        return self._memory.read(self.allocation.address, self.nbytes).view(self.dtype).reshape(self.shape)

    def __del__(self) -> None:
        # An array whose allocation failed has none to give back.
        if "allocation" in self.__dict__:
            self._memory.free(self.allocation.address)


def _raw(arg: Any) -> Any:
    """An argument as the kernel reads it."""
    if isinstance(arg, SimtArray):
        return np.uint64(arg.allocation.address)
    return np.uint64(arg.value) if isinstance(arg, Address) else arg


def _host_memory() -> int:
    """Bytes of memory that this machine has to spare."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 4 << 30
