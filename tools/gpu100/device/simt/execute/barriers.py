"""Barriers of blocks: who waits at them, and when they open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from gpu100.device.simt.decode.flow import Block
from gpu100.device.simt.faults import Fault
from gpu100.device.simt.memory.lanes import Lanes

Array = npt.NDArray[Any]


@dataclass
class Group:
    """Lanes that arrived together."""

    lanes: npt.NDArray[np.int64]
    block: Block
    """The basic block whose end is the barrier."""
    value: Array | None
    """What they bring to a barrier that reduces."""
    waits: bool = True
    """Whether they stay; ``bar.arrive`` only counts."""


@dataclass
class _Barrier:
    """One numbered barrier of every block of the chunk."""

    arrived: Array
    expected: Array
    """Threads it opens for; 0 for all of a block."""
    groups: list[Group] = field(default_factory=list)


@dataclass(frozen=True)
class Opened:
    """Lanes that a barrier lets go on."""

    group: Group
    lanes: npt.NDArray[np.int64]
    reduced: Array | None


class Barriers:
    """The barriers of one chunk."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        self._barriers: dict[int, _Barrier] = {}
        self._exited = np.zeros(lanes.blocks, np.int64)

    @property
    def waiting(self) -> list[Group]:
        """Everyone who waits."""
        return [group for barrier in self._barriers.values() for group in barrier.groups if group.waits]

    def exit(self, lanes: npt.NDArray[np.int64]) -> Iterator[Opened]:
        """Threads have returned: a barrier does not wait for them."""
        self._exited += np.bincount(self._lanes.block[lanes], minlength=self._lanes.blocks)
        for number in list(self._barriers):
            yield from self._open(number)

    def arrive(self, number: int, count: int, group: Group) -> Iterator[Opened]:
        """``group`` has reached barrier ``number``, which opens for ``count`` threads (0: the block's)."""
        blocks = self._lanes.blocks
        if number not in self._barriers:
            self._barriers[number] = _Barrier(np.zeros(blocks, np.int64), np.zeros(blocks, np.int64))
        barrier = self._barriers[number]
        here = np.bincount(self._lanes.block[group.lanes], minlength=blocks)
        barrier.arrived += here
        barrier.expected[here > 0] = count
        barrier.groups.append(group)
        yield from self._open(number)

    def _open(self, number: int) -> Iterator[Opened]:
        barrier = self._barriers[number]
        whole = barrier.expected == 0
        needed = np.where(whole, self._lanes.threads_per_block - self._exited, barrier.expected)
        complete = (barrier.arrived > 0) & (barrier.arrived >= needed)
        if not complete.any():
            return
        self._check(barrier, complete & whole)
        groups, barrier.groups = barrier.groups, []
        reduced = self._reduced(groups, complete)
        for group in groups:
            through = complete[self._lanes.block[group.lanes]]
            opened, left = group.lanes[through], group.lanes[~through]
            if left.size:
                value = None if group.value is None else group.value[~through]
                barrier.groups.append(Group(left, group.block, value, group.waits))
            if opened.size and group.waits:
                of_lane = None if reduced is None else reduced[self._lanes.block[opened]]
                yield Opened(group, opened, of_lane)
        barrier.arrived[complete] = 0

    def _check(self, barrier: _Barrier, complete: Array) -> None:
        """Every thread of a block has to reach the same ``__syncthreads()``, or none.

        Raises:
            Fault: some have returned, or wait at another one; a GPU lets both pass.
        """
        missing = np.flatnonzero(complete & (self._exited > 0))
        if missing.size:
            raise self._unreached(barrier, int(missing[0]))
        lines = {str(g.block.last.location): g for g in barrier.groups if g.block.last and g.block.last.location}
        if len(lines) > 1:
            self._check_lines(list(lines.values()), complete)

    def _unreached(self, barrier: _Barrier, block: int) -> Fault:
        group = next(group for group in barrier.groups if (self._lanes.block[group.lanes] == block).any())
        lane = group.lanes[self._lanes.block[group.lanes] == block][0]
        location = group.block.last.location if group.block.last else None
        count, total = int(self._exited[block]), self._lanes.threads_per_block
        return Fault.at(
            self._lanes.place(int(lane), location),
            "barrier",
            f"waits at a barrier which {count} of the {total} threads of its block never reach: they have returned",
            hint="let every thread of the block reach __syncthreads(): guard the work, not the barrier",
        )

    def _check_lines(self, groups: list[Group], complete: Array) -> None:
        first, second = groups[0], groups[1]
        shared = np.intersect1d(self._lanes.block[first.lanes], self._lanes.block[second.lanes])
        shared = shared[complete[shared]]
        if not shared.size:
            return
        lane = first.lanes[self._lanes.block[first.lanes] == shared[0]][0]
        assert first.block.last is not None
        assert second.block.last is not None
        elsewhere = second.block.last.location
        raise Fault.at(
            self._lanes.place(int(lane), first.block.last.location),
            "barrier",
            f"waits at a barrier while others of its block wait at another, at {elsewhere and elsewhere.outermost}",
            hint="__syncthreads() belongs where all threads of a block pass, not inside a branch",
        )

    def _reduced(self, groups: list[Group], complete: Array) -> Array | None:
        """What a barrier that reduces gives each block."""
        values = [group for group in groups if group.value is not None]
        if not values:
            return None
        last = values[0].block.last
        assert last is not None
        holds = np.zeros(self._lanes.blocks, np.int64)
        voters = np.zeros(self._lanes.blocks, np.int64)
        for group in values:
            assert group.value is not None
            blocks = self._lanes.block[group.lanes]
            holds += np.bincount(blocks[group.value], minlength=holds.size)
            voters += np.bincount(blocks, minlength=holds.size)
        if last.has("popc"):
            return holds.astype(np.uint32)
        return holds == voters if last.has("and") else holds > 0
