"""Sign your slot: every thread leaves its block's number and its own in its slot."""

import numpy as np

from gpu100 import practice

LAUNCHES = ((2, 4), (3, 4), (1, 32), (3, 33), (7, 96), (257, 256))
CASES = [practice.case(n=0, blocks=1, threads=4), practice.case(n=1, blocks=1, threads=4)]
for blocks, threads in LAUNCHES:
    all_of_them = blocks * threads
    for n in (all_of_them - threads + 1, all_of_them - 1, all_of_them):
        CASES.append(practice.case(n=n, blocks=blocks, threads=threads))
for n, blocks, threads in ((0, 3, 4), (5, 3, 4), (100, 7, 96)):  # blocks too many
    CASES.append(practice.case(n=n, blocks=blocks, threads=threads))


@practice.exercise("void sign(int* block, int* thread, int n)", cases=CASES)
def sign(case: practice.Case, random: np.random.Generator) -> practice.Trial:
    slot = np.arange(case.n, dtype=np.int32)
    return practice.Trial(
        grid=case.blocks,
        block=case.threads,
        args=[
            practice.result(slot // case.threads),
            practice.result(slot % case.threads),
            case.n,
        ],
    )
