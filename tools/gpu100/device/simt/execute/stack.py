"""Calls: where each lane returns to, and what a recursive call must not overwrite."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gpu100.device.simt.decode.emit import Code
from gpu100.device.simt.decode.flow import Block
from gpu100.device.simt.execute.state import State

Active = npt.NDArray[np.int64] | None

_REGISTER_BYTES = 4


class _Level:
    """One level of every lane's stack."""

    def __init__(self, count: int) -> None:
        self.block = np.zeros(count, np.int64)
        """The block that called."""
        self.saved: dict[int, npt.NDArray[Any]] = {}
        """Registers by slot."""


class Stack:
    """The call stacks of one chunk's lanes."""

    def __init__(self, code: Code, state: State) -> None:
        self._code = code
        self._state = state
        self._levels: list[_Level] = []
        self._depth: npt.NDArray[np.int64] | None = None

    def call(self, block: Block, X: Active) -> None:  # noqa: N803
        """Lanes leave ``block`` for a function; they will go on behind it."""
        count = self._state.lanes.count
        if self._depth is None:
            self._depth = np.zeros(count, np.int64)
        lanes = np.arange(count) if X is None else X
        depth = self._depth[lanes]
        saved = self._code.saved.get(block.index, ())
        for level in np.unique(depth):
            if level == len(self._levels):
                self._levels.append(_Level(count))
            here = lanes[depth == level]
            kept = self._levels[level]
            kept.block[here] = block.index
            for slot in saved:
                self._save(kept, slot, here)
        self._depth[lanes] += 1
        if self._code.program.recursive:
            self._state.push_frame(X, self._frame(block), block.last.location if block.last else None)

    def back(self, X: Active) -> list[tuple[int, Active]]:  # noqa: N803
        """Lanes return: where they go on."""
        assert self._depth is not None
        lanes = np.arange(self._state.lanes.count) if X is None else X
        self._depth[lanes] -= 1
        depth = self._depth[lanes]
        found: list[tuple[int, Active]] = []
        for level in np.unique(depth):
            at_level = lanes[depth == level]
            kept = self._levels[level]
            callers = kept.block[at_level]
            for caller in np.unique(callers):
                here = at_level[callers == caller]
                self._restore(kept, int(caller), here)
                found.append((self._code.program.blocks[caller].targets[0], here))
        return found

    def _save(self, kept: _Level, slot: int, lanes: npt.NDArray[np.int64]) -> None:
        value = self._state.registers[slot]
        if value is None:
            return
        if slot not in kept.saved:
            kept.saved[slot] = np.empty_like(value)
        kept.saved[slot][lanes] = value[lanes]

    def _restore(self, kept: _Level, caller: int, lanes: npt.NDArray[np.int64]) -> None:
        for slot in self._code.saved.get(caller, ()):
            if slot in kept.saved:
                self._state.put(slot, lanes, kept.saved[slot][lanes])
        if self._code.program.recursive:
            self._state.pop_frame(lanes, self._frame(self._code.program.blocks[caller]))

    def _frame(self, block: Block) -> int:
        """Bytes of the caller's frame: its variables, and the registers a real stack would hold too."""
        saved = len(self._code.saved.get(block.index, ()))
        return self._code.layout.frames[block.function] + -(-saved * _REGISTER_BYTES // 16) * 16
