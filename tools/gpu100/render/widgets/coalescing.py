"""The sectors that the load of one warp touches."""

from __future__ import annotations

from collections.abc import Mapping

from gpu100.render.widgets.evidence import KnownGpu
from gpu100.render.widgets.kind import Field, Settings, Table, Widget
from gpu100.render.widgets.models import request
from gpu100.units import number, quantity


def _table(at: Settings, gpus: tuple[KnownGpu, ...]) -> Table:
    counted = next((known for known in gpus if known.requests), None)
    some = [(4, stride, 0) for stride in (0, 1, 2, 4, 8, 16, 32)]
    some += [(4, 1, 1), (4, 1, 8), (1, 1, 0), (2, 1, 3), (8, 1, 0), (16, 1, 0)]
    mine = (int(at["size"]), at["stride"], at["offset"])
    rows = []
    for size, stride, offset in dict.fromkeys([mine, *some]):
        found = request(size, stride, offset)
        cells = [size, stride, offset, found.sectors, found.fetched, found.used]
        row = [*map(number, cells), quantity(round(100 * found.used / found.fetched, 1), "%")]
        if counted:
            measured = counted.requests.get((size, stride, offset))
            row.append("" if measured is None else number(measured))
        rows.append(row)
    head = ("bytes of an element", "stride", "offset", "sectors", "bytes fetched", "bytes used", "used")
    return Table((*head, *([f"sectors counted on {counted.name}"] if counted else [])), rows)


def _gpu(known: KnownGpu) -> Mapping[str, object] | None:
    if not known.requests:
        return None
    return {"requests": [[*asked, sectors] for asked, sectors in known.requests.items()]}


COALESCING = Widget(
    title="The sectors that a warp asks for",
    caption="The 32 lanes of a warp load one element each, in one request. Filled is what they asked for; framed are "
    "the sectors of 32 bytes that have to come for it, with the lanes that each serves.",
    fields=(
        Field(name="size", label="Bytes of an element", start="4", choices=("1", "2", "4", "8", "16")),
        Field(name="stride", label="Stride, in elements", start=1, low=0, high=32, why="the picture has room for that"),
        Field(name="offset", label="Offset, in elements", start=0, low=0, high=32, why="then it begins anew"),
    ),
    limits=(
        "Caches. A sector that another warp asked for shortly before may still be there; an offset then costs less "
        "than its fifth sector.",
        "Time. Counted is what a request asks for, not how long that takes, nor whether anybody waits for it.",
        "Other patterns. Here every lane loads, one step after the last. Whatever the pattern, the different sectors "
        "count, in any order.",
        "Where an array begins. Element 0 begins a sector here; part of a larger allocation may not.",
        "Behind the cache. Memory may move more than the sector that was asked for.",
    ),
    table=_table,
    gpu=_gpu,
)
