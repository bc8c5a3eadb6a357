"""A picture mirrored left to right, in rows with two different pitches."""

import numpy as np

from gpu100 import practice

SIZES = ((0, 3), (3, 0), (1, 1), (5, 3), (16, 8), (17, 8))
SIZES += ((16, 9), (31, 33), (32, 31), (33, 32))
MORE = ((70, 45), (45, 70), (259, 255))
BLOCKS = ((32, 8), (16, 16), (8, 32))

CASES = [
    practice.case(width=width, height=height, block_x=x, block_y=y)
    for sizes, blocks in ((SIZES, BLOCKS[:1]), (MORE, BLOCKS))
    for width, height in sizes
    for x, y in blocks
]
TIMED = practice.case(width=2043, height=2045, block_x=32, block_y=8)
SMALL = practice.case(width=123, height=125, block_x=32, block_y=8)


@practice.exercise(
    "void mirror(int width, int height, const float* in, size_t in_pitch, "
    "float* out, size_t out_pitch)",
    cases=CASES,
    speed=practice.Speed(
        case=TIMED, case_on_model=SMALL, nbytes=8 * 2043 * 2045, slowest=2.0
    ),
)
def mirror(case: practice.Case, random: np.random.Generator) -> practice.Trial:
    width, height = case.width, case.height
    image = random.standard_normal((height, width), dtype=np.float32)
    sectors = -(-width // 8)
    in_pitch, out_pitch = 8 * sectors + 8, 8 * sectors + 16  # in floats
    return practice.Trial(
        grid=(
            practice.blocks(width, case.block_x),
            practice.blocks(height, case.block_y),
        ),
        block=(case.block_x, case.block_y),
        args=[
            width,
            height,
            practice.given(image, pitch=in_pitch),
            4 * in_pitch,
            practice.result(image[:, ::-1].copy(), pitch=out_pitch),
            4 * out_pitch,
        ],
    )
