"""What an access costs a GPU: sectors of 32 bytes, wavefronts of shared memory, contention."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from gpu100.device.simt.memory.active import Active
from gpu100.device.simt.memory.lanes import WARP, Index, Words

SECTOR = 32
BANKS = 32
BANK_BYTES = 4


@dataclass(slots=True)
class Tally:
    """The counters of one site."""

    requests: int = 0
    lanes: int = 0
    sectors: int = 0
    wavefronts: int = 0
    contention: int = 0
    worst: int = 0

    def request(self, active: Active) -> None:
        """One execution by these lanes."""
        self.requests += active.warps
        self.lanes += active.count

    def contended(self, total: int, worst: int) -> None:
        """Atomics: the worst multiplicities of the requests, summed, and the worst of all."""
        self.contention += total
        self.worst = max(self.worst, worst)


@dataclass(frozen=True)
class SiteCounts:
    """Counters by site number."""

    requests: npt.NDArray[np.int64]
    """Warp-level executions with at least one active lane."""
    lanes: npt.NDArray[np.int64]
    """Active lanes, summed over the requests."""
    sectors: npt.NDArray[np.int64]
    """32-byte sectors of global or local memory that the requests touched, each counted per request."""
    wavefronts: npt.NDArray[np.int64]
    """Passes over the 32 banks of shared memory; for ``const``, different words per request."""
    contention: npt.NDArray[np.int64]
    """Atomics: for each request the most lanes that named one address, summed over the requests."""
    worst: npt.NDArray[np.int64]
    """Atomics: the most lanes of one request that named one address."""

    @classmethod
    def of(cls, tallies: list[Tally]) -> SiteCounts:
        """The tallies as arrays."""
        names = Tally.__slots__
        return cls(**{name: np.array([getattr(tally, name) for tally in tallies], np.int64) for name in names})


def distinct(rows: Words) -> int:
    """How many different values each row has, summed over the rows."""
    width = rows.shape[1]
    flat = rows.reshape(-1)
    here, before = flat[1:], flat[:-1]
    descents = np.count_nonzero(here < before)
    if descents and descents != np.count_nonzero(flat[width::width] < flat[width - 1 : -1 : width]):
        narrow = rows.astype(np.uint32)  # sorts faster; keys are below 2**32
        narrow.sort(axis=1)
        flat = narrow.reshape(-1)
        here, before = flat[1:], flat[:-1]
    changes = np.count_nonzero(here != before)
    between = np.count_nonzero(flat[width::width] != flat[width - 1 : -1 : width])
    return len(rows) + int(changes - between)


def sectors(active: Active, address: Words) -> int:
    """Sectors touched by naturally aligned accesses of up to 32 bytes, which never straddle two."""
    return distinct(active.rows(address >> SECTOR.bit_length() - 1))


@lru_cache(maxsize=4096)
def affine_sectors(phase: int, stride: int, lanes: int = WARP) -> int:
    """Sectors of one warp whose lanes are ``stride`` bytes apart, the first ``phase`` bytes into a sector."""
    return len({(phase + lane * stride) // SECTOR for lane in range(lanes)})


def local_sectors(active: Active, offset: Words, nbytes: int) -> int:
    """The same for local memory, where the lanes' 4-byte words alternate: lane 0's, lane 1's, ..."""
    unit = max(nbytes, BANK_BYTES)
    words = unit // BANK_BYTES
    if offset.size == 1:
        return active.octets * words
    keys = (offset.astype(np.int64) >> unit.bit_length() - 1 << 2) + active.octet
    return distinct(active.rows(keys)) * words


def wavefronts(active: Active, offset: Words, nbytes: int, *, load: bool) -> int:
    """Wavefronts of shared memory: per warp, half warp (8 bytes) or quarter (16), the fullest bank's words.

    A load's two halves, or each two quarters, are one where every two neighboring lanes ask for the
    same: lanes one apart throughout, or lanes two apart. A lane that is off asks for nothing.
    """
    unit = max(nbytes, BANK_BYTES)
    width = WARP * BANK_BYTES // unit
    if offset.size == 1:
        return active.groups(min(2 * width, WARP) if load and width < WARP else width)
    units = (offset >> unit.bit_length() - 1).astype(np.uint32)
    if not load or width == WARP:
        return _fullest(active.rows(units, width), width)
    return _joined(active, units, width)


def _joined(active: Active, units: Words, width: int) -> int:
    """The same for loads wider than a bank."""
    rows = active.rows(units, 2 * width)
    lane = active.rows(active.lane, 2 * width)
    columns = np.arange(2 * width)
    here = lane == lane[:, :1] // (2 * width) * (2 * width) + columns
    joined = np.zeros(len(rows), np.bool_)
    for apart in (1, 2):
        other = columns ^ apart
        joined |= ((rows == rows[:, other]) | ~here | ~here[:, other]).all(axis=1)
    total = _fullest(rows[joined], width) if joined.any() else 0
    if not joined.all():
        halves, there = (part[~joined].reshape(-1, width) for part in (rows, here))
        any_there = there.any(axis=1)
        halves, there = halves[any_there], there[any_there]
        first = np.take_along_axis(halves, there.argmax(axis=1)[:, None], axis=1)
        total += _fullest(np.where(there, halves, first), width)
    return total


def _fullest(rows: Words, banks: int) -> int:
    """Per row the most different values that fall into one of as many banks; summed."""
    count = len(rows)
    bits = banks.bit_length() - 1
    keys = (rows & np.uint32(banks - 1)) << np.uint32(32 - bits) | rows >> np.uint32(bits)
    keys.sort(axis=1)
    new = np.ones(rows.shape, np.bool_)
    np.not_equal(keys[:, 1:], keys[:, :-1], out=new[:, 1:])
    bank = (keys >> np.uint32(32 - bits)) + np.arange(count, dtype=np.uint32)[:, None] * np.uint32(banks)
    filled = np.bincount(bank[new], minlength=count * banks)
    return int(filled.reshape(count, banks).max(axis=1).sum())


def multiplicity(active: Active, delta: Index) -> tuple[int, int]:
    """The most lanes of a warp on one address: summed over the warps, and the most of all."""
    if active.whole and int(delta.max()) - (low := int(delta.min())) < 1 << 31:
        return _repeated((delta - low).astype(np.uint32).reshape(-1, WARP))
    order = np.lexsort((delta, active.ranks))
    ranks, ordered = active.ranks[order], delta[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (ordered[1:] != ordered[:-1]) | (ranks[1:] != ranks[:-1])
    starts = np.flatnonzero(new)
    lengths = np.diff(starts, append=len(order))
    firsts = np.flatnonzero(np.diff(ranks[starts], prepend=-1))
    worst: npt.NDArray[Any] = np.maximum.reduceat(lengths, firsts)
    return int(worst.sum()), int(worst.max())


def _repeated(rows: npt.NDArray[np.uint32]) -> tuple[int, int]:
    """The same for whole warps' addresses below 2**31, one row each."""
    rows.sort(axis=1)
    rows[1::2] |= np.uint32(1 << 31)  # neighbouring rows now have nothing in common
    flat = rows.reshape(-1)
    total, worst = len(rows), 1
    # A row that has equal values so far apart has one value at least that often.
    for apart in range(1, WARP):
        hits = np.flatnonzero(flat[apart:] == flat[:-apart]) >> 5
        if not len(hits):
            break
        total += 1 + int(np.count_nonzero(hits[1:] != hits[:-1]))
        worst = apart + 1
    return total, worst
