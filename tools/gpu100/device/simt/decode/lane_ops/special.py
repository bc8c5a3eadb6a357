"""Registers that the hardware fills."""

from __future__ import annotations

from gpu100.device.simt.faults import NotModeled
from gpu100.device.simt.ptx.ir import (
    Instruction,
)

LAUNCH_WIDE = frozenset({f"{name}_{axis}" for name in ("ntid", "nctaid") for axis in "xyz"} | {"envreg1", "envreg2"})
"""Methods of the state that give one value for all lanes."""

SPECIALS = {f"%{name}.{axis}": f"{name}_{axis}" for name in ("tid", "ctaid", "ntid", "nctaid") for axis in "xyz"}
SPECIALS |= {f"%lanemask_{which}": f"lanemask_{which}" for which in ("eq", "lt", "le", "gt", "ge")}
SPECIALS |= {f"%{name}": name for name in ("laneid", "warpid", "nwarpid", "smid", "nsmid", "gridid")}
SPECIALS |= {f"%{name}": name for name in ("envreg1", "envreg2", "dynamic_smem_size", "total_smem_size")}

_CLOCKS = ("%clock", "%clock_hi", "%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi")


def special(name: str, item: Instruction) -> str:
    """The state's method that gives the register ``name``."""
    if name in _CLOCKS:
        hint = "the model counts what hardware is asked to do, not how long it takes: time this on a GPU"
        raise NotModeled(f"the clock register {name}", item.location, hint=hint)
    if name not in SPECIALS:
        raise NotModeled(f"the register {name}", item.location)
    return SPECIALS[name]


def special_code(name: str) -> str:
    """Its element type in generated code."""
    return "u8" if name == "%gridid" else "u4"
