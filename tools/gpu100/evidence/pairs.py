"""Which records are compared with which: an earlier and a later one of the same GPU."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gpu100.evidence.drift import Drift, drift
from gpu100.evidence.items import Rewrite
from gpu100.evidence.status import Standing, toolchain
from gpu100.evidence.store import MachineEvidence
from gpu100.paths import day_tag


def newest_two(machines: Iterable[MachineEvidence]) -> list[tuple[MachineEvidence, MachineEvidence]]:
    """For each GPU, its two newest folders, the older first; GPUs with one folder have none.

    Newest by driver and NVRTC version. Two machines of one version are a pair only where the GPU
    has no second version: then they say whether a result is the GPU's or the machine's.
    """
    by_gpu: dict[str, list[MachineEvidence]] = {}
    for machine in sorted(machines, key=_age):
        by_gpu.setdefault(machine.machine.gpu.slug, []).append(machine)
    pairs = []
    for _, found in sorted(by_gpu.items()):
        newest = found[-1]
        others = [other for other in found[:-1] if other.machine.folder != newest.machine.folder] or found[:-1]
        if others:
            pairs.append((others[-1], newest))
    return pairs


def _age(evidence: MachineEvidence) -> tuple[object, ...]:
    started = max((record.started for record in evidence.records), default="")
    return (toolchain(evidence.machine), started, evidence.folder)


def compare_machines(before: MachineEvidence, after: MachineEvidence, rewrite: Rewrite) -> Iterator[Drift]:
    """Every program that both have recorded."""
    for record in after.records:
        if earlier := before.record(record.day, record.program):
            yield drift(
                Standing(before.folder, before.machine, earlier),
                Standing(after.folder, after.machine, record),
                rewrite,
            )


def only_in_one(before: MachineEvidence, after: MachineEvidence) -> list[str]:
    """Records without a counterpart, as ``day05-vector_add (in h200/...)``."""
    names = [{(record.day, record.program) for record in one.records} for one in (before, after)]
    sides = ((before.folder, names[0] - names[1]), (after.folder, names[1] - names[0]))
    return [f"{day_tag(day)}-{program} (in {folder})" for folder, only in sides for day, program in sorted(only)]


def earlier_than(shown: Standing, found: Iterable[Standing]) -> Standing | None:
    """What ``shown``'s record is held against on its page: the newest other record of its GPU that
    was made from the same program, of another driver or NVRTC before one of another machine.
    """
    if shown.record is None or shown.stale:  # what an older program did is not held against anything
        return None
    others = [
        other
        for other in found
        if other.record
        and other.folder != shown.folder
        and other.machine.gpu.slug == shown.machine.gpu.slug
        and other.record.key.digest == shown.record.key.digest
        and other.record.status not in ("unsupported", "skipped")
    ]
    return max(others, key=lambda at: _preference(at, shown), default=None)


def _preference(at: Standing, shown: Standing) -> tuple[object, ...]:
    return (at.machine.folder != shown.machine.folder, *_order(at))


Found = Mapping[tuple[int, str], tuple[Standing, ...]]


def page_drifts(best: Found, everywhere: Found, rewrite: Rewrite) -> dict[tuple[int, str], tuple[Drift, ...]]:
    """By day and program: for each GPU, the record that its panel shows and the one it is held against.

    The one of the newer driver and NVRTC is the later of the two, even where it is the other that
    the panel shows because the newer failed.
    """
    found: dict[tuple[int, str], tuple[Drift, ...]] = {}
    for key, standings in best.items():
        pairs = [(shown, earlier_than(shown, everywhere.get(key, ()))) for shown in standings]
        ordered = [sorted((shown, other), key=_order) for shown, other in pairs if other]
        found[key] = tuple(drift(before, after, rewrite) for before, after in ordered)
    return found


def _order(at: Standing) -> tuple[object, ...]:
    return (toolchain(at.machine), at.record.started if at.record else "", at.folder)
