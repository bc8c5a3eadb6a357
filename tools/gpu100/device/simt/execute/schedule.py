"""Who runs next: always the lowest basic block at which lanes wait.

Lanes that parted at a branch meet again where the blocks meet, since those behind catch up first.
This is a warp's own order on hardware that reconverges as early as it can, applied to all warps of
a chunk at once; a warp's lanes meet the same lanes as if it ran alone. One exception: lanes that
spin until others have written something would keep the others from ever running, so a spinning
loop gives way from time to time. What its instructions then count says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from gpu100.device.simt.decode.emit import Code
from gpu100.device.simt.decode.flow import Block
from gpu100.device.simt.decode.layout import function_at
from gpu100.device.simt.execute.barriers import Barriers, Group, Opened
from gpu100.device.simt.execute.budget import Budget
from gpu100.device.simt.execute.counts import Counts
from gpu100.device.simt.execute.stack import Stack
from gpu100.device.simt.execute.state import State
from gpu100.device.simt.faults import Fault
from gpu100.device.simt.memory.lanes import Lanes

Active = npt.NDArray[np.int64] | None

PATIENCE = 32
"""Blocks that a spinning loop runs before it gives way, where others wait."""
GIVING_WAY = 8
"""Blocks that the others then run."""


class Scheduler:
    """Runs one chunk."""

    def __init__(self, code: Code, functions: dict[str, Any], state: State, counts: Counts, budget: Budget) -> None:
        self._blocks = code.program.blocks
        self._entries = code.program.entries
        self._functions = [functions[f"block{block.index}"] for block in self._blocks]
        self._gates = {b.index: functions[f"gate{b.index}"] for b in self._blocks if b.gate}
        self._code = code
        self._state = state
        self._counts = counts
        self._budget = budget
        self._endings: dict[str, Callable[[Block, Active, Any], None]] = {
            "next": self._next,
            "branch": self._branch,
            "table": self._table,
            "call": self._call,
            "return": self._return,
            "exit": self._exit,
            "barrier": self._barrier,
            "trap": self._trap,
        }

    def run(self, lanes: Lanes) -> None:
        """Run all lanes from the kernel's first block to the end.

        Raises:
            Fault: a lane did what none may, or all that are left wait for each other.
        """
        self._lanes = lanes
        self._sets = self._code.shapes.of(lanes).sets
        self._all = np.arange(lanes.count, dtype=np.int64)
        self._pending: dict[int, list[Active]] = {self._entries[self._code.program.kernel.name]: [None]}
        self._stuck: set[int] = set()
        self._barriers = Barriers(lanes)
        self._stack = Stack(self._code, self._state)
        self._alive = np.ones(lanes.count, np.bool_)
        self._turns = 0
        self._others_turns = 0
        while self._pending:
            block = self._pick()
            X = self._merged(block.index)  # noqa: N806
            if block.gate:
                met = self._meet(block, X)
                if met is False:
                    continue
                X = met  # type: ignore[assignment]  # noqa: N806
            result = self._functions[block.index](X)
            self._counts.ran(block.index, X)
            self._budget.spend(block, lanes, X)
            self._endings[block.end](block, X, result)
            if not self._pending or len(self._stuck) == len(self._pending):
                self._check_progress()

    # Choosing

    def _pick(self) -> Block:
        ready = self._pending.keys() - self._stuck if self._stuck else self._pending
        block = self._blocks[min(ready)]
        if not block.loop or len(ready) == 1:
            self._turns = 0
            return block
        self._turns += 1
        if self._turns > PATIENCE:
            others = [number for number in ready if self._blocks[number].loop != block.loop]
            if others:
                self._counts.spun = True
                if self._turns >= PATIENCE + GIVING_WAY:
                    self._turns = 0
                return self._blocks[min(others)]
        return block

    def _merged(self, number: int) -> Active:
        return self._sets.merge(self._pending.pop(number))

    def _add(self, number: int, X: Active) -> None:  # noqa: N803
        if X is not None and X.size == 0:
            return
        self._stuck.discard(number)
        self._pending.setdefault(number, []).append(X)

    def _meet(self, block: Block, X: Active) -> Active | bool:  # noqa: N803
        """The lanes whose warp has met here; False where none has. The others go on waiting."""
        if X is None:
            return None
        here = self._state.warp.met(X, self._gates[block.index](X), self._alive)
        if here is None:
            return X
        ready, waiting = X[here], X[~here]
        self._pending[block.index] = [waiting]
        self._stuck.add(block.index)
        return ready if ready.size else False

    def _check_progress(self) -> None:
        """Raise where lanes are left and none of them can run."""
        waiting = self._barriers.waiting
        if not self._pending and not waiting:
            return
        if len(self._stuck) < len(self._pending):
            return
        groups = [(self._blocks[number], self._merged(number)) for number in sorted(self._stuck)]
        raise self._deadlock([(block, X) for block, X in groups if X is not None], waiting)

    def _deadlock(self, gates: list[tuple[Block, npt.NDArray[np.int64]]], barriers: list[Group]) -> Fault:
        said, places = [], []
        for block, lanes in gates:
            first = block.instructions[0]
            places.append(self._lanes.place(int(lanes[0]), first.location))
            said.append(f"{lanes.size} at {first.name} ({first.location and first.location.outermost})")
        for group in barriers:
            assert group.block.last is not None
            where = group.block.last.location
            places.append(self._lanes.place(int(group.lanes[0]), where))
            said.append(f"{group.lanes.size} at a barrier ({where and where.outermost})")
        return Fault.at(
            places[0],
            "deadlock",
            f"the threads that are left wait for others that never come: {'; '.join(said)}",
            hint="let all threads that a barrier or a warp's mask counts on reach it",
        )

    # Endings

    def _next(self, block: Block, X: Active, _: Any) -> None:  # noqa: N803
        self._add(block.targets[0], X)

    def _branch(self, block: Block, X: Active, taken: npt.NDArray[np.bool_]) -> None:  # noqa: N803
        if taken.size == 1 or int(np.count_nonzero(taken)) in (0, taken.size):
            self._add(block.targets[0 if taken.item(0) else 1], X)
            return
        there, here = self._sets.split(X, taken)
        self._counts.parted(block.index, X, there, here)
        self._add(block.targets[0], there)
        self._add(block.targets[1], here)

    def _table(self, block: Block, X: Active, index: Any) -> None:  # noqa: N803
        for target, lanes in self._split(X, index):
            self._add(block.targets[int(target)], lanes)

    def _call(self, block: Block, X: Active, address: Any) -> None:  # noqa: N803
        self._stack.call(block, X)
        if address is None:
            assert block.last is not None
            assert block.last.call is not None
            self._add(self._entries[block.last.call.target.name], X)
            return
        for value, lanes in self._split(X, address):
            name = function_at(self._code.program.module, int(value))
            if name not in self._entries:
                lane = 0 if lanes is None else int(lanes[0])
                where = block.last.location if block.last else None
                message = f"calls {int(value):#x}, which is no function's address"
                raise Fault.at(self._lanes.place(lane, where), "trap", message)
            self._add(self._entries[name], lanes)

    def _return(self, block: Block, X: Active, _: Any) -> None:  # noqa: N803
        for target, lanes in self._stack.back(X):
            self._add(target, lanes)

    def _exit(self, block: Block, X: Active, _: Any) -> None:  # noqa: N803
        if X is None:
            self._alive[:] = False
            return
        self._alive[X] = False
        self._stuck.clear()
        self._let_go(self._barriers.exit(X))

    def _barrier(self, block: Block, X: Active, operands: tuple[Any, Any, Any]) -> None:  # noqa: N803
        number, count, value = operands
        assert block.last is not None
        waits = not block.last.has("arrive")
        simple = np.size(number) == 1 and np.size(0 if count is None else count) == 1
        if X is None and simple and count is None and value is None and waits and not self._barriers.waiting:
            self._state.access.barrier(None)
            self._add(block.targets[0], None)
            return
        numbers = self._all if X is None else X
        each = np.broadcast_to(np.asarray(number, np.int64), numbers.shape)
        counts = np.broadcast_to(np.asarray(0 if count is None else count, np.int64), numbers.shape)
        values = None if value is None else np.broadcast_to(value, numbers.shape)
        for which in np.unique(each):
            mine = each == which
            group = Group(numbers[mine], block, None if values is None else values[mine], waits)
            self._let_go(self._barriers.arrive(int(which), int(counts[mine][0]), group))
        if not waits:
            self._add(block.targets[0], X)

    def _let_go(self, opened: Iterable[Opened]) -> None:
        for one in opened:
            block = one.group.block
            if one.reduced is not None:
                self._state.put(self._code.reductions[block.index], one.lanes, one.reduced)
            self._state.access.barrier(np.unique(self._lanes.block[one.lanes]))
            self._add(block.targets[0], one.lanes)

    def _trap(self, block: Block, X: Active, _: Any) -> None:  # noqa: N803
        where = block.last.location if block.last else None
        raise Fault.at(self._lanes.place(0 if X is None else int(X[0]), where), "trap", "executes a trap")

    def _split(self, X: Active, values: npt.NDArray[Any]) -> list[tuple[Any, Active]]:  # noqa: N803
        """Lanes by value."""
        if values.size == 1:
            return [(values.flat[0], X)]
        numbers = self._all if X is None else X
        return [(value, numbers[values == value]) for value in np.unique(values)]
