"""``mov``: copies, constants, and registers taken apart or put together."""

from __future__ import annotations

from gpu100.device.simt.decode.ops.common import BITS, INTEGERS, require
from gpu100.device.simt.decode.ops.context import Context
from gpu100.device.simt.decode.ops.registry import op
from gpu100.device.simt.ptx.ir import WIDTHS, Immediate, Instruction, Vector


@op("mov", types=f"pred f32 f64 {BITS} {INTEGERS}")
def mov(i: Instruction, c: Context) -> None:
    destination, source = i.operands
    if isinstance(destination, Vector):
        _unpack(i, c, destination)
    elif isinstance(source, Vector):
        _pack(i, c, source)
    elif isinstance(source, Immediate):
        c.write(destination, f"np.array([{c.read(source, i.type)}])", i.type)
    else:
        c.alias(destination, c.read(source, i.type), i.type)


def _element(i: Instruction, vector: Vector) -> str:
    bits = WIDTHS[i.type] // len(vector.elements)
    require(bits in (8, 16, 32) and bits * len(vector.elements) == WIDTHS[i.type], i)
    return f"b{bits}"


def _pack(i: Instruction, c: Context, source: Vector) -> None:
    """The first element becomes the lowest bits."""
    type = _element(i, source)
    parts = ", ".join(c.read(element, type) for element in source.elements)
    c.write(i.operands[0], f"A.join({parts})", f"b{WIDTHS[i.type]}")


def _unpack(i: Instruction, c: Context, destination: Vector) -> None:
    type = _element(i, destination)
    whole = c.temp(c.read(i.operands[1], f"b{WIDTHS[i.type]}"))
    count = len(destination.elements)
    parts = [c.temp(f"A.part({whole}, {index}, np.uint{type[1:]})") for index in range(count)]
    for element, part in zip(destination.elements, parts, strict=True):
        c.write(element, part, type)
