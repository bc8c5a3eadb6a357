"""Text that identifies a person or a machine, looked for in everything that evidence holds.

Capture replaces the paths it knows, and a program prints what it likes. What is found here was
printed, or put in by hand; none of it is needed to trust a result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_BYTE = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_VARIABLE = (
    r"(?:PATH|HOME|USER|LOGNAME|HOSTNAME|HOST|PWD|OLDPWD|SHELL|USERNAME|COMPUTERNAME|LD_LIBRARY_PATH|PYTHONPATH"
    r"|SSH_\w+|AWS_\w+|SLURM_\w+|\w*(?:TOKEN|SECRET|PASSWORD|API_?KEY)\w*)"
)

KINDS: dict[str, re.Pattern[str]] = {
    "a home folder": re.compile(r"(?:/home/|/Users/|/export/home/|\b[A-Z]:\\Users\\)[^\s/\\:;,\"']+|/root/\S+"),
    "the UUID of a device": re.compile(rf"\b(?:(?:GPU|MIG)-)?{_UUID}\b", re.IGNORECASE),
    "a PCI address": re.compile(
        r"\b[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-7])?\b"
        r"|\b(?:pci|bus)\b.{0,16}?\b[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\b",
        re.IGNORECASE,
    ),
    "a network card's address": re.compile(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", re.IGNORECASE),
    "an IP address": re.compile(rf"(?<![\w.])(?:{_BYTE}\.){{3}}{_BYTE}(?![\w.])"),
    "a user or mail address": re.compile(r"\b[\w.+-]+@[A-Za-z][\w-]*(?:\.[\w-]+)*"),
    "a host name": re.compile(
        r"\b(?!(?:ld|st|mad|cvta|atom|red)\.)[a-z][\w-]*(?:\.[\w-]+)*\.(?:lan|internal|localdomain|intranet|corp)\b"
        r"|\b(?:host ?name|node ?name)\s*[:=]\s*\S+",
        re.IGNORECASE,
    ),
    "a serial number": re.compile(r"\bserial\s*(?:number|no\.?|#)?\s*[:=]\s*\w*\d\w*", re.IGNORECASE),
    "an environment variable": re.compile(rf"(?:^|\s|;){_VARIABLE}=\S", re.MULTILINE),
}
"""What is looked for, and how it looks."""

_DIGESTS = {"digest", "claim", "key"}


def identifying(data: Any, at: str = "") -> Iterator[str]:
    """What in JSON ``data`` identifies someone: the place, the kind, never the text itself."""
    if isinstance(data, dict):
        for name, item in data.items():
            place = f"{at}.{name}".lstrip(".")
            yield from (f"a name in {at or 'the file'} holds {kind}" for kind in kinds_in(str(name)))
            if name not in _DIGESTS:
                yield from identifying(item, place)
    elif isinstance(data, list):
        for index, item in enumerate(data):
            yield from identifying(item, f"{at}[{index}]")
    elif isinstance(data, str):
        yield from (f"{at} holds {kind}" for kind in kinds_in(data))


def kinds_in(text: str) -> list[str]:
    """The kinds of identifying text that ``text`` holds."""
    return [kind for kind, pattern in KINDS.items() if pattern.search(text)]


def words_in(data: Any, words: frozenset[str]) -> set[str]:
    """Those of ``words``, such as a user's name, that stand in ``data`` as words of their own."""
    if isinstance(data, dict):
        return set().union(*(words_in(item, words) for item in data.values()), set())
    if isinstance(data, list):
        return set().union(*(words_in(item, words) for item in data), set())
    if isinstance(data, str):
        return {word for word in words if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", data, re.IGNORECASE)}
    return set()
