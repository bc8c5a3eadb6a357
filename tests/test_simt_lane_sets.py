"""Sets of lanes: split and merged rightly, and one array for one set."""

from __future__ import annotations

import numpy as np
import pytest
from gpu100.device.simt.execute.counts import Counts
from gpu100.device.simt.memory.lane_sets import LaneSets
from gpu100.device.simt.memory.lanes import Lanes
from gpu100.device.simt.memory.shapes import Shapes
from hypothesis import given
from hypothesis import strategies as st

N = 96


@given(st.lists(st.booleans(), min_size=N, max_size=N), st.lists(st.booleans(), min_size=N, max_size=N))
def test_a_set_is_split_and_merged_as_numpy_would(first: list[bool], second: list[bool]) -> None:
    sets = LaneSets(N)
    taken, again = np.array(first), np.array(second)
    there, here = sets.split(None, taken)
    assert np.array_equal(there, np.arange(N)[taken])
    assert np.array_equal(here, np.arange(N)[~taken])
    inner, outer = sets.split(there, again[: there.size])
    assert np.array_equal(inner, there[again[: there.size]])
    assert sets.merge([there, here]) is None  # all lanes
    merged = sets.merge([outer, inner])
    assert np.array_equal(np.arange(N) if merged is None else merged, there)


def test_the_same_set_is_the_same_array() -> None:
    sets = LaneSets(N)
    taken = np.arange(N) % 3 == 0
    there, here = sets.split(None, taken)
    assert sets.split(None, taken.copy())[0] is there
    assert sets.split(None, ~taken)[0] is not there
    some, _ = sets.split(there, np.arange(there.size) % 2 == 0)
    assert sets.merge([here, some]) is sets.merge([here, some])
    assert sets.split(here, np.ones(here.size, np.bool_))[0] is not there


def test_shapes_are_kept_apart_and_small_ones_for_the_next_launch() -> None:
    shapes = Shapes()
    small, large = Lanes(0, 2, (48, 1, 1), (9, 1, 1)), Lanes(0, 64, (256, 1, 1), (64, 1, 1))
    kept, passing = shapes.of(small), shapes.of(large)
    assert shapes.of(Lanes(4, 2, (48, 1, 1), (9, 1, 1))) is kept
    assert shapes.of(Lanes(0, 1, (96, 1, 1), (9, 1, 1))) is not kept
    shapes.settle()
    assert shapes.of(small) is kept
    assert shapes.of(large) is not passing


def test_many_shapes_are_not_kept() -> None:
    shapes = Shapes()
    first = shapes.of(Lanes(0, 1, (32, 1, 1), (1, 1, 1)))
    for threads in range(33, 60):
        shapes.of(Lanes(0, 1, (threads, 1, 1), (1, 1, 1)))
    shapes.settle()
    assert shapes.of(Lanes(0, 1, (32, 1, 1), (1, 1, 1))) is not first


def test_more_sets_than_are_kept_are_right_too() -> None:
    sets = LaneSets(N)
    random = np.random.default_rng(3)
    for _ in range(300):
        taken = random.random(N) < 0.5
        there, here = sets.split(None, taken)
        assert np.array_equal(there, np.flatnonzero(taken))
        inner, outer = sets.split(here, random.random(here.size) < 0.5)
        merged = sets.merge([inner, there])
        assert merged is not None
        assert np.array_equal(merged, np.setdiff1d(np.arange(N), outer))


@pytest.mark.parametrize("threads", [64, 40])
def test_warps_are_counted_whatever_a_block_has(threads: int) -> None:
    lanes = Lanes(0, 3, (threads, 1, 1), (3, 1, 1))
    counts = Counts(1)
    counts.begin(lanes)
    random = np.random.default_rng(5)
    for turn in range(1, 200):
        active = np.flatnonzero(random.random(lanes.count) < 0.1)
        before = counts.warps[0]
        counts.ran(0, active)
        counts.ran(0, active)
        assert counts.warps[0] - before == 2 * len(np.unique(lanes.warp[active]))
        if turn % 50 == 0:
            lanes = Lanes(turn, 2, (threads, 1, 1), (300, 1, 1))
            counts.begin(lanes)
