"""The SIMT model runs the kernels of tests/simt/kernels.cu, for several architectures, as NumPy says."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gpu100.device.interface import Source
from gpu100.device.simt.device import SimtDevice, SimtKernel
from gpu100.model.behaviour import COMPILE_OPTIONS
from gpu100.model.gpus import PROFILES

HERE = Path(__file__).resolve().parent
CACHE = HERE.parent / "build" / "test-cache"
SOURCE = HERE / "simt" / "kernels.cu"

Kernels = Mapping[str, SimtKernel]
Case = Callable[[SimtDevice, Kernels], None]
CASES: dict[str, Case] = {}


def case(function: Case) -> Case:
    CASES[function.__name__] = function
    return function


@pytest.fixture(scope="module")
def cache() -> Path:
    CACHE.mkdir(parents=True, exist_ok=True)
    return CACHE


def rng() -> np.random.Generator:
    return np.random.default_rng(1234)


@case
def collatz(d: SimtDevice, k: Kernels) -> None:
    start = np.arange(1, 301, dtype="uint32")
    out = d.empty(300, "uint32")
    k["collatz"].launch(5, 64, d.array(start), out, 300)
    assert out.to_numpy().tolist() == [_collatz(int(v)) for v in start]


def _collatz(v: int) -> int:
    steps = 0
    while v != 1:
        v = 3 * v + 1 if v % 2 else v // 2
        steps += 1
    return steps


@case
def odd_even(d: SimtDevice, k: Kernels) -> None:
    values = rng().integers(-1000, 1000, 256, dtype="int32")
    out = d.empty(256, "int32")
    k["odd_even"].launch(2, 128, d.array(values), out, 37)
    expected = values.astype("int64")
    for j in range(37):
        expected = np.where(np.arange(256) % 2, expected * 3 + j, expected * 5 - j) & 0xFFFFFFFF
    assert (out.to_numpy() == expected.astype("uint32").view("int32")).all()
    report = d.reports[-1]
    assert report.totals["divergent_branches"] >= 8
    assert 16 <= report.total.lanes < 20


@case
def pick(d: SimtDevice, k: Kernels) -> None:
    values = np.arange(-2, 62, dtype="int32") % 9
    out = d.empty(64, "int32")
    k["pick"].launch(1, 64, d.array(values), out)
    known = {0: 10, 1: 22, 2: 28, 3: ~3, 4: 4 << 9, 5: 15, 6: 6 ^ 0x55}
    assert out.to_numpy().tolist() == [known.get(int(v), -1) for v in values]


@case
def mandelbrot(d: SimtDevice, k: Kernels) -> None:
    width, most = 64, 60
    out = d.empty((width, width), "int32")
    k["mandelbrot"].launch((width // 16, width // 8), (16, 8), out, width, most)
    f = np.float32
    x, y = np.meshgrid(np.arange(width, dtype="float32"), np.arange(width, dtype="float32"))
    cr, ci = f(-2) + f(3) * x / f(width), f(-1.5) + f(3) * y / f(width)
    zr, zi, count = np.zeros_like(cr), np.zeros_like(cr), np.zeros(cr.shape, "int32")
    alive = np.ones(cr.shape, bool)
    for _ in range(most):
        with np.errstate(over="ignore", invalid="ignore"):
            alive &= zr * zr + zi * zi <= 4
            zr, zi = np.where(alive, zr * zr - zi * zi + cr, zr), np.where(alive, f(2) * zr * zi + ci, zi)
        count += alive
    # The corners may be contracted to an fma: at most a few pixels at the rim differ.
    assert np.count_nonzero(out.to_numpy() != count) < 20


@case
def factorials(d: SimtDevice, k: Kernels) -> None:
    out = d.empty(100, "uint32")
    k["factorials"].launch(2, 50, out)
    assert out.to_numpy().tolist() == [math.factorial(i % 13) for i in range(100)]


@case
def through_pointers(d: SimtDevice, k: Kernels) -> None:
    out = d.empty(96, "int32")
    k["through_pointers"].launch(3, 32, out)
    assert out.to_numpy().tolist() == [(2 * i, i * i, -i)[i % 3] + 1 for i in range(96)]


@case
def virtual_calls(d: SimtDevice, k: Kernels) -> None:
    out = d.empty(64, "float32")
    k["virtual_calls"].launch(2, 32, out)
    assert out.to_numpy().tolist() == [(i * i, 3 * i * i)[i % 2] for i in range(64)]


@case
def by_value(d: SimtDevice, k: Kernels) -> None:
    out = d.empty(64, "float64")
    k["by_value"].launch(2, 32, out)
    assert out.to_numpy().tolist() == [1.5 + i + 2 + i + 2 * (6 + i) + (ord("a") ^ 1) for i in range(64)]


@case
def barrier_in_function(d: SimtDevice, k: Kernels) -> None:
    values = rng().integers(0, 100, 512).astype("float32")
    out = d.empty(4, "float32")
    k["barrier_in_function"].launch(4, 128, d.array(values), out, shared_bytes=512)
    assert (out.to_numpy() == values.reshape(4, 128).sum(axis=1)).all()


@case
def transpose(d: SimtDevice, k: Kernels) -> None:
    values = rng().standard_normal((96, 96), dtype="float32")
    out = d.empty((96, 96), "float32")
    k["transpose"].launch((3, 3), (32, 8), d.array(values), out, 96)
    assert (out.to_numpy() == values.T).all()
    totals = d.reports[-1].totals
    assert totals["global_load_sectors"] == 4 * totals["global_load_requests"] == 4 * 96 * 3
    assert totals["shared_load_wavefronts"] == totals["shared_load_requests"] == 96 * 3
    assert totals["barriers"] == 9 * 8


@case
def column_walk(d: SimtDevice, k: Kernels) -> None:
    values = rng().standard_normal((32, 32), dtype="float32")
    out = d.empty((32, 32), "float32")
    k["column_walk"].launch(1, (32, 32), d.array(values), out)
    assert (out.to_numpy() == values.T).all()
    totals = d.reports[-1].totals
    assert totals["shared_load_wavefronts"] == 32 * totals["shared_load_requests"]
    assert totals["shared_store_wavefronts"] == totals["shared_store_requests"]


@case
def multiply_tiled(d: SimtDevice, k: Kernels) -> None:
    a, b = (rng().integers(-8, 8, (64, 64)).astype("float32") for _ in range(2))
    c = d.empty((64, 64), "float32")
    k["multiply_tiled"].launch((4, 4), (16, 16), d.array(a), d.array(b), c, 64)
    assert (c.to_numpy() == a @ b).all()


@case
def reduce_tree(d: SimtDevice, k: Kernels) -> None:
    values = rng().integers(-1000, 1000, 2048, dtype="int32")
    out = d.array(np.zeros(1, "int32"))
    k["reduce_tree"].launch(8, 256, d.array(values), out)
    assert out.to_numpy()[0] == values.sum()
    assert d.reports[-1].totals["barriers"] == 8 * 9 * 8


@case
def scan(d: SimtDevice, k: Kernels) -> None:
    values = rng().integers(-1000, 1000, 1024, dtype="int32")
    out = d.empty(1024, "int32")
    k["scan"].launch(4, 256, d.array(values), out)
    assert (out.to_numpy() == np.cumsum(values.reshape(4, 256), axis=1).ravel()).all()


@case
def bytes_in_shared(d: SimtDevice, k: Kernels) -> None:
    values = rng().integers(0, 255, 512, dtype="uint8")
    out = d.empty(512, "uint8")
    k["bytes_in_shared"].launch(2, 256, d.array(values), out)
    assert (out.to_numpy() == values.reshape(2, 256)[:, ::-1].ravel()).all()


@case
def count_positive(d: SimtDevice, k: Kernels) -> None:
    values = rng().integers(-1, 2, (4, 96), dtype="int32")
    values[1], values[2] = 5, -1
    out = d.empty((4, 3), "int32")
    k["count_positive"].launch(4, 96, d.array(values.ravel()), out)
    positive = values > 0
    expected = np.stack([positive.sum(axis=1), positive.all(axis=1), positive.any(axis=1)], axis=1)
    assert (out.to_numpy() == expected).all()


@case
def producer_consumer(d: SimtDevice, k: Kernels) -> None:
    values = rng().integers(-99, 99, 128, dtype="int32")
    out = d.empty(128, "int32")
    k["producer_consumer"].launch(4, 64, d.array(values), out)
    assert (out.to_numpy() == 2 * values.reshape(4, 32)[:, ::-1].ravel()).all()


@case
def reduce_shuffle(d: SimtDevice, k: Kernels) -> None:
    values = rng().integers(-100, 100, 2048).astype("float32")
    out = d.array(np.zeros(1, "float32"))
    k["reduce_shuffle"].launch(8, 256, d.array(values), out)
    assert out.to_numpy()[0] == values.sum()


@case
def warp_words(d: SimtDevice, k: Kernels) -> None:
    values = rng().integers(-2, 6, 96, dtype="int32")
    values[64:] = 3
    out = d.empty((96, 8), "uint32")
    k["warp_words"].launch(1, 96, d.array(values), out)
    got = out.to_numpy()
    for i in range(96):
        warp, lane = values[i // 32 * 32 :][:32].astype(int), i % 32
        mask = lambda flags: sum(1 << j for j, flag in enumerate(flags) if flag)  # noqa: E731
        hundreds = [int(v / 100) for v in warp]
        expected = [
            mask(warp > 0),
            mask(warp == warp[lane]),
            0xFFFFFFFF if len(set(hundreds)) == 1 else 0,
            int((warp == 3).any()),
            int((warp >= 0).all()),
            mask(warp % 2) if warp[lane] % 2 else 0,
            (warp[lane - 3] if lane % 8 >= 3 else warp[lane]) & 0xFFFFFFFF,
            warp[lane // 16 * 16 + 5] & 0xFFFFFFFF,
        ]
        assert got[i].tolist() == expected, i


@case
def half_warps(d: SimtDevice, k: Kernels) -> None:
    values = rng().integers(-99, 99, 64, dtype="int32")
    out = d.empty(64, "int32")
    k["half_warps"].launch(1, 64, d.array(values), out)
    i = np.arange(64)
    expected = np.where(i % 32 < 16, values + values[i ^ 1], values - values[i ^ 2])
    assert (out.to_numpy() == expected).all()


@case
def tiles(d: SimtDevice, k: Kernels) -> None:
    values = rng().integers(-99, 99, 128, dtype="int32")
    out = d.empty(128, "int32")
    k["tiles"].launch(2, 64, d.array(values), out)
    rows = values.reshape(-1, 8)
    sums, first = np.repeat(rows.sum(axis=1), 8), np.repeat(rows[:, 0], 8)
    assert (out.to_numpy() == np.where(np.arange(128) % 8 == 0, sums, first - sums)).all()


@case
def asks_the_absent(d: SimtDevice, k: Kernels) -> None:
    values = rng().integers(-99, 99, 64, dtype="int32")
    out = d.empty(64, "int32")
    k["asks_the_absent"].launch(1, 64, d.array(values), out)
    got, lane = out.to_numpy(), np.arange(64) % 32
    assert (got[lane < 4] == values[np.flatnonzero(lane < 4) + 4]).all()
    assert (got[lane >= 8] == values[lane >= 8]).all()
    if d.is_model:  # what must not be used is poison, so that a result that uses it is wrong
        assert (got[(lane >= 4) & (lane < 8)] == -1).all()


@case
def reduce_integer(d: SimtDevice, k: Kernels) -> None:
    if d.gpu.capability == "7.5":
        return  # the instruction came with compute capability 8.0
    values = rng().integers(-99, 99, 64, dtype="int32")
    out = d.empty(64, "int32")
    k["reduce_integer"].launch(1, 64, d.array(values), out)
    rows = values.reshape(2, 32)
    assert (out.to_numpy() == np.repeat(rows.sum(axis=1) + rows.max(axis=1), 32)).all()


@case
def histogram(d: SimtDevice, k: Kernels) -> None:
    values = rng().integers(0, 255, 5000, dtype="uint8")
    bins = d.array(np.zeros(256, "uint32"))
    k["histogram"].launch(4, 128, d.array(values), bins, 5000)
    assert (bins.to_numpy() == np.bincount(values, minlength=256)).all()


@case
def last_block(d: SimtDevice, k: Kernels) -> None:
    values = rng().integers(-99, 99, 4 * 16 * 64, dtype="int32")
    partial, out = d.array(np.zeros(16, "int32")), d.empty(1, "int32")
    k["last_block"].launch(16, 64, d.array(values), partial, out, d.array(np.zeros(1, "uint32")))
    assert out.to_numpy()[0] == values.sum()


@case
def spin_lock(d: SimtDevice, k: Kernels) -> None:
    value = d.array(np.zeros(1, "int32"))
    k["spin_lock"].launch(2, 48, d.array(np.zeros(1, "int32")), value)
    assert value.to_numpy()[0] == 96


@case
def look_back(d: SimtDevice, k: Kernels) -> None:
    values = rng().integers(0, 2, 32 * 64, dtype="int32")
    out = d.empty(32 * 64, "int32")
    k["look_back"].launch(32, 64, d.array(values), d.array(np.full(32, -1, "int32")), out)
    sums = values.reshape(32, 64).sum(axis=1)
    assert (out.to_numpy() == np.repeat(np.cumsum(sums) - sums, 64)).all()


@case
def cas_loop(d: SimtDevice, k: Kernels) -> None:
    total = d.array(np.zeros(1, "float64"))
    k["cas_loop"].launch(2, 64, total)
    assert total.to_numpy()[0] == sum(i % 7 for i in range(128))


@case
def many_atomics(d: SimtDevice, k: Kernels) -> None:
    s, u = d.array(np.array([5, -5, -1, 0, 0, 0], "int32")), d.array(np.array([90, 10], "uint32"))
    long, f, double = d.array(np.zeros(2, "uint64")), d.array(np.zeros(1, "float32")), d.array(np.zeros(1, "float64"))
    k["many_atomics"].launch(2, 48, s, u, long, f, double)
    i = np.arange(96)
    bits = 1 << (i % 30)
    expected = [-95, 95, -1 & ~int(np.bitwise_or.reduce(bits)), int(np.bitwise_or.reduce(bits))]
    expected += [int(np.bitwise_xor.reduce(i)), -int(i.sum())]
    assert s.to_numpy().tolist() == expected
    assert u.to_numpy().tolist() == [(90 + 96) % 100, (10 - 96) % 100]
    assert long.to_numpy().tolist() == [96 << 33, 95 << 40]
    assert (f.to_numpy()[0], double.to_numpy()[0]) == (48.0, 24.0)


@case
def atomic_ref(d: SimtDevice, k: Kernels) -> None:
    out = d.empty(96, "int32")
    value = d.array(np.zeros(1, "int32"))
    k["atomic_ref"].launch(3, 32, value, out)
    assert sorted(out.to_numpy().tolist()) == list(range(96))


@case
def grid_barrier(d: SimtDevice, k: Kernels) -> None:
    values = rng().integers(-99, 99, 64 * 128, dtype="int32")
    middle, out = d.empty(values.size, "int32"), d.empty(values.size, "int32")
    k["grid_barrier"].launch(64, 128, d.array(values), middle, out, cooperative=True)
    assert (out.to_numpy() == 2 * np.roll(values, -12345)).all()


@case
def convolve(d: SimtDevice, k: Kernels) -> None:
    values = rng().integers(-99, 99, 1000).astype("float32")
    out = d.empty(1000, "float32")
    k["convolve"].launch(8, 128, d.array(values), out, 1000)
    assert (out.to_numpy() == np.convolve(values, [1, 2, 4, 2, 1], "same")).all()


@case
def sort_locally(d: SimtDevice, k: Kernels) -> None:
    values = rng().integers(-99, 99, (128, 8), dtype="int32")
    out = d.empty((128, 8), "int32")
    k["sort_locally"].launch(2, 64, d.array(values.ravel()), out)
    assert (out.to_numpy() == np.sort(values, axis=1)).all()


def _bits(values: Any, size: int) -> np.ndarray[Any, Any]:
    mask = (1 << 8 * size) - 1
    return np.array([int(v) & mask for v in values], f"uint{8 * size}").view(f"int{8 * size}")


@case
def integers(d: SimtDevice, k: Kernels) -> None:
    a, b = (rng().integers(-(2**31), 2**31, 128).astype("int32") for _ in range(2))
    b[b == 0] = 3
    b[:32] = rng().integers(1, 50, 32)
    a[:2], b[:2] = -(2**31), [-1, 1]
    out = d.empty((128, 12), "int32")
    k["integers"].launch(2, 64, d.array(a), d.array(b), out)
    got = out.to_numpy()
    for i, (x, y) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        ux, uy, s = x & 0xFFFFFFFF, y & 0xFFFFFFFF, y & 31
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        short, char = _bits([x], 2)[0], _bits([y], 1)[0]
        expected = [quotient, x - quotient * y, ux // uy, ux % 10, x * y >> 32, x >> s, ux >> s, ux.bit_count()]
        expected += [32 - ux.bit_length(), int(f"{ux:032b}"[::-1], 2), min(x, y) - max(x, y), int(short) * int(char)]
        assert got[i].tolist() == _bits(expected, 4).tolist(), (x, y)


@case
def long_integers(d: SimtDevice, k: Kernels) -> None:
    a, b = (rng().integers(-(2**63), 2**63 - 1, 64) for _ in range(2))
    b[:32] = rng().integers(1, 1000, 32)
    out = d.empty((64, 6), "int64")
    k["long_integers"].launch(1, 64, d.array(a), d.array(b), out)
    got = out.to_numpy()
    for i, (x, y) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        expected = [quotient, x - quotient * y, x * y, x * y >> 64, (x & (2**64 - 1)) // 7, x >> (y & 63)]
        assert got[i].tolist() == _bits(expected, 8).tolist(), (x, y)


@case
def functions32(d: SimtDevice, k: Kernels) -> None:
    x = rng().uniform(-20, 20, 256).astype("float32")
    x[:3] = [1e6, -3e8, 0.001]
    out = d.empty((256, 12), "float32")
    k["functions32"].launch(2, 128, d.array(x), out)
    v, u = x.astype("float64"), np.abs(x.astype("float64"))
    with np.errstate(all="ignore"):
        expected = [np.sin(v), np.cos(v), np.exp(v * np.float32(0.1)), np.log(u + 0.5), np.sqrt(u), 1 / v]
        expected += [(u + np.float32(0.1)) ** np.float32(1.7), np.tanh(v), 1 / np.sqrt(u + 1), np.fmod(v, 3)]
        expected += [np.trunc(v + np.copysign(0.5, v)), [math.erf(t) for t in v]]
        got = out.to_numpy()
        for column, values in enumerate(expected):
            assert np.allclose(got[:, column], np.float32(values), rtol=2e-6, atol=1e-6), column


@case
def functions64(d: SimtDevice, k: Kernels) -> None:
    x = rng().uniform(-20, 20, 128)
    x[:3] = [1e10, -1e300, 1e-5]
    out = d.empty((128, 6), "float64")
    k["functions64"].launch(1, 128, d.array(x), out)
    u = np.abs(x)
    with np.errstate(all="ignore"):
        expected = [np.sin(x), np.exp(x * 0.1), np.log(u + 0.5), 1 / x, np.sqrt(u), u**0.3]
    got = out.to_numpy()
    for column, values in enumerate(expected):
        assert np.allclose(got[:, column], values, rtol=1e-14, atol=1e-13), column


@case
def half_arithmetic(d: SimtDevice, k: Kernels) -> None:
    a, b = (rng().uniform(-2, 2, 128).astype("float16") for _ in range(2))
    out = d.empty(128, "float16")
    k["half_arithmetic"].launch(1, 64, d.array(a), d.array(b), out)
    total = a + b
    z = (a.astype("float64") * b.astype("float64") + total.astype("float64")).astype("float16")
    expected = np.stack([z[::2], z[1::2] * np.float16(0.5)], axis=1).ravel()
    assert (out.to_numpy() == expected).all()


@case
def bfloat(d: SimtDevice, k: Kernels) -> None:
    x = rng().uniform(-5, 5, 64).astype("float32")
    out = d.empty(64, "float32")
    k["bfloat"].launch(1, 64, d.array(x), out)
    assert (out.to_numpy() == _to_bfloat(_to_bfloat(x) * _to_bfloat(x))).all()


def _to_bfloat(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    bits = x.view("uint32")
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)).view("float32")


@case
def vectors(d: SimtDevice, k: Kernels) -> None:
    values = rng().standard_normal((128, 4), dtype="float32")
    out, twice = d.empty((128, 4), "float32"), d.empty((128, 2), "float64")
    k["vectors"].launch(2, 64, d.array(values), out, twice)
    assert (out.to_numpy() == values[:, ::-1]).all()
    assert (twice.to_numpy() == values[:, :2]).all()
    totals = d.reports[-1].totals
    assert totals["global_load_sectors"] == 16 * totals["global_load_requests"]


@case
def structs(d: SimtDevice, k: Kernels) -> None:
    pair = np.dtype([("a", "float32"), ("b", "int32")])
    values = np.zeros(64, pair)
    values["a"], values["b"] = np.arange(64) / 2, np.arange(64)
    out = d.empty(64, pair)
    k["structs"].launch(2, 32, d.array(values), out, np.array((1.5, -3), pair)[()])
    got = out.to_numpy()
    assert (got["a"] == values["a"] + 1.5).all()
    assert (got["b"] == values["b"] - 3).all()


@case
def heap(d: SimtDevice, k: Kernels) -> None:
    out = d.empty(64, "int32")
    k["heap"].launch(2, 32, out)
    assert out.to_numpy().tolist() == [sum(i + j for j in range(i % 3 + 1)) for i in range(64)]


@case
def inline_assembly(d: SimtDevice, k: Kernels) -> None:
    values = rng().integers(0, 2**32, 64, dtype="uint32")
    out = d.empty(64, "uint32")
    k["inline_assembly"].launch(2, 32, d.array(values), out)
    assert (out.to_numpy() == (values + np.uint32(5)) * (values + np.uint32(5))).all()


ARCHITECTURES = ("7.5", "8.0", "9.0", "10.0", "12.0")


@pytest.fixture(scope="module", params=ARCHITECTURES)
def kernels(request: pytest.FixtureRequest, cache: Path) -> tuple[SimtDevice, Kernels]:
    profile = next(iter(PROFILES.values()))
    device = SimtDevice(_of_capability(profile, request.param), cache=cache)
    found, _ = device.compile(Source.read(SOURCE, HERE), COMPILE_OPTIONS)
    return device, found


def _of_capability(profile: Any, capability: str) -> Any:
    return dataclasses.replace(profile, capability=capability)


@pytest.mark.parametrize("name", sorted(CASES))
def test_kernel(name: str, kernels: tuple[SimtDevice, Kernels]) -> None:
    """PTX for every architecture gives NumPy's results."""
    CASES[name](*kernels)


def test_printf(kernels: tuple[SimtDevice, Kernels], capsys: pytest.CaptureFixture[str]) -> None:
    device, found = kernels
    found["say"].launch(1, 32, 3)
    assert capsys.readouterr().out == ""
    device.synchronize()
    hexadecimal = ("0", "0x1", "0x2")
    lines = (f"thread {i} of 32: {i / 4:5.2f} text {'abc'[i]} 1099511627776 {hexadecimal[i]}\n" for i in range(3))
    assert capsys.readouterr().out == "".join(lines)
