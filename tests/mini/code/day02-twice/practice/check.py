"""Three times as much, one thread per element."""

import numpy as np

from gpu100 import practice


@practice.exercise(
    "void thrice(int n, const float* x, float* y)",
    cases=[practice.case(n=n) for n in (0, 1, 3, 4, 5, 9)],
)
def thrice(case: practice.Case, random: np.random.Generator) -> practice.Trial:
    x = random.standard_normal(case.n, dtype=np.float32)
    args = [case.n, practice.given(x), practice.result(np.float32(3) * x)]
    return practice.Trial(practice.blocks(case.n, 4), 4, args)
