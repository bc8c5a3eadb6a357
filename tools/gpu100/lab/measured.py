"""A measured number: what timing returns, and what it leaves in text that is printed.

A :class:`Measured` is not a float. Under capture, printing one marks where it stands with two
invisible characters, so that a transcript knows which of its text may differ between runs;
everything else it prints must not. Arithmetic with plain numbers gives a Measured again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from gpu100.lab import session
from gpu100.model.record import VOLATILE_BEGIN, VOLATILE_END
from gpu100.stats import quantile, spread


@dataclass(frozen=True)
class Measured:
    """Samples of one quantity, with the state of the clock while they were taken."""

    samples: tuple[float, ...]
    discarded: int = 0
    sm_clock_mhz: float | None = None
    throttled: tuple[str, ...] = ()

    @property
    def median(self) -> float:
        return quantile(self.samples, 0.5)

    @property
    def p20(self) -> float:
        return quantile(self.samples, 0.2)

    @property
    def p80(self) -> float:
        return quantile(self.samples, 0.8)

    def map(self, function: Callable[[float], float]) -> Measured:
        """``function`` of every sample."""
        return replace(self, samples=tuple(function(sample) for sample in self.samples))

    def __mul__(self, factor: float) -> Measured:
        return self.map(lambda sample: sample * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> Measured:
        return self.map(lambda sample: sample / divisor)

    def __rtruediv__(self, dividend: float) -> Measured:
        """Work done over time: ``bytes / seconds``."""
        return self.map(lambda sample: dividend / sample)

    def __format__(self, spec: str) -> str:
        return volatile(format(self.median, spec))

    def __str__(self) -> str:
        return format(self, ".4g")

    def __repr__(self) -> str:
        middle = spread(self.samples)
        return f"Measured({middle.median:.4g}, {middle.p20:.4g} to {middle.p80:.4g}, n={len(self.samples)})"


def volatile(text: str) -> str:
    """``text``, marked as one that may differ between runs."""
    return f"{VOLATILE_BEGIN}{text}{VOLATILE_END}" if session.current().marks else text


def plain(text: str) -> str:
    """``text`` without the marks."""
    return text.replace(VOLATILE_BEGIN, "").replace(VOLATILE_END, "")
