"""From what was seen to the reason: the one place that knows both.

:data:`RULES` is read from the top, and the first rule that fits names the reason. A rule looks at
all cases that failed, the smallest first, since one case alone often fits several: a single element
that is missing of one may be off by one, or a kernel that writes nothing.

First come the faults that the model names itself, and what a GPU's driver reports. Then what was
written outside the buffers, which only a GPU gets as far as. Then which elements were never
written, and last, where all were, what is wrong about their values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gpu100.device.interface import Extent
from gpu100.model.practice import Found
from gpu100.practice.buffers import Flags
from gpu100.practice.looks import Look, Seen

ILLEGAL = {"out-of-bounds", "CUDA_ERROR_ILLEGAL_ADDRESS"}
STOPPED = {"assert", "trap", "use-after-free", "stack-overflow", "CUDA_ERROR_ASSERT", "CUDA_ERROR_LAUNCH_FAILED"}


@dataclass(frozen=True)
class Evidence:
    """All that was tried: every case that was right, and those that were not, the smallest first."""

    failed: tuple[Look, ...]
    right: tuple[Look, ...] = ()

    @property
    def first(self) -> Look:
        return self.failed[0]

    def fell(self, *kinds: str) -> bool:
        """Whether the smallest case that failed ended with one of these."""
        return self.first.fell is not None and self.first.fell.kind in kinds

    @property
    def only_wide(self) -> bool:
        """Whether what fails is what an int cannot count, and nothing else."""
        return all(look.wide for look in self.failed) and any(look.wide for look in self.failed)

    def outputs(self) -> list[tuple[Look, Seen]]:
        """The outputs that are wrong, each with its case."""
        return [(look, seen) for look in self.failed for seen in look.outputs if seen.wrong.any()]

    def every(self, rule: Callable[[Look, Seen], bool]) -> bool:
        """Whether ``rule`` holds for every output that is wrong, and there is one."""
        outputs = self.outputs()
        return bool(outputs) and all(rule(look, seen) for look, seen in outputs)

    def some(self, rule: Callable[[Look, Seen], bool]) -> bool:
        """Whether ``rule`` holds for one of them."""
        return any(rule(look, seen) for look, seen in self.outputs())


def reason_of(failed: Sequence[Look], right: Sequence[Look] = ()) -> Found:
    """The reason why the cases ``failed``, where others were ``right``.

    Raises:
        ValueError: none failed.
    """
    if not failed:
        raise ValueError("nothing failed")
    evidence = Evidence(tuple(failed), tuple(right))
    return next((found for found, fits in RULES if fits(evidence)), "wrong-result")


def _outside(evidence: Evidence) -> bool:
    return evidence.fell(*ILLEGAL) or any(seen.guard_before or seen.guard_after for seen in evidence.first.seen)


def _one_outside(evidence: Evidence) -> bool:
    """One element more in each buffer would have been enough, or one canary has changed."""
    first = evidence.first
    if first.fell is not None:
        return bool(first.fell.kind in ILLEGAL and first.fell.slack)
    return max(((seen.guard_before + seen.guard_after) for seen in first.seen), default=0) == 1


def _input_changed(evidence: Evidence) -> bool:
    inputs = [seen for seen in evidence.first.seen if not seen.output]
    return any(seen.wrong.any() for seen in inputs) or evidence.fell("read-only")


def _nothing(evidence: Evidence) -> bool:
    """No element that should have changed did, in any case."""
    several = max((int(seen.wrong.size) for _, seen in evidence.outputs()), default=0) > 1
    return several and evidence.every(lambda _, seen: bool((seen.untouched == _due(seen)).all()))


def _due(seen: Seen) -> Flags:
    """The elements of an output that the kernel has to change."""
    expected = seen.buffer.expected
    assert expected is not None
    return np.asarray(expected.astype(seen.buffer.dtype) != seen.before)


def _at_an_edge(evidence: Evidence) -> bool:
    """One element is wrong in each case, and it is the first or the last of several."""

    def edge(_: Look, seen: Seen) -> bool:
        flat = seen.wrong.reshape(-1)
        return int(np.count_nonzero(flat)) == 1 and bool(flat[0] or flat[-1])

    return evidence.every(edge) and evidence.some(lambda _, seen: seen.wrong.size > 1)


def _first_block_only(look: Look, seen: Seen) -> bool:
    """What lies outside of the first block's share was never written, though other blocks ran."""
    return look.blocks > 1 and _only_within(look.block, seen)


def _one_grid_only(look: Look, seen: Seen) -> bool:
    """What lies outside of the first grid's reach was never written."""
    reach = tuple(blocks * threads for blocks, threads in zip(look.grid, look.block, strict=True))
    return _only_within((reach[0], reach[1], reach[2]), seen)


def _only_within(size: Extent, seen: Seen) -> bool:
    """Whether only the elements of the first ``size`` threads were written, from either end, and there are others."""
    share = _share(size, seen.wrong.shape)
    return any(_none_but(side, seen) for side in (share, np.flip(share)))


def _none_but(share: Flags, seen: Seen) -> bool:
    missing = seen.untouched
    return bool((~share).any() and (missing | ~_due(seen))[~share].all() and not missing[share].all())


def _share(size: Extent, shape: tuple[int, ...]) -> Flags:
    """The elements that threads 0 to ``size`` have where each has one: x along the last axis."""
    share = np.zeros(shape, np.bool_)
    if len(shape) == 2 and size[1] > 1:
        share[: size[1], : size[0]] = True
    else:
        share.reshape(-1)[: size[0] * size[1] * size[2]] = True
    return share


def _tail(look: Look, seen: Seen) -> bool:
    """The elements at one end are missing, fewer than a block has, and no other."""
    missing = seen.untouched.reshape(-1)
    count = int(np.count_nonzero(missing))
    threads = look.block[0] * look.block[1] * look.block[2]
    at_one_end = bool(missing[-count:].all() or missing[:count].all())
    return 0 < count < max(threads, 2) and at_one_end and not _off_in_value(seen)


def _off_in_value(seen: Seen) -> bool:
    return bool((seen.wrong & ~seen.untouched).any())


def _gaps(evidence: Evidence) -> bool:
    """Most of what is wrong was never written; a wrong value may equal what was there by chance."""
    outputs = [seen for _, seen in evidence.outputs()]
    wrong, missing = (
        sum(int(np.count_nonzero(flags)) for flags in each)
        for each in ([seen.wrong for seen in outputs], [seen.untouched for seen in outputs])
    )
    return 2 * missing >= wrong > 0


def _permuted(look: Look, seen: Seen) -> bool:
    """The same values, in another order."""
    expected = seen.buffer.expected
    assert expected is not None
    if seen.untouched.any() or expected.size < 2:
        return False
    got, right = np.sort(seen.got, axis=None), np.sort(expected.astype(seen.buffer.dtype), axis=None)
    if seen.buffer.tolerance is None:
        return bool((got == right).all())
    return bool(np.allclose(got, right, rtol=1e-5, atol=float(seen.buffer.tolerance.max())))


def _lost(look: Look, seen: Seen) -> bool:
    """A counter that was only added to is short."""
    expected = seen.buffer.expected
    assert expected is not None
    short = (seen.got < expected) | ~seen.wrong
    return seen.buffer.counter and bool(short.all()) and _off_in_value(seen)


def _stored_twice(evidence: Evidence) -> bool:
    """The kernel's stores wrote more elements than there are to write."""
    first = evidence.first
    due = sum(seen.buffer.elements for seen in first.outputs)
    return first.stores is not None and bool(due) and first.stores > due


RULES: tuple[tuple[Found, Callable[[Evidence], bool]], ...] = (
    ("misaligned", lambda e: e.fell("misaligned", "CUDA_ERROR_MISALIGNED_ADDRESS")),
    ("uninitialized", lambda e: e.fell("uninitialized")),
    ("missing-barrier", lambda e: e.fell("race") and "between" in e.first.fell.message),  # type: ignore[union-attr]
    ("race", lambda e: e.fell("race")),
    ("divergent-barrier", lambda e: e.fell("barrier", "deadlock")),
    ("endless", lambda e: e.fell("endless-loop", "CUDA_ERROR_LAUNCH_TIMEOUT")),
    ("crash", lambda e: e.fell(*STOPPED)),
    ("overflow", lambda e: e.only_wide),
    ("off-by-one", _one_outside),
    ("no-guard", _outside),
    ("wrong-buffer", _input_changed),
    ("launch", lambda e: e.first.fell is not None),
    ("no-guard", lambda e: any(seen.between for seen in e.first.seen)),
    ("unwritten", _nothing),
    ("race", lambda e: e.every(_lost)),
    ("off-by-one", _at_an_edge),
    ("local-index", lambda e: e.every(_first_block_only)),
    ("one-pass", lambda e: e.every(_one_grid_only)),
    ("tail", lambda e: e.every(_tail)),
    ("wrong-index", _gaps),
    ("wrong-order", lambda e: e.every(_permuted)),
    ("uninitialized", lambda e: e.some(lambda _, seen: seen.leaked)),
    ("race", lambda e: e.some(lambda _, seen: seen.moved)),
    ("overlap", _stored_twice),
)
"""Reasons with what tells them, in the order in which they are tried; ``wrong-result`` is what is left.

``leaked`` before ``moved``: the first says that the values depend on what memory held, the second
that they differ from one run to the next."""
