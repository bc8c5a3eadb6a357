"""What Compute Sanitizer's tools found in a program, GPU by GPU, from the records' lane of that name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpu100.evidence.status import Standing
from gpu100.model.course import Day, ProgramSpec
from gpu100.model.lanes import SANITIZER_TOOLS, FirstFound, SanitizerFinding, SanitizerLane, Triple
from gpu100.render.env import render
from gpu100.render.expressions import Block, Inline
from gpu100.units import NO_BREAK, quantity


@dataclass(frozen=True)
class ShownFinding:
    """One kind of finding of a tool, or that it had none."""

    tool: str
    what: str
    where: tuple[str, ...] = ()
    """Lines about the first of them."""


@dataclass(frozen=True)
class SanitizerNames:
    """The function that a page's expressions call to show what the sanitizer found."""

    day: Callable[[], Day]
    program: Callable[[str], ProgramSpec]
    standings: Mapping[tuple[int, str], Sequence[Standing]]
    """By day and program, the reference GPU first."""

    def names(self) -> dict[str, Callable[..., Inline | Block]]:
        """By the name that a page uses."""
        return {"sanitizer": self.sanitizer}

    def sanitizer(self, program: str) -> Block:
        """The four tools over ``program``: what each found on the reader's GPU, and where."""
        spec = self.program(program)
        found = self.standings.get((self.day().number, program), ())
        lanes = ((at, at.record.lanes.get("sanitizer")) for at in found if at.record)
        shown = [
            {"at": at, "lane": lane, "date": lane.started[:10], "found": list(_shown(lane))}
            for at, lane in lanes
            if isinstance(lane, SanitizerLane)
        ]
        return Block(render("sanitizer.html", program=spec, shown=shown))


def _shown(lane: SanitizerLane) -> Iterator[ShownFinding]:
    for tool in SANITIZER_TOOLS:
        if tool not in lane.findings:
            continue
        if not lane.findings[tool]:
            yield ShownFinding(tool, "nothing")
        for finding in lane.findings[tool]:
            yield ShownFinding(tool, _what(finding), tuple(_where(finding)))


def _what(finding: SanitizerFinding) -> str:
    return finding.what if finding.count == 1 else f"{finding.what}, {quantity(finding.count, 'times')}"


def _where(finding: SanitizerFinding) -> Iterator[str]:
    first = finding.first or FirstFound()
    at = [f"in {finding.kernel}"] if finding.kernel else []
    if first.line is not None:
        at.append(f"{first.file} line {first.line}")
    if first.thread and first.block:
        at.append(f"by thread {_index(first.thread)} of block {_index(first.block)}")
    if at:
        yield ("the first " if finding.count > 1 else "") + ", ".join(at)
    if first.away is not None and first.side and first.allocation is not None:
        bytes_away, size = quantity(first.away, "bytes"), quantity(first.allocation, "bytes")
        yield f"{bytes_away} {first.side} the nearest allocation, which has {size}"


def _index(triple: Triple) -> str:
    return f"({f',{NO_BREAK}'.join(map(str, triple))})"
