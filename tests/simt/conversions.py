"""What ``cvt`` means, from every type to every other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from gpu100.device.simt.ptx.ir import WIDTHS

from simt.exact import FORMATS, Format, Number, number
from simt.floats import MODES, held, whole
from simt.harness import Case
from simt.integers import held as in_range
from simt.integers import signed

INTEGERS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
WHOLE = ("rni", "rzi", "rmi", "rpi")


def cases() -> Iterator[Case]:
    yield from _integers()
    yield from _from_integers()
    yield from _to_integers()
    yield from _to_whole()
    yield from _floats()
    yield from _pairs()
    yield from _eight_bits()


def _integers() -> Iterator[Case]:
    for source in INTEGERS:
        for target in INTEGERS:
            plain = lambda a, s=source, t=target: signed(a, s) % (1 << WIDTHS[t])  # noqa: E731
            yield Case(f"cvt.{target}.{source}", (source,), (target,), plain)
            saturated = lambda a, s=source, t=target: in_range(signed(a, s), t)  # noqa: E731
            yield Case(f"cvt.sat.{target}.{source}", (source,), (target,), saturated)


def _from_integers() -> Iterator[Case]:
    for source in INTEGERS:
        for target, form in FORMATS.items():
            for mode in MODES:
                convert = lambda a, s=source, f=form, m=mode: f.encode(number(signed(a, s)), m)  # noqa: E731
                yield Case(f"cvt.{mode}.{target}.{source}", (source,), (target,), convert)
        for target in ("f16", "f32", "f64"):
            form = FORMATS[target]
            saturated = lambda a, s=source, f=form: f.encode(held(number(signed(a, s))))  # noqa: E731
            yield Case(f"cvt.rn.sat.{target}.{source}", (source,), (target,), saturated)


def _to_integers() -> Iterator[Case]:
    for source in FORMATS:
        for target in INTEGERS:
            for mode in WHOLE:
                for ftz in (False, True) if source == "f32" else (False,):
                    name = f"cvt.{mode}{'.ftz' if ftz else ''}.{target}.{source}"
                    yield Case(name, (source,), (target,), _to_integer(source, target, mode, ftz))
            if source != "bf16":
                name = f"cvt.rzi.sat.{target}.{source}"
                yield Case(name, (source,), (target,), _to_integer(source, target, "rzi", False))


def _to_integer(source: str, target: str, mode: str, ftz: bool) -> Callable[[int], int]:
    def reference(bits: int) -> int:
        value, width = FORMATS[source].decode(bits, ftz), WIDTHS[target]
        if value.nan:
            return 1 << width - 1 if source == "f64" or width == 64 else 0
        if value.infinite:
            return in_range(-(2**99) if value.sign else 2**99, target)
        return in_range(int(whole(value, mode).value), target)

    return reference


def _to_whole() -> Iterator[Case]:
    for type, form in FORMATS.items():
        for mode in WHOLE:
            for ftz in (False, True) if type == "f32" else (False,):
                rounded = lambda a, f=form, m=mode, ftz=ftz: f.encode(whole(f.decode(a, ftz), m))  # noqa: E731
                yield Case(f"cvt.{mode}{'.ftz' if ftz else ''}.{type}.{type}", (type,), (type,), rounded)


def _convert(source: str, target: str, mode: str, words: str = "") -> Callable[[int], int]:
    ftz = "ftz" in words

    def reference(bits: int) -> int:
        value = FORMATS[source].decode(bits, ftz and source == "f32" and target != "f16")
        result = FORMATS[target].decode(FORMATS[target].encode(value, mode, ftz and target == "f32"))
        if "relu" in words and not result.nan and (result.sign or result.zero):
            result = Number(0, Fraction(0))
        return FORMATS[target].encode(held(result) if "sat" in words else result)

    return reference


def _floats() -> Iterator[Case]:
    for source in FORMATS:
        for target in FORMATS:
            narrower = WIDTHS[target] < WIDTHS[source] or (source, target) in (("f16", "bf16"), ("bf16", "f16"))
            for mode in MODES if narrower else ("",):
                words = [""]
                words += [".sat"] if "bf16" not in (source, target) else []
                words += [".ftz", ".ftz.sat"] if "f32" in (source, target) and "bf16" not in (source, target) else []
                words += [".relu"] if source == "f32" and target in ("f16", "bf16") else []
                for word in words:
                    name = ".".join(part for part in ("cvt", mode, word[1:], target, source) if part)
                    yield Case(name, (source,), (target,), _convert(source, target, mode or "rn", word))


def _pairs() -> Iterator[Case]:
    for half in ("f16", "bf16"):
        for mode in ("rn", "rz"):
            for word in ("", ".relu"):
                each = _convert("f32", half, mode, word)
                both = lambda a, b, f=each: f(b) | f(a) << 16  # noqa: E731
                yield Case(f"cvt.{mode}{word}.{half}x2.f32", ("f32", "f32"), (f"{half}x2",), both)


_FP8 = {"e4m3x2": (4, 3, 0x7E), "e5m2x2": (5, 2, 0x7B)}
"""Bits of exponent and fraction, and the largest finite pattern."""


def _decode8(bits: int, name: str) -> Number:
    exponent_bits, fraction_bits, largest = _FP8[name]
    size, sign = bits & 0x7F, bits >> 7
    if size > largest:
        infinite = name == "e5m2x2" and size == 0x7C
        return Number(sign, special="inf") if infinite else Number(special="nan")
    if name == "e4m3x2" and size >> 3 == 15:
        # Where other formats have infinity, this one has numbers.
        return Number(sign, Fraction(8 + (size & 7)) * 32)
    return Number(sign, Format(exponent_bits, fraction_bits).decode(size).size)


def _encode8(value: Number, name: str, relu: bool) -> int:
    """The nearest of all patterns, or of two the even one."""
    if value.nan:
        return 0x7F
    if relu and (value.sign or value.zero):
        return 0
    largest = _FP8[name][2]
    if value.infinite:
        return value.sign << 7 | largest
    nearest = min(range(largest + 1), key=lambda bits: (abs(_decode8(bits, name).size - value.size), bits & 1))
    return value.sign << 7 | nearest


def _eight_bits() -> Iterator[Case]:
    for name in _FP8:
        for relu in (False, True):
            word = ".relu" if relu else ""
            cached: dict[tuple[str, int], int] = {}

            def one(
                bits: int, source: str, name: str = name, relu: bool = relu, cached: dict[tuple[str, int], int] = cached
            ) -> int:
                key = source, bits
                if key not in cached:
                    cached[key] = _encode8(FORMATS[source].decode(bits), name, relu)
                return cached[key]

            single = lambda a, b, f=one: f(b, "f32") | f(a, "f32") << 8  # noqa: E731
            yield Case(f"cvt.rn.satfinite{word}.{name}.f32", ("f32", "f32"), ("b16",), single)
            half = lambda a, f=one: f(a & 0xFFFF, "f16") | f(a >> 16, "f16") << 8  # noqa: E731
            yield Case(f"cvt.rn.satfinite{word}.{name}.f16x2", ("f16x2",), ("b16",), half)

            def wider(bits: int, name: str = name, relu: bool = relu) -> int:
                values = [_decode8(bits >> shift & 0xFF, name) for shift in (0, 8)]
                values = [Number() if relu and not v.nan and (v.sign or v.zero) else v for v in values]
                return FORMATS["f16"].encode(values[0]) | FORMATS["f16"].encode(values[1]) << 16

            yield Case(f"cvt.rn{word}.f16x2.{name}", ("b16",), ("f16x2",), wider)
