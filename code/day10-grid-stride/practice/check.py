"""SAXPY by a grid-stride loop: any grid, any length, from any element on."""

import numpy as np

from gpu100 import practice

GRIDS = ((2, 64), (1, 96), (7, 32), (3, 1024))
FAR = 2**31 - 100, 2**32 - 100  # some elements lie before the power of 2, others behind
TIMED, BLOCKS = 1 << 22, 528

CASES = [
    practice.case(start=0, n=n, blocks=2, threads=64) for n in practice.awkward(64)
]
CASES += [
    practice.case(start=1000, n=5000, blocks=blocks, threads=threads)
    for blocks, threads in GRIDS
]
CASES += [practice.case(start=start, n=1000, blocks=2, threads=64) for start in FAR]


@practice.exercise(
    "void saxpy(long long start, int n, float a, const float* x, float* y)",
    cases=CASES,
    speed=practice.Speed(
        case=practice.case(start=0, n=TIMED, blocks=BLOCKS, threads=256),
        case_on_model=practice.case(start=0, n=1 << 14, blocks=4, threads=128),
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
    updated = practice.updated(y, right, absolute=rounding, start=case.start)
    given = practice.given(x, start=case.start)
    return practice.Trial(
        grid=case.blocks, block=case.threads, args=[case.start, case.n, a, given, updated]
    )
