"""The practice lane: a day's exercise on this GPU, its solution and every way to get it wrong."""

from __future__ import annotations

import dataclasses

from gpu100.capture.redact import redactor
from gpu100.content.practice import practice_of
from gpu100.errors import CheckFailed, CourseError
from gpu100.model.course import Day
from gpu100.model.device import GPU, DeviceSpec
from gpu100.model.lanes import PracticeLane
from gpu100.model.practice import holds_on_gpu
from gpu100.paths import Layout
from gpu100.practice.prove import try_files


def find() -> None:
    """There is nothing to look for: the GPU is the one that the run was on."""


def run(layout: Layout, day: Day, device: DeviceSpec = GPU) -> PracticeLane:
    """Try every file of the day's exercise, each in a process of its own.

    Raises:
        CheckFailed: one of them did what its role does not allow on a GPU.
        CourseError: the day has no exercise, or its check.py is at fault.
    """
    files = practice_of(layout, day)
    if files is None:
        raise CourseError(f"{day.tag} has no exercise")
    redact = redactor(layout.root)
    attempts = tuple(
        dataclasses.replace(attempt, lines=tuple(redact(line) for line in attempt.lines))
        for attempt in try_files(files, device, cache=layout.cache)
    )
    if wrong := [attempt for attempt in attempts if not holds_on_gpu(attempt)]:
        raise CheckFailed("; ".join(map(str, wrong)))
    return PracticeLane(kind="practice", status="ok", fingerprint=files.fingerprint(), attempts=attempts)
