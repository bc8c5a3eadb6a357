"""NumPy's element types for PTX's types, and their names in generated code."""

from __future__ import annotations

import numpy as np

from gpu100.device.simt.faults import NotModeled
from gpu100.device.simt.ptx.ir import WIDTHS

_KINDS = {"b": "u", "u": "u", "s": "i", "f": "f"}
_PACKED = {"f16x2": "u4", "bf16": "u2", "bf16x2": "u4", "u16x2": "u4", "s16x2": "u4", "tf32": "u4"}
DTYPES = {f"{kind}{size}": np.dtype(f"{kind}{size}") for kind in "ui" for size in (1, 2, 4, 8)}
DTYPES |= {f"f{size}": np.dtype(f"f{size}") for size in (2, 4, 8)} | {"b1": np.dtype(np.bool_)}
"""What generated code calls the element types."""


def code_of(type: str) -> str:
    """The name of the element type of a PTX type: ``u4`` for ``b32``."""
    if type == "pred":
        return "b1"
    if type in _PACKED:
        return _PACKED[type]
    if type not in WIDTHS or WIDTHS[type] > 64:
        raise NotModeled(f"a value of type {type}")
    return f"{_KINDS[type[0]]}{WIDTHS[type] // 8}"


def kept_as(type: str) -> str:
    """The type a register's value is kept as: bits, since from compute_100 on registers say no more."""
    return type if type == "pred" else f"b{WIDTHS[type]}"
