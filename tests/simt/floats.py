"""What floating-point instructions mean, with fractions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from simt.exact import FORMATS, NAN, Number, fused, less, number, over, plus, rounded, square_root, times
from simt.harness import Case

MODES = ("rn", "rz", "rm", "rp")
_EXACT: dict[str, Callable[..., Number]] = {
    "add": plus,
    "sub": lambda a, b, mode: plus(a, NAN if b.nan else b.flipped(), mode),
    "mul": lambda a, b, mode: times(a, b),
    "div": lambda a, b, mode: over(a, b),
    "fma": fused,
    "mad": fused,
    "rcp": lambda a, mode: over(number(1), a),
    "sqrt": lambda a, mode: square_root(a),
}
_COUNT = {"fma": 3, "mad": 3, "rcp": 1, "sqrt": 1}


def held(value: Number) -> Number:
    """``.sat``: between 0 and 1, a NaN as 0."""
    if value.nan or value.sign:
        return Number()
    return number(1) if value.infinite or value.size > 1 else value


def exactly(
    name: str, type: str, mode: str, ftz: bool = False, sat: bool = False, relu: bool = False
) -> Callable[..., int]:
    """One operation on bits, rounded once."""
    form = FORMATS[type]

    def reference(*values: int) -> int:
        result = _EXACT[name](*(form.decode(bits, ftz) for bits in values), mode)
        if relu and (result.zero or result.sign):
            result = Number()
        if sat:
            result = held(form.decode(form.encode(result, mode)))
        return form.encode(result, mode, ftz)

    return reference


def twice(function: Callable[..., int]) -> Callable[..., int]:
    """The same in both halves of a register."""

    def both(*values: int) -> int:
        low, high = function(*(bits & 0xFFFF for bits in values)), function(*(bits >> 16 for bits in values))
        return low | high << 16

    return both


def cases() -> Iterator[Case]:
    yield from _ieee()
    yield from _halves()
    yield from _signs()
    yield from _ordered()
    yield from _properties()


def _ieee() -> Iterator[Case]:
    for name in _EXACT:
        sources = _COUNT.get(name, 2)
        for mode in MODES:
            yield Case(f"{name}.{mode}.f64", ("f64",) * sources, ("f64",), exactly(name, "f64", mode))
            for ftz in (False, True):
                for sat in (False, True) if name in ("add", "sub", "mul", "fma", "mad") else (False,):
                    words = f"{mode}{'.ftz' if ftz else ''}{'.sat' if sat else ''}"
                    reference = exactly(name, "f32", mode, ftz, sat)
                    yield Case(f"{name}.{words}.f32", ("f32",) * sources, ("f32",), reference)
    for name in ("add", "sub", "mul"):
        for type in ("f32", "f64"):
            yield Case(f"{name}.{type}", (type, type), (type,), exactly(name, type, "rn"))


def _halves() -> Iterator[Case]:
    for type in ("f16", "bf16"):
        for name in ("add", "sub", "mul", "fma"):
            options = [(False, False, False)]
            options += [(True, False, False), (False, True, False), (True, True, False)] if type == "f16" else []
            options += [(False, False, True)] if name == "fma" else []
            options += [(True, False, True)] if name == "fma" and type == "f16" else []
            for ftz, sat, relu in options:
                words = "rn" + ".ftz" * ftz + ".sat" * sat + ".relu" * relu
                reference = exactly(name, type, "rn", ftz, sat, relu)
                count = _COUNT.get(name, 2)
                yield Case(f"{name}.{words}.{type}", (type,) * count, (type,), reference)
                yield Case(f"{name}.{words}.{type}x2", (f"{type}x2",) * count, (f"{type}x2",), twice(reference))


def _signs() -> Iterator[Case]:
    for type, form in FORMATS.items():
        for ftz in (False, True) if type in ("f16", "f32") else (False,):
            words = ".ftz" if ftz else ""
            for name in ("abs", "neg"):

                def reference(bits: int, form=form, ftz: bool = ftz, name: str = name) -> int:  # type: ignore[no-untyped-def]
                    if ftz:
                        bits = form.encode(form.decode(bits, ftz=True)) if not form.decode(bits).nan else form.nan_bits
                        if form.decode(bits).nan:
                            return lambda found: form.decode(found).nan  # type: ignore[return-value]
                    return bits & ~form.sign_bit if name == "abs" else bits ^ form.sign_bit

                yield Case(f"{name}{words}.{type}", (type,), (type,), reference)
                if type in ("f16", "bf16") and not ftz:
                    yield Case(f"{name}.{type}x2", (f"{type}x2",), (f"{type}x2",), twice(reference))
    for name in ("abs", "neg"):
        yield Case(f"{name}.ftz.f16x2", ("f16x2",), ("f16x2",), _flushed_pair(name))
    for type, bits in (("f32", 32), ("f64", 64)):
        top = 1 << bits - 1
        copied = lambda a, b, top=top: a & top | b & ~top  # noqa: E731
        yield Case(f"copysign.{type}", (type, type), (type,), copied)


def _flushed_pair(name: str) -> Callable[[int], Callable[[int], bool]]:
    form = FORMATS["f16"]

    def reference(bits: int) -> Callable[[int], bool]:
        def right(found: int) -> bool:
            for shift in (0, 16):
                value, result = form.decode(bits >> shift & 0xFFFF, ftz=True), found >> shift & 0xFFFF
                if value.nan:
                    if not form.decode(result).nan:
                        return False
                elif result != form.encode(Number(0, value.size, value.special) if name == "abs" else value.flipped()):
                    return False
            return True

        return right

    return reference


def chosen(name: str, type: str, nan: bool, ftz: bool) -> Callable[..., int]:
    """``min`` and ``max``: -0 is below +0, and a NaN loses unless ``.NaN`` is asked for."""
    form = FORMATS[type]

    def of_two(a: Number, b: Number) -> Number:
        if a.nan or b.nan:
            return NAN if nan or (a.nan and b.nan) else (b if a.nan else a)
        below = a.sign > b.sign if a.zero and b.zero else less(a, b)
        return (a if below else b) if name == "min" else (b if below else a)

    def reference(*values: int) -> int:
        result, *others = (form.decode(bits, ftz) for bits in values)
        for other in others:
            result = of_two(result, other)
        return form.encode(result)

    return reference


def _ordered() -> Iterator[Case]:
    for type in FORMATS:
        for name in ("min", "max"):
            for nan in (False, True) if type != "f64" else (False,):
                for ftz in (False, True) if type in ("f16", "f32") else (False,):
                    words = f"{'.ftz' if ftz else ''}{'.NaN' if nan else ''}"
                    reference = chosen(name, type, nan, ftz)
                    yield Case(f"{name}{words}.{type}", (type,) * 2, (type,), reference)
                    if type == "f32":
                        yield Case(f"{name}{words}.{type}", (type,) * 3, (type,), reference)
                    if type in ("f16", "bf16"):
                        packed = f"{type}x2"
                        yield Case(f"{name}{words}.{packed}", (packed,) * 2, (packed,), twice(reference))


def _properties() -> Iterator[Case]:
    for type in ("f32", "f64"):
        form = FORMATS[type]
        smallest = Fraction(2) ** (1 - form.bias)
        tests: dict[str, Callable[[Number], bool]] = {
            "finite": lambda a: not a.special,
            "infinite": lambda a: a.infinite,
            "number": lambda a: not a.nan,
            "notanumber": lambda a: a.nan,
            "normal": lambda a, smallest=smallest: a.zero or (not a.special and a.size >= smallest),  # type: ignore[misc]
            "subnormal": lambda a, smallest=smallest: not a.special and 0 < a.size < smallest,  # type: ignore[misc]
        }
        for name, test in tests.items():
            yield Case(f"testp.{name}.{type}", (type,), ("pred",), lambda a, f=test, form=form: int(f(form.decode(a))))


def whole(value: Number, mode: str) -> Number:
    """Rounded to an integer; a zero keeps the sign."""
    if value.special:
        return value
    size = rounded(value.size, {"rni": "rni"}.get(mode, mode), value.sign)
    return Number(value.sign, Fraction(size))
