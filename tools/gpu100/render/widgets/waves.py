"""A grid of more blocks than the GPU holds at once."""

from __future__ import annotations

from collections.abc import Mapping

from gpu100.model.occupancy import residency
from gpu100.render.widgets.evidence import KnownGpu
from gpu100.render.widgets.kind import Field, Setting, Settings, Table, Widget
from gpu100.render.widgets.models import waves
from gpu100.units import number, quantity

THREADS = 256


def _per_sm(known: KnownGpu) -> int:
    """Blocks of 256 threads that an SM holds, as long as registers are not scarce."""
    return residency(known.limits, threads=THREADS, registers=1).blocks


def _table(at: Settings, gpus: tuple[KnownGpu, ...]) -> Table:
    rows = []
    for known in gpus:
        if known.sms is None:
            continue
        per_sm = at["per_sm"] or _per_sm(known)
        holds = known.sms * per_sm
        for blocks in sorted({1, holds, holds + 1, 2 * holds, 2 * holds + 1, at["blocks"] or 1}):
            found = waves(blocks, known.sms, per_sm)
            name = f"{known.name}{' (published)' * known.published}"
            counts = map(number, (blocks, found.full, found.tail, found.steps))
            rows.append((name, f"{known.sms} × {per_sm}", *counts, quantity(round(100 * found.used, 1), "%")))
    head = ("GPU", "SMs × blocks on each", "blocks of the grid", "full waves", "blocks in the tail")
    return Table((*head, "time, in times of one block", "places used"), rows, words=2)


def _gpu(known: KnownGpu) -> Mapping[str, object] | None:
    if known.sms is None:
        return None
    return {"sms": known.sms, "limits": {"blocks_per_sm": known.limits.blocks_per_sm}}


def _start(known: KnownGpu, given: Settings) -> dict[str, Setting]:
    """One block more than the GPU holds."""
    per_sm = given.get("per_sm") or _per_sm(known)
    return {"per_sm": per_sm, "blocks": (known.sms or 1) * per_sm + 1}


WAVES = Widget(
    title="A grid runs in waves",
    caption="Each cell is an SM, filled by as much as it holds blocks of what it can hold. Below: the time that a grid "
    "takes, by its number of blocks.",
    fields=(
        Field(name="blocks", label="Blocks of the grid", start=1, low=1, high=1 << 20, log=True, of_gpu=True),
        Field(
            name="per_sm",
            label="Blocks that an SM holds",
            start=1,
            of_gpu=True,
            low=1,
            high=32,
            limit="blocks_per_sm",
            why="an SM of this GPU has no more places for blocks",
        ),
    ),
    limits=(
        "Unequal blocks. All take the same time here. Where they do not, one wave runs into the next, and the steps "
        "are rounded off.",
        "A lighter tail. A block that shares its SM with fewer others often runs faster, so that a real last step is "
        "lower.",
        "Starting. A GPU starts only so many blocks in a microsecond; a grid of very short blocks waits for that.",
        "Which SM. Blocks of the tail are dealt out one to an SM in turn here; a GPU promises nothing of the kind.",
        "Other kernels, which may use the places that a tail leaves empty.",
    ),
    table=_table,
    gpu=_gpu,
    start=_start,
)
