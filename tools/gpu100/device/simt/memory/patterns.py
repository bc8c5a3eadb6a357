"""Addresses as a first one and distances from it, so that what a loop repeats is worked out once."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from gpu100.device.simt.memory import counting
from gpu100.device.simt.memory.active import Active
from gpu100.device.simt.memory.lanes import Index, Words

SMALL = 2048
"""Up to so many lanes patterns are told apart by content, with more only from their site's last."""
LEARNING = 8
"""After so many misses in a row a site counts as irregular."""
KEPT = 64
PER_ACTIVE = 1024


class Pattern:
    """Distances, in bytes, of some lanes' addresses from a first one."""

    single = False
    """Whether all lanes have one address."""

    def __init__(self, active: Active, delta: Index) -> None:
        self.active = active
        self.delta = delta
        self._steps: dict[int, Index] = {}
        self._spread: dict[tuple[int, int, int], Index] = {}
        self._sectors: dict[int, int] = {}
        self._wavefronts: dict[tuple[int, int, bool], int] = {}

    @cached_property
    def low(self) -> int:
        return int(self.delta.min())

    @cached_property
    def high(self) -> int:
        return int(self.delta.max())

    @cached_property
    def bits(self) -> int:
        """All bits that any distance has."""
        return int(np.bitwise_or.reduce(self.delta))

    @cached_property
    def stride(self) -> int:
        """The distance from each lane to the next, if always the same; else 0."""
        count = len(self.delta)
        stride = self.delta.item(1) - self.delta.item(0) if count > 1 else 0
        if not stride or self.delta.item(-1) - self.delta.item(0) != stride * (count - 1):
            return 0
        return stride if bool((np.diff(self.delta) == stride).all()) else 0

    def steps(self, shift: int) -> Index:
        """The distances in elements of ``1 << shift`` bytes."""
        found = self._steps.get(shift)
        if found is None:
            found = self._steps[shift] = self.delta >> shift
        return found

    def spread(self, shift: int, blocks: int, per_block: int) -> Index:
        """:meth:`steps` for each of some blocks, whose memories have ``per_block`` elements."""
        key = shift, blocks, per_block
        found = self._spread.get(key)
        if found is None:
            base = np.arange(blocks) * per_block
            found = self._spread[key] = (self.steps(shift) + base[:, None]).reshape(-1)
        return found

    @cached_property
    def unique(self) -> bool:
        """Whether no two lanes have the same address."""
        return bool(self.stride) or len(np.unique(self.delta)) == self.active.count

    def select(self, first: int, shift: int, *, slices: bool) -> slice | Index:
        """Element numbers; as a slice where they are evenly spaced and ``slices`` allows it."""
        start = first >> shift
        if slices and self.stride and not self.stride & ((1 << shift) - 1):
            step = self.stride >> shift
            stop = start + step * (len(self.delta) - 1) + (1 if step > 0 else -1)
            return slice(start, stop if stop >= 0 else None, step)
        return self.steps(shift) + start if start else self.steps(shift)

    def sectors(self, first: int, *, slices: bool) -> int:
        """Sectors that the lanes touch, per request and summed."""
        phase = first % counting.SECTOR
        found = self._sectors.get(phase)
        if found is None:
            if slices and self.stride and self.active.whole:
                found = counting.affine_sectors(phase, self.stride) * self.active.warps
            else:
                found = counting.sectors(self.active, self.delta + phase if phase else self.delta)
            self._sectors[phase] = found
        return found

    @cached_property
    def multiplicity(self) -> tuple[int, int]:
        """The most lanes of a warp on one address: summed over the warps, and the most of all."""
        return (self.active.warps, 1) if self.stride else counting.multiplicity(self.active, self.delta)

    def wavefronts(self, first: int, nbytes: int, *, load: bool) -> int:
        """Wavefronts of shared memory; a common shift by whole words changes nothing."""
        phase = first % max(nbytes, counting.BANK_BYTES)
        found = self._wavefronts.get((phase, nbytes, load))
        if found is None:
            found = counting.wavefronts(self.active, self.delta + phase, nbytes, load=load)
            self._wavefronts[phase, nbytes, load] = found
        return found


class Same(Pattern):
    """One address for all the lanes."""

    def __init__(self, active: Active) -> None:
        super().__init__(active, _ZERO)

    low = high = bits = stride = 0
    single = True

    @cached_property
    def unique(self) -> bool:
        return self.active.count == 1

    @cached_property
    def multiplicity(self) -> tuple[int, int]:
        return self.active.count, int(self.active.populations.max())

    def select(self, first: int, shift: int, *, slices: bool) -> slice | Index:
        return slice(first >> shift, (first >> shift) + 1, 1)

    def sectors(self, first: int, *, slices: bool) -> int:
        return self.active.warps


_ZERO = np.zeros(1, np.int64)


class Patterns:
    """The patterns that a launch's sites have shown."""

    def __init__(self) -> None:
        self._last: dict[tuple[int, int], Pattern] = {}
        self._misses: dict[int, int] = {}

    def of(self, site: int, active: Active, address: Words) -> tuple[int, Pattern, bool]:
        """The first address, the pattern, and whether it may be expected to come again."""
        if address.size == 1:
            if active.same is None:
                active.same = Same(active)
            return address.item(0), active.same, True
        if self._misses.get(site, 0) > LEARNING:
            return 0, Pattern(active, address.astype(np.int64, copy=False)), False
        first = address.item(0)
        if len(address) <= SMALL:
            return first, self._small(site, active, address), True
        return first, self._large(site, active, address, first), True

    def _small(self, site: int, active: Active, address: Words) -> Pattern:
        delta = address - address[0]
        key = delta.tobytes()
        found = active.patterns.get(key)
        if found is None:
            self._miss(site)
            if len(active.patterns) >= PER_ACTIVE:
                active.patterns.clear()
            found = active.patterns[key] = Pattern(active, _signed(delta))
        else:
            self._misses[site] = 0
        return found

    def _large(self, site: int, active: Active, address: Words, first: int) -> Pattern:
        key = site, id(active)
        delta = _signed(address - address[0])
        last = self._last.get(key)
        if last is not None and last.active is active:
            old = last.delta
            near = len(old) == len(delta) and delta.item(-1) == old.item(-1) and delta.item(1) == old.item(1)
            if near and bool((delta == old).all()):
                self._misses[site] = 0
                return last
        self._miss(site)
        if len(self._last) >= KEPT:
            self._last.clear()
        found = self._last[key] = Pattern(active, delta)
        return found

    def _miss(self, site: int) -> None:
        self._misses[site] = self._misses.get(site, 0) + 1


def _signed(delta: Words) -> Index:
    """Wrapped differences as what they are."""
    if delta.dtype == np.uint64:
        return delta.view(np.int64)
    return delta.view(np.int32).astype(np.int64) if delta.dtype == np.uint32 else delta.astype(np.int64)
