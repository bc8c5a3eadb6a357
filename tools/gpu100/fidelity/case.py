"""One kernel of the suite with its launch, its inputs and its right answer."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gpu100.fingerprint import digest, lf
from gpu100.model.behaviour import COMPILE_OPTIONS

KERNELS = Path(__file__).resolve().parent / "kernels"
Values = npt.NDArray[Any]


@dataclass(frozen=True)
class Out:
    """An array that the kernel writes."""

    expected: Values
    initial: Values | None = None
    """What it holds before; poison where there is nothing, so that every element has to be written."""


Argument = Values | Out | np.generic


class Seeded:
    """Random inputs that are the same with every NumPy: of its streams, only the raw one is promised to be."""

    def __init__(self, name: str) -> None:
        self._bits = np.random.PCG64(zlib.crc32(name.encode()))

    def raw(self, count: int) -> npt.NDArray[np.uint64]:
        """64 random bits each."""
        return np.asarray(self._bits.random_raw(count), dtype=np.uint64)

    def floats(self, count: int, reach: float = 1.0) -> npt.NDArray[np.float32]:
        """Between ``-reach`` and ``reach``; all 24 bits of them where ``reach`` is a power of two."""
        units = (self.raw(count) >> np.uint64(39)).astype(np.float64) - 2.0**24
        return (units * (reach * 2.0**-24)).astype(np.float32)

    def doubles(self, count: int) -> npt.NDArray[np.float64]:
        """Between -1 and 1."""
        return ((self.raw(count) >> np.uint64(11)).astype(np.float64) - 2.0**52) * 2.0**-52

    def ints(self, count: int, below: int, start: int = 0) -> npt.NDArray[np.int32]:
        """From ``start`` up to, and without, ``below``."""
        return (self.raw(count) % np.uint64(below - start)).astype(np.int32) + np.int32(start)

    def words(self, count: int) -> npt.NDArray[np.uint32]:
        """32 random bits each."""
        return (self.raw(count) >> np.uint64(32)).astype(np.uint32)

    def order(self, count: int) -> npt.NDArray[np.int32]:
        """The numbers below ``count`` in random order."""
        return np.argsort(self.raw(count), kind="stable").astype(np.int32)


Make = Callable[[Seeded], tuple[Argument, ...]]
"""A launch's arguments, from random inputs that depend on the case's name alone."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One launch of one kernel, and what must come of it."""

    name: str
    source: str
    """The file in kernels/, without .cu."""
    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    teaches: str
    """What its counters show, for the page: one sentence, its numbers those of the arrangement."""
    make: Make
    shared_bytes: int = 0
    """Dynamic shared memory per block."""
    tolerance: float | None = None
    """Results differ by at most this, relative to what is larger than 1; None where every bit is promised."""
    uncounted: str | None = None
    """Why counters of two runs may differ, where they may; they are then not compared."""

    @property
    def path(self) -> Path:
        return KERNELS / f"{self.source}.cu"

    def arguments(self) -> tuple[Argument, ...]:
        """The launch's arguments; the same in every call."""
        return self.make(Seeded(self.name))

    def key(self) -> str:
        """A digest of all that decides what the case does: kernel, launch, inputs, promise."""
        parts: dict[str, bytes | str] = {
            "source": lf(self.path.read_bytes()),
            "options": "\0".join(COMPILE_OPTIONS),
            "launch": repr((self.kernel, self.grid, self.block, self.shared_bytes)),
            "promise": repr(self.tolerance),
        }
        for at, argument in enumerate(self.arguments()):
            held = argument.expected if isinstance(argument, Out) else argument
            parts[f"argument {at}"] = repr((isinstance(argument, Out), held.dtype.str, held.shape))
            start = argument.initial if isinstance(argument, Out) else argument
            if start is not None:
                parts[f"bytes {at}"] = np.ascontiguousarray(start).tobytes()
        return digest(parts)

    def agree(self, one: Values, other: Values) -> bool:
        """Whether two results are the same, as far as this case promises it."""
        if one.shape != other.shape or one.dtype != other.dtype:
            return False
        if self.tolerance is None:
            return one.tobytes() == other.tobytes()
        first, second = one.astype(np.float64), other.astype(np.float64)
        scale = np.maximum(1.0, np.abs(second))
        return bool(np.all(np.abs(first - second) <= self.tolerance * scale))
