"""Loads and stores of the threads' own local memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gpu100.device.simt.memory import atomics, counting, diagnose
from gpu100.device.simt.memory.active import Active
from gpu100.device.simt.memory.counting import Tally
from gpu100.device.simt.memory.device_memory import POISON
from gpu100.device.simt.memory.diagnose import Site
from gpu100.device.simt.memory.lanes import Index, Lanes, Words

ROW = 8
"""Bytes of one lane that lie together; the same bytes of all lanes follow each other."""


class LocalSpace:
    """One chunk's local memory. Reading what nobody wrote is no fault here: compilers copy whole structs."""

    def __init__(self, sites: Sequence[Site], tallies: list[Tally], nbytes: int) -> None:
        self._sites = sites
        self._tallies = tallies
        self._nbytes = nbytes
        self._lanes: Lanes
        self._data = np.zeros(0, np.uint8)
        self._views: dict[np.dtype[Any], npt.NDArray[Any]] = {}

    def begin(self, lanes: Lanes) -> None:
        """Memory for another chunk."""
        self._lanes = lanes
        size = -(-self._nbytes // ROW) * ROW * lanes.count
        if len(self._data) != size:
            self._data = np.empty(size, np.uint8)
            self._views = {}
        self._data.fill(POISON)

    def load(self, site: int, active: Active, address: Words, dtype: np.dtype[Any], count: int) -> tuple[Words, ...]:
        """``count`` elements from each lane's offset."""
        self._check(site, active, address, dtype.itemsize * count)
        view = self._view(dtype)
        return tuple(self._read(view, self._where(active, address, dtype.itemsize, j)) for j in range(count))

    def store(self, site: int, active: Active, address: Words, values: tuple[Words, ...]) -> None:
        """Each value to consecutive elements."""
        size = values[0].dtype.itemsize
        self._check(site, active, address, size * len(values))
        view = self._view(values[0].dtype)
        for j, value in enumerate(values):
            view[self._where(active, address, size, j)] = value

    def atomic(
        self, site: int, active: Active, op: str, address: Words, values: tuple[Words, ...], want: bool
    ) -> Words | None:
        """Read, compute and write: each lane on memory of its own."""
        size = values[0].dtype.itemsize
        self._check(site, active, address, size)
        self._tallies[site].contended(active.warps, 1)
        where = self._where(active, address, size, 0)
        index = np.arange(where.start, where.stop, where.step) if isinstance(where, slice) else where
        return atomics.apply(self._view(values[0].dtype), index, active.count, op, values, want)

    def private(self, lane: int, offset: int, nbytes: int) -> bytes:
        """Bytes of one lane's local memory, as the model itself reads them."""
        rows = self._data.reshape(-1, self._lanes.count, ROW)[:, lane].reshape(-1)
        return rows[offset : offset + nbytes].tobytes()

    def _view(self, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        found = self._views.get(dtype)
        if found is None:
            found = self._views[dtype] = self._data.view(dtype)
        return found

    @staticmethod
    def _read(view: npt.NDArray[Any], where: slice | Index) -> Words:
        return view[where].copy() if isinstance(where, slice) else view.take(where)

    def _where(self, active: Active, address: Words, size: int, j: int) -> slice | Index:
        """The elements ``j`` after the lanes' offsets: row by row, in each all lanes."""
        per_row, total = ROW // size, self._lanes.count
        if address.size > 1:
            element: Index = (address >> (size.bit_length() - 1)).astype(np.int64) + j
            if per_row == 1:
                return element * total + active.lane_base(1)
            rows = element >> (per_row.bit_length() - 1)
            return rows * (total * per_row) + (element & (per_row - 1)) + active.lane_base(per_row)
        row, column = divmod(int(address.item(0)) // size + j, per_row)
        start = row * total * per_row + column
        if active.index is None:
            return slice(start, start + total * per_row, per_row)
        return active.lane_base(per_row) + start

    def _check(self, site: int, active: Active, address: Words, nbytes: int) -> None:
        tally = self._tallies[site]
        tally.request(active)
        low, high = (address.item(0),) * 2 if address.size == 1 else (int(address.min()), int(address.max()))
        bits = low if address.size == 1 else int(np.bitwise_or.reduce(address))
        if low < 0 or high + nbytes > self._nbytes or bits & (nbytes - 1):
            what = "the thread's own local memory"
            diagnose.first_window(what, self._nbytes, self._sites[site], self._lanes, active, address)
        tally.sectors += counting.local_sectors(active, address, nbytes)
