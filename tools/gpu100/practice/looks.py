"""What one case left behind: its buffers compared, and the fault or the error that ended it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gpu100.device.interface import Extent
from gpu100.practice.buffers import Buffer, Bytes, Flags, Placed, Values, bits


@dataclass(frozen=True)
class Fell:
    """How a launch ended that did not end well."""

    kind: str
    """The model's kind of fault; on a GPU the driver's name of the error."""
    message: str
    hint: str = ""
    slack: bool | None = None
    """Of an access out of bounds: whether one more element in each buffer would have been enough."""


@dataclass(frozen=True)
class Seen:
    """One buffer after the launch."""

    name: str
    buffer: Buffer
    got: Values
    before: Values
    guard_before: int = 0
    """Elements before its first that were written."""
    guard_after: int = 0
    """Elements past its last."""
    between: int = 0
    """Elements between its rows."""
    moved: bool = False
    """Whether its wrong elements came out otherwise from the same launch on the same inputs."""
    leaked: bool = False
    """Whether they came out otherwise where memory held other poison."""

    @property
    def output(self) -> bool:
        return self.buffer.expected is not None

    @property
    def wrong(self) -> Flags:
        """The elements that are not what they should be."""
        buffer = self.buffer
        if buffer.scratch:
            return np.zeros(buffer.shape, np.bool_)
        if buffer.expected is None:
            return _differ(self.got, self.before)
        if buffer.tolerance is None:
            return _differ(self.got, buffer.expected.astype(buffer.dtype))
        return _apart(self.got, buffer.expected, buffer.tolerance)

    @property
    def untouched(self) -> Flags:
        """The wrong elements that nobody wrote, or that got back what was there."""
        same = ~_differ(self.got, self.before)
        return self.wrong & same if self.output else np.zeros(self.wrong.shape, np.bool_)

    @property
    def spoiled(self) -> bool:
        """Whether anything about it is not as it should be."""
        return bool(self.guard_before or self.guard_after or self.between or self.wrong.any())


@dataclass(frozen=True)
class Look:
    """One case after it was tried."""

    case: str
    grid: Extent
    block: Extent
    seen: tuple[Seen, ...] = ()
    """Its buffers, in the order of the parameters; none where the launch fell."""
    fell: Fell | None = None
    wide: bool = False
    """Whether an element's number is too large for an int."""
    stores: int | None = None
    """Elements that the kernel's stores wrote, each as often as it was written; None where nobody counts."""
    outputs: tuple[Seen, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "outputs", tuple(seen for seen in self.seen if seen.output))

    @property
    def failed(self) -> bool:
        return self.fell is not None or any(seen.spoiled for seen in self.seen)

    @property
    def blocks(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def launched(self) -> str:
        """``2 blocks of 256 threads``."""
        if self.grid[1:] == self.block[1:] == (1, 1):
            return f"{self.grid[0]:,} block{'s' * (self.grid[0] > 1)} of {self.block[0]:,} threads"
        return f"{_axes(self.grid)} block{'s' * (self.blocks > 1)} of {_axes(self.block)} threads"


def _axes(axes: Extent) -> str:
    shown = axes if axes[2] > 1 else axes[:2]
    return " x ".join(f"{axis:,}" for axis in shown)


def seen(placed: Placed) -> Seen:
    """The buffer as it is now."""
    body, before, after = placed.read()
    return Seen(
        placed.name,
        placed.buffer,
        placed.buffer.rows(body),
        placed.buffer.rows(placed.body),
        before,
        after,
        _between(placed, body),
    )


def _between(placed: Placed, body: Bytes) -> int:
    buffer = placed.buffer
    if not buffer.pitch:
        return 0
    changed = (body != placed.body).reshape(buffer.shape[0], buffer.pitch, buffer.dtype.itemsize).any(axis=2)
    return int(np.count_nonzero(changed[:, buffer.shape[1] :]))


def _differ(one: Values, other: Values) -> Flags:
    """Which elements differ in any bit."""
    return np.asarray(bits(one) != bits(other), np.bool_)


def _apart(got: Values, expected: Values, tolerance: Values) -> Flags:
    """Farther apart than ``tolerance``; infinities and NaN have to be the same ones."""
    with np.errstate(invalid="ignore", over="ignore"):
        near: Flags = np.abs(got.astype(np.float64) - expected.astype(np.float64)) <= tolerance
        same = (got == expected.astype(got.dtype)) | (np.isnan(got) & np.isnan(expected))
    return np.asarray(~(near | same), np.bool_)
