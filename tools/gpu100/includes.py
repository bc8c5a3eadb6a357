"""The files of ours that a CUDA source pulls in."""

from __future__ import annotations

import re
from pathlib import Path

from gpu100.fingerprint import lf

_LOCAL = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
_MARKER = re.compile(r"^[ \t]*(?://|#)[ \t]*--8<--[ \t]*\[(?:start|end)[^\]\n]*\].*\n?", re.MULTILINE)


def local_includes(source: Path) -> tuple[Path, ...]:
    """Every file that ``source`` includes in quotes, directly or not, where it exists.

    A name is looked up next to the file that includes it. One that is not there is the
    toolkit's, found on the compiler's include path, and not ours to fingerprint.
    """
    found: dict[Path, None] = {}
    waiting = [source]
    while waiting:
        current = waiting.pop()
        for name in _LOCAL.findall(current.read_text(encoding="utf-8")):
            target = (current.parent / name).resolve()
            if target.is_file() and target not in found and target != source.resolve():
                found[target] = None
                waiting.append(target)
    return tuple(sorted(found))


def without_markers(data: bytes) -> str:
    """A source without the lines that mark snippets for a page, with LF line ends."""
    return _MARKER.sub("", lf(data).decode())
