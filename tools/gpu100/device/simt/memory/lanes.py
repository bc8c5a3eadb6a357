"""The lanes of a chunk: the threads of several blocks, side by side in NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from gpu100.device.simt.faults import Place
from gpu100.device.simt.ptx.ir import Location

WARP = 32

Index = npt.NDArray[np.int64]
Words = npt.NDArray[Any]
"""An array with one element per lane, of whatever type a register has."""

Extent = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Lanes:
    """A chunk of blocks; lane ``block * threads_per_block + thread`` is a thread of it, x fastest."""

    first_block: int
    """The linear number, in the grid, of the chunk's first block."""
    blocks: int
    block_dim: Extent
    grid_dim: Extent

    @cached_property
    def threads_per_block(self) -> int:
        return self.block_dim[0] * self.block_dim[1] * self.block_dim[2]

    @cached_property
    def warps_per_block(self) -> int:
        return -(-self.threads_per_block // WARP)

    @cached_property
    def count(self) -> int:
        return self.blocks * self.threads_per_block

    @cached_property
    def whole_warps(self) -> bool:
        """Whether every warp has all its 32 lanes."""
        return self.threads_per_block % WARP == 0

    @property
    def block(self) -> Index:
        """Each lane's block, counted within the chunk."""
        return _layout(self.blocks, self.threads_per_block)[0]

    @property
    def warp(self) -> Index:
        """Each lane's warp, counted within the chunk."""
        return _layout(self.blocks, self.threads_per_block)[1]

    @property
    def lane(self) -> Index:
        """Each lane's place in its warp."""
        return _layout(self.blocks, self.threads_per_block)[2]

    def alike(self, other: Lanes) -> bool:
        """Whether the other chunk has the same shape, wherever it is in the grid."""
        return self.blocks == other.blocks and self.block_dim == other.block_dim

    def place(self, lane_index: int, location: Location | None = None) -> Place:
        """Who a lane is."""
        block, thread = divmod(int(lane_index), self.threads_per_block)
        return self.place_of(block, thread, location)

    def place_of(self, block: int, thread: int, location: Location | None = None) -> Place:
        """The thread with this linear number in a block of the chunk."""
        return Place(
            coordinates(self.first_block + int(block), self.grid_dim),
            coordinates(int(thread), self.block_dim),
            location,
        )


def coordinates(linear: int, extent: Extent) -> Extent:
    """A linear number as (x, y, z)."""
    rest, x = divmod(linear, extent[0])
    z, y = divmod(rest, extent[1])
    return x, y, z


@lru_cache(maxsize=16)
def _layout(blocks: int, threads: int) -> tuple[Index, Index, Index]:
    """Block, warp and lane by lane index: the same for all chunks of a launch, save perhaps the last."""
    block = np.repeat(np.arange(blocks, dtype=np.int64), threads)
    thread = np.tile(np.arange(threads, dtype=np.int64), blocks)
    warp = block * -(-threads // WARP) + thread // WARP
    lane = thread % WARP
    for array in (block, warp, lane):
        array.flags.writeable = False
    return block, warp, lane
