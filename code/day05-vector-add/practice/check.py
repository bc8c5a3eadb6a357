"""SAXPY, y = a x + y: one thread per element, the last block only partly at work."""

import numpy as np

from gpu100 import practice

THREADS = 256
TIMED = 1 << 22


@practice.exercise(
    "void saxpy(int n, float a, const float* x, float* y)",
    cases=[practice.case(n=n) for n in practice.awkward(THREADS)],
    speed=practice.Speed(
        case=practice.case(n=TIMED),
        case_on_model=practice.case(n=1 << 14),
        nbytes=12 * TIMED,
        slowest=2.0,
    ),
)
def saxpy(case: practice.Case, random: np.random.Generator) -> practice.Trial:
    a = np.float32(random.uniform(0.5, 2.0))
    x = random.standard_normal(case.n, dtype=np.float32)
    y = random.standard_normal(case.n, dtype=np.float32)
    product = a.astype(np.float64) * x  # exact: 24 bits times 24 bits fit into 53
    right = product + y
    # Half an ulp for the sum, and half a one of the product where it is rounded first.
    rounding = 2.0**-24 * (np.abs(product) + np.abs(right)) + 2.0**-149
    return practice.Trial(
        grid=practice.blocks(case.n, THREADS),
        block=THREADS,
        args=[
            case.n,
            a,
            practice.given(x),
            practice.updated(y, right, absolute=rounding),
        ],
    )
