"""Fused multiply-add where rounding twice, or losing a bit of the product, would show."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from gpu100.device.simt.decode import arithmetic
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from simt.catalogue import CASES
from simt.exact import FORMATS, Format, number
from simt.harness import Case, check

NAMES = [f"fma.{mode}.{type}" for type in ("f32", "f64") for mode in ("rn", "rz", "rm", "rp")]
NAMES += ["fma.rn.f16", "fma.rn.bf16"]
Row = tuple[int, int, int]
DRAWS = st.tuples(*[st.integers(0, 2**60)] * 4)


def _case(name: str) -> Case:
    return next(case for case in CASES["fma"] if case.name == name)


def _bits(form: Format, value: Fraction | int) -> int:
    bits = form.encode(number(value))
    assert form.decode(bits).value == value, "meant to be exact"
    return bits


def product_on_a_tie(form: Format, draw: tuple[int, ...]) -> Row:
    """Two odd numbers whose product has one bit more than fits, and next to nothing added."""
    digits = form.fraction_bits + 1
    left = 1 + draw[0] % (digits - 1)
    a = 1 | 1 << left - 1 | draw[1] % 2**left
    b = 1 | 1 << digits - left | draw[2] % 2 ** (digits + 1 - left)
    scale = Fraction(2) ** -(digits // 2)
    tiny = Fraction(2) ** (2 - form.bias + draw[3] % (form.bias // 2)) * (-1 if draw[3] & 1 else 1)
    return _bits(form, a * scale), _bits(form, b * scale), _bits(form, tiny)


def product_beside_a_half(form: Format, draw: tuple[int, ...]) -> Row:
    """An addend, and a product of half its last place, exactly or all but."""
    low = form.sign_bit - 1 if draw[0] & 1 else (1 << form.fraction_bits) - 1
    c = form.decode(draw[1] % low & low)
    exponent = c.size.numerator.bit_length() - c.size.denominator.bit_length() if c.size else 0
    return _beside(
        form, c.value if not c.special else Fraction(1), exponent - form.fraction_bits + draw[2] % 4 - 2, draw[3]
    )


def product_beside_the_smallest(form: Format, draw: tuple[int, ...]) -> Row:
    """The same among subnormal numbers and just above them."""
    lowest = 1 - form.bias - form.fraction_bits
    c = Fraction(2) ** lowest * (draw[1] % 2 ** (1 + draw[0] % (form.fraction_bits + 1)))
    return _beside(form, c, lowest - 1 + draw[2] % 2, draw[3])


def _beside(form: Format, c: Fraction, exponent: int, draw: int) -> Row:
    """``a * b`` is a power of two, or that less a bit at the far end of the product."""
    a, b = [(1, 1), (1 - form_step(form), 1 + form_step(form)), (1 + form_step(form), 1)][draw % 3]
    first = max(exponent // 2, 2 - form.bias)
    sign = -1 if draw & 4 else 1
    a, b = a * Fraction(2) ** first * sign, b * Fraction(2) ** (exponent - first)
    rounded = [form.encode(number(each)) for each in (a, b, c * (-1 if draw & 8 else 1))]
    return rounded[0], rounded[1], rounded[2]


def form_step(form: Format) -> Fraction:
    return Fraction(2) ** -form.fraction_bits


MAKERS = (product_on_a_tie, product_beside_a_half, product_beside_the_smallest)


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=12, deadline=None, phases=(Phase.generate,))
@given(draws=st.lists(DRAWS, min_size=1, max_size=40))
def test_one_rounding(name: str, maker: object, draws: list[tuple[int, ...]]) -> None:
    assert callable(maker)
    form = FORMATS[name.split(".")[2]]
    check(_case(name), [maker(form, draw) for draw in draws])


def test_the_hard_rows_are_hard() -> None:
    """Through f64, as is tempting, most of them come out wrong: the reference would notice."""
    generator = np.random.default_rng(1)
    rows = [product_on_a_tie(FORMATS["f32"], tuple(map(int, generator.integers(0, 2**60, 4)))) for _ in range(200)]
    a, b, c = (np.array(column, np.uint32).view(np.float32) for column in zip(*rows, strict=True))
    with np.errstate(all="ignore"):
        tempting = (a.astype(np.float64) * b + c).astype(np.float32)
        assert np.count_nonzero(tempting != arithmetic.fma32(a, b, c)) > 30


def test_lanes_of_all_magnitudes_in_f64_agree_with_fractions() -> None:
    """Random exponents: most lanes take the fast path, some overflow or underflow on the way."""
    generator = np.random.default_rng(2)
    rows = [tuple(map(int, row)) for row in generator.integers(0, 2**64, (600, 3), np.uint64)]
    check(_case("fma.rn.f64"), [(row[0], row[1], row[2]) for row in rows])
