"""Integer arithmetic. What wraps around alike for both signs is done in unsigned lanes."""

from __future__ import annotations

from gpu100.device.simt.decode.ops import carry
from gpu100.device.simt.decode.ops.common import INTEGERS, dtype, require, sources, types_of, unsigned
from gpu100.device.simt.decode.ops.context import Context
from gpu100.device.simt.decode.ops.registry import op
from gpu100.device.simt.ptx.ir import WIDTHS, Instruction

_NARROW = "u16 s16 u32 s32"
_PAIRS = "u16x2 s16x2"
_SIGNS = {"add": "+", "sub": "-"}


@op("add", "sub", types="u16 s16")
@op("add", "sub", types="u32 u64 s64", modifiers="cc")
@op("add", "sub", types="s32", modifiers="cc sat")
def add(i: Instruction, c: Context) -> None:
    if i.has("cc"):
        carry.add(i, c)
        return
    if i.has("sat"):
        a, b = sources(i, c, i.type)
        c.write(i.operands[0], f"A.{i.opcode}_sat({a}, {b})", i.type)
        return
    a, b = sources(i, c, unsigned(i.type))
    c.write(i.operands[0], f"{a} {_SIGNS[i.opcode]} {b}", unsigned(i.type))


@op("add", "min", "max", types=_PAIRS)
def paired(i: Instruction, c: Context) -> None:
    function = {"add": "np.add", "min": "np.minimum", "max": "np.maximum"}[i.opcode]
    lanes = dtype(i.type.removesuffix("x2"))
    a, b = (f"A.halves({word}, {lanes})" for word in sources(i, c, "u32"))
    c.write(i.operands[0], f"A.whole({function}({a}, {b}))", "u32")


@op("mul", types=_NARROW, modifiers="lo hi wide")
@op("mul", types="u64 s64", modifiers="lo hi")
def mul(i: Instruction, c: Context) -> None:
    expression, type = _product(i, c)
    c.write(i.operands[0], expression, type)


@op("mad", types="u16 s16", modifiers="lo hi wide")
@op("mad", types="u32", modifiers="lo hi wide cc")
@op("mad", types="s32", modifiers="lo hi wide sat cc")
@op("mad", types="u64 s64", modifiers="lo hi cc")
def mad(i: Instruction, c: Context) -> None:
    if i.has("cc"):
        carry.mad(i, c)
        return
    product, type = _product(i, c)
    addend = c.read(i.operands[3], type)
    if i.has("sat"):
        require(i.has("hi"), i)
        c.write(i.operands[0], f"A.add_sat({product}, {addend})", type)
        return
    c.write(i.operands[0], f"{product} + {addend}", type)


def _product(i: Instruction, c: Context) -> tuple[str, str]:
    """The product's expression and its type."""
    require(i.has("lo") + i.has("hi") + i.has("wide") == 1, i)
    type = unsigned(i.type) if i.has("lo") else i.type
    a, b = (c.read(operand, type) for operand in i.operands[1:3])
    if i.has("lo"):
        return f"{a} * {b}", type
    if i.has("hi"):
        return f"A.mul_hi({a}, {b})", type
    wide = f"{type[0]}{2 * WIDTHS[type]}"
    return f"np.multiply({a}, {b}, dtype={dtype(wide)})", wide


@op("mul24", types="u32 s32", modifiers="lo hi")
@op("mad24", types="u32", modifiers="lo hi")
@op("mad24", types="s32", modifiers="lo hi sat")
def mul24(i: Instruction, c: Context) -> None:
    require(i.has("lo") != i.has("hi"), i)
    a, b = (c.read(operand, i.type) for operand in i.operands[1:3])
    product = f"A.mul24_{'hi' if i.has('hi') else 'lo'}({a}, {b})"
    if i.opcode == "mul24":
        c.write(i.operands[0], product, i.type)
        return
    addend = c.read(i.operands[3], i.type)
    c.write(i.operands[0], f"A.add_sat({product}, {addend})" if i.has("sat") else f"{product} + {addend}", i.type)


@op("div", "rem", types=INTEGERS)
def div(i: Instruction, c: Context) -> None:
    a, b = sources(i, c, i.type)
    c.write(i.operands[0], f"A.{i.opcode}({a}, {b})", i.type)


@op("abs", "neg", types="s16 s32 s64")
def sign(i: Instruction, c: Context) -> None:
    function = {"abs": "np.abs", "neg": "np.negative"}[i.opcode]
    c.write(i.operands[0], f"{function}({c.read(i.operands[1], i.type)})", i.type)


@op("min", "max", types=INTEGERS)
def least(i: Instruction, c: Context) -> None:
    a, b = sources(i, c, i.type)
    c.write(i.operands[0], f"np.{i.opcode}imum({a}, {b})", i.type)


@op("sad", types=INTEGERS)
def sad(i: Instruction, c: Context) -> None:
    a, b, addend = sources(i, c, i.type)
    c.write(i.operands[0], f"A.distance({a}, {b}) + {addend}", i.type)


@op("dp4a", types="u32 s32", modifiers="u32 s32")
@op("dp2a", types="u32 s32", modifiers="u32 s32 lo hi")
def dot(i: Instruction, c: Context) -> None:
    kinds = types_of(i)
    require(len(kinds) == 2 and i.has("lo") + i.has("hi") == (i.opcode == "dp2a"), i)
    a, b = (c.read(operand, type) for operand, type in zip(i.operands[1:3], kinds, strict=True))
    addend = c.read(i.operands[3], "u32")
    name = f"dp2a_{'hi' if i.has('hi') else 'lo'}" if i.opcode == "dp2a" else "dp4a"
    c.write(i.operands[0], f"A.{name}({a}, {b}) + {addend}", "u32")
