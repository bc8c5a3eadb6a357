"""Reverse an array: the last element first, one thread per element."""

import numpy as np

from gpu100 import practice

CASES = [
    practice.case(n=n, blocks=practice.blocks(n, 128), threads=128)
    for n in practice.awkward(128)
]
# Blocks of another size, more of them than elements need, and fewer threads than a warp.
for n, blocks, threads in ((1000, 11, 96), (1000, 8, 512), (50, 10, 5)):
    CASES.append(practice.case(n=n, blocks=blocks, threads=threads))


@practice.exercise("void reverse(const int* in, int* out, int n)", cases=CASES)
def reverse(case: practice.Case, random: np.random.Generator) -> practice.Trial:
    numbers = random.integers(-(2**31), 2**31, case.n, dtype=np.int32)
    return practice.Trial(
        grid=case.blocks,
        block=case.threads,
        args=[practice.given(numbers), practice.result(numbers[::-1].copy()), case.n],
    )
