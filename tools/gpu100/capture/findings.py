"""What Compute Sanitizer wrote, read: findings by kind and kernel, and where, without addresses and folders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from gpu100.errors import CourseError
from gpu100.model.lanes import FirstFound, SanitizerFinding, Triple

LEAD = "=" * 9
"""What the sanitizer's own lines begin with."""

_LEAD = re.compile(rf"{LEAD} ?(.*)")
_SUMMARY = re.compile(r"(\w+) SUMMARY: (\d+) (?:errors?|hazards?)\b(?! were not printed)")
_TALK = re.compile(r"COMPUTE-SANITIZER|\w+ SUMMARY|Target application|This report|Use --|$")
_BROKEN = re.compile(r"(?:Internal|Error: No attachable|Target application terminated before|.*not supported).*")
_KERNEL = re.compile(r"\bat (?:0x[0-9a-f]+ in )?([\w:~<>, *&]*?[\w>])(?:\(|\+0x|$)")
_ADDRESS = re.compile(r"0x[0-9a-f]+")
_SOURCE = re.compile(r"\bin (?:[^\s:]*/)?([\w.+-]+\.\w+):(\d+)\b")
_THREAD = re.compile(r"\bby thread \((\d+),(\d+),(\d+)\) in block \((\d+),(\d+),(\d+)\)")
_NEAREST = re.compile(r"\bis ([\d,]+) bytes (before|after) the nearest allocation at \S+ of size ([\d,]+) bytes")
_FRAME = re.compile(r"Device Frame: ?([\w:~<>]+)")


@dataclass
class _Block:
    first: str
    lines: list[str] = field(default_factory=list)


def read_log(log: str) -> tuple[SanitizerFinding, ...]:
    """The findings in one tool's ``log``, which may be of several processes.

    Raises:
        CourseError: the tool did not come to its end, saw nothing, or counts more than it names.
    """
    texts = [match[1] for line in log.splitlines() if (match := _LEAD.fullmatch(line))]
    if broken := next((text for text in texts if _BROKEN.fullmatch(text)), None):
        raise CourseError(broken.rstrip("."))
    totals = [int(match[2]) for text in texts if (match := _SUMMARY.match(text))]
    if not totals:
        raise CourseError("the log has no summary")
    blocks = list(_blocks(texts))
    if sum(totals) and not blocks:
        raise CourseError(f"the summary counts {sum(totals)}, and nothing is named")
    alike: dict[tuple[str, str], list[_Block]] = {}
    for block in blocks:
        alike.setdefault((_what(block), _kernel(block)), []).append(block)
    return tuple(
        SanitizerFinding(what=what, kernel=kernel, count=len(found), first=_first(found[0]))
        for (what, kernel), found in sorted(alike.items())
    )


def _blocks(texts: list[str]) -> Iterator[_Block]:
    """Each finding with the indented lines that belong to it."""
    current: _Block | None = None
    for text in texts:
        if text[:1] == " ":
            if current:
                current.lines.append(text.strip())
            continue
        if current:
            yield current
        current = None if _TALK.match(text) else _Block(text.strip())
    if current:
        yield current


def _what(block: _Block) -> str:
    """The first line without its place; of a race, what the other side did too."""
    what = block.first.partition(" at ")[0]
    other = next((line for line in block.lines if line.startswith("and ") and " access" in line), "")
    return _ADDRESS.sub("...", f"{what} {other.partition(' at ')[0]}".strip())


def _kernel(block: _Block) -> str:
    """The kernel, not the function of it: the outermost frame of the device where there are several."""
    frames = [match[1] for line in block.lines if (match := _FRAME.match(line))]
    if frames:
        return frames[-1]
    found = (match[1] for line in (block.first, *block.lines) if (match := _KERNEL.search(line)))
    return next((name for name in found if not _ADDRESS.fullmatch(name)), "").rpartition(" ")[2]


def _first(block: _Block) -> FirstFound | None:
    """The place that the tool names, in as many of its several ways as it does."""
    text = " ".join((block.first, *block.lines))
    source, by, nearest = _SOURCE.search(text), _THREAD.search(text), _NEAREST.search(text)
    found = FirstFound(
        file=source[1] if source else "",
        line=int(source[2]) if source else None,
        thread=_triple(by.groups()[:3]) if by else None,
        block=_triple(by.groups()[3:]) if by else None,
        away=_count(nearest[1]) if nearest else None,
        side=_SIDES[nearest[2]] if nearest else None,
        allocation=_count(nearest[3]) if nearest else None,
    )
    return None if found == FirstFound() else found


_SIDES: dict[str, Literal["before", "after"]] = {"before": "before", "after": "after"}


def _triple(words: Sequence[str]) -> Triple:
    x, y, z = (int(word) for word in words)
    return x, y, z


def _count(words: str) -> int:
    return int(words.replace(",", ""))
