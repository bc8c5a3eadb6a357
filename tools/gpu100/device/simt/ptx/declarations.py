"""Declarations of PTX: variables with their first content, and parameters."""

from __future__ import annotations

import math
import re

from gpu100.device.simt.faults import NotModeled
from gpu100.device.simt.ptx.ir import WIDTHS, Variable
from gpu100.device.simt.ptx.lexical import NAME, Malformed, excerpt, immediate, integer

Addresses = tuple[tuple[int, str, int], ...]

_WHAT = re.compile(
    r"\s*(?:\.attribute\s*\((?:[^()]|\([^()]*+\))*+\)\s*)?(?:\.align\s+(\d{1,9})\s*)?(?:\.v([248])\s*)?\.(\w+)\b", re.A
)
_WHICH = re.compile(
    rf"\s*(?:\.ptr(?:\s*\.(?!align)\w+)?(?:\s*\.align\s+\d+)?\s*)?({NAME})\s*((?:\[[^\[\]]*+\]\s*)*+)", re.A
)
_DIMENSION = re.compile(r"\[\s*([^\[\]]*?)\s*\]")
_ADDRESS = re.compile(
    rf"""(?:(0[xX][0-9a-fA-F]{{1,16}})U?\s*\(\s*)?   # a mask: these bits of the address
    (generic\s*\(\s*)?({NAME})\s*(?(2)\)\s*)
    (?:\+\s*(-?\d{{1,20}})\s*)?(?(1)\)\s*)""",
    re.A | re.X,
)
_BYTE = r"\s*(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]\d|\d)\s*"
_BYTES = re.compile(rf"{_BYTE}(?:,{_BYTE})*+", re.A)
_ADDRESS_BYTES = 8
_MASKS = tuple(0xFF << 8 * byte for byte in range(_ADDRESS_BYTES))


def variables(space: str, text: str, initial: str | None = None, *, extern: bool = False) -> list[Variable]:
    """The variables that ``.align 4 .b8 name[20]`` declares, without the ``.global`` before it.

    Raises:
        Malformed: the text declares nothing.
        NotModeled: it declares what the model does not have.
    """
    what = _WHAT.match(text)
    if what is None:
        raise Malformed(f"{excerpt(text)} declares nothing")
    type, count = what[3], int(what[2] or 1)
    if type not in WIDTHS or type == "pred":
        raise NotModeled(f"a variable of type .{type}")
    element = WIDTHS[type] // 8 * count
    align = int(what[1] or element)
    if align < 1 or align & (align - 1):
        raise Malformed(f"an alignment of {align} bytes")
    names = text[what.end() :].split(",")
    if initial is None:
        return [Variable(*_sized(each, space, element), align, extern=extern, type=type) for each in names]
    if len(names) > 1:
        raise Malformed("one initialiser for several variables")
    content, addresses = _content(initial, type)
    name, space, nbytes = _sized(names[0], space, element, len(content))
    if len(content) > nbytes:
        raise Malformed(f"{name} has {nbytes} bytes and an initialiser of {len(content)}")
    return [Variable(name, space, nbytes, align, content, addresses, extern, type)]


def parameters(text: str) -> tuple[Variable, ...]:
    """What stands in the parentheses of a function's head."""
    if not text.strip():
        return ()
    return tuple(_parameter(each) for each in text.split(","))


def _parameter(text: str) -> Variable:
    head, space, rest = text.partition(".param")
    if not space or head.strip():
        if head.strip().startswith(".reg"):
            raise NotModeled("a function with registers as parameters")
        raise Malformed(f"{excerpt(text)} is not a parameter")
    return variables("param", rest)[0]


def _sized(text: str, space: str, element: int, unsized: int = 0) -> tuple[str, str, int]:
    """Name, space and size of ``name[20]``; ``unsized`` is the size of ``name[]``."""
    match = _WHICH.fullmatch(text)
    if match is None:
        raise Malformed(f"{excerpt(text)} is not the name of a variable")
    if not match[2]:
        return match[1], space, element
    sizes = _DIMENSION.findall(match[2])
    return match[1], space, element * math.prod(map(integer, sizes)) if all(sizes) else unsized


def _content(text: str, type: str) -> tuple[bytes, Addresses]:
    """The bytes that an initialiser stands for, and the places in them that hold addresses."""
    text = text.strip()
    if text.startswith("{"):
        if not text.endswith("}"):
            raise Malformed(f"{excerpt(text)} is not an initialiser")
        text = text[1:-1]
        if "{" in text:
            raise NotModeled("an initialiser in nested braces")
    if WIDTHS[type] == 8 and _BYTES.fullmatch(text):
        # Most arrays are written so; a long one is read at once.
        return bytes(map(int, text.split(","))), ()
    return _elements(text.split(","), type)


def _elements(elements: list[str], type: str) -> tuple[bytes, Addresses]:
    nbytes = WIDTHS[type] // 8
    content = bytearray()
    addresses: list[tuple[int, str, int]] = []
    masked = 0
    for each in map(str.strip, elements):
        match = None if each[:1].isdecimal() and "(" not in each else _ADDRESS.fullmatch(each)
        if match is None:
            content += _number(each, type)
            continue
        mask, _, symbol, addend = match.groups()
        place = (len(content) - masked, symbol, int(addend or 0))
        if mask is None and nbytes == _ADDRESS_BYTES:
            addresses.append(place)
        elif mask is None or nbytes != 1 or int(mask, 16) != _MASKS[masked] or (masked and place != addresses[-1]):
            raise NotModeled(f"an address cut up as {excerpt(each)}")
        else:
            # A packed structure: its address is written byte by byte, 0xFF(name), 0xFF00(name)...
            if not masked:
                addresses.append(place)
            masked = (masked + 1) % _ADDRESS_BYTES
        content += bytes(nbytes)
    if masked:
        raise NotModeled("a part of an address")
    return bytes(content), tuple(addresses)


def _number(text: str, type: str) -> bytes:
    nbytes = WIDTHS[type] // 8
    number = immediate(text)
    if number.float_bits not in (0, WIDTHS[type]):
        raise NotModeled(f"{excerpt(text)} as first content of type .{type}")
    if not -(1 << 8 * nbytes - 1) <= number.value < 1 << 8 * nbytes:
        raise Malformed(f"{excerpt(text)} does not fit .{type}")
    return (number.value % (1 << 8 * nbytes)).to_bytes(nbytes, "little")
