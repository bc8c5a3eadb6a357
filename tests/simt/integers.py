"""What integer, logic and bit instructions mean, with Python's integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gpu100.device.simt.ptx.ir import WIDTHS

from simt.harness import CARRY, Case

INTEGERS = ("u16", "s16", "u32", "s32", "u64", "s64")
BITS = ("b16", "b32", "b64")


def signed(value: int, type: str) -> int:
    """Bits as the number they are in a type."""
    bits = WIDTHS[type]
    return value - (1 << bits) if type[0] == "s" and value >> bits - 1 else value


def held(value: int, type: str) -> int:
    """Bits of a number, at the ends of the range if it is beyond."""
    bits = WIDTHS[type]
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if type[0] == "s" else (0, (1 << bits) - 1)
    return min(max(value, low), high) % (1 << bits)


def on(type: str, function: Callable[..., int], result: str = "") -> Callable[..., int]:
    """A function of numbers as one of bits, wrapped around to the result's width."""
    mask = (1 << WIDTHS[result or type]) - 1
    return lambda *values: function(*(signed(value, type) for value in values)) & mask


def cases() -> Iterator[Case]:
    yield from _sums()
    yield from _products()
    yield from _carries()
    yield from _others()
    yield from _dots()


def _sums() -> Iterator[Case]:
    for type in INTEGERS:
        yield Case(f"add.{type}", (type, type), (type,), on(type, lambda a, b: a + b))
        yield Case(f"sub.{type}", (type, type), (type,), on(type, lambda a, b: a - b))
    for name, function in (("add", lambda a, b: a + b), ("sub", lambda a, b: a - b)):
        saturated = lambda a, b, f=function: held(f(signed(a, "s32"), signed(b, "s32")), "s32")  # noqa: E731
        yield Case(f"{name}.sat.s32", ("s32", "s32"), ("s32",), saturated)
    for type in ("u16x2", "s16x2"):
        half = type[:3]
        for name, function in (("add", lambda a, b: a + b), ("min", min), ("max", max)):
            each = on(half, function)
            both = lambda a, b, f=each: f(a & 0xFFFF, b & 0xFFFF) | f(a >> 16, b >> 16) << 16  # noqa: E731
            yield Case(f"{name}.{type}", (type, type), (type,), both)


def _products() -> Iterator[Case]:
    for type in INTEGERS:
        bits = WIDTHS[type]
        kinds: dict[str, tuple[str, Callable[[int, int], int]]] = {
            "lo": (type, lambda a, b: a * b),
            "hi": (type, lambda a, b, bits=bits: a * b >> bits),  # type: ignore[misc]
        }
        if bits < 64:
            kinds["wide"] = (f"{type[0]}{2 * bits}", lambda a, b: a * b)
        for kind, (result, function) in kinds.items():
            yield Case(f"mul.{kind}.{type}", (type, type), (result,), on(type, function, result))
            mad = _plus(on(type, function, result), result)
            yield Case(f"mad.{kind}.{type}", (type, type, result), (result,), mad)
    hi = lambda a, b: signed(a, "s32") * signed(b, "s32") >> 32  # noqa: E731
    sat = lambda a, b, c: held(hi(a, b) + signed(c, "s32"), "s32")  # noqa: E731
    yield Case("mad.hi.sat.s32", ("s32",) * 3, ("s32",), sat)
    for type in ("u32", "s32"):
        for kind, shift in (("lo", 0), ("hi", 16)):
            product = _product24(type, shift)
            yield Case(f"mul24.{kind}.{type}", (type, type), (type,), product)
            yield Case(f"mad24.{kind}.{type}", (type,) * 3, (type,), _plus(product, type))
    high = _product24("s32", 16)
    sat24 = lambda a, b, c: held(signed(high(a, b), "s32") + signed(c, "s32"), "s32")  # noqa: E731
    yield Case("mad24.hi.sat.s32", ("s32",) * 3, ("s32",), sat24)


def _plus(product: Callable[[int, int], int], type: str) -> Callable[[int, int, int], int]:
    return lambda a, b, c: (product(a, b) + c) % (1 << WIDTHS[type])


def _product24(type: str, shift: int) -> Callable[[int, int], int]:
    def number(value: int) -> int:
        value &= 0xFFFFFF
        return value - (1 << 24) if type == "s32" and value >> 23 else value

    return lambda a, b: (number(a) * number(b) & (1 << 48) - 1) >> shift & 0xFFFFFFFF


def _carries() -> Iterator[Case]:
    for type in INTEGERS[2:]:
        mask = (1 << WIDTHS[type]) - 1

        def up(a: int, b: int, flag: int = 0, mask: int = mask) -> tuple[int, int]:
            total = a + b + (flag & 1)
            return total & mask, int(total > mask)

        def down(a: int, b: int, flag: int = 0, mask: int = mask) -> tuple[int, int]:
            rest = a - b - (flag & 1)
            return rest & mask, int(rest < 0)

        for name, function in (("add", up), ("sub", down)):
            yield Case(f"{name}.cc.{type}", (type, type), (type, CARRY), function)
            yield Case(f"{name}c.cc.{type}", (type, type, CARRY), (type, CARRY), function)
            plain = lambda a, b, flag, f=function: f(a, b, flag)[0]  # noqa: E731
            yield Case(f"{name}c.{type}", (type, type, CARRY), (type,), plain)
        for kind, shift in (("lo", 0), ("hi", WIDTHS[type])):
            product = on(type, lambda a, b, shift=shift: a * b >> shift)
            mad = lambda a, b, c, flag=0, p=product, f=up: f(p(a, b), c, flag)  # noqa: E731
            yield Case(f"mad.{kind}.cc.{type}", (type,) * 3, (type, CARRY), mad)
            yield Case(f"madc.{kind}.cc.{type}", (type, type, type, CARRY), (type, CARRY), mad)
            bare = lambda a, b, c, flag, f=mad: f(a, b, c, flag)[0]  # noqa: E731
            yield Case(f"madc.{kind}.{type}", (type, type, type, CARRY), (type,), bare)


def _quotient(a: int, b: int) -> int:
    if b == 0:
        return -1
    size = abs(a) // abs(b)
    return -size if (a < 0) != (b < 0) else size


def _others() -> Iterator[Case]:
    for type in INTEGERS:
        yield Case(f"div.{type}", (type, type), (type,), on(type, _quotient))
        yield Case(f"rem.{type}", (type, type), (type,), on(type, lambda a, b: a - b * _quotient(a, b) if b else -1))
        yield Case(f"min.{type}", (type, type), (type,), on(type, min))
        yield Case(f"max.{type}", (type, type), (type,), on(type, max))
        yield Case(f"sad.{type}", (type,) * 3, (type,), on(type, lambda a, b, c: c + abs(a - b)))
        if type[0] == "s":
            yield Case(f"abs.{type}", (type,), (type,), on(type, abs))
            yield Case(f"neg.{type}", (type,), (type,), on(type, lambda a: -a))


def _fields_of(value: int, bits: int, type: str) -> list[int]:
    parts = [value >> k & (1 << bits) - 1 for k in range(0, 32, bits)]
    return [part - (1 << bits) if type == "s32" and part >> bits - 1 else part for part in parts]


def _dots() -> Iterator[Case]:
    for first in ("u32", "s32"):
        for second in ("u32", "s32"):

            def four(a: int, b: int, c: int, first: str = first, second: str = second) -> int:
                pairs = zip(_fields_of(a, 8, first), _fields_of(b, 8, second), strict=True)
                return (c + sum(x * y for x, y in pairs)) & 0xFFFFFFFF

            yield Case(f"dp4a.{first}.{second}", (first, second, "u32"), ("u32",), four)
            for half, start in (("lo", 0), ("hi", 2)):

                def two(a: int, b: int, c: int, f: str = first, s: str = second, start: int = start) -> int:
                    pairs = zip(_fields_of(a, 16, f), _fields_of(b, 8, s)[start : start + 2], strict=True)
                    return (c + sum(x * y for x, y in pairs)) & 0xFFFFFFFF

                yield Case(f"dp2a.{half}.{first}.{second}", (first, second, "u32"), ("u32",), two)
