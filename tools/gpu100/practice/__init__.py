"""What an exercise's check.py imports: the kernel it asks for, the cases, and what has to come out.

::

    import numpy as np

    from gpu100 import practice

    @practice.exercise(
        "void saxpy(int n, float a, const float* x, float* y)",
        cases=[practice.case(n=n) for n in practice.awkward(256)],
    )
    def saxpy(case, random):
        a = float(random.uniform(0.5, 2))
        x, y = (random.standard_normal(case.n, dtype=np.float32) for _ in range(2))
        right = np.float32(a) * x.astype(float) + y
        after = practice.updated(y, right, absolute=1e-6)
        return practice.Trial(practice.blocks(case.n), 256, [case.n, a, practice.given(x), after])

Inputs are made anew for every check. What the runner adds by itself: canaries around every array,
poison in every output, and a look at whether the inputs are still what they were.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpu100.practice.buffers import Buffer
    from gpu100.practice.cases import (
        Case,
        Exercise,
        Speed,
        Trial,
        awkward,
        blocks,
        case,
        exercise,
        given,
        result,
        scratch,
        updated,
    )

__all__ = [
    "Buffer",
    "Case",
    "Exercise",
    "Speed",
    "Trial",
    "awkward",
    "blocks",
    "case",
    "exercise",
    "given",
    "result",
    "scratch",
    "updated",
]


def __getattr__(name: str) -> Any:
    """What check.py asks for, from where it is: the reader's side of a check starts without NumPy and a device."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "buffers" if name == "Buffer" else "cases"
    return getattr(importlib.import_module(f"{__name__}.{module}"), name)
