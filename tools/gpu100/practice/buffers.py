"""An argument's memory: between canaries on a GPU, in an allocation of exactly its size on the model.

One byte too many is then seen on both. On a GPU it changes a canary, within the same allocation,
where no GPU would complain; the model stops at the line that does it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gpu100.device.arguments import Address
from gpu100.device.interface import Array, Device
from gpu100.device.simt.device import SimtArray, SimtDevice

GUARD = 1 << 16
"""Bytes of canary on either side: what a block too many or some rows too many reach."""

Values = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Buffer:
    """An array argument, as check.py describes it: see :func:`gpu100.practice.given` and its like."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    before: Values | None = None
    """What it holds before the launch; None for poison."""
    expected: Values | None = None
    """What it has to hold afterwards; None for what it held before."""
    tolerance: Values | None = None
    """By element; None for equal in every bit."""
    scratch: bool = False
    start: int = 0
    pitch: int = 0
    counter: bool = False

    def __post_init__(self) -> None:
        for what, array in (("before", self.before), ("expected", self.expected)):
            if array is not None and array.shape != self.shape:
                raise ValueError(f"{what} has shape {array.shape}, the buffer {self.shape}")
        if self.pitch and (len(self.shape) != 2 or self.pitch < self.shape[1]):
            raise ValueError(f"rows of an array of shape {self.shape} cannot be {self.pitch} elements apart")

    @property
    def elements(self) -> int:
        """How many it has, without what lies between rows."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """With what lies between rows, the last one's end included."""
        rows = self.shape[0] * self.pitch if self.pitch else self.elements
        return rows * self.dtype.itemsize

    @property
    def wide(self) -> bool:
        """Whether a number of one of its elements is too large for an int."""
        return self.elements > 0 and self.start + self.elements > 1 << 31

    def rows(self, body: Bytes) -> Values:
        """The elements in the memory ``body``; a view."""
        values = body.view(self.dtype)
        return values.reshape(-1, self.pitch)[:, : self.shape[1]] if self.pitch else values.reshape(self.shape)


class Placed:
    """A buffer in a device's memory."""

    def __init__(
        self, device: Device, buffer: Buffer, name: str, random: np.random.Generator, *, slack: int = 0
    ) -> None:
        """``name`` is the reader's own for the parameter; ``slack``: elements of its own past the end, on the model."""
        self.buffer = buffer
        self.name = name
        self.body = _filled(buffer, random)
        """Its bytes as they were before the launch."""
        self._guard = 0 if isinstance(device, SimtDevice) else GUARD
        self._whole: Bytes
        self._array: Array
        if isinstance(device, SimtDevice):
            self._array = _exact(device, buffer, self.body, random.bytes(slack * buffer.dtype.itemsize), name)
        else:
            canaries = [np.frombuffer(random.bytes(GUARD), np.uint8) for _ in range(2)]
            self._whole = np.concatenate([canaries[0], self.body, canaries[1]])
            self._array = device.array(self._whole)

    @property
    def argument(self) -> Address:
        """The pointer for the kernel: to the element that it knows as 0."""
        first = self._array.address + self._guard
        return Address((first - self.buffer.start * self.buffer.dtype.itemsize) % (1 << 64))

    def read(self) -> tuple[Bytes, int, int]:
        """Its bytes now, and how many elements' worth of canaries before and after it have changed."""
        now = self._array.to_numpy()
        if not self._guard:
            return now[: len(self.body)], 0, 0
        size = self.buffer.dtype.itemsize
        changed = now != self._whole
        before, after = changed[:GUARD], changed[GUARD + len(self.body) :]
        return now[GUARD : GUARD + len(self.body)], _elements(before[::-1], size), _elements(after, size)


def _elements(changed: Flags, size: int) -> int:
    """How many elements of ``size`` bytes, counted from the buffer's edge, have a byte that changed."""
    whole = changed[: len(changed) // size * size].reshape(-1, size)
    return int(np.count_nonzero(whole.any(axis=1)))


def _filled(buffer: Buffer, random: np.random.Generator) -> Bytes:
    """What it holds before the launch: its contents, or bytes that no right answer has."""
    if buffer.before is not None and not buffer.pitch:
        return np.ascontiguousarray(buffer.before).reshape(-1).view(np.uint8).copy()
    body: Bytes = np.frombuffer(random.bytes(buffer.nbytes), np.uint8).copy()
    if buffer.before is not None:
        buffer.rows(body)[...] = buffer.before
    elif buffer.expected is not None:
        right = buffer.expected.astype(buffer.dtype)
        same = bits(buffer.rows(body)) == bits(right)
        buffer.rows(body)[same] = np.bitwise_not(bits(right)).view(buffer.dtype).reshape(buffer.shape)[same]
    return body


def bits(values: Values) -> Values:
    """The elements as unsigned integers, which compare bit by bit."""
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")


def _exact(device: SimtDevice, buffer: Buffer, body: Bytes, slack: bytes, name: str) -> SimtArray:
    array = device.empty(len(body) + len(slack), "uint8")
    array.allocation.label = name
    memory, begin = device.memory, array.address
    memory.arena[begin : begin + len(body)] = body  # there, and yet written by nobody
    if slack:
        memory.write(begin + len(body), slack)
    if buffer.before is None:
        return array
    step = (buffer.pitch or 0) * buffer.dtype.itemsize
    for row in range(buffer.shape[0]) if step else ():
        width = buffer.shape[1] * buffer.dtype.itemsize
        memory.write(begin + row * step, body[row * step : row * step + width])
    if not step and len(body):
        memory.write(begin, body)
    return array
