"""Adjacent differences: the first element, then what each adds to the one before it."""

import numpy as np

from gpu100 import practice

CASES = [
    practice.case(n=n, blocks=practice.blocks(n, 128), threads=128)
    for n in practice.awkward(128)
]
# Blocks that are no whole warps, more of them than needed, and not one thread to spare.
for n, blocks, threads in ((1000, 11, 96), (1000, 8, 512), (50, 10, 5)):
    CASES.append(practice.case(n=n, blocks=blocks, threads=threads))


@practice.exercise(
    "void differences(const int* in, int* out, unsigned int n)", cases=CASES
)
def differences(case: practice.Case, random: np.random.Generator) -> practice.Trial:
    # From 1 up, so that no difference is its own element, and none overflows.
    numbers = random.integers(1, 1 << 30, case.n, dtype=np.int32)
    return practice.Trial(
        grid=case.blocks,
        block=case.threads,
        args=[
            practice.given(numbers),
            practice.result(np.diff(numbers, prepend=np.int32(0))),
            case.n,
        ],
    )
