"""Arguments of a launch, held against the kernel's parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from gpu100.device.arguments import bind
from gpu100.device.signature import kernels
from gpu100.errors import ArgumentError


@dataclass
class DeviceArray:
    """What bind sees of memory on a device."""

    dtype: np.dtype[Any]


def bound(declared: str, *args: object) -> list[Any]:
    return bind("k", kernels(f'extern "C" __global__ void k({declared}) {{}}')["k"], args)


def refusal(declared: str, *args: object) -> ArgumentError:
    with pytest.raises(ArgumentError) as caught:
        bound(declared, *args)
    return caught.value


def test_a_python_int_becomes_the_declared_integer() -> None:
    for ctype, dtype in (("int", np.int32), ("unsigned int", np.uint32), ("size_t", np.uint64), ("char", np.int8)):
        (value,) = bound(f"{ctype} n", 100)
        assert type(value) is dtype
        assert value == 100


def test_an_int_at_the_edges_of_its_type_fits() -> None:
    assert bound("int a, int b, unsigned int c", -(2**31), 2**31 - 1, 2**32 - 1) == [-(2**31), 2**31 - 1, 2**32 - 1]


def test_an_int_out_of_range_is_refused() -> None:
    for declared, value in (("int n", 2**31), ("int n", -(2**31) - 1), ("unsigned int n", -1), ("char n", 128)):
        assert "does not fit the parameter" in refusal(declared, value).message
    assert refusal("unsigned int n", -1).hint == "uint32 holds 0 to 4294967295"


def test_a_python_float_becomes_the_declared_float() -> None:
    single, double = bound("float a, double b", 0.1, 0.1)
    assert (type(single), type(double)) == (np.float32, np.float64)
    assert single == np.float32(0.1)


def test_a_float_beyond_its_type_is_refused_and_an_infinity_is_one() -> None:
    assert refusal("float x", 1e300).hint == "float32 holds up to 3.403e+38"
    assert bound("double x, float y", 1e300, float("inf")) == [1e300, float("inf")]


def test_a_float_is_no_integer_and_an_int_no_float() -> None:
    assert refusal("int n", 3.0).message == "k: float 3.0 does not fit the parameter `int n`"
    assert refusal("float x", 3).hint == "pass np.float32(...)"


def test_a_truth_is_bool_only() -> None:
    assert bound("bool on", True) == [np.True_]
    assert type(bound("bool on", True)[0]) is np.bool_
    refusal("int n", True)
    refusal("float x", True)
    refusal("bool on", 1)


def test_a_numpy_scalar_of_the_declared_type_is_passed_as_it_is() -> None:
    value = np.float32(0.5)
    assert bound("float x", value)[0] is value


def test_a_numpy_scalar_of_another_type_is_refused() -> None:
    error = refusal("float x", np.float64(0.5))
    assert error.message == "k: np.float64 does not fit the parameter `float x`"
    assert error.hint == "pass np.float32(...)"
    refusal("int n", np.int64(1))
    refusal("unsigned int n", np.int32(1))


def test_an_array_of_the_device_fits_its_pointer() -> None:
    array = DeviceArray(np.dtype("float32"))
    assert bound("const float* x", array) == [array]


def test_an_array_of_another_element_type_is_refused() -> None:
    error = refusal("float* x", DeviceArray(np.dtype("float64")))
    assert error.hint == "the array holds float64, the kernel reads float32"


def test_an_array_of_a_struct_the_source_declares_is_taken() -> None:
    array = DeviceArray(np.dtype([("x", "f4"), ("y", "f4")]))
    assert bound("Point* p", array) == [array]


def test_memory_of_the_host_is_refused() -> None:
    assert refusal("float* x", np.zeros(4, np.float32)).hint == "pass an array of the device"
    refusal("float* x", np.float32(1))
    refusal("float* x", 0x7F00_0000_0000)
    refusal("float* x", [1.0, 2.0])
    refusal("float* x", None)


def test_an_array_is_no_scalar() -> None:
    refusal("float x", DeviceArray(np.dtype("float32")))
    refusal("float x", np.zeros(1, np.float32))


def test_a_struct_takes_a_numpy_value_only() -> None:
    point = np.zeros((), [("x", "f4"), ("y", "f4")])[()]
    assert bound("Point p", point) == [point]
    assert refusal("Point p", (1.0, 2.0)).hint == "pass a NumPy value of the struct's own dtype"


def test_too_few_and_too_many_arguments_are_refused() -> None:
    assert refusal("float* x, int n", 1).message == "k takes 2 arguments (float* x, int n), got 1"
    assert refusal("int n", 1, 2).message == "k takes 1 argument (int n), got 2"
    assert refusal("", 1).message == "k takes 0 arguments (), got 1"


def test_nothing_is_what_a_kernel_without_parameters_takes() -> None:
    assert bound("") == []
