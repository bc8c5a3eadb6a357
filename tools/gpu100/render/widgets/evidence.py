"""What the widgets know of GPUs: those with evidence and what it says, then those known from publications."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gpu100.evidence.status import Standing
from gpu100.evidence.store import MachineEvidence
from gpu100.model.facts import Facts
from gpu100.model.gpus import PROFILES, as_real
from gpu100.model.limits import LIMITS, Limits, limits_of
from gpu100.model.machine import Gpu
from gpu100.model.record import Measured, Value

RESIDENCY = (2, "warp_slots", "multiply_add")
"""The day, program and kernel whose places on an SM the driver was asked for."""

EVERY_SIZE = "a part-empty warp takes the room of a full one"
"""That record's check of all block sizes, if its series has those of whole warps."""

WARP = 32

RATES: Mapping[tuple[int, str], Mapping[str, str]] = {
    (9, "crossover"): {
        "copy_in": "copy_in_rate",
        "copy_out": "copy_out_rate",
        "gpu": "kernel_rate",
        "cpu": "cpu_rate",
        "launch": "waited_small",
    },
    (5, "vector_add"): {"copy_in": "copy_in_rate", "copy_out": "copy_out_rate", "gpu": "kernel_rate"},
}
"""The days and programs that measured how fast data is copied and added, the one to believe first, with the
names that their values have there."""

REQUESTS: Mapping[str, tuple[int, int, int]] = {
    "copy_float": (4, 1, 0),
    "copy_stride_2": (4, 2, 0),
    "copy_stride_4": (4, 4, 0),
    "copy_stride_8": (4, 8, 0),
    "copy_stride_32": (4, 32, 0),
    "copy_offset_1": (4, 1, 1),
    "copy_offset_8": (4, 1, 8),
    "copy_bytes": (1, 1, 0),
    "copy_shorts_offset_3": (2, 1, 3),
    "copy_double": (8, 1, 0),
    "copy_float4": (16, 1, 0),
    "broadcast": (4, 0, 0),
}
"""Cases of the fidelity suite whose loads are of one size, stride and offset."""

_LOADS = "l1tex__t_{}_pipe_lsu_mem_global_op_ld.sum"


@dataclass(frozen=True)
class Answers:
    """The driver's, for one kernel: how many blocks an SM holds, by threads per block."""

    registers: int
    blocks: Mapping[int, int]
    every: bool
    """Whether a block size that is not among them has the answer of the next whole warp: the record checked it."""
    stale: bool
    """Whether the program has changed since it asked."""

    def at(self, threads: int) -> int | None:
        """The answer for a block size; None where the driver was not asked."""
        return self.blocks.get(-(-threads // WARP) * WARP if self.every else threads)


@dataclass(frozen=True)
class KnownGpu:
    """A GPU, or only a compute capability, and what is on record of it."""

    slug: str
    name: str
    published: bool
    """Whether its limits are known from publications alone."""
    limits: Limits
    sms: int | None = None
    """None for a compute capability."""
    answers: Answers | None = None
    requests: Mapping[tuple[int, int, int], float] = field(default_factory=dict)
    """Sectors of a request that the hardware counted, by size, stride and offset."""
    rates: Mapping[str, float] = field(default_factory=dict)
    """Where a day measured them: ``copy_in``, ``copy_out``, ``gpu`` and ``cpu`` in GB/s, ``launch`` in µs."""
    rates_day: int = 0
    """The day that did."""
    rates_stale: bool = False


def known_gpus(
    machines: Iterable[MachineEvidence],
    standings: Mapping[tuple[int, str], tuple[Standing, ...]],
    reference: str,
    facts: Facts,
) -> tuple[KnownGpu, ...]:
    """Recorded GPUs, the reference GPU first; published ones; and compute capabilities that none of them has."""
    recorded = _recorded(list(machines), standings, reference)
    named = {known.slug for known in recorded}
    published = [
        _gpu(gpu, limits, published=True)
        for gpu in map(as_real, PROFILES.values())
        if gpu.slug not in named and (limits := limits_of(gpu.compute_capability))
    ]
    have = {known.limits.capability for known in (*recorded, *published)}
    others = [_capability(limits, facts) for limits in LIMITS if limits.capability not in have]
    return (*recorded, *published, *others)


def _recorded(
    machines: list[MachineEvidence], standings: Mapping[tuple[int, str], tuple[Standing, ...]], reference: str
) -> list[KnownGpu]:
    found: dict[str, KnownGpu] = {}
    for at in machines:
        gpu = at.machine.gpu
        limits = limits_of(gpu.compute_capability)
        if limits is None:
            continue
        known = found.get(gpu.slug) or _gpu(gpu, limits, published=False)
        found[gpu.slug] = dataclasses.replace(
            _with_rates(known, standings),
            answers=_answers(_standing(standings, RESIDENCY[:2], gpu.slug)),
            requests=_requests(at) or known.requests,
        )
    return sorted(found.values(), key=lambda known: (known.slug != reference, known.name))


def _gpu(gpu: Gpu, limits: Limits, *, published: bool) -> KnownGpu:
    """``gpu`` with the limits it reports itself; what it does not report is its compute capability's."""
    told = dataclasses.replace(
        limits,
        warp_size=gpu.warp_size,
        warps_per_sm=gpu.warps_per_sm,
        blocks_per_sm=gpu.blocks_per_sm,
        threads_per_block=gpu.threads_per_block,
        registers_per_sm=gpu.registers_per_sm,
        shared_bytes_per_sm=gpu.shared_bytes_per_sm,
        shared_bytes_reserved=gpu.shared_bytes_per_sm - gpu.shared_bytes_per_block,
    )
    return KnownGpu(gpu.slug, gpu.name, published, told, gpu.sms)


def _capability(limits: Limits, facts: Facts) -> KnownGpu:
    capability = str(limits.capability)
    cards = ", ".join(facts.examples(capability))
    return KnownGpu(f"capability-{capability}", f"{capability} ({cards})" if cards else capability, True, limits)


def _standing(
    standings: Mapping[tuple[int, str], tuple[Standing, ...]], program: tuple[int, str], gpu: str
) -> Standing | None:
    """The program on that GPU, where it ran to its end."""
    found = (at for at in standings.get(program, ()) if at.machine.gpu.slug == gpu)
    return next((at for at in found if at.record and at.record.status == "ok"), None)


def _answers(at: Standing | None) -> Answers | None:
    record = at.record if at else None
    blocks = record.values.get("blocks") if record else None
    kernel = record.kernels.get(RESIDENCY[2]) if record else None
    if at is None or kernel is None or blocks is None or not isinstance(blocks.value, dict):
        return None
    held = {int(threads): int(count) for threads, count in blocks.value.items()}
    series = record.series.get("resident_blocks") if record else None
    whole = {int(point.x): int(point.y) for point in series.points} if series else {}
    every = bool(whole) and record is not None and EVERY_SIZE in {check.what for check in record.checks}
    return Answers(kernel.registers, dict(sorted((held | whole).items())), every, stale=at.stale is not None)


def _with_rates(known: KnownGpu, standings: Mapping[tuple[int, str], tuple[Standing, ...]]) -> KnownGpu:
    """The GPU with the rates of the first day that has some of it."""
    for program, names in RATES.items():
        at = _standing(standings, program, known.slug)
        if at and (rates := _rates(at, names)):
            return dataclasses.replace(known, rates=rates, rates_day=program[0], rates_stale=at.stale is not None)
    return known


def _rates(at: Standing, names: Mapping[str, str]) -> dict[str, float]:
    values = at.record.values if at.record else {}
    return {ours: value.value for ours, theirs in names.items() if (value := _measured(values.get(theirs)))}


def _measured(value: Value | None) -> Measured | None:
    return value if isinstance(value, Measured) else None


def _requests(at: MachineEvidence) -> dict[tuple[int, int, int], float]:
    cases = at.fidelity.measurement.cases if at.fidelity else {}
    counted = {
        asked: (case.metrics.get(_LOADS.format("sectors")), case.metrics.get(_LOADS.format("requests")))
        for name, asked in REQUESTS.items()
        if (case := cases.get(name))
    }
    return {asked: sectors / requests for asked, (sectors, requests) in counted.items() if sectors and requests}
