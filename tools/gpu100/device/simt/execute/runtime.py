"""The device's runtime library: printf, assert, malloc and free."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from gpu100.device.simt.faults import Fault
from gpu100.device.simt.memory.access import Access
from gpu100.device.simt.memory.device_memory import LOCAL_WINDOW, DeviceMemory
from gpu100.device.simt.memory.lanes import Lanes
from gpu100.device.simt.ptx.ir import Location

Array = npt.NDArray[Any]

HEAP_BYTES = 8 << 20
"""What device code may allocate in all: CUDA's default."""

_CONVERSION = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\*|\d*)(?:\.(?P<precision>\*|\d*))?(?P<size>hh|h|ll|l|z|j|t)?(?P<kind>.)"
)


class Runtime:
    """What a device's kernels print and allocate; one for all launches."""

    def __init__(self, memory: DeviceMemory) -> None:
        self.launches = 0
        self._memory = memory
        self._printed: list[str] = []
        self._heap: dict[int, int] = {}
        self._heap_used = 0

    def take_printed(self) -> str:
        """What was printed since the last call: a GPU's lines too appear when the host waits."""
        text = "".join(self._printed)
        self._printed.clear()
        return text

    def printf(self, access: Access, lanes: npt.NDArray[np.int64], text: Array, arguments: Array) -> Array:
        """Print for each of ``lanes``; ``arguments`` are generic addresses in their local memory."""
        texts = np.broadcast_to(text, lanes.shape)
        places = np.broadcast_to(arguments, lanes.shape)
        formats = {int(address): self._text(int(address)) for address in np.unique(texts)}
        counts = np.empty(lanes.shape, np.uint32)
        for number, (lane, address, place) in enumerate(zip(lanes, texts, places, strict=True)):
            printed, counts[number] = self._formatted(access, int(lane), formats[int(address)], int(place))
            self._printed.append(printed)
        return counts

    def assertion(self, lanes: Lanes, lane: int, message: Array, line: Array, where: Location | None) -> None:
        """A device-side ``assert`` that did not hold.

        Raises:
            Fault: always.
        """
        place = lanes.place(lane, where)
        raise Fault.at(place, "assert", f"the assertion `{self._text(int(message[0]))}` does not hold")

    def malloc(self, nbytes: Array) -> Array:
        """An address for each size; 0 where the heap is used up."""
        addresses = np.zeros(nbytes.shape, np.uint64)
        for number, size in enumerate(map(int, nbytes)):
            if self._heap_used + size <= HEAP_BYTES:
                allocation = self._memory.allocate(size, label="memory of device malloc")
                self._heap[allocation.address] = size
                self._heap_used += size
                addresses[number] = allocation.address
        return addresses

    def free(self, addresses: Array) -> None:
        """Give back what :meth:`malloc` gave; of null, nothing.

        Raises:
            Fault: it gave no such address.
        """
        for address in map(int, addresses):
            size = self._heap.pop(address, None)
            if size is not None:
                self._heap_used -= size
                self._memory.free(address)
            elif address:
                raise Fault("use-after-free", f"free of {address:#x}, which malloc did not give or has taken back")

    def _text(self, address: int) -> str:
        data = bytearray()
        while (byte := self._memory.read(address + len(data), 1)[0]) != 0:
            data.append(byte)
        return data.decode(errors="replace")

    def _formatted(self, access: Access, lane: int, text: str, place: int) -> tuple[str, int]:
        offset, count = 0, 0

        def argument(code: str) -> Any:
            nonlocal offset, count
            size = np.dtype(code).itemsize
            offset = -(-offset // size) * size
            data = access.private(lane, place - LOCAL_WINDOW + offset, size)
            offset += size
            count += 1
            return np.frombuffer(data, code)[0].item()

        def one(match: re.Match[str]) -> str:
            kind, size = match["kind"], match["size"] or ""
            if kind == "%":
                return "%"
            width = str(argument("i4")) if match["width"] == "*" else match["width"]
            precision = match["precision"]
            if precision == "*":
                precision = str(argument("i4"))
            spec = f"%{match['flags']}{width}" + (f".{precision}" if precision is not None else "")
            return self._conversion(spec, kind, size, argument)

        return _CONVERSION.sub(one, text), count

    def _conversion(self, spec: str, kind: str, size: str, argument: Any) -> str:
        if kind == "s":
            return str((spec + "s") % self._text(argument("u8")))
        if kind == "p":
            address = argument("u8")
            return f"{address:#x}" if address else "(nil)"
        if kind == "c":
            return str((spec + "c") % (argument("i4") & 0xFF))
        if kind in "diuxXo":
            bits = 8 if size in ("l", "ll", "z", "j", "t") else 4
            value = int(argument(f"{'i' if kind in 'di' else 'u'}{bits}"))
            if value == 0:  # C writes no prefix of a zero
                spec = spec.replace("#", "")
            return str((spec + ("d" if kind == "u" else kind)) % value)
        if kind in "eEfFgGaA":
            number = float(argument("f8"))
            return float.hex(number) if kind in "aA" else str((spec + kind) % number)
        return spec + kind
