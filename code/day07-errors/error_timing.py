# %% [markdown]
# # Errors that arrive late
#
# Mistakes made on purpose, through the driver's interface and through the runtime's. Of
# each the program records which call reported it, under what name, and whether anything
# still works afterward. A mistake that may cost the context has a process of its own.

# %%
from typing import NamedTuple

import numpy as np

from gpu100 import lab
from gpu100.errors import DeviceError
from gpu100.lab import call

device = lab.device()
gpu = device.gpu
kernels = lab.compile(device, "error_timing.cu")
print(f"{gpu.name}, compute capability {gpu.capability}")

# %% [markdown]
# ## A launch that nobody asks about
#
# Too many threads in one block, caught and then ignored, as it is by a program that looks
# at no error. The slots still hold the poison that they were filled with.

# %%
# --8<-- [start:silent]
N = 2048
POISON = -1


def written(blocks: int, threads: int) -> int:
    """How many slots hold their index, whether or not the launch was accepted."""
    slots = device.empty(N, "int32")  # filled with poison
    try:
        kernels["fill"].launch(blocks, threads, slots, N)
    except DeviceError:
        pass  # what a program does that looks at no error
    found = slots.to_numpy()
    right = found == np.arange(N)
    lab.check("every slot holds its index or poison", right | (found == POISON))
    return int(right.sum())
# --8<-- [end:silent]


one, two = written(1, N), written(2, N // 2)
print(f"1 block of {N} threads wrote {one} of {N} slots")
print(f"2 blocks of {N // 2} threads wrote {two} of {N} slots")
lab.exact("written", {"1 block": one, "2 blocks": two})

# %% [markdown]
# ## The mistakes
#
# Each is a list of calls, of which the last is the mistake. Those of the first group ask
# for more than the device has; those of the second go wrong while the kernel runs; those
# of the third launch nothing.

# %%
# --8<-- [start:mistakes]
fill, stir = kernels["fill"], kernels["stir_freely"]
slots, sums = np.zeros(N, "int32"), np.zeros(1024, "float32")
floats = np.random.default_rng(7).standard_normal(96 * 1024, dtype=np.float32)
SHARED = gpu.shared_bytes_per_block + 1  # one byte more than any block may have
UNSET = lab.Address(0)  # a pointer that no allocation has set

REFUSED = {
    "too many threads": [call.launch(fill, 1, 2048, slots, N)],
    "no blocks": [call.launch(fill, 0, 256, slots, N)],
    "grid too high": [call.launch(fill, (1, 65_536), 32, slots, N)],
    "too much shared memory": [call.launch(fill, 1, 32, slots, N, shared_bytes=SHARED)],
    "too many registers": [call.launch(stir, 1, 1024, floats, sums, 2)],
    "too many blocks at once": [
        call.launch(fill, 1 << 20, 32, slots, N, cooperative=True)
    ],
}
FAULTS = {
    "unset pointer": [call.launch(fill, 1, 32, UNSET, 32)],
    "misaligned read": [call.launch(kernels["read_vector"], 1, 32, floats, sums)],
    "failed assert": [call.launch(kernels["claim"], 1, 1, slots, 1)],
    "trap": [call.launch(kernels["give_up"], 1, 1, slots, 1)],
}
OTHERS = {
    "16 TiB of memory": [call.allocate(1 << 44)],
    "memory freed twice": [call.allocate(256), call.free(), call.free()],
    "misspelled kernel": [call.find(fill, "fil")],
    "events not recorded": [call.elapsed()],
    "no such GPU": [call.device(1000)],
}
MISTAKES = REFUSED | FAULTS | OTHERS
# --8<-- [end:mistakes]

# %% [markdown]
# ## What is called after each
#
# First a wait, then an innocent allocation, then a launch that has nothing wrong with it
# and a wait for that. Where the last three succeed, the context still works.

# %%
# --8<-- [start:after]
AFTER = [
    call.synchronize(),
    call.allocate(256),
    call.launch(fill, 2, 1024, slots, N),
    call.synchronize(),
]


class Seen(NamedTuple):
    """What a mistake answered, and the calls after it."""

    mistake: str
    wait: str
    allocation: str
    launch: str
    end: str

    @property
    def later(self) -> tuple[str, ...]:
        """Of the calls that come once somebody has waited."""
        return self.allocation, self.launch, self.end

    @property
    def works(self) -> bool:
        return all(call.succeeded(answer) for answer in self.later)

    @property
    def error(self) -> str:
        """The first answer that is not success."""
        return next(answer for answer in self[:3] if not call.succeeded(answer))

    @property
    def reporter(self) -> str:
        return ("the call", "the wait", "the next call")[self.index(self.error)]


def provoke(mistakes, api):
    """By mistake, what was seen. Faults have processes of their own, the others share."""
    listed = {name: calls + AFTER for name, calls in mistakes.items()}
    shared = {name: calls for name, calls in listed.items() if name not in FAULTS}
    alone = {name: calls for name, calls in listed.items() if name in FAULTS}
    told = lab.cases(shared, api=api, together=True) | lab.cases(alone, api=api)
    return {name: Seen(*told[name].answers[-5:]) for name in mistakes}
# --8<-- [end:after]


def show(found) -> None:
    rows = [
        [name, seen.error, seen.reporter, "works" if seen.works else "lost"]
        for name, seen in found.items()
    ]
    lab.table(["mistake", "error", "reported by", "context"], rows)


# %% [markdown]
# ## Through the driver
#
# The model answers for launches and for memory. The sanitizer, which ends a faulty kernel
# in a way of its own, is given two mistakes that run no kernel.

# %%
MODELED = REFUSED | FAULTS | {"16 TiB of memory": OTHERS["16 TiB of memory"]}
HARMLESS = {name: MODELED[name] for name in ("too many threads", "16 TiB of memory")}
mistakes = lab.sized(MISTAKES, on_model=MODELED, under_sanitizer=HARMLESS)
scale = {"mistakes": len(mistakes)}

by_driver = provoke(mistakes, "driver")
show(by_driver)
lab.exact("driver", {k: seen.error for k, seen in by_driver.items()}, scale=scale)
lab.exact("reporter", {k: seen.reporter for k, seen in by_driver.items()}, scale=scale)
lab.exact("survives", {k: seen.works for k, seen in by_driver.items()}, scale=scale)

# %% [markdown]
# ## What was claimed
#
# A refused launch reports itself. A fault is reported by the wait, and by all that is
# called later. Too little memory harms nothing.

# %%
# --8<-- [start:judge]
def of(group):
    return [seen for name, seen in by_driver.items() if name in group]


refused, faults = of(REFUSED), of(FAULTS)
at_once = sum(seen.reporter == "the call" and seen.works for seen in refused)
lab.predict("refused", at_once == len(refused), saw=f"{at_once} of {len(refused)}")

late = sum(
    seen.reporter == "the wait" and set(seen.later) == {seen.error} for seen in faults
)
lab.predict("late", late == len(faults), saw=f"{late} of {len(faults)}")

memory = by_driver["16 TiB of memory"]
lab.predict(
    "out-of-memory",
    memory.mistake == "CUDA_ERROR_OUT_OF_MEMORY" and memory.works,
    saw=f"{memory.mistake} from {memory.reporter}",
)
# --8<-- [end:judge]

# %% [markdown]
# ## Too many registers, and what helps
#
# A second kernel has the same body as the one that was refused, and was promised never to
# see a larger block than this one. What does not fit into its registers is kept in
# memory.

# %%
# --8<-- [start:registers]
out = device.empty(1024, "float32")  # filled with poison, which is NaN
kernels["stir_bounded"].launch(1, 1024, device.array(floats), out, 2)
bounded = out.to_numpy()
bounded_runs = not np.isnan(bounded).any()

values = floats.reshape(96, 1024).astype(np.float64)
for k in [*range(96)] * 2:
    values[k] += values[(k + 7) % 96] * values[(k + 31) % 96]
close = np.abs(bounded - values.sum(axis=0)) <= 1e-5 * np.abs(values).sum(axis=0)
lab.check("where it ran, its sums are the CPU's", close | (not bounded_runs))

facts = {name: kernels[name].facts for name in ("stir_freely", "stir_bounded")}
for name, kernel in facts.items():
    print(f"{name}: {kernel.registers} registers, {kernel.local_bytes} bytes elsewhere")
lab.codegen("registers", {name: kernel.registers for name, kernel in facts.items()})
lab.codegen("local_bytes", {name: kernel.local_bytes for name, kernel in facts.items()})
# --8<-- [end:registers]
if "too many registers" in mistakes:
    freely = by_driver["too many registers"].error
    lab.predict(
        "registers",
        freely == "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" and bounded_runs,
        saw=f"{freely}, and with bounds it {'ran' if bounded_runs else 'did not run'}",
    )

# %% [markdown]
# ## Through the runtime
#
# The same mistakes in the other interface, which the model does not have. Each name has a
# number, and the two interfaces share most of their numbers. Before that, the device
# tells whether its system ends kernels that run for long.

# %%
from cuda.bindings import driver, runtime

lab.rest_needs_gpu("the runtime's names, and its last error, are a GPU's to tell")

limited = bool(device.core.properties.kernel_exec_timeout)
print(f"kernels may run for a limited time only: {'yes' if limited else 'no'}")
lab.exact("time_limit", limited)

status, version = runtime.getLocalRuntimeVersion()
lab.check("the runtime told its version", status == runtime.cudaError_t.cudaSuccess)
lab.exact("runtime_version", f"{version // 1000}.{version % 1000 // 10}")

# --8<-- [start:runtime]
by_runtime = provoke(mistakes, "runtime")
show(by_runtime)
both = [(by_driver[name], by_runtime[name]) for name in mistakes]
lab.check("both report by the same call", [a.reporter == b.reporter for a, b in both])
lab.check("both lose the same", [a.works == b.works for a, b in both])

def number(names, name: str) -> int:
    """An error's number, from the interface's own list of ``names``."""
    return int(getattr(names, name))


in_driver = {k: number(driver.CUresult, seen.error) for k, seen in by_driver.items()}
in_runtime = {k: number(runtime.cudaError_t, s.error) for k, s in by_runtime.items()}
others = [name for name in mistakes if in_driver[name] != in_runtime[name]]
# --8<-- [end:runtime]
for name in others:
    print(f"{name}: {in_driver[name]} in the driver, {in_runtime[name]} in the runtime")
lab.exact("runtime", {k: seen.error for k, seen in by_runtime.items()}, scale=scale)
lab.exact("driver_number", in_driver, scale=scale)
lab.exact("runtime_number", in_runtime, scale=scale)
lab.predict(
    "two-numbers",
    {(in_driver[name], in_runtime[name]) for name in others} == {(1, 9)},
    saw=f"{len(others)} of {len(mistakes)} differ",
)

# %% [markdown]
# ## What the last error says
#
# Three short stories, each in a process of its own. At its end the runtime is asked for
# its last error, and asked again.

# %%
# --8<-- [start:last_error]
BAD = REFUSED["too many threads"]
GOOD = [call.launch(fill, 2, 1024, slots, N), call.synchronize()]
TOO_BIG = OTHERS["16 TiB of memory"]
harmless = {
    "refused, then a good launch": BAD + GOOD,
    "refused, then 16 TiB": BAD + TOO_BIG,
}
faulty = {"unset pointer, then a wait": FAULTS["unset pointer"] + [call.synchronize()]}
stories = lab.sized(harmless | faulty, on_model={}, under_sanitizer=harmless)

ASK_TWICE = [call.last_error(), call.last_error()]
asked = lab.cases({k: calls + ASK_TWICE for k, calls in stories.items()}, api="runtime")
said = {story: told.answers[-2:] for story, told in asked.items()}
for story, (first, again) in said.items():
    print(f"{story}: {first}, asked again: {again}")
# --8<-- [end:last_error]
lab.exact("last_error", {story: first for story, (first, _) in said.items()})
lab.exact("asked_again", {story: again for story, (_, again) in said.items()})
(kept, _), (replaced, _) = (said[story] for story in harmless)
lab.predict(
    "last-error",
    kept == by_runtime["too many threads"].error
    and replaced == by_runtime["16 TiB of memory"].error,
    saw=f"{kept}, {replaced}",
)

# %% [markdown]
# ## An allocation that nobody waited before
#
# The unset pointer once more, and after it an allocation before anybody has waited: right
# behind the launch, and half a second later. 0 is success.

# %%
# --8<-- [start:innocent]
FAULT, ALLOCATE = FAULTS["unset pointer"], [call.allocate(256), call.synchronize()]
waits = {"at once": FAULT + ALLOCATE, "later": FAULT + [call.pause(0.5)] + ALLOCATE}
told = lab.cases(lab.sized(waits, on_model={}, under_sanitizer={}), api="runtime")
innocent = {when: number(runtime.cudaError_t, told[when].answers[-2]) for when in told}
# --8<-- [end:innocent]
for when, error in innocent.items():
    print(f"an allocation after the unset pointer, {when}: error {error}")
    lab.observed(f"innocent_{when.replace(' ', '_')}", error)

# %% [markdown]
# ## A recursion that is too deep
#
# Recorded and not judged: what comes of it is not promised, and may be nothing at all.

# %%
# --8<-- [start:deep]
DEPTH = lab.sized(1 << 20, on_model=1, under_sanitizer=1)
steps = np.arange(32, dtype="int32")
dig = call.launch(kernels["dig"], 1, 1, steps, np.zeros(1, "int32"), DEPTH)
deep = lab.cases({"deep": [dig, call.synchronize()]}, seconds=5)["deep"]
NEVER = -1  # it was still running when its time was over
error = NEVER if deep.timed_out else number(driver.CUresult, deep.answers[-1])
lab.observed("deep_error", error)
# --8<-- [end:deep]
