"""How an instruction that knows lanes finds what writes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gpu100.device.simt.ptx.ir import Instruction

if TYPE_CHECKING:
    from gpu100.device.simt.decode.writer import BlockWriter

LaneOp = Callable[[Instruction, "BlockWriter"], None]

LANE_OPS: dict[str, LaneOp] = {}
"""By opcode."""


def op(*opcodes: str) -> Callable[[LaneOp], LaneOp]:
    """Enter a function for these opcodes."""

    def register(function: LaneOp) -> LaneOp:
        LANE_OPS.update(dict.fromkeys(opcodes, function))
        return function

    return register
