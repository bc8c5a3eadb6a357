"""A real GPU, through cuda.core."""

from __future__ import annotations

import contextlib
import functools
import math
import re
from collections.abc import Callable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import cuda.core as cc
import numpy as np
import numpy.typing as npt
from cuda.bindings import driver

from gpu100.device import nvrtc
from gpu100.device.arguments import Address, bind
from gpu100.device.interface import ClockReading, Dim, Source
from gpu100.device.nvml import Management
from gpu100.device.signature import Parameter, kernels
from gpu100.errors import DeviceError, NoDevice, Unsupported
from gpu100.model.capability import Capability
from gpu100.model.machine import Driver, Gpu
from gpu100.model.record import Compiler
from gpu100.model.record import Kernel as KernelFacts

try:
    from cuda.core import CUDAError
except ImportError:  # public only from cuda-core 1.3
    from cuda.core._utils.cuda_utils import CUDAError


_FLUSH = """
extern "C" __global__ void read_all(const float* data, float* total, unsigned long long n) {
    float sum = 0;
    unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) sum += data[i];
    // Never true, which the compiler cannot know: the reads must stay.
    if (sum == 12345.0f) *total = sum;
}
"""


_HOLD = """
extern "C" __global__ void hold(unsigned int nanoseconds) {
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < nanoseconds);
}
"""
_HOLD_NANOSECONDS = 100_000
"""Longer than a host takes from recording an event to the launch behind it."""


class CudaDevice:
    """One GPU of this machine, with the stream that a program's work is queued on."""

    def __init__(self, index: int = 0, *, cache: Path | None = None) -> None:
        """Make GPU ``index`` the current one.

        Raises:
            NoDevice: no driver, or no GPU at all.
            Unsupported: there are GPUs, and not this one.
        """
        count = self.count()
        if not count:
            raise NoDevice("the driver finds no GPU")
        if index >= count:
            raise Unsupported(f"GPU {index} does not exist: the driver finds {count}")
        self._device = cc.Device(index)
        self._device.set_current()
        self._stream = self._device.create_stream()
        self._cache = cache
        self._management = Management(self._device.pci_bus_id)
        self._gpu = self._facts()

    @staticmethod
    def count() -> int:
        """How many GPUs the driver finds.

        Raises:
            NoDevice: there is no driver.
        """
        try:
            return len(cc.Device.get_all_devices())
        except (RuntimeError, CUDAError) as error:
            raise NoDevice(
                f"no CUDA driver answers: {str(error).splitlines()[0]}",
                hint="install NVIDIA's driver; a GPU in a container or in WSL2 needs it on the host too",
            ) from None

    @staticmethod
    def names() -> list[str]:
        """The names of the GPUs that the driver finds, in its order."""
        return [str(device.name) for device in cc.Device.get_all_devices()]

    @staticmethod
    def processes(index: int = 0) -> int | None:
        """How many processes use GPU ``index``, before this one does; None where nobody tells."""
        return Management(cc.Device(index).pci_bus_id).processes()

    @property
    def gpu(self) -> Gpu:
        return self._gpu

    @property
    def is_model(self) -> bool:
        return False

    @property
    def driver(self) -> Driver:
        """The driver of this machine."""
        version = self._management.driver or "unknown"
        return Driver(version=version, cuda_raw=int(_checked(driver.cuDriverGetVersion())))

    def compile(self, source: Source, options: tuple[str, ...]) -> tuple[Mapping[str, CudaKernel], Compiler]:
        arch = self._gpu.compute_capability.arch
        cubin = nvrtc.compile_source(source, arch, options, cache=self._cache)
        with _driver_errors():
            code = cc.ObjectCode.from_cubin(cubin, name=source.name)
            found = {
                name: CudaKernel(self, source, options, parameters, code.get_kernel(name), name)
                for name, parameters in kernels(source.text).items()
            }
        return found, Compiler(nvrtc=nvrtc.version(), arch=arch, options=options)

    def array(self, host: npt.NDArray[Any]) -> CudaArray:
        array = CudaArray(self, host.shape, host.dtype)
        array.copy_from(host)
        return array

    def empty(self, shape: Dim, dtype: npt.DTypeLike) -> CudaArray:
        array = CudaArray(self, shape if isinstance(shape, tuple) else (shape,), np.dtype(dtype))
        with _driver_errors():
            array.buffer.fill(0xFF, stream=self._stream)
        return array

    def free_bytes(self) -> int:
        return int(_checked(driver.cuMemGetInfo()))

    def synchronize(self) -> None:
        with _driver_errors():
            self._stream.sync()

    def elapsed(self, work: Callable[[], None]) -> float:
        timed = cc.EventOptions(timing_enabled=True)
        # The GPU is kept busy while the host queues: an event on an idle stream is passed at once, and
        # the time until the first launch arrives would count as the launch's.
        self._holder.launch(1, 1, _HOLD_NANOSECONDS)
        with _driver_errors():
            begin = self._stream.record(options=timed)
            work()
            end = self._stream.record(options=timed)
            end.sync()
            return float(end - begin) / 1e3

    def flush_l2(self) -> None:
        kernel, elsewhere, total = self._flusher
        kernel.launch(4 * self._gpu.sms, 256, elsewhere, total, 2 * self._gpu.l2_bytes // 4)

    def sm_clock(self) -> ClockReading | None:
        return self._management.sm_clock()

    @functools.cached_property
    def _holder(self) -> CudaKernel:
        found, _ = self.compile(Source(path=Path("hold.cu"), name="hold.cu", text=_HOLD), ())
        return found["hold"]

    @functools.cached_property
    def _flusher(self) -> tuple[CudaKernel, CudaArray, CudaArray]:
        source = Source(path=Path("flush.cu"), name="flush.cu", text=_FLUSH)
        found, _ = self.compile(source, ())
        return found["read_all"], self.empty(2 * self._gpu.l2_bytes // 4, "float32"), self.empty(1, "float32")

    @property
    def core(self) -> cc.Device:
        """cuda.core's device, for what lab does not wrap."""
        return self._device

    @property
    def stream(self) -> cc.Stream:
        """cuda.core's stream that arrays and launches use."""
        return self._stream

    def _facts(self) -> Gpu:
        properties = self._device.properties
        major, minor = self._device.compute_capability
        return Gpu(
            name=self._device.name,
            capability=str(Capability(major, minor)),
            sms=properties.multiprocessor_count,
            warp_size=properties.warp_size,
            threads_per_block=properties.max_threads_per_block,
            threads_per_sm=properties.max_threads_per_multiprocessor,
            blocks_per_sm=properties.max_blocks_per_multiprocessor,
            registers_per_sm=properties.max_registers_per_multiprocessor,
            shared_bytes_per_sm=properties.max_shared_memory_per_multiprocessor,
            shared_bytes_per_block=properties.max_shared_memory_per_block_optin,
            memory_bytes=int(_checked(driver.cuDeviceTotalMem(self._device.device_id))),
            l2_bytes=properties.l2_cache_size,
            sm_clock_khz=properties.clock_rate,
            memory_clock_khz=properties.memory_clock_rate,
            ecc=bool(properties.ecc_enabled),
            power_limit_watts=self._management.power_limit_watts,
            mig=self._management.mig,
        )


class CudaKernel:
    """A kernel loaded on a :class:`CudaDevice`."""

    def __init__(
        self,
        device: CudaDevice,
        source: Source,
        options: tuple[str, ...],
        parameters: tuple[Parameter, ...],
        kernel: cc.Kernel,
        name: str,
    ) -> None:
        self.name = name
        self.parameters = parameters
        self.source = source
        self.options = options
        self._device = device
        self._kernel = kernel

    @property
    def facts(self) -> KernelFacts:
        with _driver_errors():
            attributes = self._kernel.attributes
            return KernelFacts(
                registers=attributes.num_regs,
                shared_bytes=attributes.shared_size_bytes,
                local_bytes=attributes.local_size_bytes,
            )

    def blocks_per_sm(self, threads: int, shared_bytes: int = 0) -> int:
        with _driver_errors():
            return int(self._kernel.occupancy.max_active_blocks_per_multiprocessor(threads, shared_bytes))

    def allow_shared(self, shared_bytes: int) -> None:
        # cuda.core reads this attribute and has no way to set it.
        attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        kernel = driver.CUkernel(int(self._kernel.handle))
        _checked(driver.cuKernelSetAttribute(attribute, shared_bytes, kernel, self._device.core.device_id))

    def launch(self, grid: Dim, block: Dim, *args: object, shared_bytes: int = 0, cooperative: bool = False) -> None:
        bound = bind(self.name, self.parameters, args)
        values = [_raw(arg) for arg in bound]
        with _driver_errors(), _refused(cooperative):
            config = cc.LaunchConfig(grid=grid, block=block, shmem_size=shared_bytes, is_cooperative=cooperative)
            cc.launch(self._device.stream, config, self._kernel, *values)


class CudaArray:
    """Device memory with a shape and an element type."""

    def __init__(self, device: CudaDevice, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape = shape
        self.dtype = dtype
        self.nbytes = math.prod(shape) * dtype.itemsize
        self._device = device
        with _driver_errors():
            # Zero bytes cannot be allocated; an empty array still needs an address to pass.
            self.buffer = device.core.allocate(max(self.nbytes, 1), stream=device.stream)

    @property
    def address(self) -> int:
        return int(self.buffer.handle)

    def copy_from(self, host: npt.NDArray[Any]) -> None:
        if host.shape != self.shape or host.dtype != self.dtype:
            raise ValueError(f"{host.dtype}{host.shape} does not fit {self.dtype}{self.shape}")
        source = np.ascontiguousarray(host)
        if self.nbytes:
            stream = self._device.stream.handle
            _checked(driver.cuMemcpyHtoDAsync(self.buffer.handle, source.ctypes.data, self.nbytes, stream))
            self._device.synchronize()

    def to_numpy(self) -> npt.NDArray[Any]:
        host = np.empty(self.shape, self.dtype)
        if self.nbytes:
            stream = self._device.stream.handle
            _checked(driver.cuMemcpyDtoHAsync(host.ctypes.data, self.buffer.handle, self.nbytes, stream))
        self._device.synchronize()
        return host


def _raw(arg: Any) -> Any:
    """An argument as cuda.core's launch takes it."""
    if isinstance(arg, CudaArray):
        return arg.buffer
    return np.uint64(arg.value) if isinstance(arg, Address) else arg


def software() -> dict[str, str]:
    """The versions of what compiles and runs a program, by package."""
    packages = ("cuda-core", "cuda-bindings", "numpy")
    return {"nvrtc": nvrtc.version()} | {name.replace("-", "_"): metadata.version(name) for name in packages}


@contextlib.contextmanager
def _refused(cooperative: bool) -> Iterator[None]:
    """What cuda.core refuses of an extent before the driver sees it, by the name the driver has for it."""
    try:
        yield
    except ValueError as error:
        too_large = cooperative and "exceeds the limit" in str(error)
        name = "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE" if too_large else "CUDA_ERROR_INVALID_VALUE"
        raise DeviceError(str(error), name=name) from None


@contextlib.contextmanager
def _driver_errors() -> Iterator[None]:
    """cuda.core's errors as ours, with the driver's name for them."""
    try:
        yield
    except CUDAError as error:
        name = re.search(r"CUDA_ERROR_\w+", str(error))
        # The first sentence; what follows is the driver's advice for programs in general.
        raise DeviceError(str(error).partition(". ")[0], name=name[0] if name else "") from None


def _checked(result: tuple[Any, ...]) -> Any:
    status, *values = result
    if status != driver.CUresult.CUDA_SUCCESS:
        raise DeviceError(status.name, name=status.name)
    return values[0] if values else None
