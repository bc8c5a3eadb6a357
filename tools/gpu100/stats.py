"""Order statistics of samples, and what two sets of them say about each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


def quantile(samples: Sequence[float], q: float) -> float:
    """The ``q`` quantile (0 to 1), linear between neighbors.

    Raises:
        ValueError: there are no samples.
    """
    if not samples:
        raise ValueError("no samples")
    ordered = sorted(samples)
    place = q * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


@dataclass(frozen=True)
class Spread:
    """A set of samples in three numbers."""

    median: float
    p20: float
    p80: float

    @property
    def relative(self) -> float:
        """The width of the middle 60 % as a share of the median."""
        return (self.p80 - self.p20) / self.median if self.median else 0.0


def spread(samples: Sequence[float]) -> Spread:
    """Median, 20th and 80th percentile."""
    return Spread(median=quantile(samples, 0.5), p20=quantile(samples, 0.2), p80=quantile(samples, 0.8))


def steady(samples: Sequence[float], within: float = 0.01) -> bool:
    """Whether ``samples`` stay within a share ``within`` of their largest."""
    return bool(samples) and max(samples) - min(samples) <= within * max(samples)
