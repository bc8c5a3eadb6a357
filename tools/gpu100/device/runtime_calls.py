"""The runtime's interface, call by call: see :mod:`gpu100.device.calls`.

Through ctypes and the shared library, since cuda-python's own runtime has no call that launches a
kernel; and all of it, since the last error is kept by each copy of the runtime for itself.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt
from cuda import pathfinder

from gpu100.device.calls import Values
from gpu100.device.interface import Extent
from gpu100.errors import DeviceError, Unsupported

_HOST_TO_DEVICE = 1


class _Dim3(ctypes.Structure):
    _fields_ = (("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint))


_Pointer, _Size = ctypes.c_void_p, ctypes.c_size_t
_LAUNCH = (_Pointer, _Dim3, _Dim3, _Pointer, _Size, _Pointer)
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "cudaSetDevice": (ctypes.c_int,),
    "cudaFree": (_Pointer,),
    "cudaMalloc": (_Pointer, _Size),
    "cudaMemcpy": (_Pointer, _Pointer, _Size, ctypes.c_int),
    "cudaDeviceSynchronize": (),
    "cudaGetLastError": (),
    "cudaLibraryLoadData": (_Pointer, ctypes.c_char_p, *(_Pointer, _Pointer, ctypes.c_uint) * 2),
    "cudaLibraryGetKernel": (_Pointer, _Pointer, ctypes.c_char_p),
    "cudaLaunchKernel": _LAUNCH,
    "cudaLaunchCooperativeKernel": _LAUNCH,
    "cudaEventCreate": (_Pointer,),
    "cudaEventElapsedTime": (_Pointer, _Pointer, _Pointer),
}


class RuntimeCalls:
    """One GPU, as a program that nvcc built has it."""

    def __init__(self, index: int = 0) -> None:
        """Make GPU ``index`` current.

        Raises:
            Unsupported: there is no runtime library, or one from before CUDA 12.8.
            DeviceError: the GPU cannot be used.
        """
        self._library = _library()
        self._last = ctypes.c_void_p()
        self._require(self._call("cudaSetDevice", index))
        self._require(self._call("cudaFree", None))  # the first call that makes a context
        self._call("cudaGetLastError")

    def load(self, cubin: bytes) -> Any:
        code = ctypes.c_void_p()
        nothing = (None, None, 0)
        self._require(self._call("cudaLibraryLoadData", ctypes.byref(code), cubin, *nothing, *nothing))
        return code

    def get(self, code: Any, name: str) -> Any:
        kernel = ctypes.c_void_p()
        self._require(self._call("cudaLibraryGetKernel", ctypes.byref(kernel), code, name.encode()))
        return kernel

    def place(self, host: npt.NDArray[Any]) -> int:
        data = np.ascontiguousarray(host)
        address = ctypes.c_void_p()
        self._require(self._call("cudaMalloc", ctypes.byref(address), max(data.nbytes, 1)))
        if data.nbytes:
            self._require(self._call("cudaMemcpy", address, data.ctypes.data, data.nbytes, _HOST_TO_DEVICE))
        return address.value or 0

    def launch(
        self, kernel: Any, grid: Extent, block: Extent, values: Values, shared_bytes: int, cooperative: bool
    ) -> str:
        call = "cudaLaunchCooperativeKernel" if cooperative else "cudaLaunchKernel"
        pointers = ctypes.addressof(values.pointers)
        return self._call(call, kernel, _Dim3(*grid), _Dim3(*block), pointers, shared_bytes, None)

    def synchronize(self) -> str:
        return self._call("cudaDeviceSynchronize")

    def allocate(self, nbytes: int) -> str:
        return self._call("cudaMalloc", ctypes.byref(self._last), nbytes)

    def free(self) -> str:
        return self._call("cudaFree", self._last)

    def find(self, code: Any, name: str) -> str:
        return self._call("cudaLibraryGetKernel", ctypes.byref(ctypes.c_void_p()), code, name.encode())

    def elapsed(self) -> str:
        start, end = ctypes.c_void_p(), ctypes.c_void_p()
        for event in (start, end):
            self._require(self._call("cudaEventCreate", ctypes.byref(event)))
        return self._call("cudaEventElapsedTime", ctypes.byref(ctypes.c_float()), start, end)

    def device(self, number: int) -> str:
        return self._call("cudaSetDevice", number)

    def last_error(self) -> str:
        return self._call("cudaGetLastError")

    def _call(self, function: str, *args: Any) -> str:
        """The runtime's own name for what ``function`` returned."""
        return str(self._library.cudaGetErrorName(getattr(self._library, function)(*args)).decode())

    def _require(self, name: str) -> None:
        if name != "cudaSuccess":
            raise DeviceError(name, name=name)


def _library() -> ctypes.CDLL:
    try:
        path = pathfinder.load_nvidia_dynamic_lib("cudart").abs_path
    except RuntimeError as error:
        hint = "it comes with the CUDA toolkit, and with the package nvidia-cuda-runtime"
        raise Unsupported(f"CUDA's runtime library is not here: {str(error).splitlines()[0]}", hint=hint) from None
    library = ctypes.CDLL(path)
    try:
        for name, types in _SIGNATURES.items():
            function = getattr(library, name)
            function.argtypes, function.restype = types, ctypes.c_int
    except AttributeError as missing:
        raise Unsupported(f"CUDA's runtime library is too old: {missing}", hint="CUDA 12.8 or newer has it") from None
    library.cudaGetErrorName.argtypes, library.cudaGetErrorName.restype = (ctypes.c_int,), ctypes.c_char_p
    return library
