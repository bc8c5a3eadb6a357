"""What lanes of a warp tell each other: shuffles, votes, matches and reductions.

``X`` holds the numbers of the lanes that execute the instruction, or None for all of the chunk's;
values have one element for each of them, or one for all. Where a lane asks one that does not take
part, CUDA promises nothing: it gets poison, so that a result that depends on it is seen to be wrong.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gpu100.device.simt.memory.lanes import Lanes

Array = npt.NDArray[Any]
Active = npt.NDArray[np.int64] | None

_ONE = np.uint32(1)
_POISON = np.uint32(0xFFFFFFFF)
"""As memory that nobody wrote: minus one as an integer, not a number as a float."""
_KEPT = 32
"""Shuffles by constants whose lanes are remembered."""


class Warp:
    """The warp instructions of one chunk."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        self._lane = lanes.lane.astype(np.uint32)
        self._base = np.arange(lanes.count, dtype=np.int64) - lanes.lane
        self._sources: dict[tuple[str, int, int], tuple[Array, Array]] = {}

    def shuffle(self, mode: str, X: Active, value: Array, operand: Array, clamp: Array) -> tuple[Array, Array]:  # noqa: N803
        """``shfl.sync``: what each lane gets, and whether the lane it asked is in its segment."""
        if X is not None or np.size(operand) > 1 or np.size(clamp) > 1:
            source, inside = self._source(mode, X, operand, clamp)
            return self._ask(X, value, source), inside
        # The usual case: all lanes of a chunk, by constants.
        key = mode, operand.item(), clamp.item()
        found = self._sources.get(key)
        if found is None:
            if len(self._sources) >= _KEPT:
                self._sources.clear()
            found = self._sources[key] = self._source(mode, X, operand, clamp)
        return self._ask(X, value, found[0]), found[1].copy()

    def _source(self, mode: str, X: Active, operand: Array, clamp: Array) -> tuple[Array, Array]:  # noqa: N803
        """Whom each lane asks, by its number in the chunk, and whether that is in its segment."""
        lane, base = self._of(X)
        operand = np.broadcast_to(operand, lane.shape)
        low, segment = clamp & np.uint32(31), (clamp >> np.uint32(8)) & np.uint32(31)
        first = lane & segment
        last = first | (low & ~segment & np.uint32(31))
        if mode == "up":
            source = lane.astype(np.int64) - operand.astype(np.int64)
            inside = source >= last
        else:
            source = {"down": self._down, "bfly": self._butterfly, "idx": self._index}[mode](
                lane, operand, first, segment
            )
            inside = source <= last
        return np.where(inside, source, lane) + base, inside

    @staticmethod
    def _down(lane: Array, operand: Array, first: Array, segment: Array) -> Array:
        return lane.astype(np.int64) + operand.astype(np.int64)

    @staticmethod
    def _butterfly(lane: Array, operand: Array, first: Array, segment: Array) -> Array:
        return (lane ^ operand).astype(np.int64)

    @staticmethod
    def _index(lane: Array, operand: Array, first: Array, segment: Array) -> Array:
        source: Array = (first | (operand & ~segment & np.uint32(31))).astype(np.int64)
        return source

    def ballot(self, X: Active, value: Array, members: Array) -> Array:  # noqa: N803
        """``vote.sync.ballot``: a bit for each member whose predicate holds."""
        return self._bits(X, value) & members

    def any(self, X: Active, value: Array, members: Array) -> Array:  # noqa: N803
        """``vote.sync.any``"""
        found: Array = self.ballot(X, value, members) != 0
        return found

    def all(self, X: Active, value: Array, members: Array) -> Array:  # noqa: N803
        """``vote.sync.all``"""
        found: Array = self.ballot(X, ~value, members) == 0
        return found

    def uni(self, X: Active, value: Array, members: Array) -> Array:  # noqa: N803
        """``vote.sync.uni``"""
        return self.all(X, value, members) | ~self.any(X, value, members)

    def active_mask(self, X: Active) -> Array:  # noqa: N803
        """``activemask``: the lanes that are here."""
        return self._bits(X, np.ones(1, np.bool_))

    def match_any(self, X: Active, value: Array, members: Array) -> Array:  # noqa: N803
        """``match.any.sync``: the members with the same value."""
        _, base = self._of(X)
        value, members = (np.broadcast_to(array, base.shape) for array in (value, members))
        order = np.lexsort((value, members, base))
        keys = (base[order], members[order], value[order])
        new = np.concatenate(([True], np.logical_or.reduce([key[1:] != key[:-1] for key in keys])))
        starts = np.flatnonzero(new)
        lane, _ = self._of(X)
        masks = np.bitwise_or.reduceat(_ONE << lane[order], starts)
        result = np.empty(base.shape, np.uint32)
        result[order] = masks[np.cumsum(new) - 1]
        return result

    def match_all(self, X: Active, value: Array, members: Array) -> tuple[Array, Array]:  # noqa: N803
        """``match.all.sync``: the members, and true, where all have one value; else 0 and false."""
        _, base = self._of(X)
        members = np.broadcast_to(members, base.shape)
        present = self._bits(X, np.ones(1, np.bool_)) & members
        same = self.match_any(X, value, members) == present
        return np.where(same, members, np.uint32(0)), same

    def reduce(self, operation: str, X: Active, value: Array, members: Array) -> Array:  # noqa: N803
        """``redux.sync``: the reduction over the members, for each of them."""
        _, base = self._of(X)
        value, members = (np.broadcast_to(array, base.shape) for array in (value, members))
        order = np.lexsort((members, base))
        keys = (base[order], members[order])
        new = np.concatenate(([True], np.logical_or.reduce([key[1:] != key[:-1] for key in keys])))
        reduced = _REDUCE[operation].reduceat(value[order], np.flatnonzero(new), dtype=value.dtype)
        result = np.empty(base.shape, value.dtype)
        result[order] = reduced[np.cumsum(new) - 1]
        return result

    def met(self, X: npt.NDArray[np.int64], members: Array, alive: npt.NDArray[np.bool_]) -> Array | None:  # noqa: N803
        """Which of the lanes ``X`` are here together with all that their mask names; None for all of them.

        Those that have returned, and those that their block does not have, are not waited for.
        """
        missing = members & ~self._bits(X, np.ones(1, np.bool_))
        if not missing.any():
            return None
        every = np.where(alive, _ONE << self._lane, np.uint32(0))
        starts = np.flatnonzero(self._lane == 0)
        missing &= np.bitwise_or.reduceat(every, starts)[self._lanes.warp[X]]
        return missing == 0 if missing.any() else None

    def _of(self, X: Active) -> tuple[Array, Array]:  # noqa: N803
        """Lane numbers, and the numbers in the chunk of their warps' first lanes."""
        return (self._lane, self._base) if X is None else (self._lane.take(X), self._base.take(X))

    def _bits(self, X: Active, value: Array) -> Array:  # noqa: N803
        """For each lane, the bits of its warp's lanes whose value holds."""
        lane, base = self._of(X)
        bits = np.where(value, _ONE << lane, np.uint32(0))
        if X is None and self._lanes.whole_warps:
            rows = np.bitwise_or.reduce(bits.reshape(-1, 32), axis=1)
            return np.repeat(rows, 32)
        starts = np.flatnonzero(np.concatenate(([True], base[1:] != base[:-1])))
        lengths = np.diff(np.append(starts, base.size))
        return np.repeat(np.bitwise_or.reduceat(bits, starts), lengths)

    def _ask(self, X: Active, value: Array, source: Array) -> Array:  # noqa: N803
        """Each lane's ``value`` of lane ``source``, where that takes part; else poison."""
        if value.shape == (1,):
            return np.repeat(value, source.size)
        if X is None and self._lanes.whole_warps:
            return value.take(source)
        own = np.arange(self._lanes.count) if X is None else X
        place = np.full(self._lanes.count + 32, -1, np.int64)
        place[own] = np.arange(own.size)
        found = place[source]
        # A warp's tail may reach into the next block's lanes.
        _, base = self._of(X)
        mine = (found >= 0) & (self._base.take(np.minimum(source, self._lanes.count - 1)) == base)
        return np.where(mine, value.take(np.where(mine, found, 0)), _POISON)


_REDUCE = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
