"""What logic, shifts and the instructions that move bits mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gpu100.device.simt.ptx.ir import WIDTHS

from simt.harness import Case
from simt.integers import BITS, INTEGERS, on, signed


def cases() -> Iterator[Case]:
    yield from _logic()
    yield from _shifts()
    yield from _bits()
    yield from _fields()
    yield from _permutations()


def _logic() -> Iterator[Case]:
    for type in ("pred", *BITS):
        yield Case(f"and.{type}", (type, type), (type,), lambda a, b: a & b)
        yield Case(f"or.{type}", (type, type), (type,), lambda a, b: a | b)
        yield Case(f"xor.{type}", (type, type), (type,), lambda a, b: a ^ b)
        yield Case(f"not.{type}", (type,), (type,), on(type, lambda a: ~a))
    for type in BITS:
        yield Case(f"cnot.{type}", (type,), (type,), lambda a: int(a == 0))
    for table in range(256):
        yield Case("lop3.b32", ("b32",) * 3, ("b32",), _lookup(table), constants=(table,))


def _lookup(table: int) -> Callable[[int, int, int], int]:
    def each(a: int, b: int, c: int) -> int:
        result = 0
        for index in range(8):
            if table >> index & 1:
                result |= (a if index & 4 else ~a) & (b if index & 2 else ~b) & (c if index & 1 else ~c)
        return result & 0xFFFFFFFF

    return each


def _shifts() -> Iterator[Case]:
    for type in BITS:
        yield Case(f"shl.{type}", (type, "u32"), (type,), on("u64", lambda a, n: a << min(n, 64), type))
    for type in (*BITS, *INTEGERS):
        right = lambda a, n, t=type: signed(a, t) >> min(n, 64) & (1 << WIDTHS[t]) - 1  # noqa: E731
        yield Case(f"shr.{type}", (type, "u32"), (type,), right)
    for kind, most in (("wrap", lambda n: n % 32), ("clamp", lambda n: min(n, 32))):
        left = lambda a, b, n, f=most: ((b << 32 | a) << f(n)) >> 32 & 0xFFFFFFFF  # noqa: E731
        right = lambda a, b, n, f=most: (b << 32 | a) >> f(n) & 0xFFFFFFFF  # noqa: E731
        yield Case(f"shf.l.{kind}.b32", ("b32", "b32", "u32"), ("b32",), left)
        yield Case(f"shf.r.{kind}.b32", ("b32", "b32", "u32"), ("b32",), right)


def _highest(value: int, type: str) -> int:
    number = signed(value, type)
    return (~number if number < 0 else number).bit_length() - 1


def _nth_set(mask: int, base: int, offset: int) -> int:
    offset = signed(offset, "s32")
    order = range(base, 32) if offset > 0 else range(base, -1, -1)
    if offset == 0:
        return base if mask >> base & 1 else 0xFFFFFFFF
    places = [place for place in order if mask >> place & 1]
    return places[abs(offset) - 1] if len(places) >= abs(offset) else 0xFFFFFFFF


def _bits() -> Iterator[Case]:
    for type in ("b32", "b64"):
        bits = WIDTHS[type]
        yield Case(f"popc.{type}", (type,), ("u32",), lambda a: a.bit_count())
        yield Case(f"clz.{type}", (type,), ("u32",), lambda a, bits=bits: bits - a.bit_length())
        yield Case(f"brev.{type}", (type,), (type,), lambda a, bits=bits: int(f"{a:0{bits}b}"[::-1], 2))
    for type in INTEGERS[2:]:
        top = WIDTHS[type] - 1
        find = lambda a, t=type: _highest(a, t) & 0xFFFFFFFF  # noqa: E731
        shift = lambda a, t=type, top=top: (top - k if (k := _highest(a, t)) >= 0 else k) & 0xFFFFFFFF  # noqa: E731
        yield Case(f"bfind.{type}", (type,), ("u32",), find)
        yield Case(f"bfind.shiftamt.{type}", (type,), ("u32",), shift)
    nth = lambda mask, base, offset: _nth_set(mask, base % 32, offset)  # noqa: E731
    yield Case("fns.b32", ("b32", "place", "count"), ("b32",), nth)


def _extracted(value: int, start: int, length: int, type: str) -> int:
    """As PTX has it: bit by bit."""
    bits = WIDTHS[type]
    start, length = _place(start, bits), _place(length, bits)
    fill = value >> min(start + length - 1, bits - 1) & 1 if type[0] == "s" and length else 0
    taken = (value >> start + k & 1 if k < length and start + k < bits else fill for k in range(bits))
    return sum(bit << k for k, bit in enumerate(taken))


def _place(given: int, bits: int) -> int:
    """Beyond 255 PTX says nothing; this is what an H200 does."""
    return given & 255 if bits == 32 else min(given, 255)


def _inserted(field: int, into: int, start: int, length: int, bits: int) -> int:
    for k in range(_place(length, bits)):
        place = _place(start, bits) + k
        if place < bits:
            into = into & ~(1 << place) | (field >> k & 1) << place
    return into


def _fields() -> Iterator[Case]:
    for type in INTEGERS[2:]:
        bfe = lambda a, start, length, t=type: _extracted(a, start, length, t)  # noqa: E731
        yield Case(f"bfe.{type}", (type, "u32", "u32"), (type,), bfe)
    for type in ("b32", "b64"):
        bfi = lambda a, b, start, length, t=type: _inserted(a, b, start, length, WIDTHS[t])  # noqa: E731
        yield Case(f"bfi.{type}", (type, type, "u32", "u32"), (type,), bfi)
    ones = lambda start, length: ((1 << length) - 1 << start) & 0xFFFFFFFF  # noqa: E731
    clamp = lambda start, length: ones(min(start, 32), min(length, 32))  # noqa: E731
    yield Case("bmsk.clamp.b32", ("u32", "u32"), ("b32",), clamp)
    yield Case("bmsk.wrap.b32", ("u32", "u32"), ("b32",), lambda start, length: ones(start % 32, length % 32))
    for type in ("u32", "s32"):
        clamped = lambda a, n, t=type: _extracted(a, 0, min(n, 32), t)  # noqa: E731
        wrapped = lambda a, n, t=type: _extracted(a, 0, n % 32, t)  # noqa: E731
        yield Case(f"szext.clamp.{type}", (type, "u32"), (type,), clamped)
        yield Case(f"szext.wrap.{type}", (type, "u32"), (type,), wrapped)


_SELECTORS = {
    "f4e": ("3210", "4321", "5432", "6543"),
    "b4e": ("5670", "6701", "7012", "0123"),
    "rc8": ("0000", "1111", "2222", "3333"),
    "ecl": ("3210", "3211", "3222", "3333"),
    "ecr": ("0000", "1110", "2210", "3210"),
    "rc16": ("1010", "3232", "1010", "3232"),
}
"""The table of the PTX manual: bytes from d.b3 down to d.b0, by the selector's value."""


def _permutations() -> Iterator[Case]:
    def index(a: int, b: int, selector: int) -> int:
        data, result = (b << 32 | a).to_bytes(8, "little"), 0
        for place in range(4):
            choice = selector >> 4 * place & 15
            byte = data[choice & 7]
            result |= ((0xFF if byte >> 7 else 0) if choice & 8 else byte) << 8 * place
        return result

    yield Case("prmt.b32", ("b32", "b32", "u32"), ("b32",), index)
    for mode, table in _SELECTORS.items():

        def named(a: int, b: int, selector: int, table: tuple[str, ...] = table) -> int:
            data = (b << 32 | a).to_bytes(8, "little")
            return int.from_bytes(bytes(data[int(digit)] for digit in table[selector & 3]), "big")

        yield Case(f"prmt.b32.{mode}", ("b32", "b32", "u32"), ("b32",), named)
