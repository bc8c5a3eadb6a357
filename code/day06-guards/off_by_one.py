# %% [markdown]
# # Bugs that do not crash
#
# Guards that are wrong by one, or missing, in three places: in memory that is watched, in
# an allocation that ends where the array ends, and next to another array. Then the
# question of how far behind its array a kernel has to reach before the GPU refuses.

# %%
import numpy as np
from cuda.bindings import driver

from gpu100 import lab
from gpu100.errors import DeviceError
from gpu100.lab import call

device = lab.device()
kernels = lab.compile(device, "off_by_one.cu")
print(f"{device.gpu.name}, compute capability {device.gpu.capability}")

# %% [markdown]
# ## An arena
#
# One allocation holds canaries, the array, and canaries again. A canary is a number that
# no kernel stores, so one that has changed tells that somebody was there. There are as
# many on either side as a block has threads: no launch here has more threads too many.

# %%
INT = 4
THREADS = CANARIES = 256
POISON = -1

# --8<-- [start:arena]
random = np.random.default_rng(6)


def canaries(count: int) -> np.ndarray:
    """Numbers far above every index."""
    return random.integers(1 << 30, 1 << 31, count, dtype="int32")


def watched(name: str, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which elements are right, and which canaries changed in front and behind."""
    before = canaries(CANARIES + n + CANARIES)
    before[CANARIES : CANARIES + n] = POISON
    arena = device.array(before)
    array = lab.Address(arena.address + CANARIES * INT)
    kernels[name].launch(max(1, -(-n // THREADS)), THREADS, array, n)
    after = arena.to_numpy()
    expected = np.arange(n)[::-1] if name == "backward" else np.arange(n)
    changed = after != before
    right = after[CANARIES : CANARIES + n] == expected
    return right, changed[:CANARIES], changed[CANARIES + n :]
# --8<-- [end:arena]


# %% [markdown]
# Two sizes: one that leaves threads over, and one that fills its blocks. And no elements
# at all, for which a careful program would launch nothing.

# %%
N = 1_000_000
WHOLE = -(-N // THREADS) * THREADS
LAUNCHES = (
    ("guarded", N),
    ("one_too_far", N),
    ("unguarded", N),
    ("backward", N),
    ("one_too_far", WHOLE),
    ("unguarded", WHOLE),
    ("up_to_last", N),
    ("up_to_last", 0),
)
seen = {at: watched(*at) for at in LAUNCHES}
right, in_front, behind = (
    {at: int(part[i].sum()) for at, part in seen.items()} for i in range(3)
)
lab.table(
    ["kernel", "n", "right", "in front", "behind"],
    [[*at, right[at], in_front[at], behind[at]] for at in LAUNCHES],
)
for name, counts in (("right", right), ("in_front", in_front), ("behind", behind)):
    lab.exact(name, {f"{kernel} {n}": count for (kernel, n), count in counts.items()})
untouched = [in_front["guarded", N], behind["guarded", N]]
lab.check("the right guard changes no canary", [count == 0 for count in untouched])

# %% [markdown]
# Every comparison of the array with what it should hold passes. What the canaries say is
# what was predicted, or not.

# %%
# --8<-- [start:predict]
elements_right = [right[name, n] == n for name, n in LAUNCHES]
lab.predict("all-right", all(elements_right), saw=f"{sum(elements_right)} of 8 launches")

_, front, back = seen["one_too_far", N]
lab.predict(
    "one-canary",
    np.flatnonzero(back).tolist() == [0] and not front.any(),
    saw=f"{front.sum()} in front, {back.sum()} behind",
)
lab.predict(
    "no-guard",
    behind["unguarded", N] == 192
    and in_front["unguarded", N] == 0
    and (behind["unguarded", WHOLE], behind["one_too_far", WHOLE]) == (0, 0),
    saw=f"{behind['unguarded', N]} at {N}, {behind['unguarded', WHOLE]} at {WHOLE}",
)
_, front, back = seen["backward", N]
lab.predict(
    "in-front",
    np.flatnonzero(front).tolist() == [CANARIES - 1] and not back.any(),
    saw=f"{front.sum()} in front, {back.sum()} behind",
)
lab.predict(
    "empty",
    behind["up_to_last", N] == 0 and behind["up_to_last", 0] == THREADS,
    saw=f"{behind['up_to_last', N]} at {N}, {behind['up_to_last', 0]} at 0",
)
# --8<-- [end:predict]

# %% [markdown]
# ## An allocation without a byte to spare
#
# The same mistake where nothing is watched, and nothing belongs to the program. It runs
# in a process of its own, whose array is an allocation of exactly its size. The model,
# like a checker, finds the store; then it has told what it can.

# %%
# --8<-- [start:exact]
array = np.full(N, POISON, "int32")
blocks = -(-N // THREADS)
kernel = kernels["one_too_far"]
answers = lab.isolated(kernel, blocks, THREADS, array, N, seconds=30)
print(
    f"one_too_far on exactly {array.nbytes} bytes:",
    f"launch {answers.launch}, wait {answers.synchronize}",
)
if answers.fault:  # what the model found: a GPU's calls do not say as much
    print(answers.fault)
# --8<-- [end:exact]
lab.rest_needs_gpu("what a GPU answers, and what lies behind an array, only it can tell")

given = {"launch": answers.launch, "wait": answers.synchronize, "next": answers.allocate}
lab.exact("answer", given, scale={"n": N})
lab.predict(
    "exact-silent",
    set(given.values()) == {"SUCCESS"},
    saw=", ".join(f"{name} {answer}" for name, answer in given.items()),
)

# %% [markdown]
# ## Where allocations begin
#
# Many of each size, taken from the driver as cudaMalloc takes them. The smallest distance
# from one's start to the next one's is the room that one has.


# %%
# --8<-- [start:allocate]
def checked(result):
    """What a call of the driver returned besides its status."""
    status, *values = result
    if status != driver.CUresult.CUDA_SUCCESS:
        raise DeviceError(status.name, name=status.name)
    return values[0] if values else None


def allocated(count: int, nbytes: int) -> list[int]:
    """The addresses of so many allocations, lowest first."""
    return sorted(int(checked(driver.cuMemAlloc(nbytes))) for _ in range(count))
# --8<-- [end:allocate]


# --8<-- [start:spacing]
COUNT, SIZES = 64, (4, 256, 400, 512, 4000)
spacing, multiples = {}, []
for nbytes in SIZES:
    addresses = allocated(COUNT, nbytes)
    spacing[nbytes] = int(np.diff(addresses).min())
    multiples += [address % 256 == 0 for address in addresses]
    for address in addresses:
        checked(driver.cuMemFree(address))
# --8<-- [end:spacing]
lab.table(["bytes asked for", "bytes to the next"], list(spacing.items()))
lab.exact("spacing", spacing)
lab.predict(
    "aligned", all(multiples), saw=f"{sum(multiples)} of {len(multiples)} addresses"
)

# %% [markdown]
# ## The array behind it
#
# Of many arrays, the two that lie closest together. A kernel without a guard is given the
# first one alone, and one block of threads, twice as many as it has elements.

# %%
# --8<-- [start:neighbor]
SMALL = THREADS // 2
addresses = allocated(COUNT, SMALL * INT)
closest = int(np.argmin(np.diff(addresses)))
first, second = addresses[closest : closest + 2]
between = second - first - SMALL * INT

itself, other = np.full(SMALL, POISON, "int32"), canaries(SMALL)
checked(driver.cuMemcpyHtoD(first, itself.ctypes.data, SMALL * INT))
checked(driver.cuMemcpyHtoD(second, other.ctypes.data, SMALL * INT))
kernels["unguarded"].launch(1, THREADS, lab.Address(first), SMALL)
device.synchronize()
after = np.empty_like(other)
checked(driver.cuMemcpyDtoH(itself.ctypes.data, first, SMALL * INT))
checked(driver.cuMemcpyDtoH(after.ctypes.data, second, SMALL * INT))
right_there = int((itself == np.arange(SMALL)).sum())
changed = int((after != other).sum())
# --8<-- [end:neighbor]
print(f"bytes between two arrays of {SMALL}: {between}")
print(f"the array itself: {right_there} of {SMALL} right")
print(f"the array behind it: {changed} of {SMALL} changed")
lab.exact("between", between)
lab.exact("neighbor_right", right_there)
lab.exact("neighbor_changed", changed)
lab.predict(
    "neighbor",
    right_there == SMALL and (after == np.arange(SMALL, THREADS)).all(),
    saw=f"{right_there} of {SMALL} right, {changed} changed behind it",
    applies=between == 0,
)
for address in addresses:
    checked(driver.cuMemFree(address))

# %% [markdown]
# ## How far is too far
#
# A GPU refuses an address that no page is mapped to. So the array ends in some page, and
# this reads one word at several distances from that page's end, each in a process of its
# own. The sanitizer would report every one of them, so it is given none.

# %%
# --8<-- [start:page]
where = driver.CUmemAllocationProp()
where.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
where.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
where.location.id = device.core.device_id
smallest = driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
page = int(checked(driver.cuMemGetAllocationGranularity(where, smallest)))
(address,) = allocated(1, N * INT)
left = -(address + N * INT) % page
checked(driver.cuMemFree(address))
# --8<-- [end:page]
print(f"in pages of {page} bytes, {left} bytes are left behind an array of {N}")
lab.exact("page", page)
lab.exact("left", left, scale={"n": N})

# --8<-- [start:read_beyond]
FAR = 1 << 40
BEHIND = (0, page, 64 * page, FAR)
distances = lab.sized((-INT, *BEHIND), on_model=(), under_sanitizer=())
one = np.zeros(1, "int32")
read = kernels["read_beyond"]
told = lab.cases(
    {
        str(beyond): [
            call.launch(read, 1, 1, array, N * INT, page, beyond, one),
            call.synchronize(),
        ]
        for beyond in distances
    }
)
waited = {beyond: told[str(beyond)].answers[-1] for beyond in distances}
# --8<-- [end:read_beyond]
if waited:
    print(f"a read of the page's last word: {waited[-INT]}")
    print(f"a read {FAR} bytes behind the page: {waited[FAR]}")
    opened = [call.succeeded(waited[beyond]) for beyond in BEHIND]
    # What lies there is the driver's affair, and may differ from run to run.
    lab.observed("refused_from", BEHIND[opened.index(False)] if not all(opened) else -1)
    lab.observed("opened", sum(opened))
    lab.predict(
        "page-end",
        call.succeeded(waited[-INT]) and waited[FAR] == "CUDA_ERROR_ILLEGAL_ADDRESS",
        saw=f"{waited[-INT]} before the page's end, {waited[FAR]} far behind it",
    )
