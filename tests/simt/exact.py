"""Floating point from fractions: the reference that the model's NumPy expressions are held against."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import isqrt


@dataclass(frozen=True)
class Number:
    """A floating-point value of any format."""

    sign: int = 0
    size: Fraction = Fraction(0)
    special: str = ""

    @property
    def value(self) -> Fraction:
        return -self.size if self.sign else self.size

    @property
    def nan(self) -> bool:
        return self.special == "nan"

    @property
    def infinite(self) -> bool:
        return self.special == "inf"

    @property
    def zero(self) -> bool:
        return not self.special and not self.size

    def flipped(self) -> Number:
        return Number(1 - self.sign, self.size, self.special)


NAN = Number(special="nan")


def number(value: Fraction | int, sign_of_zero: int = 0) -> Number:
    value = Fraction(value)
    return Number(int(value < 0) if value else sign_of_zero, abs(value))


@dataclass(frozen=True)
class Format:
    exponent_bits: int
    fraction_bits: int

    @property
    def bias(self) -> int:
        return 2 ** (self.exponent_bits - 1) - 1

    @property
    def top(self) -> int:
        return 2**self.exponent_bits - 1

    @property
    def sign_bit(self) -> int:
        return 1 << self.exponent_bits + self.fraction_bits

    @property
    def nan_bits(self) -> int:
        return self.sign_bit - 1

    @cache  # noqa: B019
    def decode(self, bits: int, ftz: bool = False) -> Number:
        sign = int(bool(bits & self.sign_bit))
        exponent = bits >> self.fraction_bits & self.top
        fraction = bits & (1 << self.fraction_bits) - 1
        if exponent == self.top:
            return NAN if fraction else Number(sign, special="inf")
        if exponent == 0:
            fraction = 0 if ftz else fraction
            return Number(sign, Fraction(fraction) * Fraction(2) ** (1 - self.bias - self.fraction_bits))
        significand = fraction + (1 << self.fraction_bits)
        return Number(sign, significand * Fraction(2) ** (exponent - self.bias - self.fraction_bits))

    def encode(self, value: Number, mode: str = "rn", ftz: bool = False) -> int:
        """Rounded once, in any mode."""
        if value.nan:
            return self.nan_bits
        sign = self.sign_bit if value.sign else 0
        if value.infinite:
            return sign | self.top << self.fraction_bits
        unit = self._unit(value.size)
        count = rounded(value.size / unit, mode, value.sign)
        bits = self._bits(count, unit)
        if ftz and bits < 1 << self.fraction_bits:
            bits = 0
        if bits >= self.top << self.fraction_bits:
            towards_zero = mode == "rz" or (mode == "rp" and value.sign) or (mode == "rm" and not value.sign)
            bits = (self.top << self.fraction_bits) - bool(towards_zero)
        return sign | bits

    def _unit(self, size: Fraction) -> Fraction:
        """The distance of neighbours at ``size``."""
        exponent = 1 - self.bias
        if size:
            guess = size.numerator.bit_length() - size.denominator.bit_length()
            exponent = max(exponent, guess - (size < Fraction(2) ** guess))
        return Fraction(2) ** (exponent - self.fraction_bits)

    def _bits(self, count: int, unit: Fraction) -> int:
        lowest = Fraction(2) ** (1 - self.bias - self.fraction_bits)
        binade = (unit / lowest).numerator.bit_length() - 1
        # With its leading one a normal number adds one to the exponent by itself.
        return count + (binade << self.fraction_bits)


F16, BF16, F32, F64 = Format(5, 10), Format(8, 7), Format(8, 23), Format(11, 52)
FORMATS = {"f16": F16, "bf16": BF16, "f32": F32, "f64": F64}


def rounded(value: Fraction, mode: str, negative: int = 0) -> int:
    """A size to an integer; up and down are meant for the signed number."""
    whole, rest = divmod(value, 1)
    if mode in ("rn", "rni"):
        return whole + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1))
    outward = {"rp": not negative, "rm": negative, "rz": False}[mode[:2]]
    return whole + bool(rest and outward)


def fused(a: Number, b: Number, c: Number, mode: str = "rn") -> Number:
    """``a * b + c``, not rounded yet; ``mode`` decides the sign of what cancels."""
    if a.nan or b.nan or c.nan or (a.infinite and b.zero) or (a.zero and b.infinite):
        return NAN
    sign = a.sign ^ b.sign
    if a.infinite or b.infinite:
        return NAN if c.infinite and c.sign != sign else Number(sign, special="inf")
    if c.infinite:
        return c
    product = a.value * b.value
    if not product and c.zero and sign == c.sign:
        return Number(sign)
    return number(product + c.value, int(mode == "rm"))


def plus(a: Number, b: Number, mode: str = "rn") -> Number:
    return fused(a, number(1), b, mode)


def times(a: Number, b: Number) -> Number:
    sign = a.sign ^ b.sign
    if a.nan or b.nan or (a.infinite and b.zero) or (a.zero and b.infinite):
        return NAN
    return Number(sign, special="inf") if a.infinite or b.infinite else Number(sign, a.size * b.size)


def over(a: Number, b: Number) -> Number:
    sign = a.sign ^ b.sign
    if a.nan or b.nan or (a.infinite and b.infinite) or (a.zero and b.zero):
        return NAN
    if a.infinite or b.zero:
        return Number(sign, special="inf")
    return Number(sign) if b.infinite else Number(sign, a.size / b.size)


def square_root(a: Number) -> Number:
    """To 150 bits or exactly; a last bit stands for all that would follow."""
    if a.nan or (a.sign and not a.zero):
        return NAN
    if a.infinite or a.zero:
        return a
    shift = 2 * (150 + a.size.denominator.bit_length())
    scaled = a.size * 2**shift
    root = isqrt(scaled.numerator // scaled.denominator)
    exact = Fraction(root) ** 2 == scaled
    return number(Fraction(2 * root + (not exact), 2 ** (shift // 2 + 1)))


def less(a: Number, b: Number) -> bool:
    """``a < b`` of numbers that are not NaN."""
    return _key(a) < _key(b)


def _key(a: Number) -> tuple[int, Fraction]:
    if a.infinite:
        return (-1 if a.sign else 1), Fraction(0)
    return 0, a.value
