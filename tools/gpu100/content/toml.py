"""TOML files into model types, with the line in every error."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, TypeVar

from gpu100.decode import DecodeError, KeyPath, decode, dotted
from gpu100.errors import ContentError

try:
    import tomli as tomllib
except ImportError:  # uninstalled on a machine that lacks it
    import tomllib  # type: ignore[no-redef]

T = TypeVar("T")


def read_toml(path: Path, shown: str) -> dict[str, Any]:
    """The file as plain data; ``shown`` is what messages call it.

    Raises:
        ContentError: missing, not UTF-8, with a merge conflict in it, or not TOML.
    """
    return parse_toml(_read_text(path, shown), shown)


def parse_toml(text: str, shown: str) -> dict[str, Any]:
    """``text`` as plain data, as :func:`read_toml` reads a file.

    Raises:
        ContentError: with a merge conflict in it, or not TOML.
    """
    text = _plain(text)
    _refuse_conflict(text, shown)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        message = re.sub(r" \(at .*\)$", "", str(error))
        column = f" (column {found[2]})" if found else ""
        raise ContentError(f"not TOML: {message}{column}", path=shown, line=int(found[1]) if found else None) from None


def load(kind: type[T], path: Path, shown: str) -> T:
    """The file as a ``kind``.

    Raises:
        ContentError: as :func:`read_toml`, or where the data does not fit ``kind``.
    """
    data = read_toml(path, shown)
    try:
        return decode(kind, data)
    except DecodeError as error:
        line = line_of(_read_text(path, shown), error.at)
        raise ContentError(f"{dotted(error.at)}: {error.message}", path=shown, line=line, hint=error.hint) from None


def line_of(text: str, at: KeyPath) -> int | None:
    """The line on which the value at key path ``at`` begins, or its nearest table's."""
    lines = _positions(text)
    for length in range(len(at), 0, -1):
        if at[:length] in lines:
            return lines[at[:length]]
    return None


_CONFLICT = re.compile(r"^(<{7}|>{7}) .*$", re.MULTILINE)
"""The first and last of a merge conflict's marker lines; the one between could be a text's own."""


def _refuse_conflict(text: str, shown: str) -> None:
    """Said before the parser sees it, which would only call the line an invalid statement."""
    if marker := _CONFLICT.search(text):
        line = text.count("\n", 0, marker.start()) + 1
        hint = "keep one side, or join both, and delete the lines <<<<<<<, ======= and >>>>>>>"
        raise ContentError(f"a merge conflict is unresolved: {marker[0]!r}", path=shown, line=line, hint=hint)


_HEADER = re.compile(r"\s*(\[\[?)\s*([\w.\"'-]+)\s*\]")
_ASSIGNMENT = re.compile(r"\s*([\w\"'-]+)\s*=\s*(.*)")


def _positions(text: str) -> dict[KeyPath, int]:
    """Where each table and key stands: enough of TOML's grammar for messages, not for values."""
    found: dict[KeyPath, int] = {}
    table: KeyPath = ()
    closing = ""
    for number, line in enumerate(text.splitlines(), 1):
        if closing:  # inside a multi-line string
            closing = "" if closing in line else closing
        elif header := _HEADER.match(line):
            table = _enter(header[2], header[1] == "[[", found)
            found[table] = number
        elif assignment := _ASSIGNMENT.match(line):
            found.setdefault((*table, assignment[1].strip("\"'")), number)
            quotes = assignment[2][:3]
            if quotes in ('"""', "'''") and assignment[2].count(quotes) == 1:
                closing = quotes
    return found


def _enter(name: str, array: bool, found: dict[KeyPath, int]) -> KeyPath:
    """The key path of a header: inner names of an array of tables mean its latest entry."""
    path: KeyPath = ()
    *outer, last = (part.strip("\"'") for part in name.split("."))
    for part in outer:
        path = (*path, part)
        if (latest := _count(path, found)) > 0:
            path = (*path, latest - 1)
    path = (*path, last)
    return (*path, _count(path, found)) if array else path


def _count(path: KeyPath, found: dict[KeyPath, int]) -> int:
    """How many entries of the array of tables at ``path`` have begun."""
    return sum(1 for key in found if len(key) == len(path) + 1 and key[:-1] == path and isinstance(key[-1], int))


def _read_text(path: Path, shown: str) -> str:
    try:
        # Decoded as it is, so that an offset counts the file's own bytes.
        text = path.read_bytes().decode()
    except FileNotFoundError:
        raise ContentError("no such file", path=shown) from None
    except UnicodeDecodeError as error:
        raise ContentError(f"not UTF-8: byte {error.start} cannot be read", path=shown) from None
    return _plain(text)


def _plain(text: str) -> str:
    """Without a byte-order mark, and with LF line ends."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
