"""Names of source files in PTX, as the course's messages call them.

The compiler writes every path in full, from the root of the file system of whoever ran it.
"""

from __future__ import annotations

import re

from gpu100.device.interface import Source

_FILE = re.compile(r'^(\s*\.file\s+\d+\s+)"([^"\n]*)"', re.M)


def with_own_names(ptx: str, source: Source) -> str:
    """``ptx`` with its ``.file`` lines naming ``source`` as it is named, and headers by what is included."""
    return _FILE.sub(lambda match: f'{match[1]}"{_own(match[2], source)}"', ptx)


def _own(path: str, source: Source) -> str:
    if path == source.name or path.endswith(f"/{source.name}"):
        return source.name
    folder = f"{source.path.parent.as_posix()}/"
    if path.startswith(folder):
        return path.removeprefix(folder)
    _, include, header = path.rpartition("/include/")
    return header if include else path.rpartition("/")[2]
