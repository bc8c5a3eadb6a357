"""Arithmetic in ``f16`` and ``bf16``, one or two to a register.

Values are widened to ``f32``, computed there (or in ``f64``, where 24 bits could round twice) and
rounded back once. Two in a register are an array of two columns, the lower half first.
"""

from __future__ import annotations

from gpu100.device.simt.decode.ops.context import Context
from gpu100.device.simt.decode.ops.registry import op
from gpu100.device.simt.ptx.ir import WIDTHS, Instruction, Operand

PACKED = ("f16x2", "bf16x2")
HALVES = ("f16", "bf16", *PACKED)
_IEEE = "f16 f16x2"
_BRAIN = "bf16 bf16x2"
_SYMBOLS = {"add": "+", "sub": "-", "mul": "*"}


def load(operand: Operand, c: Context, type: str, *, ftz: bool = False) -> str:
    """A source as ``f32``; types that are not halves are read as they are."""
    value = c.read(operand, type)
    if type not in HALVES:
        return f"A.ftz({value})" if ftz else value
    if type in PACKED:
        value = f"A.halves({value}, np.{'uint16' if type == 'bf16x2' else 'float16'})"
    if type.startswith("bf16"):
        value = f"A.from_bf16({value})"
        return f"A.ftz({value})" if ftz else value
    return f"A.ftz({value}).astype(np.float32)" if ftz else f"{value}.astype(np.float32)"


def store(i: Instruction, c: Context, expression: str) -> None:
    """Round an ``f32`` or ``f64`` to the instruction's type and write it."""
    if i.has("sat"):
        expression = f"A.saturate({expression})"
    if i.has("relu"):
        expression = f"A.relu({expression})"
    brain = i.type.startswith("bf16")
    if i.has("ftz") and brain:
        expression = f"A.ftz({expression})"
    expression = f"A.to_{'bf16' if brain else 'f16'}({expression})"
    if i.has("ftz") and not brain:
        expression = f"A.ftz({expression})"
    c.write(i.operands[0], f"A.whole({expression})" if i.type in PACKED else expression, i.type)


def _loaded(i: Instruction, c: Context) -> list[str]:
    return [load(operand, c, i.type, ftz=i.has("ftz")) for operand in i.operands[1:]]


@op("add", "sub", "mul", types=_IEEE, modifiers="rn ftz sat")
@op("add", "sub", "mul", types=_BRAIN, modifiers="rn")
def binary(i: Instruction, c: Context) -> None:
    a, b = _loaded(i, c)
    if i.opcode == "mul" and i.type.startswith("bf16"):
        store(i, c, f"np.multiply({a}, {b}, dtype=np.float64)")
    else:
        store(i, c, f"{a} {_SYMBOLS[i.opcode]} {b}")


@op("fma", types=_IEEE, modifiers="rn ftz sat relu")
@op("fma", types=_BRAIN, modifiers="rn relu")
def fma(i: Instruction, c: Context) -> None:
    store(i, c, f"A.fma_odd({', '.join(_loaded(i, c))})")


@op("min", "max", types=_IEEE, modifiers="ftz NaN")
@op("min", "max", types=_BRAIN, modifiers="NaN")
def least(i: Instruction, c: Context) -> None:
    first, *rest = _loaded(i, c)
    name = f"A.{i.opcode}_nan" if i.has("NaN") else f"A.{i.opcode}_number"
    for other in rest:
        first = f"{name}({first}, {other})"
    store(i, c, first)


@op("abs", "neg", types=_IEEE, modifiers="ftz")
@op("abs", "neg", types=_BRAIN)
def sign(i: Instruction, c: Context) -> None:
    """Only the sign bits change; of a NaN too, which a GPU makes 0x7FFF."""
    bits = WIDTHS[i.type]
    high = 0x80008000 if i.type in PACKED else 0x8000
    if i.has("ftz"):
        # Widened and rounded back nothing is lost, and flushing is written once.
        store(i, c, f"{'np.abs' if i.opcode == 'abs' else 'np.negative'}({_loaded(i, c)[0]})")
        return
    value = c.read(i.operands[1], f"b{bits}")
    operation = f"^ np.uint{bits}({high})" if i.opcode == "neg" else f"& np.uint{bits}({2**bits - 1 - high})"
    c.write(i.operands[0], f"{value} {operation}", f"b{bits}")
