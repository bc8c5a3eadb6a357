# %% [markdown]
# # Timing, and when the GPU wins
#
# One vector add, timed in every way that people time kernels: by the host's clock without
# waiting, over the first launch, at a size where only the launch counts, and between
# events. Then the same add on the CPU and on the GPU, over sizes from one block to arrays
# far larger than the caches, with the copies and without them.

# %%
import itertools
import math
import time

import numpy as np
from cuda.bindings import driver
from cuda.core import (
    EventOptions,
    LaunchConfig,
    ObjectCode,
    Program,
    ProgramOptions,
    launch,
)

from gpu100 import lab

device = lab.device()
gpu = device.gpu
kernel_of_lab = lab.compile(device, "crossover.cu")["add"]
print(f"{gpu.name}, compute capability {gpu.capability}")

# %% [markdown]
# ## Two sizes
#
# The small one is a single block. The large one moves more than four times what the L2
# holds, so that nearly every byte comes from memory, and takes at most a quarter of the
# memory that is free.

# %%
# --8<-- [start:sizes]
FLOAT = 4
MOVED = 3 * FLOAT  # bytes of an element: two floats are read, one is written
THREADS = 256
SMALL = 256


def blocks_of(n: int) -> int:
    return -(-n // THREADS)


large = lab.sized(1 << 26, on_model=1 << 14)
while MOVED * large < lab.sized(4 * gpu.l2_bytes, on_model=0):
    large *= 2
while large > SMALL and MOVED * large > device.free_bytes() // 4:
    large //= 2
# --8<-- [end:sizes]

for word, n in (("small", SMALL), ("large", large)):
    blocks = blocks_of(n)
    noun = "block" if blocks == 1 else "blocks"
    print(f"{word}: {n} floats, {blocks} {noun} of {THREADS} threads")
lab.exact("small", SMALL)
lab.exact("large", large, scale={"n": large})
lab.exact("moved_mb", MOVED * large / 1e6, scale={"n": large})

# %% [markdown]
# ## Right first
#
# Random inputs, a poisoned output, and a comparison that has to reject the poison.

# %%
random = np.random.default_rng(9)
host_a, host_b = (random.random(large, dtype=np.float32) - 0.5 for _ in range(2))
on_cpu = host_a + host_b


def count_wrong(sums: np.ndarray) -> int:
    """How many of ``sums`` differ from the CPU's in any bit."""
    return int(np.count_nonzero(sums.view(np.uint32) != on_cpu.view(np.uint32)))


a, b = device.array(host_a), device.array(host_b)
c = device.empty(large, "float32")
wrong_before = count_wrong(c.to_numpy())
print(f"before the launch: {wrong_before} of {large} sums are wrong")
lab.check("the comparison rejects what no kernel wrote", wrong_before == large)

kernel_of_lab.launch(blocks_of(large), THREADS, a, b, c, 0, large)
wrong = count_wrong(c.to_numpy())
print(f"after it: {wrong} of {large} sums are wrong")
lab.check("every sum is the CPU's", wrong == 0)
lab.exact("wrong", wrong, scale={"n": large})

# %% [markdown]
# ## A launch with nothing around it
#
# From here on the program talks to cuda.core itself. lab's launch looks at every
# argument's type first, and on this day a microsecond matters. So all that can be
# prepared is: launch configuration, arguments, and the stretch of the arrays that is
# next, so that a launch finds little of its data in a cache.

# %%
lab.rest_needs_gpu("it is about time, and the model has no clock")

stream = device.stream
options = ProgramOptions(std="c++17", arch=gpu.compute_capability.arch)
compiling = []
for _ in range(lab.sized(3, on_model=1)):
    begin = time.perf_counter()
    code = Program(kernel_of_lab.source.text, "c++", options).compile("cubin").code
    compiling.append(time.perf_counter() - begin)
compile_time = lab.Measured(tuple(compiling)) * 1e3
print(f"compiling the kernels took {compile_time:.1f} ms")
lab.measured("compile_time", compile_time, better="lower")


def places_of(n: int) -> list[int]:
    """Where stretches of ``n`` elements begin, all over the arrays.

    Each size begins elsewhere, so that it finds nothing in a cache from the size before:
    one after the other, they are the golden ratio of the arrays' length apart.
    """
    places = list(range(0, large - n + 1, max(n, large // 4096)))
    first = int(0.618 * n.bit_length() % 1 * len(places))
    return places[first:] + places[:first]


# --8<-- [start:adder]
def adder(kernel, n: int, *, same: bool = False):
    """A call of it queues one add of ``n`` elements: the next stretch, or the same."""
    config = LaunchConfig(grid=blocks_of(n), block=THREADS)
    places = [np.int32(place) for place in ([0] if same else places_of(n))]
    turn, count = itertools.cycle(places), np.int32(n)
    arrays = a.buffer, b.buffer, c.buffer
    return lambda: launch(stream, config, kernel, *arrays, next(turn), count)
# --8<-- [end:adder]


# %% [markdown]
# ## The host's clock, with and without waiting

# %%
# --8<-- [start:host_clock]
def without_waiting(work) -> float:
    """Seconds until ``work`` has returned. What it queued may not have begun."""
    device.synchronize()
    begin = time.perf_counter()
    work()
    seconds = time.perf_counter() - begin
    device.synchronize()
    return seconds


def waiting(work) -> float:
    """Seconds until everything that ``work`` queued is done."""
    device.synchronize()
    begin = time.perf_counter()
    work()
    device.synchronize()
    return time.perf_counter() - begin
# --8<-- [end:host_clock]


def samples(way, work, count: int) -> lab.Measured:
    return lab.Measured(tuple(way(work) for _ in range(count)))


# %% [markdown]
# ## Events
#
# An event is a mark in the stream, and the GPU notes the time at which it gets there.
# Around a single launch the second mark is not reached before the host has come round to
# queue it. Behind a kernel that does nothing but hold the stream, everything is queued
# before the first mark is reached, and the time is the GPU's alone.

# %%
# --8<-- [start:events]
TIMED = EventOptions(timing_enabled=True)  # cuda.core's events tell no time unasked


def between_events(work, launches: int = 1) -> float:
    """Seconds on the GPU from one mark to another, per call of ``work`` between them."""
    begin = stream.record(options=TIMED)
    for _ in range(launches):
        work()
    end = stream.record(options=TIMED)
    end.sync()
    return (end - begin) / 1e3 / launches  # the difference is in milliseconds
# --8<-- [end:events]


# --8<-- [start:queued]
QUEUED = lab.sized(16, on_model=2)
ONE_THREAD = LaunchConfig(grid=1, block=1)
hold = ObjectCode.from_cubin(code).get_kernel("hold")
hold_for = 1e-3  # seconds; longer where the host turns out to need longer


def queued(work, launches: int = QUEUED) -> float:
    """Seconds of one call, of several that are all queued before the first may begin."""
    global hold_for
    while hold_for < 2:
        came = time.perf_counter()
        launch(stream, ONE_THREAD, hold, np.uint64(hold_for * 1e9))
        begin = stream.record(options=TIMED)
        for _ in range(launches):
            work()
        end = stream.record(options=TIMED)
        in_time = time.perf_counter() - came < hold_for
        end.sync()
        if in_time:
            return (end - begin) / 1e3 / launches
        hold_for *= 2
    raise RuntimeError("the host does not get a few launches queued in time")
# --8<-- [end:queued]


# %% [markdown]
# ## First launches
#
# Each of a kernel whose code has just been handed to the driver, and then a second one of
# the same kernel.

# %%
SAMPLES, FRESH = lab.sized((31, 11), on_model=(2, 2), under_profiler=(2, 2))


def first_and_second(n: int) -> tuple[float, float]:
    work = adder(ObjectCode.from_cubin(code).get_kernel("add"), n)
    return waiting(work), waiting(work)


firsts = {n: [first_and_second(n) for _ in range(FRESH)] for n in (SMALL, large)}
first_small, first_large = (
    lab.Measured(tuple(first for first, _ in firsts[n])) for n in (SMALL, large)
)
in_process = lab.Measured((firsts[SMALL][0][0],)) * 1e6
print(f"the very first by way of cuda.core: {in_process:.1f} us")
lab.measured("first_of_all", in_process, better="lower")
for word, n in (("small", SMALL), ("large", large)):
    for which, name in enumerate(("first", "second")):
        took = lab.Measured(tuple(pair[which] for pair in firsts[n]))
        print(f"{word}, {name} launch of a loaded kernel: {took * 1e6:.1f} us")

# %% [markdown]
# ## Warming up
#
# The large add, over and over from a GPU that had little to do before, and how fast it
# went in each slice of time.

# %%
RAMP_SECONDS, SLICE_MS, EARLY_MS = lab.sized(
    (0.8, 40, 200), on_model=(0.1, 40, 40), under_profiler=(0.1, 40, 40)
)
add = ObjectCode.from_cubin(code).get_kernel("add")
add_large, add_small = adder(add, large), adder(add, SMALL)
waiting(add_small)
time.sleep(lab.sized(0.2, on_model=0.0))

# --8<-- [start:ramp]
begin = time.perf_counter()
taken = []
while (at := time.perf_counter() - begin) < RAMP_SECONDS:
    taken.append((1e3 * at, MOVED * large / between_events(add_large, 4) / 1e9))
# --8<-- [end:ramp]

slices: dict[int, list[float]] = {}
for at, rate in taken:
    slices.setdefault(SLICE_MS * (1 + int(at / SLICE_MS)), []).append(rate)
warming = [(end, lab.Measured(tuple(rates))) for end, rates in slices.items()]
lab.series("warming", warming, x_unit="ms", y_unit="GB/s")
early = lab.Measured(tuple(rate for at, rate in taken if at < EARLY_MS))
settled = lab.Measured(tuple(rate for at, rate in taken if at >= EARLY_MS))
print(f"the first {EARLY_MS} ms: {early:.1f} GB/s, after them: {settled:.1f} GB/s")
lab.measured("early_rate", early, better="higher", scale={"n": large})
lab.measured("settled_rate", settled, better="higher", scale={"n": large})

# %% [markdown]
# ## The ways side by side
#
# All but the first launches on a GPU that is warm by now. `lab.time` goes last: it warms
# up until the clock stands still, takes launches by the sample, and discards samples
# whose clock had dropped.

# %%
# --8<-- [start:ways]
small_by = {
    "unwaited": samples(without_waiting, add_small, SAMPLES),
    "first": first_small,
    "waited": samples(waiting, add_small, SAMPLES),
    "events": samples(between_events, add_small, SAMPLES),
    "queued": samples(queued, add_small, SAMPLES),
    "lab": lab.time(device, add_small),
}
large_by = {
    "unwaited": samples(without_waiting, add_large, SAMPLES),
    "first": first_large,
    "waited": samples(waiting, add_large, SAMPLES),
    "events": samples(between_events, add_large, SAMPLES),
    "queued": samples(queued, add_large, SAMPLES),
    "lab": lab.time(device, add_large),
}
# --8<-- [end:ways]

WAYS = {
    "unwaited": "host clock, nobody waits",
    "first": "host clock, first launch",
    "waited": "host clock, waiting, warm",
    "events": "events around one launch",
    "queued": "events, launches queued",
    "lab": "lab.time",
}
lab.table(
    ["way", "small, us", "large, us"],
    [
        [words, f"{small_by[way] * 1e6:9.1f}", f"{large_by[way] * 1e6:9.1f}"]
        for way, words in WAYS.items()
    ],
)
for way in WAYS:
    for size, by, n in (("small", small_by, SMALL), ("large", large_by, large)):
        took = by[way] * 1e6
        lab.measured(f"{way}_{size}", took, better="lower", scale={"n": n})

kernel = large_by["lab"]
bandwidth = MOVED * large / kernel / 1e9
print(f"bandwidth at the large size: {bandwidth:.1f} GB/s")
lab.measured("kernel_rate", bandwidth, better="higher", scale={"n": large})
too_short = kernel.median / large_by["unwaited"]
print(f"the clock that did not wait is {too_short:.1f} times too short")
lab.measured("too_short", too_short, better="lower", scale={"n": large})
one = samples(lambda work: queued(work, 1), add_small, SAMPLES) * 1e6
print(f"small, a single launch queued: {one:.1f} us")
lab.measured("queued_one", one, better="lower", scale={"n": SMALL})
lab.predict(
    "launch-not-kernel",
    too_short.median >= 10,
    saw=f"{too_short:.1f} times too short",
)

# %% [markdown]
# ## The CPU's side
#
# NumPy adds into an output that is there already, on one core, as it always does for a
# sum. It gets new stretches every time too. That one core does it all is looked at: the
# process may not use more of the CPU's time than passes on the clock.

# %%
from_cpu, from_gpu = (np.full(large, np.nan, np.float32) for _ in range(2))


# --8<-- [start:numpy]
def numpy_adder(n: int):
    """A call of it adds the next stretch of ``n`` elements with NumPy."""
    places = itertools.cycle([slice(at, at + n) for at in places_of(n)])
    stretches = ((host_a[s], host_b[s], from_cpu[s]) for s in places)

    def add() -> float:
        one, other, out = next(stretches)
        begin = time.perf_counter()
        np.add(one, other, out=out)
        return time.perf_counter() - begin

    return add
# --8<-- [end:numpy]


numpy_large = numpy_adder(large)
numpy_large()  # the output's pages are there from now on
busy, clock = time.process_time(), time.perf_counter()
numpy_large()
cores = (time.process_time() - busy) / (time.perf_counter() - clock)
print(f"cores that the CPU's add keeps busy: {lab.Measured((cores,)):.2f}")
lab.measured("cpu_cores", lab.Measured((cores,)), better="lower", scale={"n": large})

# %% [markdown]
# ## The GPU's side with the copies
#
# Two copies in, the add, one copy out, between the same host arrays and with device
# arrays that are there already. The copies are the driver's own, straight from the
# arrays that NumPy uses.


# %%
def checked(answer: tuple) -> None:
    if answer[0] != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(answer[0].name)


a_in, b_in, c_out = (device.empty(large, "float32").buffer for _ in range(3))
FROM_A, FROM_B, TO = (array.ctypes.data for array in (host_a, host_b, from_gpu))


# --8<-- [start:copies]
def copy_in(n: int, at: int = 0) -> None:
    for buffer, array in ((a_in, FROM_A), (b_in, FROM_B)):
        place, size = array + FLOAT * at, FLOAT * n
        checked(driver.cuMemcpyHtoDAsync(buffer.handle, place, size, stream.handle))


def copy_out(n: int, at: int = 0) -> None:
    place, size = TO + FLOAT * at, FLOAT * n
    checked(driver.cuMemcpyDtoHAsync(place, c_out.handle, size, stream.handle))


def copying_adder(n: int):
    """A call of it copies the next stretch of ``n`` elements in, adds, and copies out."""
    config = LaunchConfig(grid=blocks_of(n), block=THREADS)
    turn, first, count = itertools.cycle(places_of(n)), np.int32(0), np.int32(n)

    def work() -> None:
        at = next(turn)
        copy_in(n, at)
        launch(stream, config, add, a_in, b_in, c_out, first, count)
        copy_out(n, at)

    return work
# --8<-- [end:copies]


# %% [markdown]
# ## A launch after a rest
#
# On a GPU that worked a moment ago, and then had no work for a while, or only copies: how
# long does the call of a launch take, and how long the large add behind it? The host
# stays awake in the meantime, since it looks at the clock.

# %%
PAUSE = 0.05  # seconds
RESTS = lab.sized(7, on_model=2, under_profiler=2)


def rest() -> None:
    until = time.perf_counter() + PAUSE
    while time.perf_counter() < until:
        pass


def copies() -> None:
    copy_in(large)
    device.synchronize()


# --8<-- [start:rest]
def call_and_add(before) -> tuple[float, float]:
    """After ``before``: seconds of a launch's call, and of the large add behind it."""
    waiting(add_large)
    before()
    begin = time.perf_counter()
    add_small()
    called = time.perf_counter() - begin
    return called, between_events(add_large)
# --8<-- [end:rest]


BEFORE = {"work": device.synchronize, "rest": rest, "copies": copies}
rows = []
for name, before in BEFORE.items():
    pairs = [call_and_add(before) for _ in range(RESTS)]
    called, added = (lab.Measured(column) * 1e6 for column in zip(*pairs, strict=True))
    rows.append([name, f"{called:9.1f}", f"{added:9.1f}"])
    lab.measured(f"call_after_{name}", called, better="lower")
    lab.measured(f"add_after_{name}", added, better="lower", scale={"n": large})
lab.table(["after", "the call, us", "the large add, us"], rows)
lab.exact("rest", round(PAUSE * 1e3))

# %% [markdown]
# ## The sweep
#
# One way after the other over all sizes, and all of it several times over, so that a
# drift meets all alike. Of one size and pass, the median of a few calls counts; fewer
# where one call takes long.

# %%
PASSES = lab.sized(5, on_model=2, under_profiler=1)
SIZES = [1 << power for power in range(8, large.bit_length())]
MOST = lab.sized(15, on_model=2, under_profiler=1)
CALLS = {n: max(1, min(MOST, (1 << 23) // n)) for n in SIZES}


def timed(way, work, count: int) -> float:
    return samples(way, work, count).median


# --8<-- [start:sweep]
cpu = {n: numpy_adder(n) for n in SIZES}
gpu_alone = {n: adder(add, n) for n in SIZES}
copied = {n: copying_adder(n) for n in SIZES}
seconds = {way: {n: [] for n in SIZES} for way in ("cpu", "gpu", "copies", "queued")}
link = {"in": [], "out": []}
for _ in range(PASSES):
    for n, calls in CALLS.items():
        by_numpy = [cpu[n]() for _ in range(calls)]
        seconds["cpu"][n].append(lab.Measured(tuple(by_numpy)).median)
    waiting(add_large)  # a GPU that idled while NumPy worked would be slow to answer
    for n, calls in CALLS.items():
        seconds["gpu"][n].append(timed(waiting, gpu_alone[n], max(calls, 7)))
        seconds["queued"][n].append(queued(gpu_alone[n]))
    for n, calls in CALLS.items():
        seconds["copies"][n].append(timed(waiting, copied[n], calls))
    link["in"].append(waiting(lambda: copy_in(large)))
    link["out"].append(waiting(lambda: copy_out(large)))
# --8<-- [end:sweep]

wrong = {
    "NumPy": count_wrong(from_cpu),
    "the GPU with copies": count_wrong(from_gpu),
    "the GPU alone": count_wrong(c.to_numpy()),
}
for who, count in wrong.items():
    print(f"{who}: {count} of {large} sums are wrong after the sweep")
lab.check("every sum of the sweep is the CPU's", [n == 0 for n in wrong.values()])

time_of = {
    way: {n: lab.Measured(tuple(taken)) for n, taken in by_size.items()}
    for way, by_size in seconds.items()
}
lab.table(
    ["n", "CPU, us", "GPU, us", "with copies, us", "queued, us", "queued, GB/s"],
    [
        [
            n,
            *(f"{time_of[way][n] * 1e6:10.1f}" for way in seconds),
            f"{MOVED * n / time_of['queued'][n] / 1e9:8.1f}",
        ]
        for n in SIZES
    ],
)
NAMES = {"cpu": "cpu", "gpu": "gpu", "copies": "gpu_with_copies"}
for way, name in NAMES.items():
    points = [(n, time_of[way][n] * 1e6) for n in SIZES]
    lab.series(name, points, x_unit="floats", y_unit="µs")
for way, name in (("gpu", "one_at_a_time"), ("queued", "queued")):
    points = [(n, MOVED * n / time_of[way][n] / 1e9) for n in SIZES]
    lab.series(name, points, x_unit="floats", y_unit="GB/s")

# %% [markdown]
# ## Half speed
#
# Where a ratio rises above one and stays there, between two sizes as on a logarithmic
# scale. Once per pass, so that there is a spread.


# %%
# --8<-- [start:overtakes]
def overtakes(ratios: list[float]) -> float | None:
    """The size from which ``ratios``, one per size, are above 1 to the end."""
    if ratios[-1] <= 1:
        return None
    below = [i for i, ratio in enumerate(ratios) if ratio <= 1]
    if not below:
        return float(SIZES[0])
    i = below[-1]
    low, high = math.log(ratios[i]), math.log(ratios[i + 1])
    return SIZES[i] * (SIZES[i + 1] / SIZES[i]) ** (-low / (high - low))


def of_pass(way: str, i: int) -> list[float]:
    return [seconds[way][n][i] for n in SIZES]
# --8<-- [end:overtakes]


# --8<-- [start:half]
half, formula = [], []
for i in range(PASSES):
    rates = [MOVED * n / s for n, s in zip(SIZES, of_pass("gpu", i), strict=True)]
    half.append(overtakes([2 * rate / rates[-1] for rate in rates]))
    formula.append(of_pass("gpu", i)[0] * rates[-1] / MOVED)
half_n, half_by_formula = lab.Measured(tuple(half)), lab.Measured(tuple(formula))
# --8<-- [end:half]
print(f"half speed from {half_n:.0f} floats on; by formula {half_by_formula:.0f}")
lab.measured("half_n", half_n, better="lower", scale={"n": large})
lab.measured("half_by_formula", half_by_formula, better="lower", scale={"n": large})
lab.predict(
    "half-speed",
    0.5 <= half_n.median / half_by_formula.median <= 2,
    saw=f"{half_n:.0f} floats, by formula {half_by_formula:.0f}",
)

# %% [markdown]
# ## Who wins

# %%
def faster_from(way: str) -> tuple[list[float], float]:
    """From how many floats on it beats NumPy: in passes where it does, and by medians."""
    of_passes = [np.divide(of_pass("cpu", i), of_pass(way, i)) for i in range(PASSES)]
    medians = [time_of["cpu"][n].median / time_of[way][n].median for n in SIZES]
    found = [overtakes(ratios.tolist()) for ratios in of_passes]
    return [n for n in found if n is not None], overtakes(medians) or 0.0


for way, words in (("gpu", "alone"), ("copies", "with copies")):
    found, by_medians = faster_from(way)
    at, of = lab.Measured((by_medians,)), lab.Measured((len(found),))
    print(
        f"the GPU {words} wins from {at:.0f} floats on by medians, "
        f"at some size in {of:.0f} of {PASSES} passes"
    )
    if way == "copies":
        rounded = [round(float(f"{n:.2g}")) for n in (*found, by_medians)]
        lab.observed("crossover_copies", rounded, scale={"n": large})
    elif len(found) == PASSES:
        passes = lab.Measured(tuple(found))
        lab.measured("crossover", passes, better="lower", scale={"n": large})

rates = {
    "cpu_rate": MOVED * large / time_of["cpu"][large] / 1e9,
    "copy_in_rate": 2 * FLOAT * large / lab.Measured(tuple(link["in"])) / 1e9,
    "copy_out_rate": FLOAT * large / lab.Measured(tuple(link["out"])) / 1e9,
}
for name, rate in rates.items():
    print(f"{name.removesuffix('_rate').replace('_', ' ')}: {rate:.2f} GB/s")
    lab.measured(name, rate, better="higher", scale={"n": large})
ratios = {}
for way, words, name in (
    ("gpu", "alone", "faster_alone"),
    ("copies", "with copies", "faster_with_copies"),
):
    pairs = np.divide(seconds["cpu"][large], seconds[way][large])
    ratios[way] = lab.Measured(tuple(pairs.tolist()))
    print(f"the GPU {words} adds at {ratios[way]:.2f} times NumPy's speed, large arrays")
    lab.measured(name, ratios[way], better="higher", scale={"n": large})

# --8<-- [start:link]
# Nanoseconds of one element: 8 bytes go in, 12 move in the kernel, 4 come out.
on_link = 8 / rates["copy_in_rate"].median + 4 / rates["copy_out_rate"].median
in_kernel, in_numpy = 12 / bandwidth.median, 12 / rates["cpu_rate"].median
of_parts = lab.Measured((in_numpy / (on_link + in_kernel),))
print(f"from the parts: {of_parts:.2f} times NumPy's speed with the copies")
lab.measured("faster_by_parts", of_parts, better="higher", scale={"n": large})
whole = ratios["copies"]
lab.predict(
    "link-against-cpu",
    abs(whole.median / of_parts.median - 1) <= 0.2,
    saw=f"{whole:.2f} times NumPy's speed, from the parts {of_parts:.2f}",
)
# --8<-- [end:link]

# %% [markdown]
# ## What fits the L2
#
# The same three arrays again and again, small enough for half of the L2, against ever new
# stretches of the same size. `lab.time` has a third way: it reads twice the L2's size of
# something else before each sample. Both kinds of launches have kernels of their own, so
# that a profiler can count what each of them read from memory.

# %%
mid = SMALL
while 2 * MOVED * mid <= gpu.l2_bytes // 2 and 2 * mid <= large // 16:
    mid *= 2
add_again, add_anew = (
    ObjectCode.from_cubin(code).get_kernel(name) for name in ("add_again", "add_anew")
)
adder(add, mid, same=True)()  # from here on the L2 has these arrays
again = samples(queued, adder(add_again, mid, same=True), SAMPLES)
anew = samples(queued, adder(add_anew, mid), SAMPLES)
flushed = lab.time(device, adder(add, mid, same=True), flush_l2=True)
lab.exact("mid", mid, scale={"n": large})
lab.exact("mid_mb", MOVED * mid / 1e6, scale={"n": large})
lab.exact("mid_loaded", 2 * FLOAT * mid, scale={"n": large})
lab.table(
    [f"{mid} floats", "us", "GB/s"],
    [
        [words, f"{took * 1e6:8.2f}", f"{MOVED * mid / took / 1e9:8.1f}"]
        for words, took in (
            ("the same arrays", again),
            ("ever new ones", anew),
            ("the same, L2 flushed", flushed),
        )
    ],
)
for name, took in (("again", again), ("anew", anew), ("flushed", flushed)):
    rate = MOVED * mid / took / 1e9
    lab.measured(f"{name}_rate", rate, better="higher", scale={"n": mid})
gain = anew.median / again
print(f"the same arrays again: {gain:.2f} times as fast as ever new ones")
lab.measured("gain_in_l2", gain, better="higher", scale={"n": mid})
lab.predict("in-l2", gain.median >= 1.2, saw=f"{gain:.2f} times as fast")
