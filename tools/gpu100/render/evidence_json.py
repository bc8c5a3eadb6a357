"""evidence.json: what is known where, for programs; the records themselves are in the repository."""

from __future__ import annotations

import json
from typing import Any

from gpu100.decode import encode
from gpu100.evidence.drift import Drift
from gpu100.evidence.status import Standing
from gpu100.model.record import Measured, Value
from gpu100.render.page import Site
from gpu100.render.recorded import Recorded

VERSION = 1
"""Of the file's form: bumped when something in it is renamed or goes."""


def evidence_json(site: Site) -> str:
    """All standings, values and outcomes as JSON, without samples and transcripts."""
    recorded = site.recorded
    data = {
        "version": VERSION,
        "course": site.course.title,
        "reference_gpu": site.course.reference_gpu,
        "machines": {at.folder: encode(at.machine) for at in recorded.machines},
        "programs": [_program(site, day, name) for day, name in sorted(recorded.everywhere)],
        "drift": [_pair(recorded, index) for index in range(len(recorded.pairs))],
    }
    return json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _program(site: Site, number: int, name: str) -> dict[str, Any]:
    day = site.course.day(number)
    assert day is not None  # standings are of the course's days
    found = site.recorded.everywhere[number, name]
    return {
        "day": number,
        "title": day.title,
        "program": name,
        "status": day.status,
        "on": {at.folder: _standing(at) for at in found},
    }


def _standing(at: Standing) -> dict[str, Any]:
    data: dict[str, Any] = {"state": at.state}
    if at.why:
        data["why"] = at.why
    if at.record is None:
        return data
    data["started"] = at.record.started
    if at.stale is None:  # what an older program found is not today's result
        data["values"] = {name: _value(value) for name, value in at.record.values.items()}
        data["predictions"] = {name: one.outcome for name, one in at.record.predictions.items()}
        data["lanes"] = {name: lane.status for name, lane in at.record.lanes.items()}
    return data


def _value(value: Value) -> dict[str, Any]:
    data: dict[str, Any] = encode(value)
    if isinstance(value, Measured):
        data["samples"] = len(value.samples)
    return data


def _pair(recorded: Recorded, index: int) -> dict[str, Any]:
    pair = recorded.pairs[index]
    return {
        "before": pair.before.folder,
        "after": pair.after.folder,
        "programs": [_drift(one) for one in pair.drifts],
    }


def _drift(one: Drift) -> dict[str, Any]:
    moved = [{"name": item.name, "verdict": item.verdict} for item in one.moved]
    data = {"day": one.day, "program": one.program, "verdict": one.verdict, "compared": one.compared, "moved": moved}
    return data | ({"why": one.why} if one.why else {})
