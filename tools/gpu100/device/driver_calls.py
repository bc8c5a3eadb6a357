"""The driver's interface, call by call: see :mod:`gpu100.device.calls`."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt
from cuda.bindings import driver

from gpu100.device.calls import Values
from gpu100.device.interface import Extent
from gpu100.errors import DeviceError


class DriverCalls:
    """The primary context of one GPU, as the runtime would use it too."""

    def __init__(self, index: int = 0) -> None:
        """Make GPU ``index`` current.

        Raises:
            DeviceError: one of the calls that do so failed.
        """
        _required(driver.cuInit(0))
        device = _required(driver.cuDeviceGet(index))
        _required(driver.cuCtxSetCurrent(_required(driver.cuDevicePrimaryCtxRetain(device))))
        self._last: Any = None

    def load(self, cubin: bytes) -> Any:
        return _required(driver.cuModuleLoadData(cubin))

    def get(self, code: Any, name: str) -> Any:
        return _required(driver.cuModuleGetFunction(code, name.encode()))

    def place(self, host: npt.NDArray[Any]) -> int:
        data = np.ascontiguousarray(host)
        address = _required(driver.cuMemAlloc(max(data.nbytes, 1)))
        if data.nbytes:
            _required(driver.cuMemcpyHtoD(address, data.ctypes.data, data.nbytes))
        return int(address)

    def launch(
        self, kernel: Any, grid: Extent, block: Extent, values: Values, shared_bytes: int, cooperative: bool
    ) -> str:
        pointers = ctypes.addressof(values.pointers)
        if cooperative:
            return _name(driver.cuLaunchCooperativeKernel(kernel, *grid, *block, shared_bytes, 0, pointers))
        return _name(driver.cuLaunchKernel(kernel, *grid, *block, shared_bytes, 0, pointers, 0))

    def synchronize(self) -> str:
        return _name(driver.cuCtxSynchronize())

    def allocate(self, nbytes: int) -> str:
        result = driver.cuMemAlloc(nbytes)
        self._last = result[1]
        return _name(result)

    def free(self) -> str:
        return _name(driver.cuMemFree(self._last))

    def find(self, code: Any, name: str) -> str:
        return _name(driver.cuModuleGetFunction(code, name.encode()))

    def elapsed(self) -> str:
        start, end = (_required(driver.cuEventCreate(0)) for _ in range(2))
        return _name(driver.cuEventElapsedTime(start, end))

    def device(self, number: int) -> str:
        return _name(driver.cuDeviceGet(number))

    def last_error(self) -> str:
        raise NotImplementedError("the driver keeps no last error: every call returns its own")


def _required(result: tuple[Any, ...]) -> Any:
    status, *values = result
    if status != driver.CUresult.CUDA_SUCCESS:
        raise DeviceError(_name(result), name=_name(result))
    return values[0] if values else None


def _name(result: tuple[Any, ...]) -> str:
    """The driver's own name for what a call returned."""
    status, name = driver.cuGetErrorName(result[0])
    return name.decode() if status == driver.CUresult.CUDA_SUCCESS else str(int(result[0]))
