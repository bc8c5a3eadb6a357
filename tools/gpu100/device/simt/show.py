"""Reports of launches for people and for files: a table, JSON, and the source with a margin."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Iterable, Sequence

from gpu100.device.simt.ptx.ir import Location
from gpu100.device.simt.report import AccessCount, LaunchReport, LineCount, by_kernel, space_of
from gpu100.fingerprint import digest, lf
from gpu100.model.counters import PTX_NOT_SASS, SPUN, AccessCounters, Counters, KernelCounters, Kind, LineCounters
from gpu100.model.reading import Column, Row, columns, elsewhere, marks, rows, shown_lines

WIDTH = 100
"""Columns that a table keeps within."""


def counters(reports: Iterable[LaunchReport]) -> Counters:
    """The reports as plain data, launches of the same extent added up."""
    return Counters.of(_kernel(report) for report in by_kernel(reports))


def as_json(reports: Iterable[LaunchReport]) -> dict[str, object]:
    """Everything that was counted, as :meth:`Counters.read` reads it back."""
    return counters(reports).plain()


def table(reports: Iterable[LaunchReport]) -> str:
    """What each kernel was asked to do, each number beside the least that would do."""
    kernels = counters(reports).kernels
    if not kernels:
        return "Nothing was launched."
    return "\n\n".join([*(_table(kernel) for kernel in kernels), textwrap.fill(PTX_NOT_SASS, WIDTH)])


def _table(kernel: KernelCounters) -> str:
    head = f"{kernel.kernel} {kernel.launched}, {_launches(kernel)}"
    said = [textwrap.fill(SPUN, WIDTH, initial_indent="  ", subsequent_indent="  ")] if kernel.spun else []
    return "\n".join([head, *said, *(f"  {line}" for line in _aligned(rows(kernel)))])


def _launches(kernel: KernelCounters) -> str:
    return f"{kernel.launches} launch{'' if kernel.launches == 1 else 'es'}"


def _aligned(found: Sequence[Row]) -> list[str]:
    """Numbers under each other, and what is notable at the end."""
    name, count, unit, rate = (
        max((len(getattr(row, part)) for row in found), default=0) for part in ("name", "count", "unit", "rate")
    )
    aligned = []
    for row in found:
        each = f" {row.unit:{unit}} {_rate(row.rate):{rate + 4}}" if row.rate else "  "
        mark = f"  <- {row.mark}" if row.mark else ""
        aligned.append(f"{row.name:{name}} {row.count:>{count}}{each}{row.note}{mark}".rstrip())
    return aligned


def _rate(rate: str) -> str:
    """``  4.00 sectors``, so that the points stand under each other."""
    number, _, unit = rate.partition(" ")
    return f"{number:>7} {unit}" if rate else ""


def listing(report: LaunchReport, source_text: str | None = None) -> str:
    """The kernel's source with what each line was asked to do beside it.

    What was inlined from elsewhere stands at the line of the kernel's text that it came to.
    """
    kernel = _kernel(report)
    text = source_text if source_text is not None else report.source.text if report.source else ""
    margin, words = columns(kernel), marks(kernel)
    width = max((len(word) for word in words.values()), default=0)
    lines = [f"{kernel.source or 'the source'}: {kernel.kernel} {kernel.launched}, {_launches(kernel)}"]
    if kernel.spun:
        lines += textwrap.wrap(SPUN, WIDTH)
    lines += _heads(margin)
    for shown in shown_lines(kernel, text):
        cells = " ".join(column.cells.get(shown.number, "").rjust(_width(column)) for column in margin)
        number = str(shown.number or "").rjust(5)
        lines.append(f"{cells}  {words.get(shown.number, ''):{width}} {number}  {shown.text}".rstrip())
    return "\n".join(filter(None, [*lines, elsewhere(kernel), textwrap.fill(PTX_NOT_SASS, WIDTH)]))


def _heads(margin: Sequence[Column]) -> list[str]:
    return [" ".join(column.head[row].rjust(_width(column)) for column in margin).rstrip() for row in (0, 1)]


def _width(column: Column) -> int:
    return max(len(text) for text in (*column.head, *column.cells.values()))


# From reports to plain data


def _kernel(report: LaunchReport) -> KernelCounters:
    source = report.source
    return KernelCounters(
        kernel=report.kernel,
        source=source.name if source else "",
        digest=digest({"source": lf(source.text.encode())}) if source else "",
        grid=report.grid,
        block=report.block,
        launches=report.launches,
        spun=report.spun,
        totals={} if report.spun else report.totals,
        accesses=tuple(_access(access) for access in report.accesses),
        lines=() if report.spun else tuple(_lines(report)),
    )


def _access(access: AccessCount) -> AccessCounters:
    file, line = _place(access.location)
    inner = access.location
    return AccessCounters(
        file=file,
        line=line,
        inlined=str(inner) if inner is not None and inner.caller is not None else "",
        instruction=access.name,
        space=space_of(access),
        kind=_KINDS[access.kind],
        bytes_per_lane=access.nbytes,
        requests=access.requests,
        lanes=access.lanes,
        sectors=access.sectors,
        wavefronts=access.wavefronts,
        contention=access.contention,
        worst=access.worst,
    )


_KINDS: dict[str, Kind] = {"load": "load", "store": "store", "atomic": "atomic"}


def _lines(report: LaunchReport) -> Iterable[LineCounters]:
    sums: dict[tuple[str, int], LineCount] = defaultdict(LineCount)
    for location, count in report.lines.items():
        sums[_place(location)] += count
    for (file, line), count in sorted(sums.items()):
        yield LineCounters(
            file=file,
            line=line,
            warp_instructions=count.warp_instructions,
            lane_instructions=count.lane_instructions,
            barriers=count.barriers,
            divergent_branches=count.divergent_branches,
        )


def _place(location: Location | None) -> tuple[str, int]:
    """The line of the kernel's own text."""
    if location is None:
        return "", 0
    return location.outermost.file, location.outermost.line
