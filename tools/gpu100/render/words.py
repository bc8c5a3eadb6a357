"""Wording decisions: what a status, an outcome or a machine is called on a page."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpu100.evidence.status import Standing
from gpu100.model.course import Course, Day
from gpu100.model.record import Outcome

STATUS = {"planned": "planned", "draft": "draft", "in-review": "in technical review", "published": "published"}

OUTCOME: dict[Outcome, str] = {
    "held": "held",
    "failed": "failed",
    "not-applicable": "does not apply here",
    "not-evaluated": "not evaluated",
}


@dataclass(frozen=True)
class Verified:
    """A GPU on which every program of a day is fresh, and when the last was recorded."""

    slug: str
    gpu: str
    date: str


@dataclass(frozen=True)
class DayView:
    """A day as pages speak of it."""

    day: Day
    module: str
    status: str
    """In words; *verified* where a published day's evidence is fresh on the reference GPU."""
    mark: str
    """The same, for a style sheet."""
    verified: tuple[Verified, ...]


def day_view(course: Course, day: Day, standings: list[tuple[Standing, ...]]) -> DayView:
    """What evidence makes of a day's status; ``standings`` are those of its programs."""
    fresh = [{s.machine.gpu: s for s in of_program if s.state == "fresh"} for of_program in standings]
    everywhere = [gpu for gpu in fresh[0] if all(gpu in others for others in fresh)] if fresh else []
    verified = tuple(
        Verified(slug=gpu.slug, gpu=gpu.name, date=max(date_of(others[gpu]) for others in fresh)) for gpu in everywhere
    )
    reference = any(gpu.slug == course.reference_gpu for gpu in everywhere)
    mark = "verified" if day.status == "published" and reference else day.status
    return DayView(
        day=day,
        module=course.module_of(day).title,
        status=STATUS.get(mark, mark),
        mark=mark,
        verified=verified,
    )


def date_of(standing: Standing) -> str:
    """The day a record was made."""
    return standing.record.started[:10] if standing.record else ""


_MAKER = re.compile(r"^(?:(?:NVIDIA|GeForce|Quadro|Tesla) )+")


def short_name(gpu: str) -> str:
    """A GPU's name without its maker's: ``NVIDIA GeForce RTX 4090`` is an ``RTX 4090``."""
    return _MAKER.sub("", gpu)


_PICTURES = {code: 0x2400 + code for code in range(32) if chr(code) != "\t"} | {0x7F: 0x2421}
_PICTURES |= dict.fromkeys(range(0x80, 0xA0), 0xFFFD)  # some of these a terminal obeys, and none has a picture


def visible(text: str) -> str:
    """``text`` with control characters, such as those of a terminal, as pictures: ESC becomes ␛."""
    return text.translate(_PICTURES)
