"""Which thread gets which index, and which elements get none."""

from __future__ import annotations

from gpu100.render.widgets.evidence import KnownGpu
from gpu100.render.widgets.kind import Field, Settings, Table, Widget
from gpu100.render.widgets.models import FORMULAS, coverage, tiles
from gpu100.units import number

ONE, TWO = "1-D, an array", "2-D, an image"
RIGHT = next(iter(FORMULAS))


def _table(at: Settings, _: tuple[KnownGpu, ...]) -> Table:
    if at["shape"] == TWO:
        return _tile_table(at)
    n, blocks, threads = at["n"], at["blocks"], at["threads"]
    rows = []
    for formula in FORMULAS if blocks * threads <= 1 << 20 else ():
        found = coverage(n, blocks, threads, formula)
        guarded = "skip" if at["guard"] else "write past the end"
        rows.append(
            (
                f"`{formula}`",
                number(found.once),
                number(found.more),
                number(found.never(n)),
                f"{number(found.beyond)} {guarded if found.beyond else ''}".strip(),
            )
        )
    head = (f"`i` of {blocks:,} blocks of {threads:,} threads, n = {n:,}", "elements of one thread", "of several")
    return Table((*head, "of none", "threads with i not below n"), rows, words=1)


def _tile_table(at: Settings) -> Table:
    width, height = at["width"], at["height"]
    shapes = dict.fromkeys([(at["block_x"], at["block_y"]), (16, 16), (32, 8), (8, 32), (256, 1), (1, 256)])
    rows = []
    for x, y in shapes:
        found = tiles(width, height, x, y)
        cells = (found.across * found.down, found.threads, found.idle, found.warp_rows)
        rows.append((f"{x} × {y}", *map(number, cells)))
    head = (f"block, image of {width} × {height}", "blocks", "threads", "threads beside the image")
    return Table((*head, "rows of a warp"), rows, words=1)


def _apart(at: Settings) -> str | None:
    if at["shape"] == ONE:
        bounds = {"block": at["blocks"], "thread": at["threads"]}
    else:
        found = tiles(at["width"], at["height"], at["block_x"], at["block_y"])
        bounds = {"x": found.across * at["block_x"], "y": found.down * at["block_y"]}
        if (threads := at["block_x"] * at["block_y"]) > 1024:
            return f"a block of {threads:,} threads has more than 1,024"
    return next((f"{name} is not below {bound:,}" for name, bound in bounds.items() if at[name] >= bound), None)


GRID_INDEX = Widget(
    title="Which thread gets which index",
    caption="Each cell is a thread, with the index that it works out. One without color has no element: the guard "
    "lets it do nothing.",
    fields=(
        Field(name="shape", label="Shape", start=ONE, choices=(ONE, TWO)),
        Field(name="n", label="Elements, n", start=10, low=1, high=1 << 20, log=True, only=ONE),
        Field(name="blocks", label="Blocks", start=3, low=1, high=4096, log=True, only=ONE),
        Field(
            name="threads",
            label="Threads per block",
            start=4,
            low=1,
            high=1024,
            log=True,
            why="a block has at most 1,024 threads",
            only=ONE,
        ),
        Field(name="width", label="Image width", start=20, low=1, high=128, only=TWO),
        Field(name="height", label="Image height", start=10, low=1, high=128, only=TWO),
        Field(name="block_x", label="Block width, x", start=8, low=1, high=1024, log=True, only=TWO),
        Field(name="block_y", label="Block height, y", start=4, low=1, high=1024, log=True, only=TWO),
        Field(name="block", label="Look at block", start=1, low=0, below="blocks", only=ONE),
        Field(name="thread", label="and its thread", start=3, low=0, below="threads", only=ONE),
        Field(name="x", label="Look at column, x", start=9, low=0, below="columns", only=TWO),
        Field(name="y", label="and row, y", start=5, low=0, below="rows", only=TWO),
        Field(name="formula", label="Index", start=RIGHT, choices=tuple(FORMULAS), only=ONE),
        Field(name="guard", label="Guard", start=True),
    ),
    limits=(
        "Order. All these threads run, and no order of theirs is promised, neither of blocks nor inside one.",
        "Where. A block goes to whatever processor of the GPU has room for it; its number says nothing about that.",
        "Cost. An index that is right may still be slow: what counts is which addresses neighboring threads ask for.",
        "A third dimension. Grids and blocks have a `z` too, which works as `y` does.",
        "Large arrays. An `int` ends at 2,147,483,647, and an index beyond that wraps to a negative number.",
    ),
    table=_table,
    apart=_apart,
)
