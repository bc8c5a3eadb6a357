"""How long a capture will go on: what each part took before, or what such parts take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from gpu100.capture.beside import at_once
from gpu100.capture.lanes import OtherLane, lanes_due, lanes_of, needs_quiet
from gpu100.capture.plan import Job, Part, took
from gpu100.capture.run import Step
from gpu100.model.record import Record
from gpu100.paths import Layout


class Remaining:
    """The parts of a capture that are still to come."""

    def __init__(
        self,
        jobs: Sequence[Job],
        layout: Layout,
        lanes: Sequence[OtherLane],
        kept: Mapping[str, Record],
        before: Mapping[Part, float],
    ) -> None:
        self._took = dict(before)
        self._share: dict[Part, float] = {}
        """What a part counts for: less than 1 where others run beside it."""
        for job in jobs:
            record = kept.get(job.name)
            if record is None:
                self._share[job.part("run")] = 1.0
            for lane in lanes_due(job, layout, record, lanes) if record else lanes_of(job, layout, lanes):
                self._share[job.part(lane)] = 1.0 if needs_quiet(lane, job, layout) else 1 / at_once()

    def after(self, step: Step) -> float:
        """Seconds that are left, about, once ``step`` is done; 0 where nobody can tell."""
        done = step.job.part(step.lane)
        self._took |= {part: seconds for part, seconds in took([step.record]).items() if part == done}
        self._share.pop(done, None)
        if step.record.status != "ok":  # its lanes will not be run
            self._share = {part: share for part, share in self._share.items() if part[:2] != done[:2]}
        return sum(share * self._expected(part) for part, share in self._share.items())

    def _expected(self, part: Part) -> float:
        like = [seconds for other, seconds in self._took.items() if other[2] == part[2]]
        return self._took.get(part, fmean(like) if like else 0.0)
