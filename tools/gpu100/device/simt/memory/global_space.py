"""Loads, stores and atomics of global memory and constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpu100.device.simt.memory import atomics, counting, diagnose
from gpu100.device.simt.memory.active import Active
from gpu100.device.simt.memory.counting import Tally
from gpu100.device.simt.memory.device_memory import WRITTEN, Allocation, DeviceMemory
from gpu100.device.simt.memory.diagnose import Site
from gpu100.device.simt.memory.lanes import Index, Lanes, Words
from gpu100.device.simt.memory.patterns import Pattern, Patterns

Selection = slice | Index
"""Elements of a view of the arena."""
_NOTHING = Allocation(0, 0, "", live=False)


class GlobalSpace:
    """What one launch does to device memory."""

    def __init__(self, memory: DeviceMemory, sites: Sequence[Site], tallies: list[Tally]) -> None:
        self._memory = memory
        self._sites = sites
        self._tallies = tallies
        self._owners = [_NOTHING] * len(sites)
        self.patterns = Patterns()
        self._lanes: Lanes

    def begin(self, lanes: Lanes) -> None:
        """Go on with another chunk."""
        self._lanes = lanes

    def load(self, site: int, active: Active, address: Words, dtype: np.dtype[Any], count: int) -> tuple[Words, ...]:
        """``count`` elements from each lane's address."""
        where, _ = self._locate(site, active, address, dtype.itemsize, dtype.itemsize * count)
        view = self._memory.view(dtype)
        if not isinstance(where, slice):
            return tuple(view.take(where + j if j else where) for j in range(count))
        if address.size == 1:
            return tuple(np.full(active.count, view[where.start + j]) for j in range(count))
        return tuple(view[_shifted(where, j)].copy() for j in range(count))

    def store(self, site: int, active: Active, address: Words, values: tuple[Words, ...]) -> None:
        """Each value to consecutive elements; where lanes share an address, the last one's stays."""
        size = values[0].dtype.itemsize
        where, _ = self._locate(site, active, address, size, size * len(values))
        view = self._memory.view(values[0].dtype)
        for j, value in enumerate(values):
            view[_shifted(where, j)] = value[-1] if address.size == 1 else value

    def atomic(
        self, site: int, active: Active, op: str, address: Words, values: tuple[Words, ...], want: bool
    ) -> Words | None:
        """Read, compute and write, one lane after the other; what each lane read, if wanted."""
        size = values[0].dtype.itemsize
        where, pattern = self._locate(site, active, address, size, size, fresh=op == "exch" and not want)
        self._tallies[site].contended(*pattern.multiplicity)
        return atomics.apply(self._memory.view(values[0].dtype), _indexes(where), active.count, op, values, want)

    def _locate(
        self, site: int, active: Active, address: Words, size: int, nbytes: int, *, fresh: bool = False
    ) -> tuple[Selection, Pattern]:
        """Check, count, and say which elements are meant; ``fresh``: nobody asks what was there."""
        first, pattern, regular = self.patterns.of(site, active, address)
        low, end = first + pattern.low, first + pattern.high + nbytes
        if low < 0 or (first | pattern.bits) & (nbytes - 1):
            self._refuse(site, active, address)
        where = pattern.select(first, size.bit_length() - 1, slices=regular)
        owner = self._owners[site]
        if not (owner.address <= low and end <= owner.end and owner.live):
            owner = self._memory.find(low) or _NOTHING
            if end <= owner.end:
                self._owners[site] = owner
            else:
                owner = _NOTHING
        fresh = fresh or self._sites[site].kind == "store"
        if owner is _NOTHING:
            self._several(site, active, address, size, nbytes, fresh)
        elif owner.ready < end or owner.read_only:
            dense = regular and (address.size == 1 or pattern.stride == nbytes)
            self._examine(site, active, address, owner, (low, end) if dense else None, where, nbytes // size, fresh)
        self._count(site, active, address, first, pattern, regular)
        return where, pattern

    def _count(self, site: int, active: Active, address: Words, first: int, pattern: Pattern, regular: bool) -> None:
        tally = self._tallies[site]
        tally.request(active)
        if self._sites[site].space != "const":
            tally.sectors += pattern.sectors(first, slices=regular)
        elif address.size == 1:
            tally.wavefronts += active.warps
        else:
            tally.wavefronts += counting.distinct(active.rows(address >> 2))

    def _refuse(self, site: int, active: Active, address: Words) -> None:
        diagnose.first_global(self._memory, self._sites[site], self._lanes, active, address)

    def _several(self, site: int, active: Active, address: Words, size: int, nbytes: int, fresh: bool) -> None:
        """The lanes access more than one allocation, or what none has."""
        owners = self._memory.owners(address, nbytes)
        if (owners < 0).any():
            self._refuse(site, active, address)
        allocations = self._memory.allocations
        for number in np.unique(owners).tolist():
            selected = np.flatnonzero(owners == number)
            own = address[selected]
            where = (own >> (size.bit_length() - 1)).astype(np.int64)
            part = active.subset(selected)
            self._examine(site, part, own, allocations[number], None, where, nbytes // size, fresh)

    def _examine(
        self,
        site: int,
        active: Active,
        address: Words,
        owner: Allocation,
        dense: tuple[int, int] | None,
        where: Selection,
        count: int,
        fresh: bool,
    ) -> None:
        """Refuse writes of constants and reads of what nobody wrote; note what is written.

        ``dense``: the range of bytes, where the lanes access all of it.
        """
        if self._sites[site].kind != "load" and owner.read_only:
            self._refuse(site, active, address)
        if not fresh:
            if not self._written(site, owner, dense, where, count):
                self._unwritten(site, active, address, owner)
        elif dense:
            self._memory.mark(owner, *dense)
        else:
            size = self._sites[site].nbytes // count
            marks = self._memory.marks(size)
            for j in range(count):
                marks[_shifted(where, j)] = WRITTEN[size]
            owner.sparse = True

    def _written(
        self, site: int, owner: Allocation, dense: tuple[int, int] | None, where: Selection, count: int
    ) -> bool:
        if dense:
            return dense[1] <= owner.ready or bool(self._memory.written[max(dense[0], owner.ready) : dense[1]].all())
        size = self._sites[site].nbytes // count
        marks = self._memory.marks(size)
        index = _indexes(where)
        return all(
            bool(((marks.take(index + j) == WRITTEN[size]) | ((index + (j + 1)) * size <= owner.ready)).all())
            for j in range(count)
        )

    def _unwritten(self, site: int, active: Active, address: Words, owner: Allocation) -> None:
        """Raise for the first lane that reads what nobody wrote."""
        nbytes = self._sites[site].nbytes
        for at, one in zip(active.numbers.tolist(), np.broadcast_to(address, active.count).tolist(), strict=True):
            begin = max(one, min(owner.ready, one + nbytes))
            if not self._memory.written[begin : one + nbytes].all():
                place = self._lanes.place(at, self._sites[site].instruction.location)
                diagnose.uninitialized(self._sites[site], place, owner.name, one - owner.address)


def _shifted(where: Selection, by: int) -> Selection:
    if not by:
        return where
    if isinstance(where, slice):
        stop = None if where.stop is None else where.stop + by
        return slice(where.start + by, stop, where.step)
    return where + by


def _indexes(where: Selection) -> Index:
    return np.arange(where.start, where.stop, where.step) if isinstance(where, slice) else where
