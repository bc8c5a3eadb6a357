"""What several families of emitters share."""

from __future__ import annotations

from gpu100.device.simt.decode.ops.context import Context
from gpu100.device.simt.faults import not_modeled
from gpu100.device.simt.ptx.ir import WIDTHS, Instruction, Operand, Pair, Register, Sink

INTEGERS = "u16 s16 u32 s32 u64 s64"
BITS = "b16 b32 b64"
ROUNDINGS = "rn rz rm rp"
DIRECTED = ("rz", "rm", "rp")


def dtype(type: str) -> str:
    """The NumPy dtype of a PTX type, as text: ``np.uint32`` for ``b32``."""
    if type == "pred":
        return "np.bool_"
    kind, bits = type[0], WIDTHS[type]
    if type in ("f16", "f32", "f64"):
        return f"np.float{bits}"
    return f"np.int{bits}" if kind == "s" and "x" not in type else f"np.uint{bits}"


def unsigned(type: str) -> str:
    """The unsigned type of the same width, in which sums and products wrap around alike."""
    return f"u{WIDTHS[type]}"


def types_of(instruction: Instruction) -> list[str]:
    """The types in its name, in order: that of the result first, where there are two."""
    return [word for word in instruction.modifiers if word in WIDTHS]


def rounding(instruction: Instruction) -> str:
    """Its rounding mode, ``rn`` unless it names another."""
    return next((mode for mode in DIRECTED if instruction.has(mode)), "rn")


def sources(instruction: Instruction, context: Context, type: str) -> list[str]:
    """All operands but the first, read in one type."""
    return [context.read(operand, type) for operand in instruction.operands[1:]]


def pair_of(operand: Operand) -> tuple[Operand, Operand]:
    """The destinations of ``%p1|%p2``; a lone one has nobody beside it."""
    return (operand.first, operand.second) if isinstance(operand, Pair) else (operand, Sink())


def require(condition: bool, instruction: Instruction) -> None:
    """Refuse an instruction that is written in a way its emitter does not know.

    Raises:
        NotModeled: ``condition`` does not hold.
    """
    if not condition:
        raise not_modeled(instruction)


CARRY = Register("%cc")
"""The carry flag that ``add.cc`` sets and ``addc`` reads: 0 or 1."""
