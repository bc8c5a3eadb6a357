"""Shared memory, four bytes or less for each lane."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from gpu100.fidelity.case import Argument, Case, Make, Out, Seeded, Values

N = 128
Choose = Callable[[Seeded], Values]


def _step(seeded: Seeded, *, step: int) -> tuple[Argument, ...]:
    data = seeded.floats(N * step)
    return data, Out(data[::step].copy()), np.int32(step)


def _store_step(seeded: Seeded, *, step: int) -> tuple[Argument, ...]:
    data = seeded.floats(N)
    result = np.zeros(N * step, np.float32)
    result[::step] = data
    return data, Out(result), np.int32(step)


def _broadcast(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.floats(N)
    return data, Out(np.repeat(data[77:81], 32)), np.int32(77)


def _lookup(seeded: Seeded, *, choose: Choose) -> tuple[Argument, ...]:
    data, at = seeded.floats(N), choose(seeded)
    return data, at, Out(data[at])


def _bytes(seeded: Seeded, *, choose: Choose) -> tuple[Argument, ...]:
    data, at = seeded.words(N).astype(np.uint8), choose(seeded)
    return data, at, Out(data[at])


def _merged(seeded: Seeded) -> tuple[Argument, ...]:
    data = seeded.floats(512)
    a, b, c, d = data.reshape(128, 4).T
    return data, Out((a + b) + (c + d))


def in_order(_: Seeded) -> Values:
    """Lane by lane."""
    return np.arange(N, dtype=np.int32)


def shuffled(seeded: Seeded) -> Values:
    """Each once, in random order."""
    return seeded.order(N)


def anywhere(seeded: Seeded) -> Values:
    """At random; some more than once."""
    return seeded.ints(N, N)


def four_apart(_: Seeded) -> Values:
    """Every fourth, then those between."""
    t = np.arange(N, dtype=np.int32)
    return (4 * t % N + 4 * t // N).astype(np.int32)


def _case(name: str, kernel: str, teaches: str, make: Make, shared_bytes: int) -> Case:
    return Case(
        name=name,
        source="shared",
        kernel=kernel,
        grid=(1,),
        block=(N,),
        teaches=teaches,
        make=make,
        shared_bytes=shared_bytes,
    )


def _steps() -> tuple[Case, ...]:
    said = {
        2: "Every second word: two lanes to a bank, 2 wavefronts.",
        3: "Every third word: odd steps have no conflicts.",
        4: "Every fourth word: 4 wavefronts.",
        32: "Every 32nd word: all lanes in one bank, 32 wavefronts.",
        33: "Every 33rd word: one wavefront again.",
    }
    return tuple(
        _case(f"shared_step_{step}", "shared_step", text, functools.partial(_step, step=step), 4 * N * step)
        for step, text in said.items()
    )


CASES: tuple[Case, ...] = (
    *_steps(),
    *(
        _case(
            f"shared_store_step_{step}",
            "shared_store_step",
            f"The same for stores: {step} wavefronts.",
            functools.partial(_store_step, step=step),
            4 * N * step,
        )
        for step in (2, 32)
    ),
    _case("shared_broadcast", "shared_broadcast", "All lanes read one word: one wavefront.", _broadcast, 4 * N),
    _case(
        "shared_lookup_shuffled",
        "shared_lookup",
        "Each word once, in random order: as many wavefronts as the fullest bank has words.",
        functools.partial(_lookup, choose=shuffled),
        4 * N,
    ),
    _case(
        "shared_lookup_anywhere",
        "shared_lookup",
        "At random: lanes that meet on one word share it, lanes that meet in a bank wait.",
        functools.partial(_lookup, choose=anywhere),
        4 * N,
    ),
    _case(
        "shared_bytes_in_order",
        "shared_bytes",
        "Four lanes read the bytes of one word: no conflict.",
        functools.partial(_bytes, choose=in_order),
        N,
    ),
    _case(
        "shared_bytes_four_apart",
        "shared_bytes",
        "A byte from every word: each lane has a bank of its own.",
        functools.partial(_bytes, choose=four_apart),
        N,
    ),
    _case(
        "shared_bytes_anywhere",
        "shared_bytes",
        "Bytes at random: banks count, not bytes.",
        functools.partial(_bytes, choose=anywhere),
        N,
    ),
    _case(
        "shared_merged",
        "shared_merged",
        "Four loads in the source, of neighbors: PTX already has one of 16 bytes instead, and that is counted.",
        _merged,
        0,
    ),
)
