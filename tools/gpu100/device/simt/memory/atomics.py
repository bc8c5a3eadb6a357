"""Atomic operations of many lanes at once, with what each lane would have read in lane order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gpu100.device.simt.faults import NotModeled
from gpu100.device.simt.memory.lanes import Index, Words

Values = npt.NDArray[Any]
Step = Callable[[Any, Any], Any]
"""(what memory holds, a lane's value) -> what memory holds then; for arrays and scalars."""


def _inc(old: Values, limit: Values) -> Values:
    new: Values = np.where(old >= limit, old.dtype.type(0), old + old.dtype.type(1))
    return new


def _dec(old: Values, limit: Values) -> Values:
    new: Values = np.where((old == 0) | (old > limit), limit, old - old.dtype.type(1))
    return new


def _add_bf16(old: Values, value: Values) -> Values:
    """Rounded to the nearest, ties to even."""
    one, two = (np.atleast_1d(bits).astype(np.uint32) << np.uint32(16) for bits in (old, value))
    total = one.view(np.float32) + two.view(np.float32)
    bits = total.view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))) >> np.uint32(16)
    new: Values = np.where(np.isnan(total), np.uint32(0x7FFF), rounded).astype(np.uint16)
    return new


UFUNCS: dict[str, np.ufunc] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
STEPS: dict[str, Step] = {
    **UFUNCS,
    "inc": _inc,
    "dec": _dec,
    "exch": lambda old, new: new,
    "add.bf16": _add_bf16,
}
PACKED: dict[str, tuple[str, npt.DTypeLike]] = {
    "add.f16x2": ("add", np.float16),
    "add.bf16x2": ("add.bf16", np.uint16),
}
"""Operations on two halves of a word, each an atomic of its own."""
NAMED_TYPES = frozenset({"bf16", "bf16x2", "f16x2"})
"""Types that an element type does not tell: operations on them are named ``add.bf16``."""
LOOPED = 64
"""Rounds over single lanes or segments up to which looping pays."""


def apply(memory: Values, index: Index, count: int, op: str, operands: tuple[Words, ...], want: bool) -> Words | None:
    """Do ``op`` at ``memory[index]`` for ``count`` lanes, one after the other in lane order.

    ``index`` has one element per lane, or one for all of them; so has each operand.

    Raises:
        NotModeled: ``op`` is none of those that the model has.
    """
    if op in PACKED:
        return _packed(memory, index, count, op, operands[0], want)
    if op != "cas" and op not in STEPS:
        raise NotModeled(f"atomic {op}")
    if op in UFUNCS and not want:
        _reduce(memory, index, count, UFUNCS[op], operands[0])
        return None
    if index.size > 1 and bool((index[1:] > index[:-1]).all()):
        old = _at_once(memory, index, op, operands)
    else:
        old = _Runs(memory, index, count).apply(op, tuple(_full(value, count) for value in operands))
    return old if want else None


def _at_once(memory: Values, index: Index, op: str, operands: tuple[Words, ...]) -> Words:
    """Every lane has an element to itself."""
    old = memory.take(index)
    memory[index] = np.where(old == operands[0], operands[1], old) if op == "cas" else STEPS[op](old, operands[0])
    return old


def _reduce(memory: Values, index: Index, count: int, ufunc: np.ufunc, value: Words) -> None:
    """Nobody asks for old values."""
    if index.size > 1:
        ufunc.at(memory, index, value if value.size > 1 else value[0])
        return
    values = np.concatenate((memory[index], _full(value, count)))
    if values.dtype.kind == "f":
        # Sums depend on their order: accumulate adds from left to right, reduce does not.
        memory[index] = ufunc.accumulate(values)[-1]
    else:
        memory[index] = ufunc.reduce(values, dtype=values.dtype)


def _packed(memory: Values, index: Index, count: int, op: str, value: Words, want: bool) -> Words | None:
    single, dtype = PACKED[op]
    halves = memory.view(dtype)
    values = np.ascontiguousarray(value).view(dtype).reshape(-1, 2)
    old = [apply(halves, index * 2 + half, count, single, (values[:, half],), want) for half in (0, 1)]
    if old[0] is None or old[1] is None:
        return None
    return np.stack((old[0], old[1]), axis=1).view(np.uint32).reshape(-1)


def _full(value: Words, count: int) -> Words:
    return np.repeat(value, count) if value.size == 1 and count != 1 else value


class _Runs:
    """Lanes sorted by the element they name, in lane order within each run of the same."""

    def __init__(self, memory: Values, index: Index, count: int) -> None:
        self.memory = memory
        self.order: Index | None = None
        if index.size == 1:
            self.starts = np.zeros(1, np.int64)
            self.elements = index
        else:
            self.order, ordered = _sorted(index)
            new = np.ones(count, np.bool_)
            np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
            self.starts = np.flatnonzero(new)
            self.elements = ordered[self.starts]
        self.lengths = _lengths(self.starts, count)
        self.held = memory.take(self.elements)
        """What each run's element holds."""

    def apply(self, op: str, operands: tuple[Words, ...]) -> Words:
        """Old values in lane order; memory is brought up to date."""
        operands = operands if self.order is None else tuple(value.take(self.order) for value in operands)
        old = self._swap(*operands) if op == "cas" else self._scan(op, operands[0])
        self.memory[self.elements] = self.held
        if self.order is None:
            return old
        result = np.empty_like(old)
        result[self.order] = old
        return result

    def _scan(self, op: str, values: Values) -> Values:
        if op == "exch":
            old = np.empty_like(values)
            old[1:] = values[:-1]
            old[self.starts] = self.held
            self.held = values[self.starts + self.lengths - 1]
            return old
        if op == "add" and values.dtype.kind in "ui":
            return self._sums(values)
        if op in UFUNCS and len(self.starts) <= max(LOOPED, int(self.lengths.max())):
            return self._run_by_run(UFUNCS[op], values)
        if op in ("inc", "dec") and bool((values == values[0]).all()):
            return self._counts(op, values[0])
        return self._round_by_round(STEPS[op], values)

    def _sums(self, values: Values) -> Values:
        """Integer sums wrap, so a run's are those of everything less what came before the run."""
        total = np.add.accumulate(values, dtype=values.dtype)
        before = total - values
        offset = self.held - before[self.starts]
        old: Values = before + np.repeat(offset, self.lengths)
        last = self.starts + self.lengths - 1
        self.held = old[last] + values[last]
        return old

    def _run_by_run(self, ufunc: np.ufunc, values: Values) -> Values:
        old = np.empty_like(values)
        for run, (start, length) in enumerate(zip(self.starts.tolist(), self.lengths.tolist(), strict=True)):
            whole = np.concatenate((self.held[run : run + 1], values[start : start + length]))
            states = ufunc.accumulate(whole)
            old[start : start + length] = states[:-1]
            self.held[run] = states[-1]
        return old

    def _counts(self, op: str, limit: Any) -> Values:
        """``inc`` and ``dec`` of one limit go round in a circle of limit + 1 values."""
        circle = int(limit) + 1
        place = np.arange(len(self.starts)).repeat(self.lengths)
        rank = np.arange(len(place)) - self.starts[place]
        return self._circle(op, circle, self.held.astype(np.int64), place, rank)

    def _circle(self, op: str, circle: int, held: Values, place: Index, rank: Index) -> Values:
        # A value above the limit is read once; then the circle begins at its start.
        outside = held >= circle
        begin = np.where(outside, -1 if op == "inc" else circle, held)
        sign = 1 if op == "inc" else -1
        old = (begin[place] + sign * rank) % circle
        old = np.where((rank == 0) & outside[place], held[place], old)
        self.held = ((begin + sign * self.lengths) % circle).astype(self.held.dtype)
        return old.astype(self.held.dtype)

    def _round_by_round(self, step: Step, values: Values) -> Values:
        """All runs' first lanes, then all second ones, and so on."""
        old = np.empty_like(values)
        for turn in range(int(self.lengths.max())):
            runs = np.flatnonzero(self.lengths > turn)
            at = self.starts[runs] + turn
            old[at] = self.held[runs]
            self.held[runs] = step(self.held[runs], values[at])
        return old

    def _swap(self, expected: Values, new: Values) -> Values:
        """Compare and swap, from one success that changes something to the next."""
        count = len(expected)
        place = np.arange(len(self.starts)).repeat(self.lengths)
        position = np.arange(count)
        old = self.held[place]
        reached = self.starts.copy()
        for _ in range(LOOPED):
            held = self.held[place]
            hits = (expected == held) & (new != held) & (position >= reached[place])
            if not hits.any():
                return old
            first = np.minimum.reduceat(np.where(hits, position, count), self.starts)
            runs = np.flatnonzero(first < count)
            self.held[runs] = new[first[runs]]
            reached[runs] = first[runs] + 1
            reached[first == count] = count
            later = position >= reached[place]
            old[later] = self.held[place][later]
        self._swap_singly(expected, new, old, reached)
        return old

    def _swap_singly(self, expected: Values, new: Values, old: Values, reached: Index) -> None:
        """The same lane by lane, for what has many successes in a row."""
        ends = (self.starts + self.lengths).tolist()
        for run, (begin, end) in enumerate(zip(reached.tolist(), ends, strict=True)):
            held = self.held[run]
            for at in range(begin, end):
                old[at] = held
                if expected[at] == held:
                    held = new[at]
            self.held[run] = held


def _lengths(starts: Index, count: int) -> Index:
    """How long the runs are, of which the last one ends at ``count``."""
    lengths = np.empty_like(starts)
    np.subtract(starts[1:], starts[:-1], out=lengths[:-1])
    lengths[-1] = count - starts[-1]
    return lengths


def _sorted(index: Index) -> tuple[Index, Index]:
    """The stable order by element, and the elements in that order."""
    low = int(index.min())
    bits = len(index).bit_length()
    if int(index.max()) - low >= 1 << 62 - bits:
        order = np.argsort(index, kind="stable")
        return order, index[order]
    # Sorting numbers that carry their lane is several times faster than a stable argsort.
    keys = ((index - low) << bits) + np.arange(len(index))
    keys.sort()
    return keys & ((1 << bits) - 1), (keys >> bits) + low
