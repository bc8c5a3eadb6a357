"""What the SIMT model counted, as plain data: what is stored, and what text and pages are made from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from gpu100.decode import DecodeError, decode, encode

SCHEMA = 1
LANES = 32
SECTOR = 32
"""Bytes of global memory that are fetched or written together."""
BANK_BYTES = 4

PTX_NOT_SASS = (
    "These count PTX, not the GPU's own instructions (SASS): the driver's compiler still merges, moves and drops some. "
    "Sectors and wavefronts are what each access asks for as PTX has it; numbers of instructions are a guide."
)
SPUN = (
    "Threads of this kernel wait for each other in a loop. How often it turns is the model's choice, "
    "so nothing that was issued is counted."
)

UNITS = {
    "warp_instructions": "PTX instructions that a warp issued with at least one active lane",
    "lane_instructions": "the same, once for each active lane",
    "barriers": "barriers that a warp reached",
    "divergent_branches": "branches at which a warp's lanes parted",
    "requests": "times that a warp issued the access with at least one active lane",
    "lanes": "active lanes, summed over the requests",
    "sectors": "sectors of 32 bytes that a request touched, summed over the requests",
    "wavefronts": "passes over the 32 banks of shared memory, summed over the requests",
    "contention": "the most lanes of a request that named one address, summed over the requests",
    "worst": "the most lanes of any one request that named one address",
    "bytes_per_lane": "bytes",
}
"""What each number counts, for those who read the JSON."""

Kind = Literal["load", "store", "atomic"]
Extent = tuple[int, int, int]


@dataclass(frozen=True, kw_only=True)
class AccessCounters:
    """One load, store or atomic of a kernel."""

    file: str
    line: int
    """Of the kernel's own text; 0 where the compiler names none."""
    inlined: str
    """``file:line`` of the function that was inlined there; empty where none was."""
    instruction: str
    space: str
    """global, shared, local: of a generic access, where it turned out to go."""
    kind: Kind
    bytes_per_lane: int
    requests: int
    lanes: int
    sectors: int
    wavefronts: int
    contention: int
    worst: int

    @property
    def least_sectors(self) -> float:
        """Sectors that all requests together would touch if their lanes' own elements lay side by side."""
        bytes_moved = self.lanes * max(self.bytes_per_lane, BANK_BYTES if self.space == "local" else 1)
        return max(float(self.requests), bytes_moved / SECTOR)

    @property
    def least_wavefronts(self) -> int:
        """Wavefronts of all requests without a conflict between banks."""
        return self.requests * max(1, self.bytes_per_lane // BANK_BYTES)


@dataclass(frozen=True, kw_only=True)
class LineCounters:
    """One source line of a kernel."""

    file: str
    line: int
    warp_instructions: int
    lane_instructions: int
    barriers: int
    divergent_branches: int


@dataclass(frozen=True, kw_only=True)
class KernelCounters:
    """All launches of a kernel with the same grid and block."""

    kernel: str
    source: str
    """The file's name, as in messages of the compiler."""
    digest: str
    """Of its text: what ``line`` counts lines in."""
    grid: Extent
    block: Extent
    launches: int
    spun: bool
    """Whether lanes waited for others in a loop: then ``lines`` and ``totals`` are empty, and an
    access's sums say nothing, only what they come to for each request."""
    totals: dict[str, int]
    accesses: tuple[AccessCounters, ...]
    lines: tuple[LineCounters, ...]

    @property
    def launched(self) -> str:
        """``<<<4096, 256>>>``, with parentheses where there is more than one axis."""
        return f"<<<{_extent(self.grid)}, {_extent(self.block)}>>>"

    @cached_property
    def own_lines(self) -> dict[int, LineCounters]:
        """The lines of the kernel's own file, by number."""
        return {line.line: line for line in self.lines if line.file == self.source and line.line}

    @cached_property
    def own_accesses(self) -> dict[int, tuple[AccessCounters, ...]]:
        """The accesses that happened, by line of the kernel's own file."""
        found: dict[int, tuple[AccessCounters, ...]] = {}
        for access in self.accesses:
            if access.file == self.source and access.line and access.requests:
                found[access.line] = (*found.get(access.line, ()), access)
        return found

    def used(self, space: str, *kinds: Kind) -> tuple[AccessCounters, ...]:
        """The accesses of these kinds that happened."""
        return tuple(a for a in self.accesses if a.space == space and a.kind in kinds and a.requests)


@dataclass(frozen=True, kw_only=True)
class Counters:
    """The counters of a program, or of some launches of it."""

    schema: int
    counts: str
    units: dict[str, str]
    kernels: tuple[KernelCounters, ...]

    @classmethod
    def of(cls, kernels: Iterable[KernelCounters]) -> Counters:
        """Counters of this schema."""
        return cls(schema=SCHEMA, counts=PTX_NOT_SASS, units=UNITS, kernels=tuple(kernels))

    def plain(self) -> dict[str, object]:
        """As JSON holds it."""
        return dict(encode(self))

    @classmethod
    def read(cls, data: object) -> Counters:
        """Counters from what :meth:`plain` gave.

        Raises:
            DecodeError: it is no such data, or has a schema of another version.
        """
        schema = data.get("schema") if isinstance(data, dict) else None
        if schema != SCHEMA:
            hint = "gpu100 run --counters json writes it anew"
            raise DecodeError(f"counters of schema {schema!r}, where {SCHEMA} is known", ("schema",), hint=hint)
        return decode(cls, data)


def _extent(axes: Extent) -> str:
    shown = axes[: max(number for number in (1, 2, 3) if number == 1 or axes[number - 1] > 1)]
    return str(shown[0]) if len(shown) == 1 else f"({', '.join(map(str, shown))})"
