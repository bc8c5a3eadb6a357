"""What of the course is measured where, and whether it still holds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from gpu100.evidence.key import program_key, why_stale
from gpu100.evidence.store import MachineEvidence
from gpu100.model.course import Day, ProgramSpec
from gpu100.model.machine import Machine
from gpu100.model.record import Key, Record
from gpu100.paths import Layout

State = Literal["fresh", "stale", "failed", "unsupported", "missing"]


@dataclass(frozen=True)
class Standing:
    """One program on one machine."""

    folder: str
    """The machine's, from the store's root."""
    machine: Machine
    record: Record | None
    stale: str | None = None
    """Why the record is no longer current."""

    @property
    def state(self) -> State:
        """Stale comes before failed: what an older program did says nothing about today's."""
        if self.record is None:
            return "missing"
        if self.stale:
            return "stale"
        if self.record.status in ("unsupported", "skipped"):
            return "unsupported"
        return "fresh" if self.record.status == "ok" else "failed"

    @property
    def why(self) -> str:
        """What keeps it from being all that it should be; nothing of most that are fresh."""
        lanes = (f"{name} failed: {reason}" for name, reason in self.failed_lanes.items())
        return self.stale or (self.record.reason if self.record else None) or "; ".join(lanes)

    @property
    def failed_lanes(self) -> dict[str, str]:
        """Lanes of a fresh record that failed, each with its reason.

        The run stands, and so the record is fresh; what another compiler or a tool has against it stands too.
        """
        lanes = self.record.lanes if self.record and self.state == "fresh" else {}
        return {name: lane.reason or "" for name, lane in lanes.items() if lane.status == "failed"}


def standings(
    layout: Layout, day: Day, program: ProgramSpec, machines: tuple[MachineEvidence, ...]
) -> tuple[Standing, ...]:
    """``program`` on every machine, with its record where there is one."""
    key = program_key(layout, day, program)
    return tuple(_standing(day, program, evidence, key) for evidence in machines)


def standing_on(layout: Layout, day: Day, program: ProgramSpec, evidence: MachineEvidence) -> Standing:
    """``program`` on one machine."""
    return _standing(day, program, evidence, program_key(layout, day, program))


def _standing(day: Day, program: ProgramSpec, evidence: MachineEvidence, key: Key) -> Standing:
    record = evidence.record(day.number, program.name)
    stale = why_stale(record, key) if record else None
    return Standing(evidence.folder, evidence.machine, record, stale)


def best_per_gpu(found: tuple[Standing, ...], reference: str, nvrtc: str = "") -> tuple[Standing, ...]:
    """One record per GPU, the reference GPU first: fresh before the rest, then of the newest driver, then
    of the version ``nvrtc``, which is what readers have, or the newest NVRTC, then the newest.
    """
    order = ("missing", "unsupported", "stale", "failed", "fresh")

    def rank(standing: Standing) -> tuple[object, ...]:
        driver, version = toolchain(standing.machine)
        pinned = standing.machine.software.nvrtc == nvrtc
        return order.index(standing.state), driver, pinned, version, _started(standing)

    best: dict[str, Standing] = {}
    for standing in sorted(found, key=rank):
        if standing.record:
            best[standing.machine.gpu.slug] = standing
    return tuple(sorted(best.values(), key=lambda s: (s.machine.gpu.slug != reference, s.machine.gpu.slug)))


def pinned_nvrtc(layout: Layout) -> str:
    """The version of NVRTC that pyproject.toml pins, and readers so have; empty where it pins none."""
    path = layout.root / "pyproject.toml"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    pin = re.search(r'"nvidia-cuda-nvrtc==([0-9.]+)"', text)
    return pin[1] if pin else ""


def toolchain(machine: Machine) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Driver and NVRTC version as numbers, to be ordered: 580.95 comes before 580.159."""
    return _numbers(machine.driver.version), _numbers(machine.software.nvrtc)


def _numbers(version: str) -> tuple[int, ...]:
    # Of nine digits at most: a version that somebody made up may not cost time.
    return tuple(int(part) for part in re.findall(r"[0-9]{1,9}", version)[:8])


def _started(standing: Standing) -> str:
    return standing.record.started if standing.record else ""
