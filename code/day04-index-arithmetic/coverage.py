# %% [markdown]
# # Which thread touches which element
#
# A launch is right when every element gets its one thread. So here every element counts
# the threads that took it: under the right index, under three wrong ones, and with too
# few blocks. Then the program asks which test sizes would have let the wrong ones pass,
# has blocks refused that are too large, and looks at numbers that 32 bits cannot hold.

# %%
import numpy as np

from gpu100 import lab
from gpu100.errors import DeviceError

device = lab.device()
kernels = lab.compile(device, "coverage.cu")
count_touches, store_index = kernels["count_touches"], kernels["store_index"]
print(f"{device.gpu.name}, compute capability {device.gpu.capability}")

# %% [markdown]
# ## How many blocks
#
# Division of integers rounds down, and what is rounded down already, `ceil` leaves as it
# is. The last of the three lines is what a C++ program computes that calls `ceil` on the
# quotient of two integers.

# %%
N, THREADS = 1_000_000, 256

# --8<-- [start:blocks]
up = (N + THREADS - 1) // THREADS
down = N // THREADS
ceil_of_down = int(np.ceil(N // THREADS))
# --8<-- [end:blocks]
print(f"{N} elements in blocks of {THREADS} threads")
print(f"(n + threads - 1) / threads: {up} blocks")
print(f"n / threads: {down} blocks")
print(f"ceil(n / threads): {ceil_of_down} blocks")
blocks_by = {"up": up, "down": down, "ceil of down": ceil_of_down}
lab.exact("blocks", blocks_by, scale={"n": N})
lab.exact("threads", {by: b * THREADS for by, b in blocks_by.items()}, scale={"n": N})

# %% [markdown]
# ## Every element counts its threads
#
# The counters start at random values and the difference is taken, so that memory which
# happens to hold zeros or ones proves nothing. A thread without an element below n is
# counted as well: in the end every thread of the launch must be accounted for.

# %%
RIGHT, GRID_FOR_BLOCK, NO_BLOCK, SWAPPED = range(4)  # as in the .cu file
FORMULA = {
    RIGHT: "blockIdx.x * blockDim.x + threadIdx.x",
    GRID_FOR_BLOCK: "blockIdx.x * gridDim.x + threadIdx.x",
    NO_BLOCK: "threadIdx.x",
    SWAPPED: "threadIdx.x * blockDim.x + blockIdx.x",
}

# --8<-- [start:touches]
random = np.random.default_rng(4)


def touches(index: int, blocks: int, n: int) -> tuple[np.ndarray, int]:
    """How often each of n elements was taken, and how many threads had no element."""
    before = random.integers(0, 1 << 32, n, dtype="uint32")
    counters, beyond = device.array(before), device.array(np.zeros(1, "uint32"))
    count_touches.launch(blocks, THREADS, index, counters, n, beyond)
    return counters.to_numpy() - before, int(beyond.to_numpy()[0])  # wraps, as it should
# --8<-- [end:touches]


# %% [markdown]
# The host works the same counts out by itself, from the formulas and in 64 bits.


# %%
# --8<-- [start:expected]
def expected(index: int, blocks: int, n: int) -> np.ndarray:
    block, thread = np.divmod(np.arange(blocks * THREADS), THREADS)
    i = {
        RIGHT: block * THREADS + thread,
        GRID_FOR_BLOCK: block * blocks + thread,
        NO_BLOCK: thread,
        SWAPPED: thread * THREADS + block,
    }[index]
    return np.bincount(i[i < n], minlength=n)
# --8<-- [end:expected]


# %% [markdown]
# The second row has the right index and the rounded-down grid.

# %%
WAYS = {
    "right": (RIGHT, up),
    "too few blocks": (RIGHT, ceil_of_down),
    "gridDim": (GRID_FOR_BLOCK, up),
    "no block": (NO_BLOCK, up),
    "swapped": (SWAPPED, up),
}
counts = {}
beyond = {}
for way, (index, blocks) in WAYS.items():
    counts[way], beyond[way] = touches(index, blocks, N)
    lab.check(f"{way}: as the host counts", counts[way] == expected(index, blocks, N))
    every = int(counts[way].sum()) + beyond[way]
    lab.check(f"{way}: every thread is accounted for", every == blocks * THREADS)

once = {way: int((c == 1).sum()) for way, c in counts.items()}
more = {way: int((c > 1).sum()) for way, c in counts.items()}
never = {way: int((c == 0).sum()) for way, c in counts.items()}
most = {way: int(c.max()) for way, c in counts.items()}
lab.table(
    ["index", "blocks", "once", "more", "never", "i >= n"],
    [
        [FORMULA[index], blocks, once[way], more[way], never[way], beyond[way]]
        for way, (index, blocks) in WAYS.items()
    ],
)
for name, table in (("once", once), ("more", more), ("never", never)):
    lab.exact(name, table, scale={"n": N})
lab.exact("most", most, scale={"n": N})
lab.exact("beyond", beyond, scale={"n": N})
in_last = int(counts["right"][(up - 1) * THREADS :].sum())
lab.exact("in_last_block", in_last, scale={"n": N})

# %%
# --8<-- [start:predict]
each_once = bool((counts["right"] == 1).all())
lab.predict(
    "each-once",
    each_once and in_last == 64 and beyond["right"] == 192,
    saw=f"{once['right']} once, {in_last} in the last block, {beyond['right']} idle",
)
untouched = np.flatnonzero(counts["too few blocks"] == 0)
lab.predict(
    "ceil-too-late",
    ceil_of_down == 3906 and untouched.tolist() == list(range(N - 64, N)),
    saw=f"{ceil_of_down} blocks, {untouched.size} elements untouched",
)
lab.predict(
    "no-block",
    (counts["no block"][:256] == 3907).all() and never["no block"] == 999_744,
    saw=f"{more['no block']} taken {most['no block']} times, {never['no block']} never",
)
lab.predict(
    "grid-for-block",
    (once["gridDim"], more["gridDim"], never["gridDim"]) == (65_536, 0, 934_464),
    saw=f"{once['gridDim']} once, {more['gridDim']} more, {never['gridDim']} never",
)
lab.predict(
    "swapped",
    never["swapped"] == N - 69_187 and most["swapped"] == 16,
    saw=f"{never['swapped']} never, one element {most['swapped']} times",
)
# --8<-- [end:predict]

# %% [markdown]
# ## Right by luck
#
# The same four mistakes at other sizes, before two tests. One counts, as above. The other
# is what tests mostly are: every thread stores its element's result, and results are
# compared. An element that was taken twice has the right result all the same. With fewer
# elements than a block has threads, rounding down leaves no block, and the launch is
# refused.

# %%
SIZES = (1, 200, 256, 257, 1000, 65_536, N)


# --8<-- [start:luck]
def blocks_for(way: str, n: int) -> int:
    return n // THREADS if way == "too few blocks" else -(-n // THREADS)


def by_counting(way: str, n: int) -> str:
    try:
        found, _ = touches(WAYS[way][0], blocks_for(way, n), n)
    except DeviceError as error:
        return "refused" if error.name == "CUDA_ERROR_INVALID_VALUE" else error.name
    if (found == 0).any():
        return "missed"
    return "once" if (found == 1).all() else "repeated"


def passes_by_stores(way: str, n: int) -> bool:
    out = device.empty(n, "uint32")  # poison, which is no index
    if blocks := blocks_for(way, n):
        store_index.launch(blocks, THREADS, WAYS[way][0], out, n)
    return bool((out.to_numpy() == np.arange(n)).all())
# --8<-- [end:luck]


verdicts = {n: {way: by_counting(way, n) for way in WAYS} for n in SIZES}
lab.table(["n", *WAYS], [[n, *verdicts[n].values()] for n in SIZES])
right_at = [verdicts[n]["right"] == "once" for n in SIZES]
lab.check("the right index is right at every size", right_at)

WRONG = [way for way in WAYS if way != "right"]
lucky = {n: sum(verdicts[n][way] == "once" for way in WRONG) for n in SIZES}
stored = {n: sum(passes_by_stores(way, n) for way in WRONG) for n in SIZES}
lab.table(
    ["n", "mistakes that counting lets pass", "that a test of stored results lets pass"],
    [[n, lucky[n], stored[n]] for n in SIZES],
)
lab.exact("lucky", lucky)
lab.exact("stored", stored)

# %%
lab.predict(
    "luck",
    all(any(verdicts[n][way] == "once" for n in SIZES) for way in WRONG)
    and lucky[257] == lucky[1000] == 0,
    saw=", ".join(f"{count} of 4 at {n}" for n, count in lucky.items()),
)
twice = int((touches(GRID_FOR_BLOCK, 2, 257)[0] == 2).sum())
lab.exact("twice", twice, scale={"n": 257})
lab.predict(
    "stores-hide",
    twice == 254 and verdicts[257]["gridDim"] == "repeated" and stored[257] == 1,
    saw=f"{twice} taken twice, {stored[257]} of 4 mistakes pass the test of stores",
)

# %% [markdown]
# ## Blocks that are refused
#
# One block of each shape, with no element to take, so that each thread that runs is
# counted as one without. What is refused runs not at all, and not in part.

# %%
SHAPES = ((1024, 1, 1), (32, 32, 1), (2048, 1, 1), (32, 32, 2), (1, 1, 65))


# --8<-- [start:refused]
def launch_block(shape: tuple[int, int, int]) -> tuple[int, str]:
    """How many threads of one block ran, and what the driver said to the launch."""
    none, ran = device.empty(1, "uint32"), device.array(np.zeros(1, "uint32"))
    answer = "CUDA_SUCCESS"
    try:
        count_touches.launch(1, shape, RIGHT, none, 0, ran)
    except DeviceError as error:
        answer = error.name
    return int(ran.to_numpy()[0]), answer
# --8<-- [end:refused]


ran, answer = {}, {}
for shape in SHAPES:
    size = " x ".join(map(str, shape))
    ran[size], answer[size] = launch_block(shape)
    print(f"block of {size}: {ran[size]} of {np.prod(shape)} threads ran")
for size, name in answer.items():
    print(f"the driver to {size}: {name}")
lab.exact("ran", ran)
lab.exact("answer", answer)
TOO_LARGE = ("2048 x 1 x 1", "32 x 32 x 2", "1 x 1 x 65")
lab.predict(
    "refused",
    all(answer[s] == "CUDA_ERROR_INVALID_VALUE" and ran[s] == 0 for s in TOO_LARGE),
    saw=", ".join(f"{s}: {answer[s]}" for s in TOO_LARGE),
)
accepted = [threads for size, threads in ran.items() if size not in TOO_LARGE]
lab.check("1024 threads are accepted", [threads == 1024 for threads in accepted])

# %% [markdown]
# ## Numbers that 32 bits cannot hold
#
# A launch of more than four thousand million threads needs no array of that size: only
# the threads with the wanted numbers write anything. The model, which cannot run so many,
# launches the four blocks in which they are.

# %%
HALF, WHOLE, WIDE = 1 << 31, 1 << 32, 1024
numbers = np.array([HALF - 1, HALF, WHOLE - 1, WHOLE])
wanted = device.array(numbers)
kept = device.empty((numbers.size, 4), "int64")

# --8<-- [start:launch_wide]
keep_number = kernels["keep_number"]
whole_grid = WHOLE // WIDE + 1
single_blocks = [(number // WIDE, 1) for number in numbers.tolist()]
launches = lab.sized([(0, whole_grid)], on_model=single_blocks)
for first_block, blocks in launches:
    keep_number.launch(blocks, WIDE, first_block, wanted, numbers.size, kept)
# --8<-- [end:launch_wide]
in_int, in_unsigned, late, early = kept.to_numpy().T
lab.table(
    ["thread number", "int", "unsigned", "widened late", "widened early"],
    np.stack([numbers, in_int, in_unsigned, late, early], axis=1).tolist(),
)
lab.check("widened early, every number is right", early == numbers)
for name, values in (("in_int", in_int), ("in_unsigned", in_unsigned), ("late", late)):
    lab.exact(name, dict(zip(numbers.tolist(), values.tolist(), strict=True)))

# --8<-- [start:predict_wide]
lab.predict(
    "int-wraps",
    in_int.tolist() == [HALF - 1, -HALF, -1, 0],
    saw=f"{in_int[1]} for {numbers[1]}",
)
lab.predict(
    "widened-late",
    late.tolist() == in_unsigned.tolist() == [HALF - 1, HALF, WHOLE - 1, 0],
    saw=f"{late[3]} for {numbers[3]}",
)
# --8<-- [end:predict_wide]

# %% [markdown]
# ## Rounding up in a float
#
# The cure for `ceil` that many reach for is a division of floats. A float has fewer bits
# than an int, so from some size on the number of elements is rounded before the division.

# %%
# --8<-- [start:float_ceil]
MANY = (1 << 24) + 1
float_blocks = int(np.ceil(np.float32(MANY) / np.float32(THREADS)))
# --8<-- [end:float_ceil]
print(f"{MANY} elements, ceil((float)n / threads): {float_blocks} blocks")
lab.exact("float_blocks", float_blocks, scale={"n": MANY})
lab.rest_needs_gpu("so many elements would take the model too long")
found, _ = touches(RIGHT, float_blocks, MANY)
missed = np.flatnonzero(found == 0)
lab.check("the others were taken once", found[found != 0] == 1)
print(f"untouched: {missed.size} of them, the first is {missed[0]}")
lab.exact("float_missed", missed.size, scale={"n": MANY})
lab.predict(
    "float-ceil",
    missed.tolist() == [MANY - 1],
    saw=f"{float_blocks} blocks, untouched: {missed.tolist()}",
)
