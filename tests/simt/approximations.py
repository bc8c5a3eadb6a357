"""What approximate instructions come close to, and how close."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

from simt.exact import FORMATS, NAN, Number, number, over, square_root
from simt.floats import twice
from simt.harness import Case


def cases() -> Iterator[Case]:
    yield from _approximations()
    yield from _approximate_halves()


def near(type: str, wanted: Number, units: int) -> Callable[[int], bool]:
    """Whether bits are within some units in the last place; what is not finite must be that."""
    form = FORMATS[type]

    def right(found: int) -> bool:
        value = form.decode(found)
        if wanted.nan or value.nan:
            return wanted.nan and value.nan
        order = [-(bits & ~form.sign_bit) if bits & form.sign_bit else bits for bits in (found, form.encode(wanted))]
        return abs(order[0] - order[1]) <= units

    return right


def _python(function: Callable[[float], float]) -> Callable[[Number], Number]:
    """A function of Python's, with its exceptions as NaN and infinity."""

    def reference(a: Number) -> Number:
        if a.nan:
            return NAN
        try:
            result = function(math.copysign(math.inf if a.infinite else float(a.size), -1 if a.sign else 1))
        except ValueError:
            return NAN
        except OverflowError:
            return Number(special="inf")
        if math.isinf(result):
            return Number(int(result < 0), special="inf")
        return NAN if math.isnan(result) else number(Fraction(result), int(math.copysign(1, result) < 0))

    return reference


def _log2(a: Number) -> Number:
    if a.zero:
        return Number(1, special="inf")
    return _python(math.log2)(a)


_APPROXIMATIONS: dict[str, Callable[[Number], Number]] = {
    "sin": _python(math.sin),
    "cos": _python(math.cos),
    "ex2": _python(lambda a: 2.0**a),
    "lg2": _log2,
    "tanh": _python(math.tanh),
    "rsqrt": lambda a: over(number(1), square_root(a)),
    "sqrt": square_root,
    "rcp": lambda a: over(number(1), a),
}


def _approximations() -> Iterator[Case]:
    for name, function in _APPROXIMATIONS.items():
        for ftz in (False, True) if name != "tanh" else (False,):

            def reference(
                bits: int, f: Callable[[Number], Number] = function, ftz: bool = ftz
            ) -> Callable[[int], bool]:
                form = FORMATS["f32"]
                wanted = form.decode(form.encode(f(form.decode(bits, ftz)), ftz=ftz))
                return near("f32", wanted, 1)

            yield Case(f"{name}.approx{'.ftz' if ftz else ''}.f32", ("f32",), ("f32",), reference)
    for word in ("full", "approx"):
        for ftz in (False, True):
            reference = _quotient(word == "approx", ftz)
            yield Case(f"div.{word}{'.ftz' if ftz else ''}.f32", ("f32", "f32"), ("f32",), reference)
    yield Case("rsqrt.approx.f64", ("f64",), ("f64",), _gross("rsqrt", 1, upper=False))
    yield Case("rsqrt.approx.ftz.f64", ("f64",), ("f64",), _gross("rsqrt", 2**32))
    yield Case("rcp.approx.ftz.f64", ("f64",), ("f64",), _gross("rcp", 2**32))


def _quotient(approx: bool, ftz: bool) -> Callable[[int, int], Callable[[int], bool]]:
    form = FORMATS["f32"]

    def reference(first: int, second: int) -> Callable[[int], bool]:
        a, b = form.decode(first, ftz), form.decode(second, ftz)
        wanted = over(a, b)
        if approx and not b.special and b.size > 2**126 and not a.nan:
            wanted = NAN if a.infinite else Number(a.sign ^ b.sign)
        return near("f32", form.decode(form.encode(wanted, ftz=ftz)), 2)

    return reference


def _gross(name: str, units: int, upper: bool = True) -> Callable[[int], Callable[[int], bool]]:
    form = FORMATS["f64"]

    def reference(bits: int) -> Callable[[int], bool]:
        value = form.decode(bits >> 32 << 32, ftz=True) if upper else form.decode(bits)
        judge = near("f64", form.decode(form.encode(_APPROXIMATIONS[name](value), ftz=upper)), units)
        return lambda found: judge(found) and not (upper and found & 0xFFFFFFFF)

    return reference


def _approximate_halves() -> Iterator[Case]:
    for type in ("f16", "bf16"):
        form = FORMATS[type]
        for name in ("ex2", "tanh"):
            for ftz in (False, True) if type == "bf16" and name == "ex2" else (False,):

                def reference(bits: int, f=_APPROXIMATIONS[name], form=form, ftz: bool = ftz) -> int:  # type: ignore[no-untyped-def]
                    # Through f32, as computed; the tests' values are on no tie.
                    single = FORMATS["f32"]
                    value = single.decode(single.encode(f(form.decode(bits, ftz))), ftz)
                    return form.encode(value, ftz=ftz)

                words = f"{name}.approx{'.ftz' if ftz else ''}"
                yield Case(f"{words}.{type}", (type,), (type,), reference)
                yield Case(f"{words}.{type}x2", (f"{type}x2",), (f"{type}x2",), twice(reference))
