"""Loads, stores, atomics and counters of the model, against the same done lane by lane."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np
import pytest
import simt_reference as reference
from gpu100.device.simt.faults import Fault
from gpu100.device.simt.memory import patterns
from gpu100.device.simt.memory.access import Access
from gpu100.device.simt.memory.device_memory import LOCAL_WINDOW, SHARED_WINDOW, DeviceMemory
from gpu100.device.simt.memory.lanes import Lanes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SHARED = 256
LOCAL = 48
GLOBAL = 4096
SITE_NAMES = {"load": "ld", "store": "st", "atomic": "atom"}
OPS = {
    "u4": ("add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"),
    "i4": ("add", "min", "max"),
    "u8": ("add", "min", "max", "and", "or", "xor", "exch", "cas"),
    "i8": ("min", "max"),
    "f4": ("add",),
    "f8": ("add",),
}


@dataclass
class Case:
    """A chunk, who of it takes part, and where to."""

    lanes: Lanes
    X: np.ndarray | None
    mask: np.ndarray | None
    address: np.ndarray
    values: tuple[np.ndarray, ...]
    space: str
    dtype: np.dtype[Any]
    count: int
    again: int

    @property
    def numbers(self) -> np.ndarray:
        return np.arange(self.lanes.count) if self.X is None else self.X

    @property
    def chosen(self) -> np.ndarray:
        mask = np.ones(len(self.numbers), bool) if self.mask is None else self.mask
        return np.flatnonzero(np.broadcast_to(mask, len(self.numbers)))

    @property
    def nbytes(self) -> int:
        return self.dtype.itemsize * self.count


def offsets(draw: st.DrawFn, rng: np.random.Generator, count: int, blocks: int, size: int, nbytes: int) -> np.ndarray:
    """Offsets of the shapes that kernels have, and random ones."""
    units = size // nbytes
    shape = draw(st.sampled_from(("one", "stride", "random", "blocks alike", "few", "segments")))
    if shape == "one":
        return np.array([int(rng.integers(units))]) * nbytes
    if shape == "stride":
        first, stride = int(rng.integers(units)), int(rng.integers(-3, 4))
        return (first + np.arange(count) * stride) % units * nbytes
    if shape == "blocks alike" and count % blocks == 0:
        return np.tile(rng.integers(units, size=count // blocks), blocks) * nbytes
    if shape == "segments":
        return (np.arange(count) // 4 + np.arange(count) % 4 * 2) % units * nbytes
    most = 3 if shape == "few" else units
    return rng.integers(most, size=count) * nbytes


@st.composite
def cases(draw: st.DrawFn, spaces: tuple[str, ...], dtypes: tuple[str, ...], most: int = 4) -> Case:
    """Accesses within bounds."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    blocks = draw(st.integers(1, 4))
    block_dim = draw(
        st.sampled_from(((32, 1, 1), (64, 1, 1), (33, 1, 1), (8, 4, 2), (1, 1, 1), (20, 1, 1), (128, 1, 1)))
    )
    lanes = Lanes(draw(st.integers(0, 3)), blocks, block_dim, (2, 2, 4))
    X = None  # noqa: N806
    if draw(st.booleans()):
        alike = draw(st.booleans())
        some = rng.random(lanes.threads_per_block if alike else lanes.count) < draw(st.sampled_from((0.1, 0.5, 0.95)))
        some = np.tile(some, blocks) if alike else some
        some[0] = True
        X = np.flatnonzero(some)  # noqa: N806
    active = lanes.count if X is None else len(X)
    mask = draw(st.sampled_from((None, None, "some", "one", "all")))
    flags = {None: None, "one": np.array([draw(st.booleans())]), "all": np.ones(active, bool)}.get(
        mask, rng.random(active) < 0.6
    )
    space = draw(st.sampled_from(spaces))
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    count = draw(st.sampled_from([n for n in (1, 2, 4) if n <= most and n * dtype.itemsize <= 16]))
    size = {"global": GLOBAL, "shared": SHARED, "local": LOCAL}[space]
    where = offsets(draw, rng, active, blocks, size, dtype.itemsize * count)
    shape = draw(st.sampled_from((1, active)))
    bits = [rng.integers(256, size=(shape, dtype.itemsize), dtype=np.uint8) for _ in range(count)]
    values = tuple(np.ascontiguousarray(b).view(dtype).reshape(-1) for b in bits)
    return Case(lanes, X, flags, where, values, space, dtype, count, draw(st.integers(1, 3)))


class Bench:
    """An :class:`Access` with memory of known content, and that content as one array per owner."""

    def __init__(self, case: Case, names: tuple[str, ...], granule: int, generic: bool = False) -> None:
        self.case = case
        self.memory = DeviceMemory(1 << 20)
        self.memory.allocate(300, "before")
        self.base = self.memory.allocate(GLOBAL, "data").address
        self.rng = np.random.default_rng(1)
        space = "generic" if generic else case.space
        self.space = space
        sites = [reference.site(name, space, case.nbytes) for name in names]
        self.loads = sites[0].kind == "load"
        self.access = Access(self.memory, sites, shared_bytes=SHARED, local_bytes=LOCAL, granule=granule)
        self.access.begin(case.lanes)
        base, dtype = {
            "global": (self.base, np.uint64),
            "shared": (SHARED_WINDOW if generic else 0, np.uint64 if generic else np.uint32),
            "local": (LOCAL_WINDOW if generic else 0, np.uint64),
        }[case.space]
        self.address = case.address.astype(dtype) + dtype(base)
        self.owners = {"global": 1, "shared": case.lanes.blocks, "local": case.lanes.count}[case.space]
        self.size = {"global": GLOBAL, "shared": SHARED, "local": LOCAL}[case.space]
        self.content = self.rng.integers(256, size=(self.owners, self.size), dtype=np.uint8)
        self._fill()

    def _fill(self) -> None:
        """The random content, written as a kernel could."""
        if self.case.space == "global":
            self.memory.write(self.base, self.content[0])
            return
        space = getattr(self.access, f"_{self.case.space}")
        if self.case.space == "shared":
            space._data[:] = self.content.reshape(-1)
            space._written._flags[:] = True
            space._written._full = space._written._any = True
        else:
            view = space._data.reshape(-1, self.case.lanes.count, 8)
            view[:] = self.content.reshape(self.case.lanes.count, -1, 8).transpose(1, 0, 2)

    def held(self) -> np.ndarray:
        """The content as it is now."""
        if self.case.space == "global":
            return self.memory.read(self.base, GLOBAL).reshape(1, -1)
        data = getattr(self.access, f"_{self.case.space}")._data
        if self.case.space == "shared":
            return data.reshape(self.owners, -1)
        return data.reshape(-1, self.owners, 8).transpose(1, 0, 2).reshape(self.owners, -1)

    def owner(self, lane: int) -> int:
        """Whose content a lane accesses."""
        if self.case.space == "global":
            return 0
        return lane if self.case.space == "local" else lane // self.case.lanes.threads_per_block

    def expect_counts(self, times: int) -> None:
        """The site's counters are those of the definition."""
        case, counts = self.case, self.access.counters
        where = np.broadcast_to(self.address, len(case.numbers))[case.chosen].tolist()
        lanes = case.numbers[case.chosen].tolist()
        warps = list(reference.by_warp(lanes, where, case.lanes.threads_per_block).values())
        assert counts.requests[0] == times * len(warps)
        assert counts.lanes[0] == times * len(lanes)
        if case.space == "shared":
            expected = sum(reference.wavefronts(warp, case.nbytes, load=self.loads) for warp in warps)
            assert counts.wavefronts[0] == times * expected
        elif case.space == "local":
            assert counts.sectors[0] == times * sum(reference.local_sectors(warp, case.nbytes) for warp in warps)
        else:
            assert counts.sectors[0] == times * sum(reference.sectors(warp, case.nbytes) for warp in warps)


ALL = ("global", "shared", "local")
BITS = ("u1", "u2", "u4", "u8", "f4", "f8", "i4", "f2")


@pytest.fixture(params=["small", "large", "irregular"])
def patterns_of(request: pytest.FixtureRequest) -> Iterator[None]:
    """Each way to look at addresses, though there are few."""
    small, learning = {"small": (2048, 8), "large": (0, 8), "irregular": (0, -1)}[request.param]
    with mock.patch.object(patterns, "SMALL", small), mock.patch.object(patterns, "LEARNING", learning):
        yield


ANYWAY = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.usefixtures("patterns_of")
@ANYWAY
@given(cases(ALL, BITS), st.booleans())
def test_loads(case: Case, generic: bool) -> None:
    bench = Bench(case, ("ld.u32",), 1, generic)
    for _ in range(case.again):
        loaded = bench.access.load(0, bench.space, bench.address, case.X, case.mask, case.dtype, case.count)
    where = np.broadcast_to(case.address, len(case.numbers))
    expected = np.zeros((case.count, len(case.numbers)), case.dtype)
    for at in case.chosen:
        row = bench.content[bench.owner(case.numbers[at])]
        expected[:, at] = row[where[at] : where[at] + case.nbytes].view(case.dtype)
    assert len(loaded) == case.count
    for one, other in zip(loaded, expected, strict=True):
        assert one.dtype == case.dtype
        assert one.tobytes() == other.tobytes()
    bench.expect_counts(case.again)


@pytest.mark.usefixtures("patterns_of")
@ANYWAY
@given(cases(ALL, BITS), st.booleans())
def test_stores(case: Case, generic: bool) -> None:
    # Lanes of a block may race here, which is meant: the order is the lanes'.
    bench = Bench(case, ("st.volatile.u32",), 1, generic)
    for _ in range(case.again):
        bench.access.store(0, bench.space, bench.address, case.X, case.mask, case.values)
    where = np.broadcast_to(case.address, len(case.numbers))
    for at in case.chosen:
        row = bench.content[bench.owner(case.numbers[at])]
        value = np.array([v[at if len(v) > 1 else 0] for v in case.values])
        row[where[at] : where[at] + case.nbytes] = value.view(np.uint8)
    assert (bench.held() == bench.content).all()
    bench.expect_counts(case.again)


@pytest.mark.usefixtures("patterns_of")
@ANYWAY
@given(cases(ALL, tuple(OPS), 1), st.data(), st.booleans())
def test_atomics(case: Case, data: st.DataObject, want: bool) -> None:
    op = data.draw(st.sampled_from(OPS[case.dtype.str[1:]]))
    small = data.draw(st.booleans())
    rng = np.random.default_rng(2)
    count = len(case.numbers)
    operands = []
    for _ in range(2 if op == "cas" else 1):
        if case.dtype.kind == "f":
            operands.append(rng.normal(size=count).astype(case.dtype))
        else:
            top = 3 if small else min(np.iinfo(case.dtype).max, 2**63 - 1)
            operands.append(rng.integers(0, top, size=count).astype(case.dtype))
    if data.draw(st.booleans()):
        operands[0] = operands[0][:1]
    bench = Bench(case, ("atom.u32",), 1)
    if small or case.dtype.kind == "f":
        bench.content = np.zeros_like(bench.content)
        bench._fill()
    expected_old = np.zeros(count, case.dtype)
    where = np.broadcast_to(case.address, count)
    with np.errstate(over="ignore"):
        for _ in range(case.again):
            old = bench.access.atomic(
                0, bench.space, op, bench.address, case.X, case.mask, case.dtype, tuple(operands), want
            )
            for at in case.chosen:
                row = bench.content[bench.owner(case.numbers[at])].view(case.dtype)
                element = where[at] // case.dtype.itemsize
                expected_old[at] = row[element]
                values = [operand[at if len(operand) > 1 else 0] for operand in operands]
                row[element] = reference.atomic(op, row[element], values)
    assert (bench.held() == bench.content).all()
    assert (old is not None) == want
    if old is not None:
        assert old.tobytes() == expected_old.tobytes()
    bench.expect_counts(case.again)
    chosen = where[case.chosen].tolist()
    lanes = case.numbers[case.chosen].tolist()
    if case.space != "local":
        warps = reference.by_warp(lanes, chosen, case.lanes.threads_per_block).values()
        worst = [reference.multiplicity(warp) for warp in warps]
        counts = bench.access.counters
        assert counts.contention[0] == case.again * sum(worst)
        assert counts.worst[0] == max(worst, default=0)


def test_mixed_generic_addresses() -> None:
    memory = DeviceMemory(1 << 20)
    data = memory.allocate(256, "data")
    memory.write(data.address, np.arange(64, dtype=np.uint32))
    sites = [reference.site("st.u32", "generic", 4), reference.site("ld.u32", "generic", 4)]
    access = Access(memory, sites, shared_bytes=256, local_bytes=8, granule=4)
    access.begin(Lanes(0, 2, (32, 1, 1), (2, 1, 1)))
    lane = np.arange(64, dtype=np.uint64)
    parts = (data.address + lane * 4, SHARED_WINDOW + lane % 32 * 4, LOCAL_WINDOW + 0 * lane)
    address = np.choose((lane % 3).astype(np.int64), parts)
    access.store(0, "generic", address, None, None, (lane.astype(np.uint32) * 7,))
    access.barrier(None)
    (back,) = access.load(1, "generic", address, None, None, np.dtype("u4"), 1)
    assert (back == lane * 7).all()


def test_nobody_accesses_nothing() -> None:
    memory = DeviceMemory(1 << 20)
    sites = [reference.site(name, "global", 4) for name in ("ld.u32", "st.u32", "atom.add.u32")]
    access = Access(memory, sites, shared_bytes=0, local_bytes=0, granule=4)
    access.begin(Lanes(0, 1, (32, 1, 1), (1, 1, 1)))
    nobody, nowhere = np.zeros(0, np.int64), np.zeros(1, np.uint64)
    word, values = np.dtype("u4"), (np.zeros(1, "u4"),)
    off = np.zeros(32, bool)
    for X, mask in ((nobody, None), (nobody, off[:0]), (None, off), (None, off[:1])):  # noqa: N806
        (loaded,) = access.load(0, "global", nowhere, X, mask, word, 1)
        assert len(loaded) == (32 if X is None else 0)
        access.store(1, "global", nowhere, X, mask, values)
        access.atomic(2, "global", "add", nowhere, X, mask, word, values, False)
    assert not access.counters.requests.any()


def test_local_memory_is_not_zeroed() -> None:
    sites = [reference.site("ld.u32", "local", 4), reference.site("st.u32", "local", 4)]
    access = Access(DeviceMemory(4096), sites, shared_bytes=0, local_bytes=8, granule=4)
    for _ in range(2):
        access.begin(Lanes(0, 1, (32, 1, 1), (1, 1, 1)))
        (found,) = access.load(0, "local", np.zeros(1, np.uint64), None, None, np.dtype("u4"), 1)
        assert (found == 0xFFFFFFFF).all()
        access.store(1, "local", np.zeros(1, np.uint64), None, None, (np.zeros(1, "u4"),))


def test_a_bfloat16_pair_is_added_by_halves() -> None:
    memory = DeviceMemory(1 << 20)
    data = memory.allocate(4, "data")
    memory.write(data.address, np.array([0x3F803F80], np.uint32))  # 1, 1
    access = Access(memory, [reference.site("atom.add.bf16x2", "global", 4)], shared_bytes=0, local_bytes=0, granule=4)
    access.begin(Lanes(0, 1, (32, 1, 1), (1, 1, 1)))
    value = np.array([0x40003F80], np.uint32)  # 2 above, 1 below
    access.atomic(0, "global", "add", np.array([data.address], np.uint64), None, None, np.dtype("u4"), (value,), False)
    assert memory.read(data.address, 4).view(np.uint32)[0] == 0x42824204  # 65, 33


class Faulty:
    """One warp at a 4000-byte array "c"; another, "d", lies right behind it."""

    def __init__(self, name: str = "st.u32", nbytes: int = 4, space: str = "global") -> None:
        self.memory = DeviceMemory(1 << 20)
        self.c = self.memory.allocate(4000, "c").address
        self.d = self.memory.allocate(4000, "d").address
        self.table = self.memory.allocate(64, "table", read_only=True).address
        for address, size in ((self.c, 4000), (self.d, 4000), (self.table, 64)):
            self.memory.fill(address, size, 1, initialized=True)
        self.site = reference.site(name, space, nbytes)
        self.access = Access(self.memory, [self.site], shared_bytes=64, local_bytes=64, granule=4)
        self.access.begin(Lanes(3, 2, (32, 1, 1), (4, 4, 1)))

    def run(self, address: np.ndarray) -> Fault:
        address = np.asarray(address).astype(np.uint64)
        with pytest.raises(Fault) as caught:
            self._access(address, np.dtype(f"u{self.site.nbytes}"))
        return caught.value

    def _access(self, address: np.ndarray, dtype: np.dtype[Any]) -> None:
        if self.site.kind == "store":
            self.access.store(0, self.site.space, address, None, None, (np.zeros(1, dtype),))
        else:
            self.access.load(0, self.site.space, address, None, None, dtype, 1)


LANE = np.arange(64)


def test_one_past_the_end() -> None:
    faulty = Faulty()
    fault = faulty.run(faulty.c + 4 * (LANE + 1000 - 40))
    assert fault.kind == "out-of-bounds"
    assert fault.name == "CUDA_ERROR_ILLEGAL_ADDRESS"
    assert 'writes 4 bytes at "c" + 4000, which is 0 bytes past its end (it has 4000 bytes)' in fault.message
    assert fault.place is not None
    assert (fault.place.block, fault.place.thread) == ((0, 1, 0), (8, 0, 0))
    assert "k.cu:10" in fault.message


@pytest.mark.parametrize(
    ("offset", "text"),
    [
        (-4, '"c" - 4, which is 4 bytes before its start'),
        (3996 + 40, '"c" + 4036, which is 36 bytes past its end'),
        (1 << 40, "nowhere near any allocation"),
        (-(1 << 40), "nowhere near any allocation"),
    ],
)
def test_where_an_address_is(offset: int, text: str) -> None:
    faulty = Faulty()
    assert text in faulty.run(np.array([faulty.c + offset]).astype(np.int64).view(np.uint64)).message


def test_the_first_lane_is_told() -> None:
    faulty = Faulty()
    where = np.where(LANE < 50, faulty.c + 4 * (LANE % 7), faulty.c + 4001)
    where[37] = 0
    fault = faulty.run(where)
    assert "through a null pointer" in fault.message
    assert fault.place is not None
    assert fault.place.thread == (5, 0, 0)


def test_near_null() -> None:
    assert "400 bytes from a null pointer" in Faulty().run(400 + 4 * LANE).message


def test_before_the_start_of_the_nearer_one() -> None:
    faulty = Faulty()
    assert '"d" - 8, which is 8 bytes before' in faulty.run(np.array([faulty.d - 8])).message


def test_misaligned() -> None:
    faulty = Faulty()
    fault = faulty.run(faulty.c + 4 * LANE + 2)
    assert fault.kind == "misaligned"
    assert "a 4-byte access at an address that is not a multiple of 4" in fault.message


def test_misaligned_vector() -> None:
    faulty = Faulty("st.v2.u32", 8)
    with pytest.raises(Fault, match="not a multiple of 8"):
        faulty.access.store(
            0, "global", (faulty.c + 8 * LANE + 4).astype(np.uint64), None, None, (np.zeros(1, "u4"),) * 2
        )


def test_straddling_the_end() -> None:
    faulty = Faulty("st.u64", 8)
    faulty.memory.allocate(12, "odd")
    odd = faulty.memory.allocations[-1].address
    assert "whose last 4 lie past its end" in faulty.run(np.array([odd + 8])).message


def test_use_after_free() -> None:
    faulty = Faulty()
    faulty.access.store(0, "global", (faulty.c + 4 * LANE).astype(np.uint64), None, None, (np.zeros(1, "u4"),))
    faulty.memory.free(faulty.c)
    fault = faulty.run(faulty.c + 4 * LANE)
    assert fault.kind == "use-after-free"
    assert '"c" + 0, which has been freed' in fault.message


def test_constants_are_not_written() -> None:
    faulty = Faulty()
    fault = faulty.run(np.where(LANE == 9, faulty.table, faulty.c + 4 * LANE))
    assert fault.kind == "read-only"
    assert fault.place is not None
    assert fault.place.thread == (9, 0, 0)
    assert Faulty("ld.u32").access.load(0, "const", np.array([faulty.table], np.uint64), None, None, np.dtype("u4"))


def test_several_allocations_at_once() -> None:
    faulty = Faulty("ld.u32")
    faulty.memory.write(faulty.d, np.full(1000, 5, np.uint32))
    where = np.where(LANE % 2, faulty.c, faulty.d) + 4 * LANE
    (got,) = faulty.access.load(0, "global", where.astype(np.uint64), None, None, np.dtype("u4"))
    assert (got == np.where(LANE % 2, 0x01010101, 5)).all()


@pytest.mark.parametrize("space", ["shared", "local"])
def test_outside_a_window(space: str) -> None:
    fault = Faulty(space=space).run(4 * LANE)
    assert "+ 64, which is 0 bytes past its end (it has 64 bytes)" in fault.message
    assert ("local memory" in fault.message) == (space == "local")
    assert fault.place is not None
    assert fault.place.thread == (16, 0, 0)
    assert "- 4, which is 4 bytes before its start" in Faulty(space=space).run(4 * LANE - 4).message


def test_reading_what_nobody_wrote() -> None:
    memory = DeviceMemory(1 << 20)
    data = memory.allocate(4096, "a")
    memory.fill(data.address, 4096)
    names = ("ld.u32", "st.u32")
    access = Access(memory, [reference.site(n, "global", 4) for n in names], shared_bytes=0, local_bytes=0, granule=4)
    access.begin(Lanes(0, 2, (32, 1, 1), (2, 1, 1)))
    where = (data.address + 4 * LANE).astype(np.uint64)
    access.store(1, "global", where[::-1] + np.uint64(256), None, None, (np.zeros(64, "u4"),))
    access.store(1, "global", where + np.uint64(512), None, LANE != 40, (np.zeros(64, "u4"),))
    access.load(0, "global", where + np.uint64(256), None, None, np.dtype("u4"))
    access.load(0, "global", where + np.uint64(512), None, LANE != 40, np.dtype("u4"))
    with pytest.raises(Fault, match=r'"a" \+ 672, which nobody has written') as caught:
        access.load(0, "global", where + np.uint64(512), None, None, np.dtype("u4"))
    assert caught.value.kind == "uninitialized"
    assert caught.value.place is not None
    assert caught.value.place.thread == (8, 0, 0)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 30), st.sampled_from((1, 2, 4, -1)), st.booleans()), max_size=12)
)
def test_initialisation(steps: list[tuple[bool, int, int, bool]]) -> None:
    """Writes and reads of 32 lanes at any stride, against a set of bytes."""
    memory = DeviceMemory(1 << 20)
    data = memory.allocate(1024, "a")
    sites = [reference.site("ld.u32", "global", 4), reference.site("st.u32", "global", 4)]
    access = Access(memory, sites, shared_bytes=0, local_bytes=0, granule=4)
    access.begin(Lanes(0, 1, (32, 1, 1), (1, 1, 1)))
    written: set[int] = set()
    for store, first, stride, settle in steps:
        words = (first + np.arange(32) * stride) % 256
        where = (data.address + 4 * words).astype(np.uint64)
        if store:
            access.store(1, "global", where, None, None, (np.zeros(1, "u4"),))
            written |= set(words.tolist())
        elif set(words.tolist()) <= written:
            access.load(0, "global", where, None, None, np.dtype("u4"))
        else:
            with pytest.raises(Fault, match="nobody has written"):
                access.load(0, "global", where, None, None, np.dtype("u4"))
        if settle:
            memory.settle()
