"""Arguments and results, and the functions that the model itself provides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu100.device.simt.decode.lane_ops.registry import op
from gpu100.device.simt.faults import NotModeled
from gpu100.device.simt.ptx.ir import (
    Instruction,
    Register,
    Symbol,
)

if TYPE_CHECKING:
    from gpu100.device.simt.decode.writer import BlockWriter


@op("copy", "enter")
def _copy(i: Instruction, c: BlockWriter) -> None:
    c.alias(i.operands[0], c.read(i.operands[1], i.type), i.type)


@op("call")
def _runtime(i: Instruction, c: BlockWriter) -> None:
    """A function that the model provides; the others end their block."""
    assert i.call is not None
    assert isinstance(i.call.target, Symbol)
    name = i.call.target.name
    argument = {number: f"%arg{number}+0.64" for number in range(5)}
    result = Register("%ret0+0.32" if name == "vprintf" else "%ret0+0.64")

    def taken(number: int, bits: int = 64) -> str:
        return c.read(Register(argument[number].replace(".64", f".{bits}")), f"u{bits}")

    if name == "vprintf":
        c.write_lanes(result, f"S.printf(X, {taken(0)}, {taken(1)})", "b32")
    elif name == "__assertfail":
        location = c.emitter.constant_object(i.location)
        c.line(f"S.assertion(X, {taken(0)}, {taken(1)}, {taken(2, 32)}, {taken(3)}, {location})")
    elif name == "malloc":
        c.write_lanes(result, f"S.malloc(X, {taken(0)})", "b64")
    elif name == "free":
        c.line(f"S.free(X, {taken(0)})")
    else:
        raise NotModeled(f"call of {name}", i.location)
