"""One exercise, and for every reason of the closed list a kernel that is wrong for it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from gpu100 import practice
from gpu100.device.interface import Source
from gpu100.model.practice import Reason

FAR = 2**31 - 50


@practice.exercise(
    "void work(long long start, int n, const int* in, int* out, int* total, int* room)",
    cases=[practice.case(start=0, n=n) for n in (0, 1, 5, 64, 65, 130)] + [practice.case(start=FAR, n=100)],
    speed=practice.Speed(case=practice.case(start=0, n=4096), nbytes=12 * 4096, slowest=2.0),
)
def work(case: practice.Case, random: np.random.Generator) -> practice.Trial:
    """out[i] += in[i] for the elements from start on, and total counts them; 2 blocks of 32 threads."""
    given, before = (random.integers(-1000, 1000, case.n, dtype=np.int32) for _ in range(2))
    right, total = before + given, np.array([7], np.int32)
    return practice.Trial(
        grid=2,
        block=32,
        args=[
            np.int64(case.start),
            case.n,
            practice.given(given, start=case.start),
            practice.updated(before, right, start=case.start),
            practice.updated(total, total + np.int32(case.n), counter=True),
            practice.scratch(case.n, "int32"),
        ],
    )


HEAD = 'extern "C" __global__ void work(long long start, int n, const int* in, int* out, int* total, int* room) {\n'
LOOP = "for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < %s; j += %s) {\n%s }\n"
OWN = "out[start + j] += in[start + j];"
ADD = "atomicAdd(total, 1);"
COUNT = "if (blockIdx.x == 0 && threadIdx.x == 0) *total += n;\n"
STEP = "gridDim.x * blockDim.x"
RIGHT = LOOP % ("n", STEP, OWN) + COUNT
ONCE = "int j = %s;\nif (j < n) " + OWN + "\n" + COUNT

KERNELS: dict[Reason, str] = {
    "no-guard": LOOP % ("n + 40", STEP, OWN) + COUNT,
    "off-by-one": LOOP % ("n + 1", STEP, OWN) + COUNT,
    "local-index": ONCE % "threadIdx.x",
    "wrong-index": ONCE % "blockIdx.x * gridDim.x + threadIdx.x",
    "overlap": LOOP % ("n", "blockDim.x", OWN) + COUNT,
    "one-pass": ONCE % "blockIdx.x * blockDim.x + threadIdx.x",
    "tail": LOOP % ("n / 32 * 32", STEP, OWN) + COUNT,
    "overflow": LOOP % ("n", STEP, "int i = (int)start + j; out[i] += in[i];") + COUNT,
    "wrong-order": COUNT
    + """if (blockIdx.x || threadIdx.x) return;
         for (int j = 0; j < (n + 1) / 2; ++j) {
             int a = out[start + j] + in[start + j], k = n - 1 - j, b = out[start + k] + in[start + k];
             out[start + j] = b, out[start + k] = a; }""",
    "wrong-result": LOOP % ("n", STEP, "out[start + j] = 2 * in[start + j] + 1;") + COUNT,
    "wrong-buffer": LOOP % ("n", STEP, "((int*)in)[start + j] += out[start + j];") + COUNT,
    "unwritten": "",
    "missing-barrier": """__shared__ int tile[32]; tile[threadIdx.x] = n;
                          if (n > 1) room[0] = tile[31 - threadIdx.x];\n"""
    + RIGHT,
    "divergent-barrier": "if (threadIdx.x >= 7) __syncthreads();\n" + RIGHT,
    "race": LOOP % ("n", STEP, OWN + " *total = *total + 1;"),
    "uninitialized": LOOP % ("n", STEP, "out[start + j] += in[start + j] + room[j];") + COUNT,
    "misaligned": LOOP % ("n - 1", STEP, "room[j] = (int)(*(const long long*)(in + start + 1) % 1000003);") + RIGHT,
    "endless": "while (*(volatile int*)total > 0) {}\n",
    "too-slow": """int each = (n + 63) / 64, first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
                   for (int j = first; j < first + each && j < n; ++j) """
    + OWN
    + "\n"
    + COUNT,
}


def source_of(body: str) -> Source:
    return Source(Path("work.cu"), "work.cu", f"{HEAD}{body}\n}}\n")
