"""Timing, as a short list of steps in order.

1. *Warm up* until the SM clock has stood still for a while.
2. *Size* a sample: so many launches that it is long against the timer's resolution.
3. *Sample*: record an event, launch, record another, wait; read the clock. A sample taken while
   the clock had dropped below three quarters of what it was after warming up is discarded.
4. *Judge*: too many discarded samples void the measurement.

What runs is rotated over several sets of buffers, or the L2 is flushed before each sample, where
the caller wants memory speed rather than cache speed; lab does neither unasked.
"""

from __future__ import annotations

import itertools
import time as clock
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from gpu100.device.interface import ClockReading, Device
from gpu100.errors import CheckFailed, Unsupported
from gpu100.lab import session
from gpu100.lab.measured import Measured
from gpu100.stats import quantile, steady

Work = Callable[[], None]
Key = TypeVar("Key", bound=Hashable)

SAMPLES = 51
PAIRS = 31
ROUNDS = 31
SAMPLE_SECONDS = 1e-3
"""A sample is at least this long: events resolve about half a microsecond."""

WARM_SECONDS, MOST_WARM_SECONDS = 0.3, 3.0
LEAST_CLOCK = 0.75
"""Of the clock after warming up; below it a sample does not count."""

ROTATION = 3
"""Buffers are rotated over at least this many times the L2."""


@dataclass(frozen=True)
class Comparison:
    """Two launches timed in turn."""

    ratio: Measured
    """Time of the second over time of the first, pair by pair: above 1, the first is faster."""
    noise: Measured
    """The first over itself, the same way: a ratio inside this spread means nothing."""


def time(device: Device, work: Work | Sequence[Work], *, samples: int = SAMPLES, flush_l2: bool = False) -> Measured:
    """Seconds that one call of ``work`` takes on the device.

    Given several, they are called in turn: the same launch over different buffers, see
    :func:`rotations`. With ``flush_l2``, something twice the L2's size is read before each sample,
    and a sample is one call.

    Raises:
        Unsupported: the device has no clock of its own: it is a model.
        CheckFailed: the SM clock did not hold.
    """
    turn = _in_turn(work)
    watch = _Watch(device)
    _warm_up(watch, turn)
    launches = 1 if flush_l2 else _launches(device, turn)
    taken: list[float] = []
    while len(taken) < _enough(samples):
        if flush_l2:
            device.flush_l2()
        seconds = watch.sample(turn, launches)
        if seconds is not None:
            taken.append(seconds)
    return watch.measured(taken)


def compare(device: Device, first: Work | Sequence[Work], second: Work | Sequence[Work]) -> Comparison:
    """Two launches, timed A, B, A, B: drift of the clock or of temperature meets both alike.

    Raises:
        Unsupported, CheckFailed: as :func:`time`.
    """
    a, b = _in_turn(first), _in_turn(second)
    watch = _Watch(device)
    _warm_up(watch, a)
    _warm_up(watch, b)
    launches_a, launches_b = _launches(device, a), _launches(device, b)
    ratios: list[float] = []
    noise: list[float] = []
    before: float | None = None
    while len(ratios) < _enough(PAIRS):
        of_a, of_b = watch.sample(a, launches_a), watch.sample(b, launches_b)
        if of_a is None or of_b is None:
            continue
        ratios.append(of_b / of_a)
        if before is not None:
            noise.append(of_a / before)
        before = of_a
    return Comparison(ratio=watch.measured(ratios), noise=watch.measured(noise))


def sweep(device: Device, works: Mapping[Key, Work | Sequence[Work]], *, rounds: int = ROUNDS) -> dict[Key, Measured]:
    """Seconds that one call of each of ``works`` takes, all of them sampled in turn, ``rounds`` times over.

    For the points of a plot: a drift of clock or temperature meets all alike, where points measured
    one after the other would show it as a slope. The first is what the GPU is warmed up with. A round
    with a sample at a dropped clock is repeated as a whole, so that samples of one place belong to
    one round.

    Raises:
        Unsupported, CheckFailed: as :func:`time`.
    """
    turns = {key: _in_turn(work) for key, work in works.items()}
    watch = _Watch(device)
    _warm_up(watch, next(iter(turns.values())))
    launches = {key: _launches(device, turn) for key, turn in turns.items()}
    taken: dict[Key, list[float]] = {key: [] for key in turns}
    while any(len(samples) < _enough(rounds) for samples in taken.values()):
        one = {key: watch.sample(turn, launches[key]) for key, turn in turns.items()}
        if None not in one.values():
            for key, seconds in one.items():
                taken[key].append(seconds or 0.0)
    return {key: watch.measured(samples) for key, samples in taken.items()}


def rotations(device: Device, nbytes: int) -> int:
    """How many sets of ``nbytes`` it takes to cover the L2 three times over.

    One, where a single set is larger than that: then each launch evicts its own data.
    """
    return max(1, -(-ROTATION * device.gpu.l2_bytes // max(nbytes, 1)))


class _Watch:
    """Takes samples of one measurement and keeps an eye on the clock."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.expected: float | None = None
        self._clocks: list[float] = []
        self._reasons: dict[str, None] = {}
        self._discarded = 0
        self._kept = 0

    def read(self) -> ClockReading | None:
        return self.device.sm_clock()

    def sample(self, turn: Iterator[Work], launches: int) -> float | None:
        """Seconds per launch, or None where the clock had dropped."""
        seconds = elapsed(self.device, turn, launches) / launches
        reading = self.read()
        if reading is None:
            return seconds
        self._reasons.update(dict.fromkeys(reading.reasons))
        if self.expected and reading.mhz < LEAST_CLOCK * self.expected:
            self._discard(reading)
            return None
        self._clocks.append(reading.mhz)
        self._kept += 1
        return seconds

    def measured(self, samples: list[float]) -> Measured:
        clock_mhz = quantile(self._clocks, 0.5) if self._clocks else None
        reasons = list(self._reasons)
        # A clock that was low from the start is steady, and no sample of it stands out.
        if clock_mhz and clock_mhz < LEAST_CLOCK * self.device.gpu.sm_clock_khz / 1e3:
            reasons.append(f"below {LEAST_CLOCK:.0%} of the GPU's highest SM clock")
        return Measured(tuple(samples), self._discarded, clock_mhz, tuple(reasons))

    def _discard(self, reading: ClockReading) -> None:
        self._discarded += 1
        if self._discarded > SAMPLES and self._discarded > self._kept:
            raise CheckFailed(
                f"the SM clock did not hold: {reading.mhz:.0f} MHz where warming up had reached "
                f"{self.expected:.0f} ({', '.join(reading.reasons) or 'no reason given'})"
            )


def elapsed(device: Device, turn: Iterator[Work], launches: int) -> float:
    """Seconds between two events around ``launches`` calls."""

    def batch() -> None:
        for work in itertools.islice(turn, launches):
            work()

    seconds = device.elapsed(batch)
    if seconds is None:
        hint = "lab.rest_needs_gpu(...) before the part that measures ends the program there"
        raise Unsupported(
            "timing needs a GPU: the model counts what hardware is asked to do, not how long it takes", hint=hint
        )
    return seconds


def _warm_up(watch: _Watch, turn: Iterator[Work]) -> None:
    """Keep the GPU busy until the clock has been steady for WARM_SECONDS."""
    if _hurried():
        return
    began = clock.monotonic()
    recent: list[tuple[float, float]] = []
    while (now := clock.monotonic()) < began + MOST_WARM_SECONDS:
        batch = max(1, int(0.01 / max(elapsed(watch.device, turn, 1), 1e-6)))
        elapsed(watch.device, turn, batch)
        reading = watch.read()
        if reading is None:
            if now > began + WARM_SECONDS:
                return
            continue
        recent = [(at, mhz) for at, mhz in recent if at > now - WARM_SECONDS] + [(now, reading.mhz)]
        if now > began + WARM_SECONDS and steady([mhz for _, mhz in recent]):
            break
    watch.expected = max((mhz for _, mhz in recent), default=None)


def _launches(device: Device, turn: Iterator[Work]) -> int:
    """Launches that make a sample SAMPLE_SECONDS long."""
    if _hurried():
        return 1
    once = min(elapsed(device, turn, 1) for _ in range(3))
    return max(1, -(-int(SAMPLE_SECONDS * 1e9) // max(int(once * 1e9), 1)))


def _enough(samples: int) -> int:
    return min(samples, 2) if _hurried() else samples


def _hurried() -> bool:
    """Whether a sanitizer or a profiler runs the program: its times go nowhere, and every launch takes long."""
    return session.current().lane != "run"


def _in_turn(work: Work | Sequence[Work]) -> Iterator[Work]:
    return itertools.cycle([work] if callable(work) else list(work))
