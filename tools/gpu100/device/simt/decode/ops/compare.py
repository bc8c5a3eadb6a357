"""Comparisons, and selection by what they found."""

from __future__ import annotations

from gpu100.device.simt.decode.ops.common import BITS, INTEGERS, pair_of, require, types_of
from gpu100.device.simt.decode.ops.context import Context
from gpu100.device.simt.decode.ops.half import HALVES, PACKED, load
from gpu100.device.simt.decode.ops.registry import op
from gpu100.device.simt.ptx.ir import WIDTHS, Instruction, Negated, Operand

_EQUALITY = {"eq": "{a} == {b}", "ne": "{a} != {b}"}
_ORDER = {"lt": "{a} < {b}", "le": "{a} <= {b}", "gt": "{a} > {b}", "ge": "{a} >= {b}"}
_UNSIGNED = {"lo": _ORDER["lt"], "ls": _ORDER["le"], "hi": _ORDER["gt"], "hs": _ORDER["ge"]}
_FLOAT = {
    "eq": "{a} == {b}",
    "ne": "({a} < {b}) | ({a} > {b})",
    **_ORDER,
    "equ": "~(({a} < {b}) | ({a} > {b}))",
    "neu": "{a} != {b}",
    "ltu": "~({a} >= {b})",
    "leu": "~({a} > {b})",
    "gtu": "~({a} <= {b})",
    "geu": "~({a} < {b})",
    "num": "({a} == {a}) & ({b} == {b})",
    "nan": "({a} != {a}) | ({b} != {b})",
}
"""A comparison with a NaN is false; those that end in u are then true instead."""
_COMBINE = {"and": "&", "or": "|", "xor": "^"}
_BOOLEAN = " and or xor"
_RESULTS = " u32 s32 f32"


def _comparisons(type: str) -> dict[str, str]:
    if type[0] == "f" or type in HALVES:
        return _FLOAT
    return _EQUALITY if type[0] == "b" else _EQUALITY | _ORDER | (_UNSIGNED if type[0] == "u" else {})


def _compared(i: Instruction, c: Context) -> str:
    """The expression of the comparison alone: booleans, in two columns for a packed type."""
    known = _comparisons(i.type)
    found = [word for word in i.modifiers if word in known]
    require(len(found) == 1, i)
    a, b = (c.temp(load(operand, c, i.type, ftz=i.has("ftz"))) for operand in i.operands[1:3])
    return known[found[0]].format(a=a, b=b)


def _combined(i: Instruction, c: Context, result: str) -> str:
    """The comparison's result with the third source, as ``setp.lt.and.s32`` asks."""
    operator = next((_COMBINE[word] for word in i.modifiers if word in _COMBINE), "")
    require(bool(operator) == (len(i.operands) == 4), i)
    return f"({result}) {operator} {_predicate(i.operands[3], c)}" if operator else result


def _predicate(operand: Operand, c: Context) -> str:
    if isinstance(operand, Negated):
        return f"~{c.read(operand.register, 'pred')}"
    return c.read(operand, "pred")


@op("setp", types=BITS, modifiers=" ".join(_EQUALITY) + _BOOLEAN)
@op("setp", types="s16 s32 s64", modifiers=" ".join(_EQUALITY | _ORDER) + _BOOLEAN)
@op("setp", types="u16 u32 u64", modifiers=" ".join(_EQUALITY | _ORDER | _UNSIGNED) + _BOOLEAN)
@op("setp", types="f32 f16", modifiers=" ".join(_FLOAT) + _BOOLEAN + " ftz")
@op("setp", types="f64 bf16", modifiers=" ".join(_FLOAT) + _BOOLEAN)
def setp(i: Instruction, c: Context) -> None:
    first, second = pair_of(i.operands[0])
    if first is i.operands[0]:
        c.write(first, _combined(i, c, _compared(i, c)), "pred")
        return
    result = c.temp(_compared(i, c))
    found, opposite = c.temp(_combined(i, c, result)), c.temp(_combined(i, c, f"~{result}"))
    c.write(first, found, "pred")
    c.write(second, opposite, "pred")


@op("setp", types="f16x2", modifiers=" ".join(_FLOAT) + _BOOLEAN + " ftz")
@op("setp", types="bf16x2", modifiers=" ".join(_FLOAT) + _BOOLEAN)
def setp_packed(i: Instruction, c: Context) -> None:
    """The first destination takes what the lower halves gave, the second that of the upper ones."""
    result = c.temp(_compared(i, c))
    each = [c.temp(_combined(i, c, f"{result}[:, {column}]")) for column in (0, 1)]
    for destination, found in zip(pair_of(i.operands[0]), each, strict=True):
        c.write(destination, found, "pred")


@op("set", types=BITS, modifiers=" ".join(_EQUALITY) + _BOOLEAN + _RESULTS)
@op("set", types="s16 s32 s64", modifiers=" ".join(_EQUALITY | _ORDER) + _BOOLEAN + _RESULTS)
@op("set", types="u16 u32 u64", modifiers=" ".join(_EQUALITY | _ORDER | _UNSIGNED) + _BOOLEAN + _RESULTS)
@op("set", types="f32", modifiers=" ".join(_FLOAT) + _BOOLEAN + _RESULTS + " ftz")
@op("set", types="f64", modifiers=" ".join(_FLOAT) + _BOOLEAN + _RESULTS)
@op("set", types="f16", modifiers=" ".join(_FLOAT) + _BOOLEAN + " f16 u16 s16 u32 s32 ftz")
@op("set", types="bf16", modifiers=" ".join(_FLOAT) + _BOOLEAN + " bf16 u16 s16 u32 s32")
@op("set", types="f16x2", modifiers=" ".join(_FLOAT) + " f16x2 u32 s32 ftz")
@op("set", types="bf16x2", modifiers=" ".join(_FLOAT) + " bf16x2 u32 s32")
def set_(i: Instruction, c: Context) -> None:
    """All ones, or 1.0, where the comparison holds, else zero."""
    kinds = types_of(i)
    require(len(kinds) == 2, i)
    target = kinds[0]
    result = _compared(i, c)
    if i.type in PACKED:
        c.write(i.operands[0], f"A.whole({_truth(f'({result})', target.removesuffix('x2'), 16)})", "u32")
        return
    result = f"({_combined(i, c, result)})"
    c.write(i.operands[0], _truth(result, target, WIDTHS[target]), "b" + str(WIDTHS[target]))


def _truth(result: str, target: str, bits: int) -> str:
    ones = {"f16": 0x3C00, "bf16": 0x3F80, "f32": 0x3F800000}.get(target, 2**bits - 1)
    return f"{result}.astype(np.uint{bits}) * np.uint{bits}({ones})"


@op("selp", types=f"{BITS} {INTEGERS} f32 f64")
def selp(i: Instruction, c: Context) -> None:
    type = f"b{WIDTHS[i.type]}"
    a, b = (c.read(operand, type) for operand in i.operands[1:3])
    c.write(i.operands[0], f"A.select({_predicate(i.operands[3], c)}, {a}, {b})", type)


@op("slct", types="s32", modifiers=f"{BITS} {INTEGERS} f32 f64")
@op("slct", types="f32", modifiers=f"{BITS} {INTEGERS} f32 f64 ftz")
def slct(i: Instruction, c: Context) -> None:
    """The first where the third is not negative, which a NaN is not either."""
    kinds = types_of(i)
    require(len(kinds) == 2, i)
    type = f"b{WIDTHS[kinds[0]]}"
    a, b = (c.read(operand, type) for operand in i.operands[1:3])
    by = c.read(i.operands[3], i.type)
    by = f"A.ftz({by})" if i.has("ftz") else by
    c.write(i.operands[0], f"A.select({by} >= 0, {a}, {b})", type)
