"""Captures killed by the hundred: what is lost, which is to be nothing."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

from gpu100.errors import EvidenceError
from gpu100.evidence.store import EvidenceStore
from gpu100.paths import Layout
from killing import Toll, kill_captures, kill_stand_ins

from bench.figures import Figure
from bench.synthetic import REPOSITORY

REAL, STAND_INS = 20, 200
"""Kills a round: of captures that run programs, and of ones that only write."""

_MINI = Path(__file__).resolve().parents[1] / "mini"


def kill_figures(scratch: Path, rounds: int) -> list[Figure]:
    """Records that were lost or torn, and programs that went on running."""
    first = EvidenceStore(REPOSITORY.evidence).read()[0]
    layout = Layout(Path(shutil.copytree(_MINI, scratch / "kills" / "mini")))
    chance = random.Random(rounds)
    try:
        real = kill_captures(layout, first.machine, REAL * rounds, chance)
        stood_in = kill_stand_ins(
            scratch / "kills" / "evidence", first.machine, first.records[0], STAND_INS * rounds, chance
        )
    except (AssertionError, EvidenceError) as error:
        raise SystemExit(f"a kill was not survived: {error}") from None
    return [_nothing("lost in killed captures", real), _nothing("lost or torn in killed writes", stood_in)]


def _nothing(what: str, toll: Toll) -> Figure:
    how = f"{toll.kills:,} kills, {toll.finished:,} finished records, {toll.halves} half-written files"
    return Figure(what, 0.0, 0.0, "records", (0.0, 0.0), how)
