"""What a launch's loads, stores and atomics do to memory: checked, counted, done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gpu100.device.simt.memory.active import Active, ActiveCache, Flags
from gpu100.device.simt.memory.atomics import NAMED_TYPES
from gpu100.device.simt.memory.counting import SiteCounts, Tally
from gpu100.device.simt.memory.device_memory import LOCAL_WINDOW, SHARED_WINDOW, WINDOW, DeviceMemory
from gpu100.device.simt.memory.diagnose import Site
from gpu100.device.simt.memory.global_space import GlobalSpace
from gpu100.device.simt.memory.lanes import Index, Lanes, Words
from gpu100.device.simt.memory.local_space import LocalSpace
from gpu100.device.simt.memory.shapes import Shapes
from gpu100.device.simt.memory.shared_space import SharedSpace

__all__ = ["Access", "Site", "SiteCounts"]

Space = GlobalSpace | SharedSpace | LocalSpace


class Access:
    """The memory accesses of one launch, whose chunks come one after the other.

    ``X``: None where all lanes of the chunk take part, else their sorted indexes, in an array that
    nobody changes later. ``mask``: None, or which of those the instruction's predicate holds for.
    An address is an array of one element per lane that takes part, or of one for all of them; a
    shared address is an offset in the block's shared memory, a local one in the thread's own.
    """

    def __init__(
        self,
        memory: DeviceMemory,
        sites: Sequence[Site],
        *,
        shared_bytes: int,
        local_bytes: int,
        granule: int = 4,
        shapes: Shapes | None = None,
    ) -> None:
        """``granule``: the fewest bytes that any access to shared memory has (1, 2 or 4)."""
        self._shapes = shapes or Shapes()
        memory.settle()
        tallies = [Tally() for _ in sites]
        self._tallies = tallies
        self._global = GlobalSpace(memory, sites, tallies)
        self._shared = SharedSpace(sites, tallies, shared_bytes, granule)
        self._local = LocalSpace(sites, tallies, local_bytes)
        self._spaces: dict[str, Space] = {
            "global": self._global,
            "const": self._global,
            "shared": self._shared,
            "local": self._local,
        }
        self._actives: ActiveCache
        types = (site.instruction.type for site in sites)
        self._suffixes = [f".{type}" if type in NAMED_TYPES else "" for type in types]

    @property
    def counters(self) -> SiteCounts:
        """What has been counted so far, by site."""
        return SiteCounts.of(self._tallies)

    def begin(self, lanes: Lanes) -> None:
        """Start on a chunk: new shared and local memory, and nobody has accessed anything yet."""
        self._actives = self._shapes.of(lanes).actives
        for space in (self._global, self._shared, self._local):
            space.begin(lanes)

    def load(
        self,
        site: int,
        space: str,
        address: Words,
        X: Index | None,  # noqa: N803
        mask: Flags | None,
        dtype: np.dtype[Any],
        count: int = 1,
    ) -> tuple[Words, ...]:
        """``count`` values per lane of ``X``, zero where ``mask`` is off."""
        active = self._actives.of(X)
        if mask is None and active.count:
            return self._load(site, space, address, active, dtype, count)
        some, selected = self._masked(active, mask)
        if some is active:
            return self._load(site, space, address, active, dtype, count)
        results = tuple(np.zeros(active.count, dtype) for _ in range(count))
        if some is not None:
            for result, value in zip(
                results, self._load(site, space, _picked(address, selected), some, dtype, count), strict=True
            ):
                result[selected] = value
        return results

    def store(
        self,
        site: int,
        space: str,
        address: Words,
        X: Index | None,  # noqa: N803
        mask: Flags | None,
        values: tuple[Words, ...],
    ) -> None:
        """Write; where lanes name one address the last one's value stays."""
        active = self._actives.of(X)
        if mask is not None or not active.count:
            some, selected = self._masked(active, mask)
            if some is None:
                return
            if some is not active:
                active, address = some, _picked(address, selected)
                values = tuple(_picked(value, selected) for value in values)
        if space != "generic":
            self._spaces[space].store(site, active, address, values)
            return
        for part, picked, offset, there in self._windows(active, address):
            own = values if picked is None else tuple(_picked(value, picked) for value in values)
            there.store(site, part, offset, own)

    def atomic(
        self,
        site: int,
        space: str,
        op: str,
        address: Words,
        X: Index | None,  # noqa: N803
        mask: Flags | None,
        dtype: np.dtype[Any],
        values: tuple[Words, ...],
        want: bool,
    ) -> Words | None:
        """Read, compute, write, lane by lane; what each lane read, if wanted, zero where ``mask`` is off."""
        active = self._actives.of(X)
        op += self._suffixes[site]
        some: Active | None = active
        selected: Index | None = None
        values = tuple(value if value.dtype == dtype else value.view(dtype) for value in values)
        if mask is not None or not active.count:
            some, selected = self._masked(active, mask)
        if some is active:
            return self._atomic(site, space, op, address, active, values, want)
        result = np.zeros(active.count, dtype) if want else None
        if some is not None:
            own = tuple(_picked(value, selected) for value in values)
            old = self._atomic(site, space, op, _picked(address, selected), some, own, want)
            if result is not None:
                result[selected] = old
        return result

    def barrier(self, blocks: Index | None = None) -> None:
        """All threads of these blocks of the chunk (None: of all) have passed a barrier."""
        self._shared.barrier(blocks)

    def warp_sync(self, X: Index | None) -> None:  # noqa: N803
        """``__syncwarp`` among these lanes."""
        self._shared.warp_sync(self._actives.of(X))

    def fence(self, X: Index | None) -> None:  # noqa: N803
        """A memory fence by these lanes: taken to order all that their blocks did before."""
        self._shared.fence(self._actives.of(X))

    def private(self, lane: int, offset: int, nbytes: int) -> bytes:
        """Bytes of one lane's local memory, for the model's own use."""
        return self._local.private(lane, offset, nbytes)

    def _masked(self, active: Active, mask: Flags | None) -> tuple[Active | None, Index | None]:
        """The lanes that ``mask`` leaves, None for nobody, and where they are among all of ``active``."""
        if mask is None or not active.count:
            return None, None
        if mask.size == 1:
            return (active if mask.item(0) else None), None
        if mask.all():
            return active, None
        some, selected = self._actives.masked(active, mask)
        return (some if some.count else None), selected

    def _load(
        self, site: int, space: str, address: Words, active: Active, dtype: np.dtype[Any], count: int
    ) -> tuple[Words, ...]:
        if space != "generic":
            return self._spaces[space].load(site, active, address, dtype, count)
        results = tuple(np.zeros(active.count, dtype) for _ in range(count))
        for part, picked, offset, there in self._windows(active, address):
            values = there.load(site, part, offset, dtype, count)
            if picked is None:
                return values
            for result, value in zip(results, values, strict=True):
                result[picked] = value
        return results

    def _atomic(
        self, site: int, space: str, op: str, address: Words, active: Active, values: tuple[Words, ...], want: bool
    ) -> Words | None:
        if space != "generic":
            return self._spaces[space].atomic(site, active, op, address, values, want)
        result = np.zeros(active.count, values[0].dtype)
        for part, picked, offset, there in self._windows(active, address):
            own = values if picked is None else tuple(_picked(value, picked) for value in values)
            old = there.atomic(site, part, op, offset, own, want)
            if picked is None:
                return old
            if old is not None:
                result[picked] = old
        return result if want else None

    def _windows(self, active: Active, address: Words) -> list[tuple[Active, Index | None, Words, Space]]:
        """Generic addresses by the space that they are in: lanes, which of ``active`` they are, offsets."""
        if address.max() < SHARED_WINDOW - WINDOW // 2:
            return [(active, None, address, self._global)]
        window = (address + np.uint64(WINDOW // 2)) // np.uint64(WINDOW)
        parts: list[tuple[Active, Index | None, Words, Space]] = []
        for number in np.unique(window).tolist():
            start, space = self._window(number * WINDOW)
            selected = np.flatnonzero(window == number)
            if len(selected) == len(window):
                return [(active, None, address - start, space)]
            parts.append((active.subset(selected), selected, address[selected] - start, space))
        return parts

    def _window(self, start: int) -> tuple[np.uint64, Space]:
        if start == SHARED_WINDOW:
            return np.uint64(start), self._shared
        if start == LOCAL_WINDOW:
            return np.uint64(start), self._local
        return np.uint64(0), self._global


def _picked(values: npt.NDArray[Any], selected: Index | None) -> npt.NDArray[Any]:
    return values if values.size == 1 or selected is None else values.take(selected)
