"""Device memory of the model: one arena, its allocations, and which bytes have been written."""

from __future__ import annotations

import bisect
import contextlib
import mmap
import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from gpu100.errors import DeviceError
from gpu100.units import byte_size

NULL_PAGE = 1 << 16
"""No address below it is ever valid, so that a null pointer plus an index is caught."""
FIRST = 2 << 20
"""Where allocations begin: far enough above, so that indexes before an array's start are told from null."""
ALIGNMENT = 256
RED_ZONE = 256
"""Bytes behind each allocation that belong to nobody."""
WINDOW = 1 << 48
SHARED_WINDOW = 1 * WINDOW
"""A generic address of shared memory is this plus the offset in the block's shared memory."""
LOCAL_WINDOW = 2 * WINDOW
"""A generic address of local memory is this plus the offset in the thread's own."""
POISON = 0xFF

_NORESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000 if sys.platform == "linux" else 0)

Bytes = npt.NDArray[np.uint8]


@dataclass(eq=False, slots=True)
class Allocation:
    """A stretch of device memory that somebody asked for."""

    address: int
    nbytes: int
    label: str
    read_only: bool = False
    live: bool = True
    ready: int = 0
    """Everything before this address is initialised; beyond it :attr:`DeviceMemory.written` tells."""
    sparse: bool = False
    """Whether :attr:`DeviceMemory.written` has marks of it beyond ``ready``."""
    end: int = field(init=False)

    def __post_init__(self) -> None:
        self.end = self.address + self.nbytes

    @property
    def name(self) -> str:
        """As messages call it."""
        return f'"{self.label}"' if self.label else f"an allocation of {self.nbytes} bytes"


class DeviceMemory:
    """Memory of ``capacity`` bytes, of which only what is touched costs memory of the machine.

    An address is an index into :attr:`arena`; ``view(dtype)[address // size]`` is an element.
    Addresses are not given out again while there are fresh ones, so that a use after free is seen.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._used = 0
        self._top = FIRST
        self._live: list[Allocation] = []
        self._starts: list[int] = []
        self._freed: list[Allocation] = []
        self._pages, self.arena = _reserve(capacity)
        self._shadow_pages, self.written = _reserve(capacity, len(self.arena))
        self._views: dict[np.dtype[Any], npt.NDArray[Any]] = {}
        self._marks: dict[int, npt.NDArray[Any]] = {}

    @property
    def free_bytes(self) -> int:
        """How much of the capacity nobody has."""
        return self.capacity - self._used

    @property
    def allocations(self) -> tuple[Allocation, ...]:
        """What is allocated now, by address."""
        return tuple(self._live)

    def view(self, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        """The arena as elements of ``dtype``."""
        found = self._views.get(dtype)
        if found is None:
            found = self._views[dtype] = self.arena.view(dtype)
        return found

    def marks(self, size: int) -> npt.NDArray[Any]:
        """:attr:`written` by elements of ``size`` bytes; all bytes written is ``WRITTEN[size]``."""
        found = self._marks.get(size)
        if found is None:
            found = self._marks[size] = self.written.view(f"u{size}")
        return found

    def allocate(self, nbytes: int, label: str = "", *, read_only: bool = False) -> Allocation:
        """Memory that nobody has initialised, aligned to 256 bytes.

        Raises:
            DeviceError: CUDA_ERROR_OUT_OF_MEMORY.
        """
        size = _rounded(nbytes)
        if self._used + size > self.capacity or (address := self._place(size + RED_ZONE)) is None:
            raise self._exhausted(nbytes, label)
        allocation = Allocation(address, nbytes, label, read_only, ready=address)
        self._used += size
        at = bisect.bisect(self._starts, address)
        self._live.insert(at, allocation)
        self._starts.insert(at, address)
        return allocation

    def free(self, address: int) -> None:
        """Give back the allocation that starts at ``address``; its pages go back to the machine.

        Raises:
            DeviceError: CUDA_ERROR_INVALID_VALUE, where none starts there.
        """
        at = bisect.bisect_left(self._starts, address)
        if at == len(self._starts) or self._starts[at] != address:
            raise DeviceError(f"nothing is allocated at address {address:#x}", name="CUDA_ERROR_INVALID_VALUE")
        allocation = self._live.pop(at)
        del self._starts[at]
        allocation.live = False
        self._used -= _rounded(allocation.nbytes)
        bisect.insort(self._freed, allocation, key=lambda freed: freed.address)
        _release(self._pages, self.arena, allocation.address, allocation.end)
        _release(self._shadow_pages, self.written, allocation.address, allocation.end)

    def find(self, address: int) -> Allocation | None:
        """The live allocation with the last start at or before ``address``, whether it reaches that far or not."""
        at = bisect.bisect(self._starts, address) - 1
        return self._live[at] if at >= 0 else None

    def owners(self, address: npt.NDArray[Any], nbytes: int) -> npt.NDArray[np.int64]:
        """Which of :attr:`allocations` has all ``nbytes`` bytes at each address; -1 where none has."""
        if not self._live:
            return np.full(address.shape, -1)
        number = np.searchsorted(np.array(self._starts, np.uint64), address.astype(np.uint64), side="right") - 1
        ends = np.array([allocation.end for allocation in self._live], np.uint64)
        inside = (number >= 0) & (address < ends[number])
        return np.where(inside & (ends[number] - address >= nbytes), number, -1)

    def following(self, address: int) -> Allocation | None:
        """The live allocation with the first start after ``address``."""
        at = bisect.bisect(self._starts, address)
        return self._live[at] if at < len(self._live) else None

    def freed_at(self, address: int) -> Allocation | None:
        """The freed allocation that ``address`` was part of, if its space has not been used again."""
        at = bisect.bisect(self._freed, address, key=lambda freed: freed.address) - 1
        return self._freed[at] if at >= 0 and address < self._freed[at].end else None

    def write(self, address: int, data: npt.ArrayLike | bytes) -> None:
        """Copy from the host; what is written is initialised."""
        raw = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else np.ascontiguousarray(data).reshape(-1)
        raw = raw.view(np.uint8)
        allocation = self._host_range(address, len(raw))
        self.arena[address : address + len(raw)] = raw
        self.mark(allocation, address, address + len(raw))

    def read(self, address: int, nbytes: int) -> Bytes:
        """Copy to the host, initialised or not."""
        self._host_range(address, nbytes)
        return self.arena[address : address + nbytes].copy()

    def fill(self, address: int, nbytes: int, value: int = POISON, *, initialized: bool = False) -> None:
        """Set bytes; unless ``initialized``, reading them is still reading what nobody wrote."""
        allocation = self._host_range(address, nbytes)
        self.arena[address : address + nbytes] = value
        if initialized:
            self.mark(allocation, address, address + nbytes)

    def mark(self, allocation: Allocation, begin: int, end: int) -> None:
        """Bytes ``begin`` to ``end`` of an allocation have been written."""
        if begin <= allocation.ready:
            allocation.ready = max(allocation.ready, end)
        elif end > begin:
            self.written[begin:end] = 1
            allocation.sparse = True

    def settle(self) -> None:
        """Note which allocations have become initialised throughout, so that nobody looks again."""
        for allocation in self._live:
            if allocation.sparse and self.written[allocation.ready : allocation.end].all():
                allocation.ready, allocation.sparse = allocation.end, False
                _release(self._shadow_pages, self.written, allocation.address, allocation.end)

    def _host_range(self, address: int, nbytes: int) -> Allocation:
        allocation = self.find(address)
        if allocation is None or address + nbytes > allocation.end:
            raise DeviceError(f"no allocation has all {nbytes} bytes at {address:#x}", name="CUDA_ERROR_INVALID_VALUE")
        return allocation

    def _place(self, size: int) -> int | None:
        """Where ``size`` bytes fit: on fresh addresses, else on freed ones."""
        if self._top + size <= len(self.arena):
            address, self._top = self._top, self._top + size
            return address
        begin = FIRST
        for allocation in (*self._live, None):
            end = allocation.address if allocation else self._top
            if end - begin >= size:
                self._recycle(begin, begin + size)
                return begin
            if allocation:
                begin = allocation.address + _rounded(allocation.nbytes) + RED_ZONE
        return None

    def _recycle(self, begin: int, end: int) -> None:
        """Forget what was freed here: new contents are as good as random."""
        self._freed = [old for old in self._freed if old.end <= begin or old.address >= end]
        self.arena[begin:end] = POISON
        self.written[begin:end] = 0

    def _exhausted(self, nbytes: int, label: str) -> DeviceError:
        what = f' for "{label}"' if label else ""
        return DeviceError(
            f"{byte_size(nbytes)}{what} asked for; the model has {byte_size(self.capacity)}, "
            f"of which {byte_size(self.free_bytes)} are free",
            name="CUDA_ERROR_OUT_OF_MEMORY",
            hint="run a smaller size: this is a model of a device, in this machine's own memory",
        )


WRITTEN = {size: int.from_bytes(b"\x01" * size, "little") for size in (1, 2, 4, 8)}
"""An element of :meth:`DeviceMemory.marks` all of whose bytes have been written."""


def _rounded(nbytes: int) -> int:
    return max(-(-nbytes // ALIGNMENT), 1) * ALIGNMENT


def _reserve(capacity: int, size: int = 0) -> tuple[mmap.mmap | None, Bytes]:
    """Addresses for twice the capacity, or for as much of that as the machine grants; all zeros."""
    slack = FIRST + (64 << 20)
    for wanted in (size,) if size else (2 * capacity + slack, capacity + slack):
        whole = -(-wanted // mmap.PAGESIZE) * mmap.PAGESIZE
        if hasattr(mmap, "MAP_ANONYMOUS"):
            with contextlib.suppress(OSError, ValueError, OverflowError):
                pages = mmap.mmap(-1, whole, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE)
                return pages, np.frombuffer(pages, np.uint8)
        with contextlib.suppress(MemoryError, ValueError):
            return None, np.zeros(whole, np.uint8)
    raise DeviceError(f"this machine cannot reserve {byte_size(capacity)}", name="CUDA_ERROR_OUT_OF_MEMORY")


def _release(pages: mmap.mmap | None, data: Bytes, begin: int, end: int) -> None:
    """Give whole pages between back to the machine; they read as zeros from then on."""
    first = -(-begin // mmap.PAGESIZE) * mmap.PAGESIZE
    last = end // mmap.PAGESIZE * mmap.PAGESIZE
    if last <= first or pages is None or not hasattr(mmap, "MADV_DONTNEED"):
        return
    pages.madvise(mmap.MADV_DONTNEED, first, last - first)
