"""What Compute Sanitizer wrote, read: findings by kind and kernel, without addresses and paths."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from gpu100.errors import CourseError
from gpu100.model.lanes import SanitizerFinding

_LEAD = re.compile(r"={9} ?(.*)")
_SUMMARY = re.compile(r"(\w+) SUMMARY: (\d+) (?:errors?|hazards?)\b(?! were not printed)")
_TALK = re.compile(r"COMPUTE-SANITIZER|\w+ SUMMARY|Target application|This report|Use --|$")
_BROKEN = re.compile(r"(?:Internal|Error: No attachable|Target application terminated before|.*not supported).*")
_KERNEL = re.compile(r"\bat (?:0x[0-9a-f]+ in )?([\w:~<>, *&]*?[\w>])(?:\(|\+0x|$)")
_ADDRESS = re.compile(r"0x[0-9a-f]+")
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
    counted = Counter((_what(block), _kernel(block)) for block in blocks)
    return tuple(
        SanitizerFinding(what=what, kernel=kernel, count=count) for (what, kernel), count in sorted(counted.items())
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
    return next(found, "").rpartition(" ")[2]
