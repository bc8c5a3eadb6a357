"""Where a reader stands: a small file of their own, which nothing else depends on."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from gpu100.decode import DecodeError, decode, encode

FILE = "progress.json"
SCHEMA = 1

State = Literal["begun", "solved", "shown"]
"""``shown``: the solution was looked at before the exercise was solved. Solving it later counts."""


@dataclass(frozen=True, kw_only=True)
class DayProgress:
    """One exercise."""

    state: State
    attempts: int = 0
    hints: int = 0
    """How many hints were asked for."""
    when: str = ""
    """UTC, ISO 8601: the last time that anything of this changed."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """All of them, by the day's number."""

    schema: int = 0
    days: dict[str, DayProgress] = field(default_factory=dict)

    def of(self, day: int) -> DayProgress | None:
        return self.days.get(str(day))

    def having(self, day: int, changed: DayProgress) -> Progress:
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return Progress(schema=SCHEMA, days={**self.days, str(day): replace(changed, when=now)})


def read_progress(folder: Path) -> tuple[Progress, str | None]:
    """What ``folder`` tells, and a remark where its file cannot be read: it is then put aside, not lost."""
    path = folder / FILE
    try:
        return decode(Progress, json.loads(path.read_text(encoding="utf-8"))), None
    except FileNotFoundError:
        return Progress(), None
    except (DecodeError, ValueError, OSError):
        aside = path.with_suffix(".damaged.json")
        with contextlib.suppress(OSError):
            path.replace(aside)
        return Progress(), f"{path.name} could not be read; it is now {aside.name}, and progress begins anew"


def write_progress(folder: Path, progress: Progress) -> None:
    """Replace the file as a whole, so that a crash leaves the old one."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE
    beside = path.with_name(f".{FILE}.{os.getpid()}")
    beside.write_text(json.dumps(encode(progress), indent=2, sort_keys=True) + "\n", encoding="utf-8")
    beside.replace(path)
