"""What each computing instruction means, as a NumPy expression over lanes.

An emitter turns one PTX instruction into text that the code generator puts into a block's function.
Memory, control flow and what goes on between threads are not here.
"""

from __future__ import annotations

from gpu100.device.simt.decode.ops import bits, carry, compare, convert, floating, half, integer, logic, move, special
from gpu100.device.simt.decode.ops.context import Context, Emitter
from gpu100.device.simt.decode.ops.registry import EMITTERS, Rule, emitter

__all__ = ["EMITTERS", "Context", "Emitter", "Rule", "emitter"]

_FAMILIES = (bits, carry, compare, convert, floating, half, integer, logic, move, special)
"""Imported for what they enter into the registry."""
