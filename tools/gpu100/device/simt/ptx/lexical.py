"""PTX text: what a mistake in it is called, its comments and strings, its numbers and names."""

from __future__ import annotations

import functools
import re
import struct

from gpu100.device.simt.ptx.ir import Immediate, Location
from gpu100.errors import DeviceError

NAME = r"[%$A-Za-z_][\w$]*+"
"""An identifier. A dot is never in one, so a name that we put one into is taken by nobody."""

_QUOTED = re.compile(r'"([^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+)("?)|//[^\n]*+|/\*(?:.*?(\*/)|.*)', re.S)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.S)
_NUMBER = re.compile(
    r"(-?)\s*(?:0[fF]([0-9a-fA-F]{8})|0[dD]([0-9a-fA-F]{16})|0[xX]([0-9a-fA-F]{1,16})U?|0[bB]([01]{1,64})U?"
    r"|0([0-7]{1,22})U?|(0|[1-9]\d{0,19})U?|((?:\d{1,40}\.\d{0,40}|\.\d{1,40})(?:[eE][+-]?\d{1,4})?|\d{1,40}[eE][+-]?\d{1,4}))",
    re.A,
)
_LONGEST_QUOTE = 80


class PtxError(DeviceError):
    """PTX that no assembler would take; what NVRTC writes is of this kind only in a kernel's ``asm``."""

    def __init__(self, problem: str, line: int, location: Location | None = None) -> None:
        where = f"{location.outermost}, " if location and location.outermost.line else ""
        super().__init__(
            f"{where}PTX line {line}: {problem}",
            hint="NVRTC does not read the text of an asm statement: is it in one?" if where else None,
        )
        self.problem = problem
        self.line = line
        self.location = location


class Malformed(ValueError):
    """A mistake somewhere in a statement; whoever knows its line makes a :class:`PtxError` of it."""


def excerpt(text: str) -> str:
    """The beginning of a statement in one line, for a message."""
    words = " ".join(text[: 2 * _LONGEST_QUOTE].split())
    return repr(words if len(words) <= _LONGEST_QUOTE else words[:_LONGEST_QUOTE] + "...")


def without_comments(text: str) -> tuple[str, tuple[str, ...]]:
    """``text`` with as many lines, without comments, and with ``"n"`` for its n-th string; the strings.

    No brace, semicolon or comma is then anything but what it looks like.
    """
    strings: list[str] = []

    def replacement(match: re.Match[str]) -> str:
        if match[1] is not None:
            if not match[2]:
                raise PtxError("a string does not end", text.count("\n", 0, match.start()) + 1)
            strings.append(_unescaped(match[1]))
            return f'"{len(strings) - 1}"'
        if match[0].startswith("/*") and not match[3]:
            raise PtxError("a comment does not end", text.count("\n", 0, match.start()) + 1)
        return "\n" * match[0].count("\n") or " "

    return _QUOTED.sub(replacement, text), tuple(strings)


def _unescaped(text: str) -> str:
    """A string's text: what is not ASCII in a path stands there as the octal bytes of its UTF-8."""
    if "\\" not in text:
        return text

    def byte(match: re.Match[bytes]) -> bytes:
        digits = match[1]
        return bytes([int(digits, 8) & 0xFF]) if digits[0] in b"01234567" else digits

    return _ESCAPE.sub(byte, text.encode("utf-8", "surrogateescape")).decode("utf-8", "replace")


@functools.lru_cache(maxsize=4096)
def immediate(text: str) -> Immediate:
    """A number as it stands in an instruction or an initialiser."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise Malformed(f"{excerpt(text)} is not a number")
    sign, single, double, hexadecimal, binary, octal, decimal, real = match.groups()
    if single or double:
        bits = int(single or double, 16)
        width = 32 if single else 64
        return Immediate(bits ^ (bool(sign) << (width - 1)), width)
    if real:
        # A decimal fraction is a double, whatever the instruction then makes of it.
        return Immediate(struct.unpack("<Q", struct.pack("<d", float(sign + real)))[0], 64)
    for digits, base in ((hexadecimal, 16), (binary, 2), (octal, 8), (decimal, 10)):
        if digits:
            return Immediate(int(sign + digits, base))
    raise AssertionError(text)


def integer(text: str) -> int:
    """A number that can only be an integer, such as an offset or a size."""
    number = immediate(text)
    if number.float_bits:
        raise Malformed(f"{excerpt(text)} is not an integer")
    return number.value
