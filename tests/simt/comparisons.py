"""What comparisons, selections and moves mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import and_, eq, ge, gt, le, lt, ne, or_, xor

from gpu100.device.simt.ptx.ir import WIDTHS

from simt.exact import FORMATS, less
from simt.harness import Case
from simt.integers import BITS, INTEGERS, signed

_ORDER: dict[str, Callable[[int, int], bool]] = {"eq": eq, "ne": ne, "lt": lt, "le": le, "gt": gt, "ge": ge}
_UNSIGNED = {"lo": lt, "ls": le, "hi": gt, "hs": ge}
_COMBINE = {"and": and_, "or": or_, "xor": xor}
FLOAT_NAMES = (*_ORDER, *(f"{name}u" for name in _ORDER), "num", "nan")
_ONES = {"f16": 0x3C00, "bf16": 0x3F80, "f32": 0x3F800000}

Comparison = Callable[[int, int], bool]


def cases() -> Iterator[Case]:
    for type in (*BITS, *INTEGERS, "f16", "bf16", "f32", "f64"):
        yield from _setp(type)
        yield from _set(type)
    for type in ("f16x2", "bf16x2"):
        yield from _packed(type)
    yield from _selections()
    yield from _moves()


def comparisons(type: str, ftz: bool = False) -> dict[str, Comparison]:
    """By name: functions of two values' bits."""
    if type in FORMATS:
        return {name: _float(name, type, ftz) for name in FLOAT_NAMES}
    names = {**_ORDER, **_UNSIGNED} if type[0] == "u" else _ORDER if type[0] == "s" else {"eq": eq, "ne": ne}
    return {name: _of_signed(function, type) for name, function in names.items()}


def _of_signed(function: Callable[[int, int], bool], type: str) -> Comparison:
    return lambda a, b: function(signed(a, type), signed(b, type))


def _float(name: str, type: str, ftz: bool) -> Comparison:
    def compare(first: int, second: int) -> bool:
        a, b = (FORMATS[type].decode(bits, ftz) for bits in (first, second))
        unordered = a.nan or b.nan
        if name in ("num", "nan"):
            return unordered == (name == "nan")
        if unordered:
            return name.endswith("u")
        below, above = less(a, b), less(b, a)
        return _ORDER[name[:2]](int(above) - int(below), 0)

    return compare


def _setp(type: str) -> Iterator[Case]:
    for ftz in (False, True) if type in ("f32", "f16") else (False,):
        prefix = ".ftz" if ftz else ""
        for name, compare in comparisons(type, ftz).items():
            yield Case(f"setp.{name}{prefix}.{type}", (type, type), ("pred",), lambda a, b, f=compare: int(f(a, b)))
            both = lambda a, b, f=compare: (int(f(a, b)), int(not f(a, b)))  # noqa: E731
            yield Case(f"setp.{name}{prefix}.{type}", (type, type), ("pred", "pred"), both, "pair")
        compare = comparisons(type, ftz)["ne"]
        for word, combine in _COMBINE.items():

            def joined(
                a: int, b: int, c: int, f: Comparison = compare, g: Callable[[int, int], int] = combine
            ) -> tuple[int, int]:
                return g(int(f(a, b)), c), g(int(not f(a, b)), c)

            sources = (type, type, "pred")
            yield Case(f"setp.ne.{word}{prefix}.{type}", sources, ("pred", "pred"), joined, "pair")
            one = lambda a, b, c, f=joined: f(a, b, c)[0]  # noqa: E731
            yield Case(f"setp.ne.{word}{prefix}.{type}", sources, ("pred",), one)
            negated = lambda a, b, c, f=joined: f(a, b, 1 - c)[0]  # noqa: E731
            yield Case(f"setp.ne.{word}{prefix}.{type}", sources, ("pred",), negated, "negated")


def _set(type: str) -> Iterator[Case]:
    targets = {"f16": ("f16", "u16", "s16", "u32", "s32"), "bf16": ("bf16", "u16", "s16", "u32", "s32")}
    for target in targets.get(type, ("u32", "s32", "f32")):
        true = _ONES.get(target, (1 << WIDTHS[target]) - 1)
        for ftz in (False, True) if type in ("f32", "f16") else (False,):
            prefix = ".ftz" if ftz else ""
            for name, compare in comparisons(type, ftz).items():
                found = lambda a, b, f=compare, true=true: true if f(a, b) else 0  # noqa: E731
                yield Case(f"set.{name}{prefix}.{target}.{type}", (type, type), (target,), found)
            compare = comparisons(type, ftz)["eq"]
            for word, combine in _COMBINE.items():
                joined = lambda a, b, c, f=compare, g=combine, true=true: true if g(f(a, b), bool(c)) else 0  # noqa: E731
                yield Case(f"set.eq.{word}{prefix}.{target}.{type}", (type, type, "pred"), (target,), joined)


def halved(function: Comparison) -> Callable[[int, int], tuple[bool, bool]]:
    return lambda a, b: (function(a & 0xFFFF, b & 0xFFFF), function(a >> 16, b >> 16))


def _packed(type: str) -> Iterator[Case]:
    half = type.removesuffix("x2")
    for ftz in (False, True) if half == "f16" else (False,):
        prefix = ".ftz" if ftz else ""
        for name, compare in comparisons(half, ftz).items():
            two = halved(compare)
            found = lambda a, b, f=two: tuple(map(int, f(a, b)))  # noqa: E731
            yield Case(f"setp.{name}{prefix}.{type}", (type, type), ("pred", "pred"), found, "pair")
            for target in (type, "u32", "s32"):
                true = _ONES[half] if target == type else 0xFFFF
                value = lambda a, b, f=two, true=true: true * f(a, b)[0] | true * f(a, b)[1] << 16  # noqa: E731
                yield Case(f"set.{name}{prefix}.{target}.{type}", (type, type), (target,), value)
        two = halved(comparisons(half, ftz)["gt"])
        for word, combine in _COMBINE.items():
            joined = lambda a, b, c, f=two, g=combine: tuple(int(g(each, bool(c))) for each in f(a, b))  # noqa: E731
            yield Case(f"setp.gt.{word}{prefix}.{type}", (type, type, "pred"), ("pred", "pred"), joined, "pair")


def _selections() -> Iterator[Case]:
    for type in (*BITS, *INTEGERS, "f32", "f64"):
        yield Case(f"selp.{type}", (type, type, "pred"), (f"b{WIDTHS[type]}",), lambda a, b, p: a if p else b)
        integer = lambda a, b, c: a if not c >> 31 else b  # noqa: E731
        yield Case(f"slct.{type}.s32", (type, type, "s32"), (f"b{WIDTHS[type]}",), integer)
        for ftz in (False, True):
            compare = _float("ge", "f32", ftz)
            by_float = lambda a, b, c, f=compare: a if f(c, 0) else b  # noqa: E731
            name = f"slct{'.ftz' if ftz else ''}.{type}.f32"
            yield Case(name, (type, type, "f32"), (f"b{WIDTHS[type]}",), by_float)


def _moves() -> Iterator[Case]:
    for type in ("pred", "f32", "f64", *BITS, *INTEGERS):
        yield Case(f"mov.{type}", (type,), (type,), lambda a: a)
    for whole, part, count in (
        ("b64", "b32", 2),
        ("b64", "b16", 4),
        ("b32", "b16", 2),
        ("b32", "b8", 4),
        ("b16", "b8", 2),
    ):
        bits = WIDTHS[part]
        join = lambda *parts, bits=bits: sum(each << bits * k for k, each in enumerate(parts))  # noqa: E731
        split = lambda a, bits=bits, count=count: tuple(a >> bits * k & (1 << bits) - 1 for k in range(count))  # noqa: E731
        yield Case(f"mov.{whole}", (part,) * count, (whole,), join, "pack")
        yield Case(f"mov.{whole}", (whole,), (part,) * count, split, "unpack")
