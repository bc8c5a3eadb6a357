"""The sets of lanes that branches make, each of them one array.

Chunks of one shape part at the same branches in the same ways, and so do turns of a loop. What is
known of a set, such as how many warps it has, is kept under the identity of its array.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Index = npt.NDArray[np.int64]
Active = Index | None

_KEPT = 64


class LaneSets:
    """Of chunks of ``count`` lanes. Nobody may change an array that comes from here."""

    def __init__(self, count: int) -> None:
        self._count = count
        # The arrays that a key names by their id are kept beside it, so that no other can get the id.
        self._splits: dict[tuple[int, bytes], tuple[Active, Index, Index]] = {}
        self._merged: dict[tuple[int, ...], tuple[Sequence[Active], Index]] = {}

    def split(self, X: Active, taken: npt.NDArray[np.bool_]) -> tuple[Index, Index]:  # noqa: N803
        """Those of ``X`` for which ``taken`` holds, and the others."""
        key = id(X), taken.tobytes()
        found = self._splits.get(key)
        if found is None:
            if len(self._splits) >= _KEPT:
                self._splits.clear()
            # Several times as fast as an index of booleans.
            there, here = np.flatnonzero(taken), np.flatnonzero(~taken)
            if X is not None:
                there, here = X.take(there), X.take(here)
            found = self._splits[key] = X, there, here
        return found[1], found[2]

    def merge(self, parts: Sequence[Active]) -> Active:
        """All lanes of ``parts``, which have none in common; None for all of the chunk."""
        sets = [part for part in parts if part is not None]
        if len(sets) < len(parts) or sum(part.size for part in sets) == self._count:
            return None
        if len(sets) == 1:
            return sets[0]
        key = tuple(map(id, sets))
        found = self._merged.get(key)
        if found is None:
            if len(self._merged) >= _KEPT:
                self._merged.clear()
            flags = np.zeros(self._count, np.bool_)
            for part in sets:
                flags[part] = True
            found = self._merged[key] = sets, np.flatnonzero(flags)
        return found[1]
