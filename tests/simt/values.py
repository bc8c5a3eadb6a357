"""Values worth trying, by type."""

from __future__ import annotations

import random
from itertools import product

from gpu100.device.simt.ptx.ir import WIDTHS

from simt.exact import FORMATS
from simt.harness import Case

AMOUNTS = (0, 1, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 255, 256, 2**31, 2**32 - 1)


def _integer_edges(bits: int) -> tuple[int, ...]:
    top = 1 << bits - 1
    near = {0, 1, 2, 3, 5, 7, 10, top - 1, top, top + 1, 2 * top - 1, 2 * top - 2, 2 * top - 3}
    return tuple(sorted(near | {1 << bits // 2, (1 << bits // 2) - 1, 0x5A % (2 * top), 2 * top // 3}))


def _float_edges(type: str) -> tuple[int, ...]:
    """Zeros, one and its neighbours, halves, the ends of every range, integers' limits, NaNs."""
    form = FORMATS[type]
    one, infinity = form.bias << form.fraction_bits, form.top << form.fraction_bits
    step = 1 << form.fraction_bits
    positive = {0, 1, 2, step - 1, step, step + 1, one - 1, one, one + 1, one + step // 2, one - step}
    positive |= {
        infinity - 1,
        infinity,
        infinity | 1,
        infinity | step // 2,
        infinity - step,
        one + step + step // 4,
        1 | step // 2,
    }
    for exponent in (7, 8, 15, 16, 31, 32, 63, 64):
        if exponent < form.bias:
            positive |= {one + exponent * step, one + exponent * step - 1}
    return tuple(sorted(positive | {form.sign_bit | bits for bits in positive}))


EDGES: dict[str, tuple[int, ...]] = {
    "pred": (0, 1),
    "cc": (0, 1),
    "place": (0, 1, 5, 30, 31),
    "count": (0, 1, 2, 3, 16, 32, 33, 2**32 - 1, 2**32 - 2, 2**31 + 1),
}
for _type in ("8", "16", "32", "64"):
    for _kind in "bus":
        EDGES[_kind + _type] = _integer_edges(int(_type))
for _type in FORMATS:
    EDGES[_type] = _float_edges(_type)
EDGES["u32"] = tuple(sorted({*EDGES["u32"], *AMOUNTS}))
for _type in ("u16x2", "s16x2", "f16x2", "bf16x2"):
    _each = EDGES[_type.removesuffix("x2")]
    EDGES[_type] = tuple(low | high << 16 for low, high in zip(_each, reversed(_each), strict=True))


def value(type: str, drawn: int) -> int:
    """A value of a type from any integer: an edge, a moderate number, or all bits at random."""
    choice, rest = drawn & 7, drawn >> 3
    edges = EDGES[type]
    if choice < 3 or type not in WIDTHS or type == "pred":
        return edges[rest % len(edges)]
    if type in FORMATS and choice < 6:
        form = FORMATS[type]
        bits = rest % (1 << WIDTHS[type]) & ~(form.top << form.fraction_bits)
        spread = min(form.bias, 30)
        return bits | form.bias - spread // 2 + (rest >> 7) % spread << form.fraction_bits
    if choice == 3:
        return rest % 67 % (1 << WIDTHS[type])
    return rest * 0x9E3779B97F4A7C15 % (1 << 67) >> 3 & (1 << WIDTHS[type]) - 1


def grid(case: Case, limit: int = 300) -> list[tuple[int, ...]]:
    """Edges against edges; a fixed selection where they would be too many."""
    rows = list(product(*(EDGES[type] for type in case.sources))) if len(case.sources) < 3 else []
    chooser = random.Random(case.name)
    if len(case.sources) >= 3:
        rows = [tuple(chooser.choice(EDGES[type]) for type in case.sources) for _ in range(limit)]
    return rows if len(rows) <= limit else chooser.sample(rows, limit)
