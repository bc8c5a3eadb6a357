"""Sums longer than a register: ``.cc`` leaves a carry, or a borrow, for the next instruction."""

from __future__ import annotations

from gpu100.device.simt.decode.ops.common import CARRY, require, unsigned
from gpu100.device.simt.decode.ops.context import Context
from gpu100.device.simt.decode.ops.registry import op
from gpu100.device.simt.ptx.ir import Instruction

_TYPES = "u32 s32 u64 s64"


@op("addc", "subc", types=_TYPES, modifiers="cc")
def add(i: Instruction, c: Context) -> None:
    """``add``, ``addc``, ``sub`` and ``subc``, with or without ``.cc``."""
    type = unsigned(i.type)
    a, b = (c.read(operand, type) for operand in i.operands[1:])
    _sum(i, c, a, b)


@op("madc", types="u32 s32 u64 s64", modifiers="lo hi cc")
def mad(i: Instruction, c: Context) -> None:
    """``mad`` and ``madc``, with or without ``.cc``: the carry is that of the addition."""
    require(i.has("lo") != i.has("hi"), i)
    type, wrapped = (i.type if i.has("hi") else unsigned(i.type)), unsigned(i.type)
    a, b = (c.read(operand, type) for operand in i.operands[1:3])
    product = f"A.mul_hi({a}, {b}).astype(np.uint{wrapped[1:]})" if i.has("hi") else f"{a} * {b}"
    _sum(i, c, c.temp(product), c.read(i.operands[3], wrapped))


def _sum(i: Instruction, c: Context, a: str, b: str) -> None:
    """``a`` plus or minus ``b`` and the carry that came in; writes the one that goes out."""
    type, sign = unsigned(i.type), "-" if i.opcode.startswith("sub") else "+"
    if i.opcode.endswith("c"):
        incoming = c.temp(c.read(CARRY, "b32"))
        result = c.temp(f"{a} {sign} {b} {sign} {incoming}")
    else:
        incoming, result = "", c.temp(f"{a} {sign} {b}")
    if not i.has("cc"):
        c.write(i.operands[0], result, type)
        return
    # A sum that wrapped is less than its first part; with a carry it may also be equal to it.
    less, same = (f"{result} < {a}", f"{result} == {a}") if sign == "+" else (f"{a} < {b}", f"{a} == {b}")
    outgoing = c.temp(f"({less}) | (({same}) & ({incoming} != 0))" if incoming else less)
    c.write(i.operands[0], result, type)
    c.write(CARRY, f"{outgoing}.astype(np.uint32)", "b32")
