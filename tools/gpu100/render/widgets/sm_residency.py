"""How many blocks one SM holds, and what does not allow another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from gpu100.model.limits import KIB
from gpu100.model.occupancy import residency
from gpu100.render.widgets.evidence import KnownGpu
from gpu100.render.widgets.kind import Field, Setting, Settings, Table, Widget
from gpu100.units import number, quantity

REGISTERS = 16
"""Of a thread, where none are on record: few enough not to matter."""


def _table(at: Settings, gpus: tuple[KnownGpu, ...]) -> Table:
    named = [known for known in gpus if known.sms]
    asked = next((known for known in named if known.answers), None)
    rows = []
    for threads in sorted({16, 32, 48, 64, 128, 256, 512, 768, 1024, at["threads"]}):
        cells = [number(threads), number(-(-threads // 32))]
        for known in named:
            found = residency(known.limits, threads=threads, registers=_registers(at, known), shared_bytes=_shared(at))
            share = found.blocks * -(-threads // known.limits.warp_size) / known.limits.warps_per_sm
            cells += [number(found.blocks), quantity(round(100 * share, 1), "%")]
        if asked:
            cells.append(_answer(at, asked, threads))
        rows.append(cells)
    head = ["threads per block", "warps per block"]
    for known in named:
        head += [f"blocks on an SM, {known.name}{' (published limits)' * known.published}", "occupancy"]
    if asked:
        head.append(f"the driver's answer, recorded on {asked.name}")
    return Table(tuple(head), rows)


def _registers(at: Settings, known: KnownGpu) -> int:
    return int(at["registers"] or _start(known, at)["registers"])


def _shared(at: Settings) -> int:
    return int(at["shared_kib"]) * KIB


def _answer(at: Settings, known: KnownGpu, threads: int) -> str:
    """What the driver said, where it was asked for this size and the kernel is like the one it was asked for."""
    assert known.answers is not None
    alike = not at["shared_kib"] and known.answers.registers == _registers(at, known)
    answer = known.answers.at(threads) if alike else None
    return "" if answer is None else number(answer)


def _gpu(known: KnownGpu) -> Mapping[str, object]:
    limits = asdict(known.limits)
    del limits["capability"]
    told: dict[str, object] = {
        "capability": str(known.limits.capability),
        "sms": known.sms,
        "limits": limits | {"shared_kib": known.limits.shared_bytes_per_block // KIB},
    }
    return told | ({"answers": asdict(known.answers)} if known.answers else {})


def _start(known: KnownGpu, given: Settings) -> dict[str, Setting]:
    return {"registers": known.answers.registers if known.answers else REGISTERS}


SM_RESIDENCY = Widget(
    title="How many blocks an SM holds",
    caption="The places for warps in the four quarters of one SM, each with the number of the block whose warp has it. "
    "A dashed place is empty; the dashed part of a warp has lanes without a thread.",
    fields=(
        Field(
            name="threads",
            label="Threads per block",
            start=128,
            low=1,
            high=1024,
            limit="threads_per_block",
            why="a block has no more",
            marked=True,
        ),
        Field(
            name="registers",
            label="Registers per thread",
            start=REGISTERS,
            of_gpu=True,
            low=1,
            high=255,
            limit="registers_per_thread",
            why="a thread has no more",
        ),
        Field(
            name="shared_kib",
            label="Shared memory per block, KiB",
            start=0,
            low=0,
            high=227,
            limit="shared_kib",
            why="a block gets no more on this GPU",
        ),
    ),
    limits=(
        "Which quarter a warp goes to. They are dealt out in turn here; the count holds for any way that fits.",
        "Speed. An SM that is full is not faster by itself, and some kernels win half empty.",
        "What the compiler does. It chooses the registers; you turn them by hand here, and nothing spills.",
        "Less shared memory than there is. What L1 and shared memory have in common is divided when a kernel is "
        "launched; all that shared memory can get is counted here.",
        "Other kernels. A second one that runs at the same time takes places too.",
    ),
    table=_table,
    gpu=_gpu,
    start=_start,
)
