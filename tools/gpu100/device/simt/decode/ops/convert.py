"""``cvt``: from every type to every other."""

from __future__ import annotations

from gpu100.device.simt.decode.ops.common import dtype, require, rounding, types_of
from gpu100.device.simt.decode.ops.context import Context
from gpu100.device.simt.decode.ops.half import load
from gpu100.device.simt.decode.ops.registry import op
from gpu100.device.simt.ptx.ir import WIDTHS, Instruction

_INTEGERS = "u8 s8 u16 s16 u32 s32 u64 s64"
_FLOATS = "f16 bf16 f32 f64"
_TO_INTEGER = "rni rzi rmi rpi"
_MODES = "rn rz rm rp"
_FP8 = "e4m3x2 e5m2x2"


@op("cvt", types=_INTEGERS, modifiers=f"{_INTEGERS} {_FLOATS} {_MODES} sat")
def from_integer(i: Instruction, c: Context) -> None:
    kinds = types_of(i)
    require(len(kinds) == 2, i)
    target, source = kinds
    value = c.read(i.operands[1], source)
    if target in _INTEGERS.split():
        require(not any(i.has(mode) for mode in _MODES.split()), i)
        expression = f"A.saturated({value}, {dtype(target)})" if i.has("sat") else f"{value}.astype({dtype(target)})"
        c.write(i.operands[0], expression, target)
        return
    require(sum(i.has(mode) for mode in _MODES.split()) == 1, i)
    _write(i, c, target, f"A.{target}_from_integer({value}, {rounding(i)!r})")


@op("cvt", types="f16", modifiers=f"{_INTEGERS} {_FLOATS} {_MODES} {_TO_INTEGER} ftz sat")
@op("cvt", types="bf16", modifiers=f"{_INTEGERS} {_FLOATS} {_MODES} {_TO_INTEGER}")
@op(
    "cvt",
    types="f32",
    modifiers=f"{_INTEGERS} {_FLOATS} {_MODES} {_TO_INTEGER} ftz sat relu f16x2 bf16x2 satfinite {_FP8}",
)
@op("cvt", types="f64", modifiers=f"{_INTEGERS} {_FLOATS} {_MODES} {_TO_INTEGER} ftz sat")
def from_float(i: Instruction, c: Context) -> None:
    if i.has("satfinite"):
        _to_fp8(i, c)
        return
    kinds = types_of(i)
    require(len(kinds) == 2 and not any(i.has(name) for name in _FP8.split()), i)
    target, source = kinds
    if target in ("f16x2", "bf16x2"):
        _two(i, c, target)
        return
    # An f32 result is flushed by _write. A GPU does not flush what becomes an f16.
    value = load(i.operands[1], c, source, ftz=i.has("ftz") and source == "f32" and target != "f16")
    whole = next((mode for mode in _TO_INTEGER.split() if i.has(mode)), "")
    if target in _INTEGERS.split():
        require(bool(whole), i)
        wide = source == "f64" or target in ("s64", "u64")
        c.write(i.operands[0], f"A.to_integer({value}, {dtype(target)}, {whole!r}, nan_is_zero={not wide})", target)
        return
    if whole:
        require(target == source, i)
        value = f"A.{whole}({value})"
    _write(i, c, target, _rounded(i, value, target, source))


def _rounded(i: Instruction, value: str, target: str, source: str) -> str:
    """A value of ``source``, widened to ``f32`` if it is a half, as one of ``target``."""
    mode = rounding(i)
    if target in ("f16", "bf16"):
        return f"A.to_{target}({value}, {mode!r})"
    if target == "f64":
        return value if source == "f64" else f"{value}.astype(np.float64)"
    if source == "f64":
        return f"A.narrowed({value}, {mode!r})"
    return value


def _write(i: Instruction, c: Context, target: str, expression: str) -> None:
    if i.has("ftz") and target == "f32":
        expression = f"A.ftz({expression})"
    if i.has("sat"):
        require(target != "bf16", i)
        expression = f"A.saturate({expression})"
    if i.has("relu"):
        require(target in ("f16", "bf16"), i)
        expression = f"A.relu_{target}({expression})"
    c.alias(i.operands[0], expression, target)


def _two(i: Instruction, c: Context, target: str) -> None:
    """Two ``f32`` to the halves of one register; the first source becomes the upper half."""
    require(i.has("rn") != i.has("rz") and not (i.has("ftz") or i.has("sat")), i)
    half = target.removesuffix("x2")
    high, low = (f"A.to_{half}({c.read(operand, 'f32')}, {rounding(i)!r})" for operand in i.operands[1:3])
    if i.has("relu"):
        high, low = f"A.relu_{half}({high})", f"A.relu_{half}({low})"
    c.write(i.operands[0], f"A.join({low}, {high})", f"b{WIDTHS[target]}")


@op("cvt", types="f16x2", modifiers=f"rn satfinite relu {_FP8}")
def fp8(i: Instruction, c: Context) -> None:
    """Two halves to two floats of eight bits, or back."""
    if i.has("satfinite"):
        _to_fp8(i, c)
        return
    require(i.has("rn") and i.modifiers[-1] in _FP8.split() and i.modifiers[-2] == "f16x2", i)
    expression = f"A.from_fp8({c.read(i.operands[1], 'b16')}, {i.modifiers[-1]!r})"
    if i.has("relu"):
        expression = f"A.whole(A.relu(A.halves({expression}, np.float16)))"
    c.write(i.operands[0], expression, "b32")


def _to_fp8(i: Instruction, c: Context) -> None:
    target = i.modifiers[-2]
    require(i.has("rn") and target in _FP8.split() and not (i.has("ftz") or i.has("sat")), i)
    if i.type == "f32":
        high, low = (c.read(operand, "f32") for operand in i.operands[1:3])
    else:
        both = c.temp(load(i.operands[1], c, "f16x2"))
        high, low = f"{both}[:, 1]", f"{both}[:, 0]"
    if i.has("relu"):
        high, low = f"A.relu({high})", f"A.relu({low})"
    c.write(i.operands[0], f"A.to_fp8({high}, {low}, {target!r})", "b16")
