"""What warps issued, block by basic block."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gpu100.device.simt.memory.lanes import Lanes

Active = npt.NDArray[np.int64] | None

_KEPT = 64
"""Sets of lanes whose warps are remembered."""


class Counts:
    """Of one launch: by basic block, how often warps ran it, with how many lanes, and where they parted."""

    def __init__(self, blocks: int) -> None:
        self.warps = [0] * blocks
        self.lanes = [0] * blocks
        self.parted_warps = [0] * blocks
        self.spun = False
        """Whether lanes waited for others in a loop: then the other counts depend on who ran when."""
        self._chunk: Lanes | None = None
        self._known: dict[int, tuple[Any, int]] = {}

    def begin(self, lanes: Lanes) -> None:
        """Count a chunk's blocks."""
        if not self._chunk or not self._chunk.alike(lanes):
            self._chunk = lanes
            self._known.clear()
        self._warp = lanes.warp
        self._whole_warps = lanes.whole_warps
        self._all_warps = lanes.blocks * lanes.warps_per_block
        self._all_lanes = lanes.count

    def ran(self, block: int, X: Active) -> None:  # noqa: N803
        """The lanes ``X`` ran a basic block."""
        if X is None:
            self.warps[block] += self._all_warps
            self.lanes[block] += self._all_lanes
        else:
            self.warps[block] += self._count(X)
            self.lanes[block] += X.size

    def parted(self, block: int, X: Active, there: npt.NDArray[np.int64], here: npt.NDArray[np.int64]) -> None:  # noqa: N803
        """At the block's end some lanes went one way and some the other."""
        before = self._all_warps if X is None else self._count(X)
        self.parted_warps[block] += self._count(there) + self._count(here) - before

    def _count(self, X: npt.NDArray[np.int64]) -> int:  # noqa: N803
        # Lanes often run several blocks in a row. Kept arrays cannot give their id to others.
        known = self._known.get(id(X))
        if known is None:
            if len(self._known) >= _KEPT:
                self._known.clear()
            known = self._known[id(X)] = X, self._warps(X)
        return known[1]

    def _warps(self, lanes: npt.NDArray[np.int64]) -> int:
        warps = lanes >> 5 if self._whole_warps else self._warp.take(lanes)
        return 1 + int(np.count_nonzero(warps[1:] != warps[:-1])) if warps.size else 0
