"""Functions that a GPU approximates: here right to half a unit in the last place, or nearly so.

The hardware's tables are not public, so the last bits differ from a GPU's; for ``sin`` and ``cos`` of
large numbers everything does. Zeros, infinities and NaNs are as PTX states them.
"""

from __future__ import annotations

from gpu100.device.simt.decode.ops import floating, half
from gpu100.device.simt.decode.ops.common import require
from gpu100.device.simt.decode.ops.context import Context
from gpu100.device.simt.decode.ops.registry import op
from gpu100.device.simt.ptx.ir import Instruction


@op("sin", "cos", "ex2", "lg2", "rsqrt", types="f32", modifiers="approx ftz")
@op("tanh", types="f32", modifiers="approx")
def approximate(i: Instruction, c: Context) -> None:
    require(i.has("approx"), i)
    (a,) = floating.read(i, c)
    floating.write(i, c, f"A.{i.opcode}_approx({a})")


@op("rsqrt", types="f64", modifiers="approx ftz")
def rsqrt(i: Instruction, c: Context) -> None:
    require(i.has("approx"), i)
    name = "rsqrt_gross" if i.has("ftz") else "rsqrt_approx"
    c.write(i.operands[0], f"A.{name}({c.read(i.operands[1], 'f64')})", "f64")


@op("ex2", types="f16 f16x2", modifiers="approx")
@op("ex2", types="bf16 bf16x2", modifiers="approx ftz")
@op("tanh", types="f16 f16x2 bf16 bf16x2", modifiers="approx")
def approximate_half(i: Instruction, c: Context) -> None:
    require(i.has("approx"), i)
    a = half.load(i.operands[1], c, i.type, ftz=i.has("ftz"))
    half.store(i, c, f"A.{i.opcode}_approx({a})")
