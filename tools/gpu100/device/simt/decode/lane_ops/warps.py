"""What lanes of a warp tell each other, and the barriers of a block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu100.device.simt.decode.lane_ops.registry import op
from gpu100.device.simt.faults import not_modeled
from gpu100.device.simt.ptx.ir import (
    Instruction,
    Operand,
    Pair,
    Sink,
)

if TYPE_CHECKING:
    from gpu100.device.simt.decode.writer import BlockWriter


def member_mask(item: Instruction) -> Operand:
    """The operand that says which lanes an instruction waits for."""
    return item.operands[0] if item.opcode == "bar" else item.operands[-1]


@op("shfl")
def _shuffle(i: Instruction, c: BlockWriter) -> None:
    match i.modifiers:
        case ("sync", ("up" | "down" | "bfly" | "idx") as mode, "b32"):
            pass
        case _:
            raise not_modeled(i)
    target, value, lane, clamp, _ = i.operands
    operands = ", ".join(c.read(operand, "u32") for operand in (value, lane, clamp))
    first, second = (target.first, target.second) if isinstance(target, Pair) else (target, Sink())
    got = c.temp(f'S.warp.shuffle("{mode}", X, {operands})')
    c.write_lanes(first, f"{got}[0]", "b32")
    c.write_lanes(second, f"{got}[1]", "pred")


@op("vote")
def _vote(i: Instruction, c: BlockWriter) -> None:
    match i.modifiers:
        case ("sync", ("all" | "any" | "uni" | "ballot") as mode, "pred" | "b32"):
            pass
        case _:
            raise not_modeled(i)
    value, members = c.read(i.operands[1], "pred"), c.read(i.operands[2], "u32")
    type = "b32" if mode == "ballot" else "pred"
    c.write_lanes(i.operands[0], f"S.warp.{mode}(X, {value}, {members})", type)


@op("match")
def _match(i: Instruction, c: BlockWriter) -> None:
    match i.modifiers:
        case (("any" | "all") as mode, "sync", ("b32" | "b64") as type):
            pass
        case _:
            raise not_modeled(i)
    value, members = c.read(i.operands[1], type.replace("b", "u")), c.read(i.operands[2], "u32")
    target = i.operands[0]
    if mode == "any":
        c.write_lanes(target, f"S.warp.match_any(X, {value}, {members})", "b32")
        return
    first, second = (target.first, target.second) if isinstance(target, Pair) else (target, Sink())
    got = c.temp(f"S.warp.match_all(X, {value}, {members})")
    c.write_lanes(first, f"{got}[0]", "b32")
    c.write_lanes(second, f"{got}[1]", "pred")


@op("redux")
def _reduce(i: Instruction, c: BlockWriter) -> None:
    match i.modifiers:
        case ("sync", ("add" | "min" | "max" | "and" | "or" | "xor") as operation, ("u32" | "s32" | "b32") as type):
            pass
        case _:
            raise not_modeled(i)
    value, members = c.read(i.operands[1], type), c.read(i.operands[2], "u32")
    c.write_lanes(i.operands[0], f'S.warp.reduce("{operation}", X, {value}, {members})', type)


@op("activemask")
def _active_mask(i: Instruction, c: BlockWriter) -> None:
    c.write_lanes(i.operands[0], "S.warp.active_mask(X)", "b32")


@op("bar", "barrier")
def _warp_barrier(i: Instruction, c: BlockWriter) -> None:
    if i.modifiers != ("warp", "sync"):
        raise not_modeled(i)
    c.line("M.warp_sync(X)")


def barrier(i: Instruction, c: BlockWriter) -> str:
    """What a block that ends in a barrier returns: its number, its count of threads, what it reduces."""
    words = set(i.modifiers)
    if words - {"sync", "arrive", "red", "popc", "and", "or", "aligned", "cta", "u32", "pred"}:
        raise not_modeled(i)
    operands = i.operands[1:] if "red" in words else i.operands
    predicate = "None"
    if "red" in words:
        *operands_left, last = operands
        operands, predicate = tuple(operands_left), c.read(last, "pred")
    number = c.read(operands[0], "u32")
    count = c.read(operands[1], "u32") if len(operands) > 1 else "None"
    return c.temp(f"({number}, {count}, {predicate})")
