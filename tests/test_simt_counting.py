"""Sectors, wavefronts and contention: figures that are known, and the definitions, lane by lane."""

from __future__ import annotations

import numpy as np
import pytest
import simt_reference as reference
from gpu100.device.simt.memory import counting
from gpu100.device.simt.memory.active import Active
from gpu100.device.simt.memory.lanes import Lanes
from hypothesis import given, settings
from hypothesis import strategies as st

WARP = Active(Lanes(0, 1, (32, 1, 1), (1, 1, 1)), None)
LANE = np.arange(32)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (4 * LANE, 4),
        (4 * LANE + 4, 5),
        (32 * LANE, 32),
        (8 * LANE, 8),
        (16 * LANE, 16),
        (0 * LANE, 1),
        (4 * LANE[::-1], 4),
    ],
)
def test_known_sectors(address: np.ndarray, expected: int) -> None:
    assert counting.sectors(WARP, address.astype(np.int64)) == expected
    stride = int(address[1] - address[0])
    assert counting.affine_sectors(int(address[0]) % 32, stride) == expected


@pytest.mark.parametrize(
    ("offset", "nbytes", "expected"),
    [
        (4 * LANE, 4, 1),
        (128 * LANE, 4, 32),
        (132 * LANE, 4, 1),
        (8 * LANE, 4, 2),
        (LANE, 1, 1),
        (2 * LANE, 2, 1),
        (0 * LANE, 4, 1),
        (8 * LANE, 8, 2),
        (16 * LANE, 16, 4),
        (128 * LANE, 8, 32),
        (264 * LANE, 8, 2),
        (8 * (LANE // 2), 8, 1),
        (8 * (LANE // 4 * 2 + LANE % 2), 8, 1),
        (8 * (LANE // 8 * 4 + LANE % 4), 8, 2),
        (8 * (LANE % 16), 8, 2),
        (16 * (LANE // 2), 16, 2),
        (0 * LANE, 16, 2),
        (np.where(LANE < 16, 16 * (LANE // 2), 16 * LANE), 16, 3),
    ],
)
def test_known_wavefronts(offset: np.ndarray, nbytes: int, expected: int) -> None:
    assert counting.wavefronts(WARP, offset.astype(np.int64), nbytes, load=True) == expected
    assert reference.wavefronts(list(enumerate(offset.tolist())), nbytes, load=True) == expected


@st.composite
def accesses(draw: st.DrawFn) -> tuple[Active, np.ndarray, int]:
    """Lanes, aligned addresses, bytes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    lanes = Lanes(0, draw(st.integers(1, 3)), (draw(st.sampled_from((32, 64, 7, 40))), 1, 1), (9, 1, 1))
    index = None
    if draw(st.booleans()):
        index = np.flatnonzero(rng.random(lanes.count) < draw(st.sampled_from((0.1, 0.5, 0.9))))
        index = index if len(index) else np.array([lanes.count - 1])
    active = Active(lanes, index)
    nbytes = draw(st.sampled_from((1, 2, 4, 8, 16)))
    most = draw(st.sampled_from((1, 4, 40, 1000)))
    address = rng.integers(most, size=active.count)
    if draw(st.booleans()):  # neighbors alike, as some loads are joined
        address = address[np.arange(active.count) // 2]
    return active, address * nbytes, nbytes


@settings(max_examples=300, deadline=None)
@given(accesses())
def test_definitions(access: tuple[Active, np.ndarray, int]) -> None:
    active, address, nbytes = access
    warps = reference.by_warp(active.numbers.tolist(), address.tolist(), active.lanes.threads_per_block).values()
    assert active.warps == len(warps)
    assert counting.sectors(active, address) == sum(reference.sectors(warp, nbytes) for warp in warps)
    assert counting.local_sectors(active, address, nbytes) == sum(reference.local_sectors(w, nbytes) for w in warps)
    for load in (False, True):
        expected = sum(reference.wavefronts(warp, nbytes, load=load) for warp in warps)
        assert counting.wavefronts(active, address, nbytes, load=load) == expected
    worst = [reference.multiplicity(warp) for warp in warps]
    if len(address) > 1:
        assert counting.multiplicity(active, address) == (sum(worst), max(worst))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 7), st.integers(-40, 40), st.integers(1, 4))
def test_even_spacing(first: int, stride: int, times: int) -> None:
    """Each warp of evenly spaced lanes begins at the same place in a sector."""
    address = first * 4 + (1 << 16) + np.arange(32 * times) * stride * 4
    lanes = Active(Lanes(0, times, (32, 1, 1), (times, 1, 1)), None)
    per_warp = counting.affine_sectors(first * 4, stride * 4)
    assert counting.sectors(lanes, address) == times * per_warp


def test_groups() -> None:
    lanes = Lanes(0, 2, (40, 1, 1), (2, 1, 1))
    active = Active(lanes, np.array([0, 1, 9, 31, 32, 39, 40, 79]))
    assert active.warps == 4
    assert active.populations.tolist() == [4, 2, 1, 1]
    assert active.octets == 3 + 1 + 1 + 1
    assert active.per_block == 0
    assert active.rows(np.arange(8) * 10)[0].tolist()[:10] == [0, 10] + [0] * 7 + [20]
    assert Active(lanes, np.array([3, 7, 43, 47])).per_block == 2
    assert Active(lanes, np.array([3, 7, 43, 48])).per_block == 0
