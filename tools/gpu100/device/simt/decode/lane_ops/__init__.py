"""Instructions that know lanes: memory, warps, barriers, and the registers that hardware fills.

All others are in :mod:`gpu100.device.simt.decode.ops`; they compute element by element.
"""

from __future__ import annotations

from gpu100.device.simt.decode.lane_ops import calls, memory, warps
from gpu100.device.simt.decode.lane_ops.registry import LANE_OPS, LaneOp
from gpu100.device.simt.decode.lane_ops.special import LAUNCH_WIDE, SPECIALS, special, special_code
from gpu100.device.simt.decode.lane_ops.warps import barrier, member_mask
from gpu100.device.simt.ptx.ir import Instruction

__all__ = ["LAUNCH_WIDE", "OPCODES", "SPECIALS", "barrier", "find", "member_mask", "special", "special_code"]

_FAMILIES = (calls, memory, warps)
"""Imported for what they enter into the registry."""

OPCODES = LANE_OPS.keys()
"""Opcodes of this package."""


def find(item: Instruction) -> LaneOp | None:
    """What writes ``item``; None where it computes element by element."""
    return LANE_OPS.get(item.opcode)
