"""A day's entry in course.toml, as text: found, and changed without touching a byte of the rest."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from gpu100.model.course import Day

_HEADER = re.compile(r"\s*\[{1,2}\s*([\w.-]+)\s*\]")
_REPLACED = re.compile(r"\s*(programs|status)\s*=")


def entry_lines(lines: Sequence[str], number: int) -> range:
    """The places of the lines of day ``number``: from its [[day]] to its last line that says anything."""
    start: int | None = None
    ours = False
    for place, line in enumerate([*lines, "[end]"]):
        header = _HEADER.match(line)
        if header and not header[1].startswith("day."):
            if ours and start is not None:
                return range(start, _last(lines, place))
            start = place if header[1] == "day" else None
        elif start is not None and re.match(rf"\s*number\s*=\s*{number}\s*(#.*)?$", line.rstrip("\r\n")):
            ours = True
    return range(0)


def drafted(text: str, day: Day) -> str:
    """``text`` with the entry of ``day`` made that of a draft, with its programs and predictions declared.

    Its plan stays: it is deleted by hand, once the page says all that it says.
    """
    lines = text.splitlines(keepends=True)
    place = entry_lines(lines, day.number)
    entry = [line.rstrip("\r\n") for line in lines[place.start : place.stop]]
    end = "\r\n" if lines[place.start].endswith("\r\n") else "\n"
    headers = (i for i, line in enumerate(entry) if i and _HEADER.match(line))
    tables = next(headers, len(entry))
    head = [line for line in entry[:tables] if not _REPLACED.match(line)]
    while not head[-1].strip():
        head.pop()
    new = [*head, 'status = "draft"', *_declared(day), *([""] if entry[tables:] else []), *entry[tables:]]
    return "".join([*lines[: place.start], *(line + end for line in new), *lines[place.stop :]])


def _declared(day: Day) -> Iterator[str]:
    for program in day.programs:
        yield from ("", "[[day.programs]]", f"name = {_text(program.name)}", "values = [")
        for value in program.values:
            fields = (("name", value.name), ("kind", value.kind), ("unit", value.unit), ("what", value.what))
            yield f"  {{ {', '.join(f'{key} = {_text(word)}' for key, word in fields)} }},"
        yield "]"
    for prediction in day.predict:
        yield from ("", "[[day.predict]]", f"id = {_text(prediction.id)}", f"claim = {_text(prediction.claim)}")
        yield f"because = {_text(prediction.because)}"


def _text(words: str) -> str:
    """As a basic string of TOML, whose escapes are JSON's."""
    return json.dumps(words, ensure_ascii=False)


def _last(lines: Sequence[str], end: int) -> int:
    """``end`` moved up over blank lines and comments, which belong to what follows."""
    while not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#"):
        end -= 1
    return end
