"""Loads, stores and atomics of shared memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gpu100.device.simt.memory import atomics, diagnose
from gpu100.device.simt.memory.active import Active, Flags
from gpu100.device.simt.memory.counting import Tally
from gpu100.device.simt.memory.diagnose import Site
from gpu100.device.simt.memory.lanes import Index, Lanes, Words
from gpu100.device.simt.memory.patterns import SMALL, Pattern, Patterns
from gpu100.device.simt.memory.races import Races
from gpu100.device.simt.memory.touch import Touch
from gpu100.device.simt.memory.written import Written

WHAT = "the block's shared memory"
TOUCHES = 2048
"""How many accesses are kept at hand, as what loops do again and again."""


class SharedSpace:
    """One chunk's shared memories, one behind the other.

    Where all blocks access the same offsets, what depends on offsets alone is worked out for one.
    """

    def __init__(self, sites: Sequence[Site], tallies: list[Tally], nbytes: int, granule: int) -> None:
        self._sites = sites
        self._ordered = [site.ordered for site in sites]
        self._tallies = tallies
        self._nbytes = nbytes
        self._shift = granule.bit_length() - 1
        self._stride = max(-(-nbytes // 16), 1) * 16
        self._granules = self._stride // granule
        self._data = np.zeros(0, np.uint8)
        self._views: dict[np.dtype[Any], npt.NDArray[Any]] = {}
        self.patterns = Patterns()
        self._touches: dict[tuple[int, int, Pattern], Touch] = {}
        self._lanes: Lanes
        self._races: Races
        self._written: Written

    def begin(self, lanes: Lanes) -> None:
        """Memory for another chunk, which nobody has written."""
        self._lanes = lanes
        size = self._stride * lanes.blocks if self._nbytes else 16
        if len(self._data) != size:
            self._data = np.empty(size, np.uint8)
            self._views = {}
        self._touches.clear()
        self._races = Races(self._sites, lanes, self._granules if self._nbytes else 1)
        self._written = Written(lanes.blocks, self._granules if self._nbytes else 1)

    def barrier(self, blocks: Index | None) -> None:
        """All threads of these blocks (None: of all) have passed a barrier."""
        self._races.barrier(blocks)
        self._written.settle()

    def warp_sync(self, active: Active) -> None:
        """``__syncwarp`` among these lanes."""
        self._races.warp_sync(active)

    def fence(self, active: Active) -> None:
        """A memory fence by these lanes."""
        self._races.fence(active)

    def load(self, site: int, active: Active, address: Words, dtype: np.dtype[Any], count: int) -> tuple[Words, ...]:
        """``count`` elements from each lane's offset."""
        touch = self._touch(site, active, address, dtype.itemsize * count)
        if not touch.written:
            self._require(touch)
        if not self._ordered[site]:
            self._races.read(touch)
        return tuple(self._get(touch, dtype, j) for j in range(count))

    def store(self, site: int, active: Active, address: Words, values: tuple[Words, ...]) -> None:
        """Each value to consecutive elements; where lanes share an address, the last one's stays."""
        touch = self._touch(site, active, address, values[0].dtype.itemsize * len(values))
        ordered = self._ordered[site]
        fresh = ordered or self._written.nothing(touch)
        differs = None if fresh else self._differs(touch, values)
        for j, value in enumerate(values):
            self._put(touch, value, j)
        unique = touch.regular and touch.pattern.unique
        if not ordered:
            self._races.write(touch, self._changed(touch, differs), unique=unique)
            if not unique:
                self._same(touch, values)
        self._written.add(touch)

    def atomic(
        self, site: int, active: Active, op: str, address: Words, values: tuple[Words, ...], want: bool
    ) -> Words | None:
        """Read, compute and write, one lane after the other; what each lane read, if wanted."""
        dtype = values[0].dtype
        touch = self._touch(site, active, address, dtype.itemsize)
        if op != "exch" or want:
            self._require(touch)
        self._races.atomic(touch)
        total, worst = touch.pattern.multiplicity
        self._tallies[site].contended(total if touch.active is active else total * self._lanes.blocks, worst)
        old = atomics.apply(self._view(dtype), self._flat(touch, dtype.itemsize, 0), active.count, op, values, want)
        self._written.add(touch)
        return old

    def _touch(self, site: int, active: Active, address: Words, nbytes: int) -> Touch:
        """Check and count an access."""
        some, own = active, address
        if self._lanes.blocks > 1 and active.per_block:
            rows = address.reshape(self._lanes.blocks, -1) if address.size > 1 else None
            if rows is None or bool((rows == rows[0]).all()):
                some, own = active.representative, address if rows is None else rows[0]
        first, pattern, regular = self.patterns.of(site, some, own)
        touch = self._touches.get((site, first, pattern))
        if touch is None:
            low, high = first + pattern.low, first + pattern.high
            if low < 0 or high + nbytes > self._nbytes or (first | pattern.bits) & (nbytes - 1):
                diagnose.first_window(WHAT, self._nbytes, self._sites[site], self._lanes, active, address)
            load = self._sites[site].kind == "load"
            touch = Touch(site, active, pattern, first, nbytes, self._granules, self._shift, load=load, regular=regular)
            if regular and len(own) <= SMALL:
                if len(self._touches) >= TOUCHES:
                    self._touches.clear()
                self._touches[site, first, pattern] = touch
        tally = self._tallies[site]
        tally.request(active)
        tally.wavefronts += touch.wavefronts
        return touch

    def _require(self, touch: Touch) -> None:
        """Raise for the first lane that reads what nobody wrote."""
        at = self._written.missing(touch)
        if at is not None:
            lane = int(touch.all.numbers[at])
            site = self._sites[touch.site]
            offset = int(touch.offsets()[at % touch.active.count])
            diagnose.uninitialized(site, self._lanes.place(lane, site.instruction.location), WHAT, offset)

    def _view(self, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        found = self._views.get(dtype)
        if found is None:
            found = self._views[dtype] = self._data.view(dtype)
        return found

    def _flat(self, touch: Touch, size: int, j: int) -> Index:
        """The elements ``j`` after the lanes' offsets, in the view of all blocks' memories."""
        shift, per_block = size.bit_length() - 1, self._stride // size
        start = (touch.first >> shift) + j
        steps = touch.pattern.steps(shift)
        if touch.active is touch.all:
            return steps + start + touch.all.block_base(per_block)
        if touch.single:
            return touch.all.block_base(per_block) + start
        return touch.pattern.spread(shift, self._lanes.blocks, per_block) + start

    def _get(self, touch: Touch, dtype: np.dtype[Any], j: int) -> Words:
        size, view = dtype.itemsize, self._view(dtype)
        blocks = self._lanes.blocks
        if touch.active is touch.all and blocks > 1:
            return view.take(self._flat(touch, size, j))
        where = touch.select(size, j)
        if blocks == 1 and not touch.single:
            return view[where].copy() if isinstance(where, slice) else view.take(where)
        by_block = view.reshape(blocks, -1)
        if touch.single:
            return by_block[:, where].repeat(touch.active.count)
        if isinstance(where, slice):
            return by_block[:, where].copy().reshape(-1)
        return by_block.take(where, axis=1).reshape(-1)

    def _put(self, touch: Touch, value: Words, j: int) -> None:
        size, view = value.dtype.itemsize, self._view(value.dtype)
        blocks = self._lanes.blocks
        if touch.active is touch.all and blocks > 1:
            view[self._flat(touch, size, j)] = value
            return
        by_block = view.reshape(blocks, -1)
        where = touch.select(size, j)
        own = value.reshape(blocks, -1) if value.size > 1 else value
        if touch.single:
            by_block[:, where] = own[:, -1:] if value.size > 1 else value
        elif isinstance(where, slice):
            by_block[:, where] = own
        else:
            view[self._flat(touch, size, j) if blocks > 1 else where] = value

    def _differs(self, touch: Touch, values: tuple[Words, ...]) -> Flags:
        """Which granules would change or have changed: a row for each lane of the chunk."""
        unit = np.dtype(f"u{1 << touch.shift}")
        columns = []
        for j, value in enumerate(values):
            bits = np.dtype(f"u{value.dtype.itemsize}")
            held, own = self._get(touch, bits, j), value.view(bits)
            if unit != bits:
                held, own = held.view(unit), np.ascontiguousarray(own).view(unit)
            columns.append(held.reshape(touch.all.count, -1) != own.reshape(value.size, -1))
        return columns[0] if len(columns) == 1 else np.concatenate(columns, axis=1)

    def _changed(self, touch: Touch, differs: Flags | None) -> Flags | None:
        """Which granules change, by lane and granule; None where all do."""
        if differs is None or bool(differs.all()):
            return None
        return differs.reshape(-1) | ~self._written.of(touch)

    def _same(self, touch: Touch, values: tuple[Words, ...]) -> None:
        """Raise where lanes of one store left different values at one address."""
        lost = self._differs(touch, values).any(axis=1)
        if lost.any():
            at = int(lost.argmax())
            offsets = touch.offsets()
            if touch.active is not touch.all:
                offsets = np.tile(offsets, self._lanes.blocks)
            same = (offsets == offsets[at]) & (touch.all.block == touch.all.block[at]) & ~lost
            self._races.clash(touch, at, int(np.flatnonzero(same)[-1]))
