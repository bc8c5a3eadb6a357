"""Races in shared memory: two threads, one granule, at least one write, and nothing that orders them.

Time goes on at each barrier, fence and ``__syncwarp``. Two accesses of one block are ordered by a
barrier between them, and by a ``__syncwarp`` between them where the threads are of one warp. A race
between ordinary accesses is a fault; atomics do not race with each other. A write of the value that
is there already counts as a look at it: it races only with a later write that changes something.

While all blocks of the chunk do the same, one of them stands for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from gpu100.device.simt.faults import Fault
from gpu100.device.simt.memory.active import Active, Flags
from gpu100.device.simt.memory.diagnose import Site
from gpu100.device.simt.memory.lanes import WARP, Index, Lanes
from gpu100.device.simt.memory.records import SITE_BITS, THREAD, THREAD_BITS, TIME_SHIFT, WARP_SHIFT, Kind, Partial, Who
from gpu100.device.simt.memory.touch import Touch

LOGGED = 128
LOGGED_APART = 32
"""Accesses of one kind that are noted as they come; more are entered into the granules' records.

The second is for where each block has its own, which takes more memory.
"""


class Races:
    """The accesses to shared memory since the last barrier, of all blocks of a chunk."""

    def __init__(self, sites: Sequence[Site], lanes: Lanes, granules: int) -> None:
        self._sites = sites
        self._lanes = lanes
        self._reads = Kind(granules, lanes.blocks)
        self._writes = Kind(granules, lanes.blocks)
        self._atomics = Kind(granules, lanes.blocks)
        self._kinds = (self._reads, self._writes, self._atomics)
        self._size = granules
        self._now = 1
        self._alike = True
        self._since: int | Index = 1
        """When the blocks last passed a barrier: a number where that is the same for all."""
        self._oldest = 1
        """When the last of them did."""
        self._warp_since: Index | None = None
        """When each warp was last synchronized; None before any was."""
        self._witness: Index | None = None
        """In which block the last write changed a granule; None while all did in all."""
        self._partial: list[Partial] = []
        """The writes since the last barrier that changed some blocks' memory alone."""

    def read(self, touch: Touch) -> None:
        """An ordinary load."""
        self._enter(touch)
        self._against(touch, self._writes, self._atomics)
        self._note(self._reads, touch)

    def atomic(self, touch: Touch) -> None:
        """An atomic operation."""
        self._enter(touch)
        self._against(touch, self._writes, self._reads)
        self._note(self._atomics, touch)

    def write(self, touch: Touch, changed: Flags | None, *, unique: bool) -> None:
        """An ordinary store.

        ``changed``: which granules get another value (None: all), by lane of the chunk and granule;
        ``unique``: no two threads share a granule.
        """
        self._enter(touch)
        if changed is not None and not changed.any():
            self._note(self._reads, touch)
            return
        who = every = Who(touch, self._now, self._alike, self._since)
        witness = rows = None
        if changed is not None:
            rows = self._by_block(touch, changed)
            if rows is not None:
                changed, witness = np.logical_or.reduce(rows), rows.argmax(axis=0)
            who = every.only(changed)
            witness = None if witness is None else witness[changed]
        for kind in self._kinds:
            self._check(who, kind, witness)
        records = self._writes.records(alike=self._alike)
        if rows is not None and not bool((rows == changed).all()):
            self._partial.append(Partial(touch, self._now, rows, records.first.take(every.granule)))
        self._remember(who.granule, witness)
        self._writes.latest = self._now
        records.replace(who, unique=unique)
        if changed is not None:
            self._reads.latest = self._now
            self._reads.records(alike=self._alike).insert(every.only(~changed))

    def _by_block(self, touch: Touch, changed: Flags) -> Flags | None:
        """``changed`` with a row per block, where one block stands for several."""
        if not self._alike or touch.active is touch.all:
            return None
        return changed.reshape(self._lanes.blocks, -1)

    def barrier(self, blocks: Index | None) -> None:
        """All threads of these blocks (None: of all) have come this far."""
        self._now += 1
        for kind in self._kinds:
            kind.passed()
        if blocks is not None and len(blocks) < self._lanes.blocks:
            since = np.full(self._lanes.blocks, self._since) if isinstance(self._since, int) else self._since
            since[blocks] = self._now
            self._since = since
            self._oldest = int(since.min())
            if self._oldest <= max(kind.latest for kind in self._kinds):
                return
        self._since = self._oldest = self._now
        self._alike = True
        self._partial.clear()
        for kind in self._kinds:
            kind.clear()

    def fence(self, active: Active) -> None:
        """Some threads' memory fence; nobody knows what flag it guards, so it orders their blocks."""
        self.barrier(None if active.index is None else np.unique(active.block))

    def warp_sync(self, active: Active) -> None:
        """``__syncwarp`` among these lanes."""
        self._now += 1
        warps = self._lanes.warps_per_block
        if self._warp_since is None:
            self._warp_since = np.zeros(self._lanes.blocks * warps, np.int64)
        if active.index is None:
            self._warp_since.fill(self._now)
            return
        if self._alike and not active.per_block:
            self._expand()
        self._warp_since[active.warp] = self._now

    def clash(self, touch: Touch, at: int, other: int) -> NoReturn:
        """Two lanes of one store, by their places among all of its lanes, that write different values."""
        numbers, site = touch.all.numbers, self._sites[touch.site]
        one, two = (self._lanes.place(int(numbers[lane]), site.instruction.location) for lane in (at, other))
        raise Fault(
            "race",
            f"{one}: writes to shared memory what thread {two.thread} writes in the same instruction, another value",
            place=one,
            hint="only one of the two remains, and which one is chance",
        )

    def _enter(self, touch: Touch) -> None:
        if self._alike and not (touch.alike and isinstance(self._since, int)):
            self._expand()

    def _expand(self) -> None:
        """From now on each block has records of its own, until all pass a barrier."""
        for kind in self._kinds:
            self._flush(kind)
            kind.expand(self._lanes.blocks, self._oldest)
        self._alike = False
        while self._partial:
            self._part(self._partial.pop())

    def _part(self, partial: Partial) -> None:
        """Where a write changed nothing, it was but a look."""
        silent = ~partial.changed.reshape(-1)
        who = Who(partial.touch, partial.time, False, self._since).only(silent)
        before = np.tile(partial.before, self._lanes.blocks)[silent]
        self._writes.records(alike=False).take_back(who, before)
        self._reads.records(alike=False).insert_late(who)
        self._reads.latest = max(self._reads.latest, partial.time)

    def _against(self, touch: Touch, *kinds: Kind) -> None:
        fresh = [kind for kind in kinds if kind.latest >= self._oldest]
        if fresh:
            who = Who(touch, self._now, self._alike, self._since)
            for kind in fresh:
                self._check(who, kind, None)

    def _check(self, who: Who, kind: Kind, witness: Index | None) -> None:
        """Raise for the first lane that is unordered with an earlier access of ``kind``."""
        if kind.latest < self._oldest:
            return
        self._flush(kind)
        records = kind.records(alike=self._alike)
        for record in (records.first, records.second):
            tokens = record.take(who.granule)
            unordered = self._unordered(tokens, who)
            if unordered is not None:
                self._report(who, kind, tokens, int(unordered.argmax()), witness)

    def _unordered(self, tokens: Index, who: Who) -> Flags | None:
        """Which tokens show an access that nothing orders before that of ``who``; None for none."""
        recent = tokens >= who.fresh
        if not recent.any():
            return None
        differs = (tokens ^ who.tokens) & THREAD
        found: Flags = recent & (differs != 0)
        if self._warp_since is not None and found.any():
            synced = tokens >> TIME_SHIFT < self._warp_since.take(who.warp(self._lanes.warps_per_block))
            found &= ~((differs >> WARP_SHIFT == 0) & synced)
        return found if found.any() else None

    def _note(self, kind: Kind, touch: Touch) -> None:
        """Remember an access of a kind that does not race with itself."""
        kind.latest = self._now
        kind.log[self._now, touch] = None
        if len(kind.log) > (LOGGED if self._alike else LOGGED_APART):
            self._flush(kind)

    def _flush(self, kind: Kind) -> None:
        """Enter what was noted into the granules' records."""
        records = kind.records(alike=self._alike)
        for time, touch in kind.log:
            records.insert(Who(touch, time, self._alike, self._since))
        kind.clear()

    def _remember(self, granule: Index, witness: Index | None) -> None:
        if self._witness is None and witness is not None:
            self._witness = np.zeros(self._size, np.int64)
        if self._witness is not None and self._alike:
            self._witness[granule] = 0 if witness is None else witness

    def _report(self, who: Who, kind: Kind, tokens: Index, at: int, witness: Index | None) -> NoReturn:
        token, own = int(tokens[at]), int(who.tokens[at])
        if who.block is not None:
            block = int(who.block[at])
        elif witness is not None:
            block = int(witness[at])
        elif kind is self._writes and self._witness is not None:
            block = int(self._witness[who.granule[at]])
        else:
            block = 0
        site = self._sites[who.touch.site]
        earlier = self._sites[token >> THREAD_BITS & (1 << SITE_BITS) - 1]
        before = earlier.instruction.location
        here = self._lanes.place_of(block, own & THREAD, site.instruction.location)
        there = self._lanes.place_of(block, token & THREAD, before)
        line = f" at {before.outermost}" if before and before.outermost.line else ""
        same_warp = (token ^ own) & THREAD < WARP
        barrier = "__syncwarp() or __syncthreads()" if same_warp else "__syncthreads()"
        raise Fault(
            "race",
            f"{here}: {site.verb} in shared memory what thread {there.thread} {earlier.past}{line}; "
            f"no {barrier} between",
            place=here,
            hint="which of the two comes first is chance: put a barrier between them",
        )
