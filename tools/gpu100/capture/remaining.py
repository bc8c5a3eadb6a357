"""How long a capture will go on: what each part took last time, or what such parts take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean

from gpu100.capture.beside import at_once
from gpu100.capture.lanes import OtherLane, lanes_due, lanes_of, needs_quiet
from gpu100.capture.plan import Job
from gpu100.capture.run import Step
from gpu100.model.record import Record
from gpu100.paths import Layout

_Part = tuple[int, str, str]
"""Day, program, and lane; ``run`` for the run."""


class Remaining:
    """The parts of a capture that are still to come."""

    def __init__(
        self,
        jobs: Sequence[Job],
        layout: Layout,
        lanes: Sequence[OtherLane],
        kept: Mapping[str, Record],
        last: Iterable[Record],
    ) -> None:
        self._took: dict[_Part, float] = {part: took for record in last for part, took in _parts_of(record)}
        self._share: dict[_Part, float] = {}
        """What a part counts for: less than 1 where others run beside it."""
        for job in jobs:
            at, record = (job.day.number, job.program.name), kept.get(job.name)
            if record is None:
                self._share[*at, "run"] = 1.0
            for lane in lanes_due(job, layout, record, lanes) if record else lanes_of(job, layout, lanes):
                self._share[*at, lane] = 1.0 if needs_quiet(lane, job, layout) else 1 / at_once()

    def after(self, step: Step) -> float:
        """Seconds that are left, about, once ``step`` is done; 0 where nobody can tell."""
        part = (step.job.day.number, step.job.program.name, step.lane)
        self._took |= {at: took for at, took in _parts_of(step.record) if at == part}
        self._share.pop(part, None)
        if step.record.status != "ok":  # its lanes will not be run
            self._share = {at: share for at, share in self._share.items() if at[:2] != part[:2]}
        return sum(share * self._expected(at) for at, share in self._share.items())

    def _expected(self, part: _Part) -> float:
        like = [took for at, took in self._took.items() if at[2] == part[2]]
        return self._took.get(part, fmean(like) if like else 0.0)


def _parts_of(record: Record) -> Iterator[tuple[_Part, float]]:
    if record.attempts:
        yield (record.day, record.program, "run"), record.seconds
    for name, lane in record.lanes.items():
        yield (record.day, record.program, name), lane.seconds
