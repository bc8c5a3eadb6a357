"""How counters are read: each beside the least that would do, and a word where it is much more.

Text and pages are laid out from the same rows and columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from gpu100.model.counters import BANK_BYTES, LANES, AccessCounters, KernelCounters, Kind, LineCounters

EXCESS = 1.1
"""From this multiple of the least on, a line is marked."""
FEW_LANES = 24
"""Below so many active lanes per instruction it is marked, too."""
PARTED = 0.01
"""Or from this share of its instructions that are branches at which lanes parted."""

_PLURALS = {"load": "loads", "store": "stores", "atomic": "atomics"}


@dataclass(frozen=True)
class Row:
    """One line of a kernel's table."""

    name: str
    count: str
    unit: str = ""
    rate: str = ""
    """The same for each request: ``4.00 sectors``."""
    note: str = ""
    """What to hold it against."""
    mark: str = ""
    """How much more it is than need be, where it is."""


@dataclass(frozen=True)
class Column:
    """One column of a listing's margin."""

    head: tuple[str, str]
    """What it is, in two short lines."""
    title: str
    """In full."""
    cells: Mapping[int, str]
    """By line of the source."""


def rows(kernel: KernelCounters) -> list[Row]:
    """The lines of a kernel's table: only what the kernel has."""
    found = [] if kernel.spun else list(_issued(kernel))
    kinds: tuple[Kind, ...] = ("load", "store")
    for space in ("global", "local"):
        for kind in kinds:
            if accesses := kernel.used(space, kind):
                found.append(_sectors(kernel, f"{space} {_PLURALS[kind]}", accesses))
    for kind in kinds:
        if accesses := kernel.used("shared", kind):
            found.append(_wavefronts(kernel, f"shared {_PLURALS[kind]}", accesses))
    if kernel.spun:
        return found
    for space in ("global", "shared"):
        if accesses := kernel.used(space, "atomic"):
            found.append(_atomics(f"{space} atomics", accesses))
    if barriers := kernel.totals["barriers"]:
        found.append(Row("barriers", f"{barriers:,}", note="once for each warp that reached one"))
    if parted := kernel.totals["divergent_branches"]:
        found.append(Row("divergent branches", f"{parted:,}", note="where lanes of a warp parted"))
    return found


def _issued(kernel: KernelCounters) -> Iterator[Row]:
    warps, lanes = kernel.totals["warp_instructions"], kernel.totals["lane_instructions"]
    yield Row("warp instructions", f"{warps:,}")
    if warps:
        mark = f"{_times(LANES * warps / lanes)}x" if lanes / warps < FEW_LANES else ""
        yield Row("active lanes", f"{lanes / warps:.2f}", note=f"for each instruction, of {LANES}", mark=mark)


def _sectors(kernel: KernelCounters, name: str, accesses: Sequence[AccessCounters]) -> Row:
    requests = sum(a.requests for a in accesses)
    rate = sum(a.sectors for a in accesses) / requests
    least = sum(a.least_sectors for a in accesses) / requests
    return Row(
        name,
        "" if kernel.spun else f"{requests:,}",
        "" if kernel.spun else "requests",
        f"{rate:.2f} sectors",
        _least(rate, least, accesses),
        excess(rate, least),
    )


def _least(rate: float, least: float, accesses: Sequence[AccessCounters]) -> str:
    widths = {a.bytes_per_lane for a in accesses}
    if rate < least * 0.995:
        return f"lanes share elements; {_short(least)} if each had its own"
    if len(widths) > 1:
        return f"{_short(least)} is the least for these elements"
    width = widths.pop()
    full = max(width, BANK_BYTES) if accesses[0].space == "local" else width
    what = f"{width}-byte elements" if _short(least) == str(full) else "these lanes"
    return f"{_short(least)} is the least for {what}"


def _wavefronts(kernel: KernelCounters, name: str, accesses: Sequence[AccessCounters]) -> Row:
    requests = sum(a.requests for a in accesses)
    rate = sum(a.wavefronts for a in accesses) / requests
    least = sum(a.least_wavefronts for a in accesses) / requests
    return Row(
        name,
        "" if kernel.spun else f"{requests:,}",
        "" if kernel.spun else "requests",
        f"{rate:.2f} wavefronts",
        f"{_short(least)} is without bank conflicts",
        excess(rate, least),
    )


def _atomics(name: str, accesses: Sequence[AccessCounters]) -> Row:
    requests = sum(a.requests for a in accesses)
    rate = sum(a.contention for a in accesses) / requests
    worst = max(a.worst for a in accesses)
    note = f"on one address, {worst} at worst; 1 is without contention"
    return Row(name, f"{requests:,}", "requests", f"{rate:.2f} lanes", note, excess(rate, 1.0))


def excess(rate: float, least: float) -> str:
    """``8x``, where ``rate`` is well above ``least``; else empty."""
    return f"{_times(rate / least)}x" if rate > EXCESS * least else ""


def _times(ratio: float) -> str:
    """``8``, ``4.6``, ``1.25``."""
    return _short(round(ratio, 1 if ratio >= 2 else 2))


def _short(value: float) -> str:
    """``4`` for 4.0, ``3.94`` for 3.9375."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def columns(kernel: KernelCounters) -> list[Column]:
    """The margin of a listing: only columns that the kernel has something for."""
    lines, accesses = kernel.own_lines, kernel.own_accesses
    issued = {number: line for number, line in lines.items() if line.warp_instructions}
    found = [
        Column(("warp", "instr."), "warp instructions", {n: f"{v.warp_instructions:,}" for n, v in issued.items()}),
        Column(("active", "lanes"), "active lanes per instruction", {n: f"{_lanes(v):.1f}" for n, v in issued.items()}),
        Column(("sectors", "/request"), "sectors per request", _rates(accesses, "sectors", ("global", "local"))),
        Column(("wavefr.", "/request"), "wavefronts per request", _rates(accesses, "wavefronts", ("shared",))),
        Column(
            ("diverg.", "branches"),
            "divergent branches",
            {n: f"{v.divergent_branches:,}" for n, v in lines.items() if v.divergent_branches},
        ),
    ]
    return [column for column in found if column.cells]


def _lanes(line: LineCounters) -> float:
    return line.lane_instructions / line.warp_instructions


def _rates(accesses: Mapping[int, Sequence[AccessCounters]], what: str, spaces: tuple[str, ...]) -> dict[int, str]:
    """By line, what each of its accesses comes to; one number where all agree."""
    cells: dict[int, str] = {}
    for number, found in accesses.items():
        rates = list(dict.fromkeys(getattr(a, what) / a.requests for a in found if a.space in spaces))
        if len(rates) > 2:
            cells[number] = f"{_short(min(rates))}-{_short(max(rates))}"
        elif rates:
            cells[number] = ", ".join(f"{rate:.2f}" for rate in rates)
    return cells


def marks(kernel: KernelCounters) -> dict[int, str]:
    """What is notable of a line, in a few words, by its number."""
    numbers = sorted({*kernel.own_lines, *kernel.own_accesses})
    found = {number: ", ".join(_notable(kernel, number)) for number in numbers}
    return {number: words for number, words in found.items() if words}


def _notable(kernel: KernelCounters, number: int) -> Iterator[str]:
    accesses = kernel.own_accesses.get(number, ())
    yield from _worst(accesses, ("global",), "sectors", "{}x sectors")
    yield from _worst(accesses, ("shared",), "wavefronts", "{}-way banks")
    if any(a.space == "local" for a in accesses):
        yield "local memory"
    if kernel.spun:
        return
    contended = max((a.contention / a.requests for a in accesses if a.kind == "atomic"), default=0)
    if contended > EXCESS:
        yield f"{_times(contended)} on one address"
    line = kernel.own_lines.get(number)
    if line is None or not line.warp_instructions:
        return
    if line.divergent_branches > PARTED * line.warp_instructions:
        yield "diverges"
    if _lanes(line) < FEW_LANES:
        yield f"{_lanes(line):.0f} of {LANES} lanes"


def _worst(accesses: Sequence[AccessCounters], spaces: tuple[str, ...], what: str, words: str) -> Iterator[str]:
    """The access that is furthest above its least, where one is well above."""
    ratios = [
        getattr(a, what) / getattr(a, f"least_{what}")
        for a in accesses
        if a.space in spaces and (a.kind != "atomic" or what == "sectors")
    ]
    if (worst := max(ratios, default=0.0)) > EXCESS:
        yield words.format(_times(worst))


@dataclass(frozen=True)
class Shown:
    """A line of a listing; ``number`` is 0 where lines are left out, and ``text`` says how many."""

    number: int
    text: str


CONTEXT = 2
"""Lines that a listing keeps on either side of those that were counted."""
FOLDED = 3
"""Fewer lines than this are never left out."""


def shown_lines(kernel: KernelCounters, text: str) -> list[Shown]:
    """The lines of the source that a listing shows: those that were counted, with some around them.

    Snippet markers are left out; numbers are the file's.
    """
    lines = [Shown(number, line) for number, line in enumerate(text.splitlines(), start=1) if "--8<--" not in line]
    counted = {*kernel.own_lines, *kernel.own_accesses}
    kept = {near for number in counted for near in range(number - CONTEXT, number + CONTEXT + 1)}
    found: list[Shown] = []
    for near, run in groupby(lines, key=lambda line: line.number in kept):
        group = list(run)
        found += group if near or len(group) < FOLDED else [Shown(0, f"... {len(group)} more lines")]
    return found


def elsewhere(kernel: KernelCounters) -> str:
    """What was issued outside the kernel's own lines, in a sentence; empty where nothing was."""
    total = sum(line.warp_instructions for line in kernel.lines)
    own = sum(line.warp_instructions for line in kernel.own_lines.values())
    if total == own:
        return ""
    files = sorted({line.file for line in kernel.lines if line.file and line.file != kernel.source and line.line})
    where = f"; they are of {', '.join(files)}, or of no line" if files else ""
    return f"{total - own:,} more warp instructions belong to no line of it{where}."
