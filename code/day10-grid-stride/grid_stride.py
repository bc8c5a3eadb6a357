# %% [markdown]
# # Grid-stride loops, and how many blocks are enough
#
# One addition per element, by many grids. First the grid covers the array, and only the
# block size changes; then a loop in the kernel lets any grid do it, and only the number
# of blocks changes; then there is room for one block on each SM, and one block too many.
# Every launch is checked, starting from poison, before it is timed.

# %%
import numpy as np

from gpu100 import lab

device = lab.device()
gpu = device.gpu
kernels = lab.compile(device, "grid_stride.cu")
print(f"{gpu.name}, compute capability {gpu.capability}: {gpu.sms} SMs")
lab.exact("sms", gpu.sms)

# %% [markdown]
# ## How much
#
# What is timed has to come from memory and not from the L2 that the launch before has
# left behind, so one array alone is larger than four times the L2. Four arrays take no
# more than a quarter of the memory that is free.

# %%
# --8<-- [start:size]
FLOAT = 4
n = lab.sized(1 << 24, on_model=1 << 16)
while n < lab.sized(1 << 29, on_model=n) and FLOAT * n <= 4 * gpu.l2_bytes:
    n *= 2
while n > 1 and 4 * FLOAT * n > device.free_bytes() // 4:
    n //= 2
MOVED = 3 * FLOAT * n  # bytes of one addition of the arrays: two reads and a write
# --8<-- [end:size]
print(f"n is {n}")
lab.exact("n", n, scale={"n": n})
lab.exact("array_mb", FLOAT * n / 1e6, scale={"n": n})

# %% [markdown]
# ## Something to be wrong against
#
# The reference is NumPy's sum of the same floats, equal in every bit. It is compared on
# the GPU, by a kernel that counts differences and leaves poison for the launch after.
# Before that kernel is believed, it has to reject what no launch has written.

# %%
random = np.random.default_rng(10)
host_a, host_b = (random.random(n, dtype=np.float32) - np.float32(0.5) for _ in range(2))
poison = np.full(n, 0xFFFFFFFF, "uint32").view("float32")
a, b, wanted, c = (
    device.array(array) for array in (host_a, host_b, host_a + host_b, poison)
)
wrong = device.empty(1, "uint32")
CHECKERS = lab.sized(32 * gpu.sms, on_model=16)


# --8<-- [start:wrong_sums]
def wrong_sums() -> int:
    """Sums of ``c`` that differ from NumPy's in any bit; ``c`` is poison afterwards."""
    wrong.copy_from(np.zeros(1, "uint32"))
    kernels["count_wrong"].launch(CHECKERS, 256, c, wanted, n, wrong)
    return int(wrong.to_numpy()[0])


before = wrong_sums()
print(f"before any launch: {before} of {n} sums are wrong")
lab.check("the comparison rejects what no launch wrote", before == n)
# --8<-- [end:wrong_sums]

# %% [markdown]
# ## One element per thread
#
# The grid covers the array; the block size is what changes. The smallest blocks go first
# and several times over, so that a profiler finds them: how many warps are on an SM while
# these run is a question that only its counters answer.

# %%
SIZES = (32, 64, 96, 128, 192, 256, 512, 1024)
PROFILED = 5  # launches of a kernel that the counters lane looks at


# --8<-- [start:launches]
def covering(threads: int) -> int:
    """Blocks of ``threads`` threads that cover the array."""
    return -(-n // threads)


def direct(threads: int) -> None:
    kernels["add_direct"].launch(covering(threads), threads, a, b, c, n)


def strided(blocks: int, threads: int, shared: int = 0) -> None:
    kernels["add_strided"].launch(blocks, threads, a, b, c, n, shared_bytes=shared)


def nothing(threads: int) -> None:
    kernels["nothing"].launch(covering(threads), threads)
# --8<-- [end:launches]


def wrong_after(launch, *shapes) -> list[int]:
    """For each shape, launched over poison: how many sums came out wrong."""
    counts = []
    for shape in shapes:
        launch(*shape)
        counts.append(wrong_sums())
    return counts


in_direct = wrong_after(direct, *[(SIZES[0],)] * PROFILED, *[(size,) for size in SIZES])
worst = max(in_direct)
print(f"one element per thread, {len(SIZES)} block sizes: at most {worst} sums wrong")
lab.check("one element per thread is right", np.array(in_direct) == 0)
lab.exact("room_32", kernels["add_direct"].blocks_per_sm(SIZES[0]))

# %% [markdown]
# ## Any number of threads
#
# The same sums by grids from one block per SM to many. One of them is as large as fits on
# the GPU at once: that is the driver's answer for this kernel.

# %%
THREADS = 256
resident = kernels["add_strided"].blocks_per_sm(THREADS)
PER_SM = sorted({1, 2, 4, 8, 16, 32, 64} | {resident})

in_strided = wrong_after(strided, *[(gpu.sms * per_sm, THREADS) for per_sm in PER_SM])
print(f"grid-stride, {len(PER_SM)} grids: at most {max(in_strided)} sums wrong")
lab.check("the loop is right with every grid", np.array(in_strided) == 0)
lab.exact("resident", resident)

# %% [markdown]
# And the same again where each thread takes a stretch of its own: as right, and another
# matter for memory.

# %%
CHUNKED = lab.sized(8 * gpu.sms, on_model=4)


def chunked() -> None:
    kernels["add_chunked"].launch(CHUNKED, THREADS, a, b, c, n)


in_chunked = wrong_after(chunked, ())
lab.check("stretches are right", np.array(in_chunked) == 0)

# %% [markdown]
# ## Any length, too
#
# Lengths that no block size divides, down to a single element, with grids that have more
# threads than that, and fewer. Behind the end stands poison, which has to be there still.

# %%
# --8<-- [start:any_length]
LENGTHS = (1, 31, 33, 1000, 65537)
GRIDS = ((1, 32), (3, 96), (gpu.sms, 256), (5, 1024))
BEHIND = 64
exact_to_the_end = []
for length in LENGTHS:
    x, y = (random.standard_normal(length, dtype=np.float32) for _ in range(2))
    on_device = device.array(x), device.array(y)
    for blocks, threads in GRIDS:
        out = device.empty(length + BEHIND, "float32")
        kernels["add_strided"].launch(blocks, threads, *on_device, out, length)
        bits = out.to_numpy().view(np.uint32)
        right = (bits[:length] == (x + y).view(np.uint32)).all()
        exact_to_the_end.append(right and (bits[length:] == 0xFFFFFFFF).all())
# --8<-- [end:any_length]
lab.check("every length is right with every grid", np.array(exact_to_the_end))
print(f"{len(LENGTHS)} lengths with {len(GRIDS)} grids each: right, and none too far")
lab.exact("lengths_and_grids", len(exact_to_the_end))

# %% [markdown]
# ## Room for one block per SM
#
# A block that reserves more than half of an SM's shared memory leaves no room for another
# like it. It does not use what it reserves: this is a way to say how many blocks an SM
# may hold, on any GPU.

# %%
LARGE = 1024
S = gpu.sms
TAIL = sorted(
    {1, S // 4, S // 2, S - 1, S, S + 1, S + S // 4, S + S // 2}
    | {2 * S - 1, 2 * S, 2 * S + 1, 3 * S, 3 * S + 1, 4 * S}
)
# --8<-- [start:one_per_sm]
half = gpu.shared_bytes_per_sm // 2 + 1
kernels["add_strided"].allow_shared(half)
fit = kernels["add_strided"].blocks_per_sm(LARGE, half)
print(f"blocks of {LARGE} threads with {half} bytes of shared memory: {fit} per SM")
lab.check("one block fits on an SM, and no more", fit == 1)
# --8<-- [end:one_per_sm]
in_tail = wrong_after(strided, *[(blocks, LARGE, half) for blocks in TAIL])
lab.check("the loop is right there too", np.array(in_tail) == 0)

# %% [markdown]
# ## All of it by the clock
#
# Every launch that was checked, the empty grids, and a copy from array to array by the
# driver. They are sampled in turn, round by round, after the clock has settled: what
# drifts, drifts for all of them.

# %%
lab.rest_needs_gpu("it is about time, and the model has no clock")


# --8<-- [start:sweep]
def copy() -> None:
    """One array onto another, by the driver's own device-to-device copy."""
    c.buffer.copy_from(a.buffer, stream=device.stream)


works = {"copy": copy, "chunked": chunked}
works |= {("direct", size): lambda size=size: direct(size) for size in SIZES}
works |= {("nothing", size): lambda size=size: nothing(size) for size in SIZES}
works |= {
    ("strided", per_sm): lambda per_sm=per_sm: strided(per_sm * S, THREADS)
    for per_sm in PER_SM
}
works |= {
    ("tail", blocks): lambda blocks=blocks: strided(blocks, LARGE, half)
    for blocks in TAIL
}
seconds = lab.sweep(device, works, rounds=21)
# --8<-- [end:sweep]


def rate(key, moved: int = MOVED) -> lab.Measured:
    """GB/s of what is in ``works`` under ``key``."""
    return moved / seconds[key] / 1e9


copy_rate = rate("copy", 2 * FLOAT * n)
print(f"copy from array to array: {copy_rate:.0f} GB/s")
lab.measured("copy_rate", copy_rate, better="higher", scale={"n": n})

# %% [markdown]
# ## How fast blocks start
#
# An empty grid says how many blocks a nanosecond can start. Times the bytes that a block
# moves, that is the most that blocks of a size can bring in.

# %%
# --8<-- [start:ceiling]
started = {size: covering(size) / seconds["nothing", size] / 1e9 for size in SIZES}
ceiling = {size: 3 * FLOAT * size * started[size] for size in SIZES}
direct_rate = {size: rate(("direct", size)) for size in SIZES}
# --8<-- [end:ceiling]
lab.table(
    ["threads", "empty blocks/ns", "ceiling GB/s", "add GB/s", "add blocks/ns"],
    [
        [
            size,
            f"{started[size]:.3f}",
            f"{ceiling[size]:.0f}",
            f"{direct_rate[size]:.0f}",
            f"{covering(size) / seconds['direct', size] / 1e9:.3f}",
        ]
        for size in SIZES
    ],
)
best_size = max(SIZES, key=lambda size: direct_rate[size].median)
for size in (32, 64, 256):
    lab.measured(f"direct_{size}", direct_rate[size], better="higher", scale={"n": n})
lab.measured("best_direct", direct_rate[best_size], better="higher", scale={"n": n})
lab.observed("best_size", best_size)
lab.measured("start_rate", started[32], better="higher", scale={"n": n})
clock_ghz = (started[32].sm_clock_mhz or gpu.sm_clock_khz / 1e3) / 1e3
lab.measured("per_cycle", started[32] / clock_ghz, better="higher", scale={"n": n})
for name, rates in (("direct_rate", direct_rate), ("start_ceiling", ceiling)):
    lab.series(name, rates.items(), x_unit="threads", y_unit="GB/s")

# --8<-- [start:start_bound]
well_below = [
    size
    for size in (32, 64)
    if ceiling[size].median <= 0.75 * direct_rate[best_size].median
]
of_ceiling = {size: direct_rate[size].median / ceiling[size].median for size in (32, 64)}
lab.predict(
    "start-bound",
    all(0.9 <= of_ceiling[size] <= 1.1 for size in well_below),
    saw="rate over ceiling "
    f"{lab.Measured((of_ceiling[32],)):.3f} at 32, "
    f"{lab.Measured((of_ceiling[64],)):.3f} at 64",
    applies=bool(well_below),
)
# --8<-- [end:start_bound]

# %% [markdown]
# ## How many blocks are enough
#
# The loop with blocks of one size, from one block per SM up.

# %%
strided_rate = {per_sm: rate(("strided", per_sm)) for per_sm in PER_SM}
lab.table(
    ["blocks per SM", "blocks", "GB/s"],
    [[per_sm, per_sm * S, f"{strided_rate[per_sm]:.0f}"] for per_sm in PER_SM],
)
best_per_sm = max(PER_SM, key=lambda per_sm: strided_rate[per_sm].median)
lab.measured("strided_1", strided_rate[1], better="higher", scale={"n": n})
lab.measured("best_strided", strided_rate[best_per_sm], better="higher", scale={"n": n})
lab.observed("best_per_sm", best_per_sm)
lab.series("strided_rate", strided_rate.items(), x_unit="blocks per SM", y_unit="GB/s")
lab.measured("resident_rate", strided_rate[resident], better="higher", scale={"n": n})
of_best = strided_rate[resident].median / strided_rate[best_per_sm].median
lab.predict(
    "as-many-as-fit",
    of_best >= 0.95,
    saw=f"{lab.Measured((of_best,)):.3f} of the best with {resident} blocks per SM",
)

# %% [markdown]
# The best of each form once more, pair by pair: against each other, and the best of all
# against the copy. Each comparison also holds its first side against itself.

# %%
# --8<-- [start:compare]
of_direct = lab.compare(
    device, works["direct", best_size], works["strided", best_per_sm]
)
of_copy = lab.compare(device, works["copy"], works["strided", best_per_sm])
over_direct = 1 / of_direct.ratio
over_copy = MOVED / (2 * FLOAT * n) / of_copy.ratio  # it moves more bytes than the copy


def moved_by(noise: lab.Measured) -> lab.Measured:
    """By how many percent a launch's own time differs from the pair before."""
    return noise.map(lambda ratio: 100 * abs(ratio - 1))


# --8<-- [end:compare]
print(f"best grid-stride over best one element per thread: {over_direct:.3f}")
print(f"best grid-stride over copy: {over_copy:.3f}")
for name, noise in (("direct", of_direct.noise), ("copy", of_copy.noise)):
    print(f"from pair to pair, {name} differs from itself by {moved_by(noise):.2f}%")
    lab.measured(f"{name}_noise", moved_by(noise), better="lower", scale={"n": n})
lab.measured("over_direct", over_direct, better="higher", scale={"n": n})
lab.measured("over_copy", over_copy, better="higher", scale={"n": n})
lab.predict(
    "no-slower", over_direct.median >= 0.97, saw=f"{over_direct:.3f} times as fast"
)

chunked_rate = rate("chunked")
print(f"a stretch for each thread, {CHUNKED} blocks: {chunked_rate:.0f} GB/s")
lab.measured("chunked_rate", chunked_rate, better="higher", scale={"n": n})

# %% [markdown]
# ## One block too many
#
# What a grid of more blocks than SMs should take follows from the grids of at most one
# block per SM: full waves, and a last one of the blocks that are left over.

# %%
# --8<-- [start:formula]
def from_first_wave(blocks: int) -> lab.Measured:
    """Seconds of ``blocks`` blocks, one per SM at a time, worked out round by round."""
    waves, left = divmod(blocks, S)
    full = seconds["tail", S].samples
    last = seconds["tail", left].samples if left else (0.0,) * len(full)
    rounds = zip(full, last, strict=True)
    return lab.Measured(tuple((waves * S * t + left * u) / blocks for t, u in rounds))
# --8<-- [end:formula]


took = {blocks: seconds["tail", blocks] * 1e3 for blocks in TAIL}
formula = {blocks: from_first_wave(blocks) * 1e3 for blocks in TAIL if blocks >= S}
lab.table(
    ["blocks", "ms", "by formula"],
    [
        [
            blocks,
            f"{took[blocks]:.3f}",
            f"{formula[blocks]:.3f}" if blocks > S else "",
        ]
        for blocks in TAIL
    ],
)
for blocks in (S, S + 1):
    print(f"{blocks} of them: {took[blocks]:.3f} ms")
rounds = zip(took[S + 1].samples, took[S].samples, strict=True)
step = lab.Measured(tuple(over / full for over, full in rounds))
for name, time in (
    ("one_block", took[1]),
    ("one_each", took[S]),
    ("one_more", took[S + 1]),
    ("one_more_formula", formula[S + 1]),
    ("step", step),
):
    lab.measured(name, time, better="lower", scale={"n": n})
multi = [blocks for blocks in TAIL if blocks >= S // 2]
lab.series(
    "tail_time",
    [(blocks, took[blocks]) for blocks in multi],
    x_unit="blocks",
    y_unit="ms",
)
lab.series("tail_formula", formula.items(), x_unit="blocks", y_unit="ms")
of_formula = took[S + 1].median / formula[S + 1].median
lab.predict(
    "one-too-many",
    0.9 <= of_formula <= 1.1,
    saw=f"measured over formula {lab.Measured((of_formula,)):.3f}",
)

# %% [markdown]
# Thousands of launches later, the last one's sums are still NumPy's.

# %%
works["tail", S]()
after = wrong_sums()
print(f"after them: {after} of {n} sums are wrong")
lab.check("the last launch is right", after == 0)
lab.exact("wrong", after, scale={"n": n})
