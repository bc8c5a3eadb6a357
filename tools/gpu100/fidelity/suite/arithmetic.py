"""Numbers: what is the same to the last bit, and what need not be."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from gpu100.fidelity.case import Argument, Case, Make, Out, Seeded, Values

N = 512


def _word(value: int, bits: int = 32) -> int:
    return value & ((1 << bits) - 1)


def _signed(value: int, bits: int = 32) -> int:
    value = _word(value, bits)
    return value - (1 << bits) if value >> (bits - 1) else value


def _quotient(a: int, b: int) -> int:
    """As C divides: rounded to zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _of_words(a: int, b: int) -> int:
    both = a & b
    first_set = (both & -both).bit_length()
    mixed = a.bit_count() + 37 * (32 - b.bit_length()) + 1009 * first_set
    mixed = _word(mixed) ^ _word(int(f"{a:032b}"[::-1], 2) + (a * b >> 32))
    funnel = _word((b << 32 | a) << (a & 31) >> 32)
    permuted = b & 0xFF | a & 0xFF00 | (b >> 8 & 0xFF) << 16 | a & 0xFF000000
    mixed = _word(mixed + (funnel ^ permuted))
    mixed ^= _word(a // (b | 1) + b % (a | 1))
    mixed += _signed(a) >> (b & 31)
    return _word(mixed + max(_signed(a), _signed(b)) - min(a, b))


def _of_wide_words(a: int, b: int) -> int:
    divisor = _signed(b | 1, 64)
    quotient = _quotient(a, divisor)
    mixed = _word(quotient + a - quotient * divisor, 64) ^ _word((a * b >> 64) + a * b, 64)
    return _signed(mixed + (a >> (b & 63)) + (_word(b, 64) >> 3) + _word(a, 64).bit_count(), 64)


def _integers(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.words(2 * N)
    pairs = [[int(word) for word in pair] for pair in data.reshape(N, 2)]
    return data, Out(np.array([_of_words(a, b) for a, b in pairs], np.uint32))


def _wide_integers(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.raw(2 * N).view(np.int64)
    pairs = [[int(word) for word in pair] for pair in data.reshape(N, 2)]
    return data, Out(np.array([_of_wide_words(a, b) for a, b in pairs], np.int64))


def _once_rounded(product: Values, addend: Values) -> Values:
    """``product + addend`` of exact doubles, rounded to float once.

    The sum is rounded to odd first, which leaves the second rounding nothing to get wrong.
    """
    total = product + addend
    shadow = total - product
    rest = (product - (total - shadow)) + (addend - shadow)
    inexact = (rest != 0) & ((total.view(np.int64) & 1) == 0)
    outward = np.where((rest > 0) == (total > 0), 1, -1)
    odd = (total.view(np.int64) + np.where(inexact, outward, 0)).view(np.float64)
    return odd.astype(np.float32)


def _to_zero(exact: Values) -> Values:
    near = exact.astype(np.float32)
    beyond = np.abs(near.astype(np.float64)) > np.abs(exact)
    return np.where(beyond, np.nextafter(near, np.float32(0)), near)


def _rounded(seeded: Seeded) -> tuple[Argument, ...]:
    a, b = seeded.floats(N, 8), seeded.floats(N)
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    columns = [_once_rounded(wide_a * wide_b, wide_a), a / b, np.sqrt(np.abs(a)), _to_zero(wide_a + wide_b)]
    return a, b, Out(np.stack(columns, axis=1).astype(np.float32))


def _rounded_double(seeded: Seeded) -> tuple[Argument, ...]:
    a, b = seeded.doubles(N), seeded.doubles(N)
    fused = [float(Fraction(x) * Fraction(y) + Fraction(x)) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    return a, b, Out(np.stack([np.array(fused), a / b, np.sqrt(np.abs(a)), a * b], axis=1))


def _halves(seeded: Seeded) -> tuple[Argument, ...]:
    a, b = seeded.floats(N, 4), seeded.floats(N, 4)
    x, y = a.astype(np.float16), b.astype(np.float16)
    fused = (x.astype(np.float64) * y.astype(np.float64) + x.astype(np.float64)).astype(np.float16)
    last = np.rint(np.float32(64) * b) + np.maximum(x, y).astype(np.float32)
    columns = [(x + y), (x * y), fused, last]
    return a, b, Out(np.stack([column.astype(np.float32) for column in columns], axis=1))


def _functions(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.floats(N, 8)
    x = data.astype(np.float64)
    columns = [np.sin(x), np.exp(x), np.log(np.abs(x) + 1), 1 / np.sqrt(np.abs(x) + 1)]
    return data, Out(np.stack(columns, axis=1).astype(np.float32))


def _case(name: str, teaches: str, make: Make, **more: Any) -> Case:
    return Case(
        name=name,
        source="arithmetic",
        kernel=name,
        grid=(4,),
        block=(128,),
        teaches=teaches,
        make=make,
        **more,
    )


CASES: tuple[Case, ...] = (
    _case("integers", "Bits counted, reversed, shifted across words; high products; remainders.", _integers),
    _case("wide_integers", "The same with 64 bits: division is a function that the compiler brings.", _wide_integers),
    _case("rounded", "A fused product and sum is rounded once; division and root as IEEE asks.", _rounded),
    _case("rounded_double", "The same in double precision.", _rounded_double),
    _case("halves", "Half precision, and back.", _halves),
    _case(
        "functions",
        "Sine, exponential, logarithm, inverse root: right to a few last places.",
        _functions,
        tolerance=1e-6,
    ),
)
