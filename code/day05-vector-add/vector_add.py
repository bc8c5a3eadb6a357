# %% [markdown]
# # A complete program: vector add
#
# One addition per element is the whole kernel. Around it stands what every CUDA program
# has: memory on the GPU, copies there and back, a launch, and the checks that make the
# answer worth something. This program does all of it several times over, compares every
# sum with the CPU's bit by bit, and asks the host's clock where the time went.

# %%
import time

import numpy as np

from gpu100 import lab

device = lab.device()
gpu = device.gpu
add = lab.compile(device, "vector_add.cu")["add"]
print(f"{gpu.name}, compute capability {gpu.capability}")

# %% [markdown]
# ## How much
#
# Three arrays have to fit in the GPU's free memory. Where they do not, they are halved
# until they do, and the record keeps the size that was taken. The model, which has no
# GPU to be quick with, takes fewer from the start.

# %%
WANTED = lab.sized(1 << 26, on_model=1 << 20)
SPARE = 64 << 20
FLOAT = 4

n = WANTED
while n > 1 and 3 * FLOAT * n + SPARE > device.free_bytes():
    n //= 2
if n < WANTED:
    print(f"too little free memory on the GPU for {WANTED} floats")

array_bytes = FLOAT * n
print(f"3 arrays of {n} floats: {3 * array_bytes} bytes on the GPU")
lab.exact("n", n, scale={"n": n})
lab.exact("array_mb", array_bytes / 1e6, scale={"n": n})

# %% [markdown]
# ## Something to be wrong against
#
# The inputs are random, of both signs and of many sizes, so that many sums have to be
# rounded. The answer to compare with is the CPU's own addition of the same floats.

# %%
# --8<-- [start:reference]
random = np.random.default_rng(5)
host_a = random.standard_normal(n, dtype=np.float32)
host_b = random.standard_normal(n, dtype=np.float32)
on_cpu = host_a + host_b


def count_wrong(sums: np.ndarray) -> int:
    """How many of ``sums`` differ from the CPU's in any bit."""
    return int(np.count_nonzero(sums.view(np.uint32) != on_cpu.view(np.uint32)))
# --8<-- [end:reference]


# %% [markdown]
# Memory that no kernel has written must fail the comparison. If it passed, the comparison
# would prove nothing about memory that one has.

# %%
# --8<-- [start:poison]
wrong_before = count_wrong(device.empty(n, "float32").to_numpy())
print(f"before the launch: {wrong_before} of {n} sums are wrong")
lab.check("the comparison rejects what no kernel wrote", wrong_before == n)
# --8<-- [end:poison]
lab.exact("wrong_before", wrong_before, scale={"n": n})

# %% [markdown]
# ## One pass through the program
#
# Allocate, copy in, launch, copy out; the memory is given back when the pass ends. A step
# is timed by the host's clock, from a moment when the GPU has nothing left to do to the
# next such moment. Allocating and filling with poison happen before the clock starts.

# %%
THREADS = 256
blocks = -(-n // THREADS)
print(f"{blocks} blocks of {THREADS} threads")
lab.exact("blocks", blocks, scale={"n": n})


# --8<-- [start:one_pass]
def clocked(step):
    """Seconds until everything that ``step`` asked for is done, and what it returned."""
    device.synchronize()
    begin = time.perf_counter()
    returned = step()
    device.synchronize()
    return time.perf_counter() - begin, returned


def one_pass():
    """Seconds by step, and the sums."""
    a, b, c = (device.empty(n, "float32") for _ in range(3))
    seconds = {}
    seconds["copy a in"], _ = clocked(lambda: a.copy_from(host_a))
    seconds["copy b in"], _ = clocked(lambda: b.copy_from(host_b))
    seconds["kernel"], _ = clocked(lambda: add.launch(blocks, THREADS, a, b, c, n))
    seconds["copy c out"], sums = clocked(c.to_numpy)
    return seconds, sums
# --8<-- [end:one_pass]


# %% [markdown]
# ## Is it right?
#
# The first pass is for the answer.

# %%
first, sums = one_pass()
wrong = count_wrong(sums)
print(f"after it: {wrong} of {n} sums are wrong")
close = np.abs(sums - on_cpu) <= 1e-6 * np.abs(on_cpu)
lab.check("every sum is the CPU's but for rounding", close)
lab.exact("wrong", wrong, scale={"n": n})
del sums, close

# %% [markdown]
# ## Is it right again?
#
# Further passes are for the clock. Every one starts from fresh poison, and is compared as
# the first was.

# %%
PASSES = lab.sized(11, on_model=2, under_profiler=4)
passes = []
wrong_in_any = wrong
for _ in range(PASSES):
    seconds, sums = one_pass()
    wrong_in_any = max(wrong_in_any, count_wrong(sums))
    passes.append(seconds)
    del sums
lab.predict(
    "bitwise",
    wrong_in_any == 0,
    saw=f"at most {wrong_in_any} of {n} sums wrong in any pass",
)

# %% [markdown]
# ## Where the time goes
#
# The median of those passes, step by step. The first pass is shown but not counted: it
# may pay for things that are set up once.

# %%
lab.rest_needs_gpu("it is about time, and the model has no clock")


# --8<-- [start:summary]
def samples(*steps: str) -> lab.Measured:
    """Every pass's seconds for ``steps``."""
    return lab.Measured(tuple(seconds[step] for step in steps for seconds in passes))


MOVED = {step: array_bytes for step in first} | {"kernel": 3 * array_bytes}
lab.table(
    ["step", "bytes", "first pass, ms", "median, ms", "GB/s"],
    [
        [
            step,
            MOVED[step],
            f"{lab.Measured((first[step],)) * 1e3:10.3f}",
            f"{samples(step) * 1e3:10.3f}",
            f"{MOVED[step] / samples(step) / 1e9:8.1f}",
        ]
        for step in first
    ],
)
# --8<-- [end:summary]

copy_in, kernel, copy_out = (
    samples("copy a in", "copy b in"),
    samples("kernel"),
    samples("copy c out"),
)
for name, taken, moved in (
    ("copy_in", copy_in, array_bytes),
    ("kernel", kernel, 3 * array_bytes),
    ("copy_out", copy_out, array_bytes),
):
    lab.measured(name, taken * 1e3, better="lower", scale={"n": n})
    lab.measured(f"{name}_rate", moved / taken / 1e9, better="higher", scale={"n": n})

share = lab.Measured(tuple(100 * s["kernel"] / sum(s.values()) for s in passes))
print(f"the kernel's share of the four steps: {share:.1f} percent")
lab.measured("kernel_share", share, better="higher", scale={"n": n})

# %% [markdown]
# ## Copies against the kernel
#
# The prediction is about a GPU with memory of its own behind PCIe. It does not apply
# where the GPU shares the host's memory, or reads the host's pages through its page
# tables.

# %%
# --8<-- [start:predict]
properties = device.core.properties
coherent = properties.pageable_memory_access_uses_host_page_tables
behind_pcie = not (properties.integrated or coherent)
print(f"the GPU is behind PCIe: {'yes' if behind_pcie else 'no'}")

COPIES = [step for step in first if step != "kernel"]
fastest_copy = min(samples(step).median for step in COPIES)
ratio = lab.Measured(tuple(min(s[step] for step in COPIES) / s["kernel"] for s in passes))
print(f"the fastest copy of a pass takes {ratio:.1f} times as long as its kernel")
lab.measured("copy_over_kernel", ratio, better="lower", scale={"n": n})
lab.predict(
    "copies-dominate",
    fastest_copy >= 10 * kernel.median,
    saw="median of the fastest copy against ten kernel medians",
    applies=behind_pcie,
)
# --8<-- [end:predict]
