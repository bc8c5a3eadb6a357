"""One access to shared memory: which granules of it which threads touch."""

from __future__ import annotations

import numpy as np

from gpu100.device.simt.memory.active import Active
from gpu100.device.simt.memory.lanes import Index
from gpu100.device.simt.memory.patterns import Pattern


class Touch:
    """Threads and granules of one access, worked out when somebody asks.

    Where all blocks of the chunk do the same, ``alike`` is true and ``active`` are the lanes of one
    block that stands for all; else they are the chunk's.
    """

    __slots__ = (
        "_own",
        "active",
        "alike",
        "all",
        "each",
        "first",
        "granules",
        "pattern",
        "regular",
        "shift",
        "single",
        "site",
        "wavefronts",
        "where",
        "written",
    )

    def __init__(
        self,
        site: int,
        every: Active,
        pattern: Pattern,
        first: int,
        nbytes: int,
        granules: int,
        shift: int,
        *,
        load: bool,
        regular: bool,
    ) -> None:
        self.site = site
        self.all = every
        """The chunk's lanes that take part."""
        self.active = pattern.active
        self.alike = self.active is not every or every.lanes.blocks == 1
        self.pattern = pattern
        self.first = first
        self.granules = granules
        """How many of them a block's shared memory has."""
        self.shift = shift
        """The granule's size as a power of two."""
        self.single = pattern.single
        self.each = nbytes >> shift
        """Granules per lane."""
        self.regular = regular
        """Whether the pattern is likely to come again, so that it pays to look for what is special about it."""
        blocks = 1 if self.active is every else every.lanes.blocks
        self.wavefronts = pattern.wavefronts(first, nbytes, load=load) * blocks
        self.where: dict[tuple[int, int], slice | Index] = {}
        self.written = False
        """Whether all of it is known to have been written; that does not change."""
        self._own: Index | None = None

    def select(self, size: int, j: int) -> slice | Index:
        """The elements of ``size`` bytes, ``j`` after the first, in the block's memory."""
        found = self.where.get((size, j))
        if found is None:
            shift = size.bit_length() - 1
            found = self.pattern.select(self.first + j * size, shift, slices=self.regular)
            self.where[size, j] = found
        return found

    def offsets(self) -> Index:
        """Offsets in bytes, for the lanes of ``active``."""
        return np.broadcast_to(self.pattern.delta + self.first, (self.active.count,))

    def own(self) -> Index:
        """Granules in the block's shared memory: ``each`` per lane of ``active``."""
        if self._own is None:
            start = self.first >> self.shift
            steps = np.full(self.active.count, start) if self.single else self.pattern.steps(self.shift) + start
            self._own = steps if self.each == 1 else (steps[:, None] + np.arange(self.each)).reshape(-1)
        return self._own

    def spread(self) -> Index:
        """Granules of all blocks' shared memories, one after the other: ``each`` per lane of ``all``."""
        own = self.own()
        if self.active is self.all:
            base = self.all.block_base(self.granules)
            return own + (base if self.each == 1 else base.repeat(self.each))
        blocks = np.arange(self.all.lanes.blocks) * self.granules
        return (own + blocks[:, None]).reshape(-1)

    def threads(self, *, alike: bool) -> Index:
        """The threads of :meth:`own` or :meth:`spread`, by their linear numbers in the block."""
        return self._repeated((self.active if alike else self.all).thread)

    def warps(self, *, alike: bool) -> Index:
        """Their warps, by number in the block or in the chunk."""
        return self._repeated((self.active if alike else self.all).warp)

    def blocks(self) -> Index:
        """The blocks of :meth:`spread`."""
        return self._repeated(self.all.block)

    def _repeated(self, values: Index) -> Index:
        return values if self.each == 1 else values.repeat(self.each)
