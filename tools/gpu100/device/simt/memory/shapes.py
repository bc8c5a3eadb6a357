"""What is known of chunks of one shape, kept from chunk to chunk and, where it is small, from launch to launch.

Which lanes part at which branch, and how those lanes group into warps and blocks, depends on a
chunk's shape and not on which blocks of the grid it holds.
"""

from __future__ import annotations

from gpu100.device.simt.memory.active import ActiveCache
from gpu100.device.simt.memory.lane_sets import LaneSets
from gpu100.device.simt.memory.lanes import Extent, Lanes

SMALL = 4096
"""Lanes up to which a shape is kept when its launch is over: finding out again would take as long as the launch."""
KEPT = 8


class Shape:
    """Chunks of as many blocks of the same extent."""

    def __init__(self, lanes: Lanes) -> None:
        self.sets = LaneSets(lanes.count)
        self.actives = ActiveCache(lanes)


class Shapes:
    """The shapes that a kernel's launches have had."""

    def __init__(self) -> None:
        self._shapes: dict[tuple[int, Extent], Shape] = {}

    def of(self, lanes: Lanes) -> Shape:
        """The shape of a chunk."""
        key = lanes.blocks, lanes.block_dim
        if key not in self._shapes:
            self._shapes[key] = Shape(lanes)
        return self._shapes[key]

    def settle(self) -> None:
        """A launch is over: forget the large ones, and all where there are many."""
        small = {key: shape for key, shape in self._shapes.items() if shape.actives.lanes.count <= SMALL}
        self._shapes = small if len(small) <= KEPT else {}
