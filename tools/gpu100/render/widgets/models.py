"""What the widgets work out, in Python: their tables are made of it, and their scripts are held against it.

How many blocks an SM holds is :mod:`gpu100.model.occupancy`; the rest of their arithmetic is here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

LANES = 32
SECTOR = 32
"""Bytes."""


@dataclass(frozen=True)
class Request:
    """One load of a whole warp."""

    sectors: int
    used: int
    """Bytes that the lanes asked for, each counted once."""

    @property
    def fetched(self) -> int:
        return self.sectors * SECTOR


def request(size: int, stride: int, offset: int) -> Request:
    """Lane ``l`` loads element ``offset + stride * l`` of ``size`` bytes; element 0 begins a sector.

    ``size`` is a power of two up to 16, so that no element lies in two sectors.
    """
    starts = {(offset + stride * lane) * size for lane in range(LANES)}
    return Request(len({start // SECTOR for start in starts}), size * len(starts))


@dataclass(frozen=True)
class Waves:
    """A grid on a GPU whose every SM holds so many of its blocks, all of them equally long."""

    capacity: int
    """Blocks that run at once."""
    full: int
    """Waves that fill the GPU."""
    tail: int
    """Blocks of the last wave, where it does not."""

    @property
    def steps(self) -> int:
        """What the grid takes, in times of one block."""
        return self.full + (self.tail > 0)

    @property
    def used(self) -> float:
        """The share of the places, over all that time, in which a block runs."""
        return (self.full * self.capacity + self.tail) / (self.steps * self.capacity)


def waves(blocks: int, sms: int, per_sm: int) -> Waves:
    """``blocks`` blocks on ``sms`` SMs that hold ``per_sm`` of them each."""
    capacity = sms * per_sm
    return Waves(capacity, *divmod(blocks, capacity))


@dataclass(frozen=True)
class Rates:
    """Bandwidths in GB/s, with 10⁹ bytes to the gigabyte, and what a launch takes in µs."""

    copy_in: float
    copy_out: float
    gpu: float
    cpu: float
    launch: float


@dataclass(frozen=True)
class Times:
    """Adding two arrays of floats, again and again, in µs."""

    cpu: float
    copy_in: float
    kernels: float
    copy_out: float

    @property
    def gpu(self) -> float:
        return self.copy_in + self.kernels + self.copy_out


BYTES_IN, BYTES_OUT = 8, 4
"""Of an element: what is copied to the GPU, and back. A sum reads and writes both."""


def times(n: float, kernels: int, rates: Rates) -> Times:
    """``kernels`` vector adds of ``n`` floats: on the CPU, or copied in, added on the GPU and copied out."""
    moved = (BYTES_IN + BYTES_OUT) * n
    return Times(
        cpu=kernels * moved / rates.cpu / 1e3,
        copy_in=BYTES_IN * n / rates.copy_in / 1e3,
        kernels=kernels * (rates.launch + moved / rates.gpu / 1e3),
        copy_out=BYTES_OUT * n / rates.copy_out / 1e3,
    )


def even_at(kernels: int, rates: Rates) -> float | None:
    """The number of elements at which both take as long; None where the GPU never catches up."""
    of_element = times(1, kernels, Rates(rates.copy_in, rates.copy_out, rates.gpu, rates.cpu, 0))
    gained = of_element.cpu - of_element.gpu
    return kernels * rates.launch / gained if gained > 0 else None


def kernels_needed(n: int, rates: Rates) -> int | None:
    """The fewest kernels on ``n`` floats with which the GPU wins, copies included; None where no number does."""
    once = times(n, 1, rates)
    gained = once.cpu - once.kernels
    return int((once.copy_in + once.copy_out) / gained) + 1 if gained > 0 else None


Formula = Callable[[int, int, int, int], int]

FORMULAS: dict[str, Formula] = {
    "blockIdx.x * blockDim.x + threadIdx.x": lambda block, thread, threads, blocks: block * threads + thread,
    "threadIdx.x": lambda block, thread, threads, blocks: thread,
    "blockIdx.x * gridDim.x + threadIdx.x": lambda block, thread, threads, blocks: block * blocks + thread,
    "threadIdx.x * blockDim.x + blockIdx.x": lambda block, thread, threads, blocks: thread * threads + block,
    "blockIdx.x * threadIdx.x": lambda block, thread, threads, blocks: block * thread,
    "threadIdx.x * gridDim.x + blockIdx.x": lambda block, thread, threads, blocks: thread * blocks + block,
}
"""How a thread may work out its index: one that a kernel should use, and others that one can come to."""


@dataclass(frozen=True)
class Coverage:
    """What a launch does to ``n`` elements."""

    once: int
    more: int
    """Elements that more than one thread has."""
    beyond: int
    """Threads whose index is no element's."""

    def never(self, n: int) -> int:
        return n - self.once - self.more


def coverage(n: int, blocks: int, threads: int, formula: str) -> Coverage:
    """A launch of ``blocks`` blocks of ``threads`` threads over ``n`` elements."""
    index = FORMULAS[formula]
    got = Counter(index(block, thread, threads, blocks) for block in range(blocks) for thread in range(threads))
    inside = [count for i, count in got.items() if i < n]
    once = inside.count(1)
    return Coverage(once, len(inside) - once, sum(got.values()) - sum(inside))


@dataclass(frozen=True)
class Tiles:
    """An image cut into blocks, rounded up in both directions."""

    across: int
    down: int
    threads: int
    idle: int
    """Threads beside or below the image."""
    warp_rows: int
    """Rows of threads that the first warp of a block is spread over; x counts fastest."""


def tiles(width: int, height: int, block_x: int, block_y: int) -> Tiles:
    """An image of ``width`` times ``height`` under blocks of ``block_x`` times ``block_y``."""
    across, down = -(-width // block_x), -(-height // block_y)
    threads = across * block_x * down * block_y
    rows = -(-min(LANES, block_x * block_y) // block_x)
    return Tiles(across, down, threads, threads - width * height, rows)
