"""What a launch was asked to do, as numbers: for the kernel, for each access, for each source line.

All of it counts instructions of PTX, which the driver's compiler translates further: it may merge,
move or drop some, and adds its own. What memory accesses ask for is theirs as PTX has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace

from gpu100.device.interface import Source
from gpu100.device.simt.decode.emit import Code
from gpu100.device.simt.execute.counts import Counts
from gpu100.device.simt.memory.access import Access
from gpu100.device.simt.ptx.ir import Location

_Extent = tuple[int, int, int]


@dataclass(frozen=True)
class AccessCount:
    """One load, store or atomic of the program."""

    location: Location | None
    name: str
    """The instruction: ``ld.global.f32``."""
    space: str
    kind: str
    """load, store or atomic."""
    nbytes: int
    """Bytes per lane."""
    requests: int
    """How often a warp issued it with at least one lane active."""
    lanes: int
    """Active lanes, over all requests."""
    sectors: int
    """Sectors of 32 bytes that the requests touched, each counted for itself."""
    wavefronts: int
    """Passes over the 32 banks of shared memory; 1 per request is without conflict."""
    contention: int
    """Of atomics: for each request the most lanes that named one address, summed."""
    worst: int
    """Of atomics: the most lanes of one request that named one address."""


@dataclass(frozen=True)
class LineCount:
    """One line of the source."""

    warp_instructions: int = 0
    lane_instructions: int = 0
    barriers: int = 0
    """Barriers that warps reached."""
    divergent_branches: int = 0
    """Branches at which some lanes of a warp went one way and some the other."""

    def __add__(self, other: LineCount) -> LineCount:
        sums = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        return LineCount(**sums)

    @property
    def lanes(self) -> float:
        """Active lanes per warp instruction."""
        return self.lane_instructions / self.warp_instructions if self.warp_instructions else 0.0


@dataclass(frozen=True)
class LaunchReport:
    """One launch, or several of one kernel added up."""

    kernel: str
    grid: _Extent
    block: _Extent
    lines: Mapping[Location | None, LineCount]
    accesses: tuple[AccessCount, ...]
    spun: bool
    """Whether lanes waited for others in a loop; how often is then the model's choice, so nothing that
    was issued is said."""
    launches: int = 1
    source: Source | None = None
    """The kernel's text; the device says it."""

    @classmethod
    def of(cls, code: Code, grid: _Extent, block: _Extent, counts: Counts, access: Access) -> LaunchReport:
        """The report of a launch that has ended."""
        return cls(
            kernel=code.program.kernel.name,
            grid=grid,
            block=block,
            lines=_lines(code, counts),
            accesses=tuple(_accesses(code, access)),
            spun=counts.spun,
        )

    @property
    def total(self) -> LineCount:
        """All lines together."""
        return sum(self.lines.values(), LineCount())

    def sum(self, what: str, space: str, *kinds: str) -> int:
        """The sum of a counter over all accesses to ``space`` of these kinds."""
        chosen = (a for a in self.accesses if a.kind in kinds and space == space_of(a))
        return sum(getattr(access, what) for access in chosen)

    @property
    def totals(self) -> dict[str, int]:
        """The kernel's counters by name; without those of issued instructions where lanes spun."""
        names = {}
        for space in ("global", "local"):
            for kind in ("load", "store"):
                names[f"{space}_{kind}_requests"] = self.sum("requests", space, kind)
                names[f"{space}_{kind}_sectors"] = self.sum("sectors", space, kind)
        for kind in ("load", "store"):
            names[f"shared_{kind}_requests"] = self.sum("requests", "shared", kind)
            names[f"shared_{kind}_wavefronts"] = self.sum("wavefronts", "shared", kind)
        for space in ("global", "shared"):
            names[f"{space}_atomic_requests"] = self.sum("requests", space, "atomic")
        if self.spun:
            return names
        total = self.total
        return {
            "warp_instructions": total.warp_instructions,
            "lane_instructions": total.lane_instructions,
            "barriers": total.barriers,
            "divergent_branches": total.divergent_branches,
            **names,
        }


def by_kernel(reports: Iterable[LaunchReport]) -> list[LaunchReport]:
    """Launches of the same kernel with the same extent, added up, in the order of their first."""
    groups: dict[tuple[object, ...], LaunchReport] = {}
    for report in reports:
        # Of one name there may be several kernels: another file's, or one compiled with other options.
        sites = tuple((access.name, access.location) for access in report.accesses)
        key = (report.source, report.kernel, report.grid, report.block, sites)
        groups[key] = _sum(groups[key], report) if key in groups else report
    return list(groups.values())


def _sum(first: LaunchReport, second: LaunchReport) -> LaunchReport:
    lines: dict[Location | None, LineCount] = dict(first.lines)
    for location, count in second.lines.items():
        lines[location] = lines.get(location, LineCount()) + count
    accesses = tuple(_sum_access(a, b) for a, b in zip(first.accesses, second.accesses, strict=True))
    spun = first.spun or second.spun
    return replace(first, lines=lines, accesses=accesses, spun=spun, launches=first.launches + second.launches)


def _sum_access(first: AccessCount, second: AccessCount) -> AccessCount:
    summed = ("requests", "lanes", "sectors", "wavefronts", "contention")
    sums = {name: getattr(first, name) + getattr(second, name) for name in summed}
    return replace(first, **sums, worst=max(first.worst, second.worst))


def space_of(access: AccessCount) -> str:
    """The memory an access is counted with: a generic one by what it turned out to touch."""
    if access.space != "generic":
        return access.space
    return "shared" if access.wavefronts and not access.sectors else "global"


def _lines(code: Code, counts: Counts) -> dict[Location | None, LineCount]:
    lines: dict[Location | None, LineCount] = {}
    for location, blocks in code.lines:
        issued = active = barriers = parted = 0
        for number, share in blocks:
            warps = counts.warps[number]
            issued += warps * share.instructions
            active += counts.lanes[number] * share.instructions
            barriers += warps * share.barriers
            parted += counts.parted_warps[number] if share.branch else 0
        if issued or parted:
            lines[location] = LineCount(issued, active, barriers, parted)
    return lines


def _accesses(code: Code, access: Access) -> Iterator[AccessCount]:
    counts = access.counters
    for number, site in enumerate(code.sites):
        if site.space == "const":
            continue
        yield AccessCount(
            location=site.instruction.location,
            name=site.instruction.name,
            space=site.space,
            kind=site.kind,
            nbytes=site.nbytes,
            requests=int(counts.requests[number]),
            lanes=int(counts.lanes[number]),
            sectors=int(counts.sectors[number]),
            wavefronts=int(counts.wavefronts[number]),
            contention=int(counts.contention[number]),
            worst=int(counts.worst[number]),
        )
