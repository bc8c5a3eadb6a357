"""Bit by bit: the logic instructions and shifts."""

from __future__ import annotations

from gpu100.device.simt.decode.ops.common import BITS, dtype, require, sources, unsigned
from gpu100.device.simt.decode.ops.context import Context
from gpu100.device.simt.decode.ops.registry import op
from gpu100.device.simt.faults import not_modeled
from gpu100.device.simt.ptx.ir import WIDTHS, Immediate, Instruction, Operand

_SYMBOLS = {"and": "&", "or": "|", "xor": "^"}
_TWO_INPUTS = (
    "0", "~({a} | {b})", "~{a} & {b}", "~{a}", "{a} & ~{b}", "~{b}", "{a} ^ {b}", "~({a} & {b})",
    "{a} & {b}", "~({a} ^ {b})", "{b}", "~{a} | {b}", "{a}", "{a} | ~{b}", "{a} | {b}", "1",
)  # fmt: skip
"""The sixteen functions of two bits; bit ``2 * a + b`` of an index is the function's value."""


@op("and", "or", "xor", types=f"pred {BITS}")
def logic(i: Instruction, c: Context) -> None:
    a, b = sources(i, c, i.type)
    c.write(i.operands[0], f"{a} {_SYMBOLS[i.opcode]} {b}", i.type)


@op("not", types=f"pred {BITS}")
def complement(i: Instruction, c: Context) -> None:
    c.write(i.operands[0], f"~{c.read(i.operands[1], i.type)}", i.type)


@op("cnot", types=BITS)
def cnot(i: Instruction, c: Context) -> None:
    c.write(i.operands[0], f"({c.read(i.operands[1], i.type)} == 0).astype({dtype(i.type)})", i.type)


@op("lop3", types="b32")
def lop3(i: Instruction, c: Context) -> None:
    """Any function of three bits: bit ``4 * a + 2 * b + c`` of the last operand is its value."""
    table = i.operands[4]
    if not isinstance(table, Immediate):
        raise not_modeled(i)
    require(0 <= table.value <= 255, i)
    a, b, third = (c.temp(c.read(operand, "b32")) for operand in i.operands[1:4])
    off, on = (_of_two(table.value >> bit, a, b) for bit in (0, 1))
    if off == on:
        expression = off
    else:
        expression = " | ".join(term for term in (_both(f"~{third}", off), _both(third, on)) if term != "0")
    if expression in ("0", "1"):
        expression = f"np.array([{'0' if expression == '0' else '0xFFFFFFFF'}], np.uint32)"
    c.alias(i.operands[0], expression, "b32")


def _of_two(every_other: int, a: str, b: str) -> str:
    """The function of ``a`` and ``b`` that bits 0, 2, 4 and 6 tell."""
    index = sum((every_other >> 2 * bit & 1) << bit for bit in range(4))
    return _TWO_INPUTS[index].format(a=a, b=b)


def _both(first: str, second: str) -> str:
    return second if second == "0" else first if second == "1" else f"({first} & ({second}))"


@op("shl", types=BITS)
def shl(i: Instruction, c: Context) -> None:
    value = c.read(i.operands[1], i.type)
    c.write(i.operands[0], f"{value} << {_amount(i, c, i.operands[2], WIDTHS[i.type])}", i.type)


@op("shr", types="b16 b32 b64 u16 u32 u64 s16 s32 s64")
def shr(i: Instruction, c: Context) -> None:
    value = c.read(i.operands[1], i.type)
    most = WIDTHS[i.type] - (i.type[0] == "s")
    c.write(i.operands[0], f"{value} >> {_amount(i, c, i.operands[2], most)}", i.type)


def _amount(i: Instruction, c: Context, operand: Operand, most: int) -> str:
    """How far to shift, in the value's own dtype, so that NumPy neither widens nor converts.

    Amounts are unsigned 32-bit numbers; NumPy, like PTX, shifts everything out from the width on.
    """
    type = dtype(i.type)
    if isinstance(operand, Immediate):
        return f"{type}({min(operand.value % 2**32, most)})"
    amount = c.read(operand, "u32")
    return amount if i.type in ("b32", "u32") else f"np.minimum({amount}, {most}).astype({type})"


@op("shf", types="b32", modifiers="l r wrap clamp")
def shf(i: Instruction, c: Context) -> None:
    """Shift 64 bits, of which ``a`` is the lower half, and take one half."""
    require(i.has("l") != i.has("r") and i.has("wrap") != i.has("clamp"), i)
    low, high, amount = sources(i, c, "u32")
    amount = c.temp(f"{amount} & 31" if i.has("wrap") else f"np.minimum({amount}, 32)")
    if i.has("l"):
        c.write(i.operands[0], f"({high} << {amount}) | ({low} >> (32 - {amount}))", unsigned(i.type))
    else:
        c.write(i.operands[0], f"({high} << (32 - {amount})) | ({low} >> {amount})", unsigned(i.type))
