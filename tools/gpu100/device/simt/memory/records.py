"""What is remembered of accesses to shared memory: for each granule up to two threads that touched it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpu100.device.simt.memory.active import Flags
from gpu100.device.simt.memory.lanes import WARP, Index
from gpu100.device.simt.memory.touch import Touch

THREAD_BITS = 10
SITE_BITS = 20
TIME_SHIFT = THREAD_BITS + SITE_BITS
THREAD = (1 << THREAD_BITS) - 1
WARP_SHIFT = WARP.bit_length() - 1


class Who:
    """The granules of an access in the form that the records have, with the threads that touch them."""

    def __init__(self, touch: Touch, time: int, alike: bool, since: int | Index) -> None:
        self.touch = touch
        self.granule = touch.own() if alike else touch.spread()
        self.block = None if alike else touch.blocks()
        self.tokens = touch.threads(alike=alike) + (time << TIME_SHIFT | touch.site << THREAD_BITS)
        if not isinstance(since, int):
            since = int(since.min()) if self.block is None else since.take(self.block)
        self.fresh: int | Index = since << TIME_SHIFT
        """Tokens from here on are later than the last barrier."""

    def only(self, selected: Flags | Index) -> Who:
        """The same, of some granules."""
        part = object.__new__(Who)
        part.touch = self.touch
        part.granule, part.tokens = self.granule[selected], self.tokens[selected]
        part.block = None if self.block is None else self.block[selected]
        part.fresh = self.fresh if isinstance(self.fresh, int) else self.fresh[selected]
        return part

    def warp(self, warps_per_block: int) -> Index:
        """The threads' warps in the block, or in the chunk where the granules are the chunk's."""
        warp: Index = (self.tokens & THREAD) >> WARP_SHIFT
        return warp if self.block is None else warp + self.block * warps_per_block


class Records:
    """For each granule up to two threads that touched it: enough to know of any unordered one.

    ``first`` is the latest touch. ``second`` is of another warp where there is one since the last
    barrier, as nothing but a barrier orders warps; else the latest by another thread of that warp.
    A token is time, site and thread in one number.
    """

    def __init__(self, size: int, *, many: bool) -> None:
        """``many``: entering touches takes so long that it pays to look which add nothing."""
        self.first = np.zeros(size, np.int64)
        self.second = np.zeros(size, np.int64)
        self._decided = np.zeros(size, np.bool_) if many else None
        """Which granules show threads of two warps: whatever comes before a barrier is unordered with one."""
        self._any_decided = False

    def forget(self) -> None:
        """A barrier has been passed."""
        if self._decided is not None and self._any_decided:
            self._decided.fill(False)
            self._any_decided = False

    def insert(self, who: Who) -> None:
        """Touches by these threads."""
        if self._decided is None:
            self._insert(who)
            return
        if self._any_decided:
            who = who.only(np.flatnonzero(~self._decided.take(who.granule)))
        if len(who.granule):
            self._insert(who)
            first, second = self.first.take(who.granule), self.second.take(who.granule)
            self._decided[who.granule] = _far(second, first, who.fresh)
            self._any_decided = True

    def _insert(self, who: Who) -> None:
        old, second = self.first.take(who.granule), self.second.take(who.granule)
        self.first[who.granule] = who.tokens
        now = self.first.take(who.granule)
        before = np.where((old ^ now) & THREAD != 0, old, second)
        self.second[who.granule] = np.where(_far(second, now, who.fresh), second, before)
        beaten = now != who.tokens
        if beaten.any():
            self._share(who.only(beaten), now[beaten])

    def replace(self, who: Who, *, unique: bool) -> None:
        """Touches that are ordered after all before; ``unique``: no two of them share a granule."""
        self.first[who.granule] = who.tokens
        if not unique:
            now = self.first.take(who.granule)
            beaten = now != who.tokens
            if beaten.any():
                self._share(who.only(beaten), now[beaten])

    def insert_late(self, who: Who) -> None:
        """Touches that are older than what is on record here; rare, so in several rounds."""
        for _ in range(3):
            first, second = self.first.take(who.granule), self.second.take(who.granule)
            missing = first < who.fresh
            self.first[who.granule[missing]] = who.tokens[missing]
            other = ~missing & ((first ^ who.tokens) & THREAD != 0) & ~_far(second, first, who.fresh)
            other &= _far(who.tokens, first, 0) | (second < who.tokens)
            self.second[who.granule[other]] = who.tokens[other]

    def take_back(self, who: Who, before: Index) -> None:
        """Undo touches, the latest of their granules; ``before`` is what ``first`` was until then."""
        theirs = self.first.take(who.granule) == who.tokens
        self.first[who.granule[theirs]] = before[theirs]
        theirs = self.second.take(who.granule) == who.tokens
        self.second[who.granule[theirs]] = 0

    def _share(self, who: Who, first: Index) -> None:
        """Other threads of the same access to a granule whose record shows ``first``."""
        far = _far(who.tokens, first, 0)
        for preferred in (far, ~far):
            missing = preferred & ~_far(self.second.take(who.granule), first, who.fresh)
            self.second[who.granule[missing]] = who.tokens[missing]


def _far(tokens: Index, others: Index, fresh: int | Index) -> Flags:
    """Whether tokens are fresh and of other warps than those beside them."""
    other: Flags = ((tokens ^ others) & THREAD) >> WARP_SHIFT != 0
    return other & (tokens >= fresh)


class Kind:
    """One kind of access: its records, for one block that stands for all or for each block."""

    def __init__(self, granules: int, blocks: int) -> None:
        self.latest = 0
        """When there last was one."""
        self.log: dict[tuple[int, Touch], None] = {}
        """Times and accesses that are not entered into the records yet."""
        self._one = Records(granules, many=False)
        self._size = granules * blocks
        self._all: Records | None = None

    def records(self, *, alike: bool) -> Records:
        if alike:
            return self._one
        if self._all is None:
            self._all = Records(self._size, many=True)
        return self._all

    def expand(self, blocks: int, since: int) -> None:
        """What one block's records show is true of all."""
        if self.latest >= since:
            records = self.records(alike=False)
            records.first[:] = np.tile(self._one.first, blocks)
            records.second[:] = np.tile(self._one.second, blocks)

    def clear(self) -> None:
        """Everything so far is ordered before what follows."""
        self.log.clear()

    def passed(self) -> None:
        """Some blocks have passed a barrier."""
        if self._all is not None:
            self._all.forget()


@dataclass(frozen=True)
class Partial:
    """A write that changed a granule in some blocks but not in all, while one block stood for all."""

    touch: Touch
    time: int
    changed: Flags
    """By block, and in it by lane and granule."""
    before: Index
    """What the granules' records had as the last write."""
