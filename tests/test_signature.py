"""Kernels and their parameters, read from the source."""

from __future__ import annotations

import numpy as np
from gpu100.device.signature import Parameter, kernels
from gpu100.model.course import Course
from gpu100.paths import Layout


def parameters(declared: str) -> tuple[Parameter, ...]:
    return kernels(f'extern "C" __global__ void k({declared}) {{ }}')["k"]


def test_every_scalar_type_is_known() -> None:
    for ctype, dtype in (
        ("bool", "bool"),
        ("char", "int8"),
        ("signed char", "int8"),
        ("unsigned char", "uint8"),
        ("short", "int16"),
        ("unsigned short", "uint16"),
        ("int", "int32"),
        ("unsigned", "uint32"),
        ("unsigned int", "uint32"),
        ("long long", "int64"),
        ("unsigned long long", "uint64"),
        ("size_t", "uint64"),
        ("float", "float32"),
        ("double", "float64"),
        ("__half", "float16"),
    ):
        assert parameters(f"{ctype} x") == (Parameter("x", ctype, False, np.dtype(dtype)),), ctype


def test_a_pointer_has_the_type_it_points_to() -> None:
    for declared in ("float* x", "float *x", "float * x", "const float* __restrict__ x", "float const* const x"):
        assert parameters(declared) == (Parameter("x", "float", True, np.dtype("float32")),), declared


def test_a_pointer_to_pointers_points_to_addresses() -> None:
    assert parameters("float** x") == (Parameter("x", "float", True, np.dtype("uint64")),)


def test_a_type_of_the_sources_own_has_no_numpy_type() -> None:
    assert parameters("Particle p, Particle* q") == (
        Parameter("p", "Particle", False, None),
        Parameter("q", "Particle", True, None),
    )


def test_a_kernel_without_parameters_has_none() -> None:
    assert parameters("") == parameters("void") == ()


def test_qualifiers_are_no_part_of_a_type() -> None:
    assert parameters("const __grid_constant__ int n, volatile unsigned int* seen") == (
        Parameter("n", "int", False, np.dtype("int32")),
        Parameter("seen", "unsigned int", True, np.dtype("uint32")),
    )


def test_parameters_may_stand_on_several_lines_between_comments() -> None:
    text = """
extern "C" __global__ void add(  // the sum
    float* c,        // out, of n elements
    /* in, not
       changed */ const float* a,
    int n) { }
"""
    assert [str(parameter) for parameter in kernels(text)["add"]] == ["float* c", "float* a", "int n"]


def test_launch_bounds_may_stand_on_either_side_of_void() -> None:
    text = """
extern "C" __global__ __launch_bounds__(256) void before(int n) { }
extern "C" __global__ void __launch_bounds__(256, 2) after(float x) { }
"""
    found = kernels(text)
    assert [str(found["before"][0]), str(found["after"][0])] == ["int n", "float x"]


def test_kernels_come_in_their_order() -> None:
    text = 'extern "C" __global__ void b() {}\nextern "C" __global__ void a() {}\n'
    assert list(kernels(text)) == ["b", "a"]


def test_a_kernel_in_a_comment_is_none() -> None:
    text = """
// extern "C" __global__ void one(int n) {}
/* extern "C" __global__ void two(int n) {} */
extern "C" __global__ void three(int n) {}
"""
    assert list(kernels(text)) == ["three"]


def test_device_functions_and_mangled_kernels_are_not_listed() -> None:
    assert kernels("__device__ int f(int x) { return x; }\n__global__ void k(int x) {}") == {}


def test_every_kernel_of_the_course_has_known_types(repository: Layout, course: Course) -> None:
    sources = [path for day in course.days for path in (repository.root / day.folder).glob("*.cu")]
    assert sources
    for path in sources:
        found = kernels(path.read_text(encoding="utf-8"))
        assert found, path.name
        assert len(found) == path.read_text(encoding="utf-8").count('extern "C" __global__'), path.name
