"""Counting, finding, moving and reversing bits."""

from __future__ import annotations

from gpu100.device.simt.decode.ops.common import require, sources
from gpu100.device.simt.decode.ops.context import Context
from gpu100.device.simt.decode.ops.registry import op
from gpu100.device.simt.ptx.ir import Instruction

_PRMT_MODES = "f4e b4e rc8 ecl ecr rc16"


@op("popc", "clz", types="b32 b64")
def count(i: Instruction, c: Context) -> None:
    c.write(i.operands[0], f"A.{i.opcode}({c.read(i.operands[1], i.type)})", "u32")


@op("brev", types="b32 b64")
def brev(i: Instruction, c: Context) -> None:
    c.write(i.operands[0], f"A.brev({c.read(i.operands[1], i.type)})", i.type)


@op("bfind", types="u32 s32 u64 s64", modifiers="shiftamt")
def bfind(i: Instruction, c: Context) -> None:
    value = c.read(i.operands[1], i.type)
    c.write(i.operands[0], f"A.bfind{'_shift' if i.has('shiftamt') else ''}({value})", "u32")


@op("bfe", types="u32 s32 u64 s64")
def bfe(i: Instruction, c: Context) -> None:
    value = c.read(i.operands[1], i.type)
    start, length = (c.read(operand, "u32") for operand in i.operands[2:])
    c.write(i.operands[0], f"A.bfe({value}, {start}, {length})", i.type)


@op("bfi", types="b32 b64")
def bfi(i: Instruction, c: Context) -> None:
    field, into = (c.read(operand, i.type) for operand in i.operands[1:3])
    start, length = (c.read(operand, "u32") for operand in i.operands[3:])
    c.write(i.operands[0], f"A.bfi({field}, {into}, {start}, {length})", i.type)


@op("bmsk", types="b32", modifiers="clamp wrap")
def bmsk(i: Instruction, c: Context) -> None:
    require(i.has("clamp") != i.has("wrap"), i)
    start, length = sources(i, c, "u32")
    c.write(i.operands[0], f"A.bmsk_{'clamp' if i.has('clamp') else 'wrap'}({start}, {length})", "u32")


@op("szext", types="u32 s32", modifiers="clamp wrap")
def szext(i: Instruction, c: Context) -> None:
    require(i.has("clamp") != i.has("wrap"), i)
    value, length = c.read(i.operands[1], i.type), c.read(i.operands[2], "u32")
    length = f"{length} & 31" if i.has("wrap") else f"np.minimum({length}, 32)"
    c.write(i.operands[0], f"A.bfe({value}, np.uint32(0), {length})", i.type)


@op("fns", types="b32")
def fns(i: Instruction, c: Context) -> None:
    mask, base, offset = (c.read(o, t) for o, t in zip(i.operands[1:], ("u32", "u32", "s32"), strict=True))
    c.write(i.operands[0], f"A.fns({mask}, {base}, {offset})", "u32")


@op("prmt", types="b32", modifiers=_PRMT_MODES)
def prmt(i: Instruction, c: Context) -> None:
    """Four bytes chosen among the eight of two registers."""
    a, b, selector = sources(i, c, "u32")
    mode = next((word for word in i.modifiers if word != "b32"), "index")
    c.write(i.operands[0], f"A.prmt_{mode}({a}, {b}, {selector})", "u32")
