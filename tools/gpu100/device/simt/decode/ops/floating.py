"""Arithmetic in ``f32`` and ``f64``: what IEEE 754 says, with directed roundings and flushing.

NumPy's own operators round to nearest and keep subnormals, as PTX does where a name says nothing
else. Two things are not modelled. Which NaN a result is: a GPU gives 0x7FFFFFFF in ``f32``. And
``.ftz`` where a product just below the smallest normal number is rounded up to it: a GPU flushes it.
"""

from __future__ import annotations

from gpu100.device.simt.decode.ops.common import ROUNDINGS, require, rounding
from gpu100.device.simt.decode.ops.context import Context
from gpu100.device.simt.decode.ops.registry import op
from gpu100.device.simt.ptx.ir import Instruction

_SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_FULL = f"{ROUNDINGS} ftz sat"


def read(i: Instruction, c: Context) -> list[str]:
    """All sources, with subnormals flushed where the instruction says so."""
    values = [c.read(operand, i.type) for operand in i.operands[1:]]
    return [f"A.ftz({value})" for value in values] if i.has("ftz") else values


def write(i: Instruction, c: Context, expression: str) -> None:
    """The result, flushed and held between 0 and 1 where the instruction says so."""
    if i.has("ftz"):
        expression = f"A.ftz({expression})"
    c.write(i.operands[0], f"A.saturate({expression})" if i.has("sat") else expression, i.type)


@op("add", "sub", "mul", types="f32", modifiers=_FULL)
@op("add", "sub", "mul", types="f64", modifiers=ROUNDINGS)
@op("div", types="f32", modifiers=f"{ROUNDINGS} ftz approx full")
@op("div", types="f64", modifiers=ROUNDINGS)
def binary(i: Instruction, c: Context) -> None:
    a, b = read(i, c)
    mode = rounding(i)
    if i.has("approx"):
        write(i, c, f"A.div_approx({a}, {b})")
    elif mode == "rn":
        write(i, c, f"{a} {_SYMBOLS[i.opcode]} {b}")
    else:
        write(i, c, f"A.{i.opcode}_directed({a}, {b}, {mode!r})")


@op("fma", "mad", types="f32", modifiers=_FULL)
@op("fma", "mad", types="f64", modifiers=ROUNDINGS)
def fma(i: Instruction, c: Context) -> None:
    """Rounds once, in hardware as here."""
    values = ", ".join(read(i, c))
    mode = rounding(i)
    name = i.type[1:]
    write(i, c, f"A.fma{name}({values})" if mode == "rn" else f"A.fma{name}_directed({values}, {mode!r})")


@op("rcp", "sqrt", types="f32", modifiers=f"{ROUNDINGS} approx ftz")
@op("rcp", types="f64", modifiers=f"{ROUNDINGS} approx ftz")
@op("sqrt", types="f64", modifiers=ROUNDINGS)
def root(i: Instruction, c: Context) -> None:
    mode = rounding(i)
    if i.type == "f64" and (i.has("approx") or i.has("ftz")):
        require(i.has("approx") and i.has("ftz"), i)
        c.write(i.operands[0], f"A.rcp_gross({c.read(i.operands[1], 'f64')})", "f64")
        return
    (a,) = read(i, c)
    one = f"np.float{i.type[1:]}(1)"
    if i.opcode == "rcp":
        write(i, c, f"{one} / {a}" if mode == "rn" else f"A.div_directed({one}, {a}, {mode!r})")
    else:
        write(i, c, f"np.sqrt({a})" if mode == "rn" else f"A.sqrt_directed({a}, {mode!r})")


@op("abs", "neg", types="f32", modifiers="ftz")
@op("abs", "neg", types="f64")
def sign(i: Instruction, c: Context) -> None:
    (a,) = read(i, c)
    function = {"abs": "np.abs", "neg": "np.negative"}[i.opcode]
    c.write(i.operands[0], f"{function}({a})", i.type)


@op("min", "max", types="f32", modifiers="ftz NaN")
@op("min", "max", types="f64")
def least(i: Instruction, c: Context) -> None:
    """A NaN yields to a number, unless the name has ``.NaN``. There may be three sources."""
    first, *rest = read(i, c)
    name = f"A.{i.opcode}_nan" if i.has("NaN") else f"A.{i.opcode}_number"
    for other in rest:
        first = f"{name}({first}, {other})"
    c.write(i.operands[0], first, i.type)


@op("copysign", types="f32 f64")
def copysign(i: Instruction, c: Context) -> None:
    """The sign of the first source, the size of the second."""
    sign_from, size_from = read(i, c)
    c.write(i.operands[0], f"A.copysign({size_from}, {sign_from})", i.type)


@op("testp", types="f32 f64", modifiers="finite infinite number notanumber normal subnormal")
def testp(i: Instruction, c: Context) -> None:
    require(len(i.modifiers) == 2, i)
    c.write(i.operands[0], f"A.is_{i.modifiers[0]}({c.read(i.operands[1], i.type)})", "pred")
