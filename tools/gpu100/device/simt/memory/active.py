"""The lanes that take part in one access, and how they group into warps and blocks.

Everything here depends on which lanes they are alone, never on addresses: it is worked out once
and serves every access by the same lanes.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gpu100.device.simt.memory.lanes import WARP, Index, Lanes, Words

if TYPE_CHECKING:
    from gpu100.device.simt.memory.patterns import Pattern, Same

Flags = npt.NDArray[np.bool_]


class Active:
    """Lanes ``index`` of a chunk (None: all), in order.

    Nothing here may depend on the chunk's first block: chunks of one shape share these objects.
    """

    def __init__(self, lanes: Lanes, index: Index | None) -> None:
        self.lanes = lanes
        self.index = index
        self.count = lanes.count if index is None else len(index)
        self.patterns: dict[bytes, Pattern] = {}
        self.same: Same | None = None
        """What :mod:`gpu100.device.simt.memory.patterns` knows of accesses by these lanes."""
        self._pads: dict[int, Index] = {}
        self._bases: dict[tuple[str, int], Index] = {}

    def subset(self, selected: Index) -> Active:
        """Those of these lanes that are numbered ``selected``."""
        return Active(self.lanes, selected if self.index is None else self.index[selected])

    @cached_property
    def numbers(self) -> Index:
        """Lane indexes."""
        return np.arange(self.count) if self.index is None else self.index

    @cached_property
    def block(self) -> Index:
        return self._of(self.lanes.block)

    @cached_property
    def warp(self) -> Index:
        return self._of(self.lanes.warp)

    @cached_property
    def lane(self) -> Index:
        return self._of(self.lanes.lane)

    @cached_property
    def octet(self) -> Index:
        """Which group of eight neighbours in its warp each lane is of."""
        return self.lane >> 3

    @cached_property
    def thread(self) -> Index:
        """Linear thread numbers in their blocks."""
        return self.numbers - self.block * self.lanes.threads_per_block

    @cached_property
    def whole(self) -> bool:
        """Whether these are whole warps: rows of 32."""
        if self.index is None:
            return self.lanes.whole_warps
        if self.count % WARP:
            return False
        rows = self.lane.reshape(-1, WARP)
        warps = self.warp.reshape(-1, WARP)
        return bool((rows == np.arange(WARP)).all() and (warps[:, 0] == warps[:, -1]).all())

    @cached_property
    def populations(self) -> Index:
        """How many lanes of each warp take part, for the warps that do."""
        return np.diff(self._starts(WARP), append=self.count)

    @cached_property
    def warps(self) -> int:
        """How many warps have a lane here."""
        return self.count // WARP if self.whole else len(self.populations)

    @cached_property
    def ranks(self) -> Index:
        """Each lane's warp, numbered among those that take part."""
        return np.repeat(np.arange(self.warps), self.populations)

    @cached_property
    def octets(self) -> int:
        """How many groups of eight neighbouring lanes have a lane here."""
        return len(self._starts(8))

    def groups(self, width: int) -> int:
        """How many groups of ``width`` neighbouring lanes have a lane here."""
        return self.count // width if self.whole else len(self._starts(width))

    def rows(self, values: Words, width: int = WARP) -> Words:
        """One row of ``width`` per group of lanes that has any here; a missing lane repeats its group's first."""
        return values.reshape(-1, width) if self.whole else values.take(self._pad(width))

    @cached_property
    def per_block(self) -> int:
        """How many threads take part in each block of the chunk, if the same ones in all; else 0."""
        if self.index is None:
            return self.lanes.threads_per_block
        blocks = self.lanes.blocks
        if self.count == 0 or self.count % blocks:
            return 0
        threads = self.thread.reshape(blocks, -1)
        own = self.block.reshape(blocks, -1) == np.arange(blocks)[:, None]
        return self.count // blocks if bool(own.all() and (threads == threads[0]).all()) else 0

    @cached_property
    def representative(self) -> Active:
        """The lanes of one block, where all blocks have the same ones."""
        first = Lanes(0, 1, self.lanes.block_dim, self.lanes.grid_dim)
        return Active(first, None if self.index is None else self.thread[: self.per_block])

    def block_base(self, stride: int) -> Index:
        """``stride`` times each lane's block, as where the block's memory begins."""
        return self._scaled("block", self.block, stride)

    def lane_base(self, stride: int) -> Index:
        """``stride`` times each lane's index in the chunk."""
        return self._scaled("lane", self.numbers, stride)

    def _scaled(self, what: str, values: Index, stride: int) -> Index:
        found = self._bases.get((what, stride))
        if found is None:
            found = self._bases[what, stride] = values * stride
        return found

    def _of(self, values: Index) -> Index:
        return values if self.index is None else values.take(self.index)

    def _group(self, width: int) -> Index:
        return self.warp * (WARP // width) + self.lane // width

    def _starts(self, width: int) -> Index:
        """Where each group of ``width`` neighbouring lanes begins."""
        group = self._group(width)
        new = np.ones(self.count, np.bool_)
        np.not_equal(group[1:], group[:-1], out=new[1:])
        return np.flatnonzero(new)

    def _pad(self, width: int) -> Index:
        found = self._pads.get(width)
        if found is None:
            starts = self._starts(width)
            found = np.repeat(starts, width).reshape(-1, width)
            rank = np.repeat(np.arange(len(starts)), np.diff(starts, append=self.count))
            found[rank, self.lane % width] = np.arange(self.count)
            self._pads[width] = found
        return found


class ActiveCache:
    """The :class:`Active` of each set of lanes that a chunk's accesses have named so far."""

    LIMIT = 64

    def __init__(self, lanes: Lanes) -> None:
        self.lanes = lanes
        self.all = Active(lanes, None)
        self._by_index: dict[int, Active] = {}
        self._by_mask: dict[tuple[int, bytes], tuple[Active, Index]] = {}

    def of(self, index: Index | None) -> Active:
        """The active lanes ``index``. Such an array is known by identity: nobody may change it later."""
        if index is None:
            return self.all
        found = self._by_index.get(id(index))
        if found is None or found.index is not index:
            if len(self._by_index) >= self.LIMIT:
                self.forget()
            found = self._by_index[id(index)] = Active(self.lanes, index)
        return found

    def masked(self, active: Active, mask: Flags) -> tuple[Active, Index]:
        """Those of ``active`` for which ``mask`` holds, and their places among all of ``active``."""
        key = (id(active), mask.tobytes())
        found = self._by_mask.get(key)
        if found is None:
            selected = np.flatnonzero(mask)
            if len(self._by_mask) >= self.LIMIT:
                self._by_mask.clear()
            found = self._by_mask[key] = active.subset(selected), selected
        return found

    def forget(self) -> None:
        """Forget all but the whole chunk."""
        self._by_index.clear()
        self._by_mask.clear()
