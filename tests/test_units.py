"""Numbers and units as people read them."""

from __future__ import annotations

from gpu100.units import NO_BREAK, byte_size, number, quantity
from hypothesis import given
from hypothesis import strategies as st


def test_integers_have_separators() -> None:
    assert [number(value) for value in (0, 7, 8448, -1234567)] == ["0", "7", "8,448", "-1,234,567"]


def test_truths_and_texts_are_words() -> None:
    assert [number(value) for value in (True, False, "float4")] == ["yes", "no", "float4"]


def test_floats_have_four_digits_and_no_trailing_zeros() -> None:
    shown = {50.0: "50", 0.98437: "0.9844", 12.5: "12.5", 100.0: "100", 3.14159: "3.142", 0.0: "0", -2.50: "-2.5"}
    assert {value: number(value) for value in shown} == shown


def test_large_floats_have_separators() -> None:
    assert number(4_800_123.7) == "4,800,124"


def test_floats_that_round_up_to_five_digits_are_no_powers_of_ten() -> None:
    assert number(9999.6) == number(10000.4) == "10,000"
    assert number(9999.4) == "9999"


def test_small_floats_are_powers_of_ten() -> None:
    assert number(0.00001234) == "1.23e-05"
    assert number(0.001) == "0.001"


@given(st.floats(1e-3, 1e15))
def test_a_number_reads_back_to_four_digits(value: float) -> None:
    text = number(value)
    assert "e" not in text
    assert abs(float(text.replace(",", "")) - value) <= 0.5e-3 * value


def test_a_unit_follows_a_space_that_does_not_break() -> None:
    assert quantity(32, "blocks") == f"32{NO_BREAK}blocks"
    assert quantity(1.5, "ms") == f"1.5{NO_BREAK}ms"
    assert quantity(50.0, "%") == "50%"
    assert quantity("64, 128", "") == "64, 128"


def test_one_of_something_is_singular() -> None:
    assert quantity(1, "blocks") == f"1{NO_BREAK}block"
    assert quantity(0, "blocks") == f"0{NO_BREAK}blocks"
    assert quantity(1, "canaries") == f"1{NO_BREAK}canary"


def test_an_abbreviated_unit_has_no_singular() -> None:
    for unit in ("s", "ms", "ns", "GB/s", "TFLOPS"):
        assert quantity(1, unit) == f"1{NO_BREAK}{unit}"


def test_sizes_are_in_binary_multiples() -> None:
    sizes = {512: "512 bytes", 1024: "1 KiB", 62914560: "60 MiB", 150109880320: "139.8 GiB", 1536: "1.5 KiB"}
    assert {size: byte_size(size).replace(NO_BREAK, " ") for size in sizes} == sizes
