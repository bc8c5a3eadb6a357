# %% [markdown]
# # One function, many threads
#
# Every thread of a launch writes its own number into its own slot. Then the program looks
# at what is not promised: the order in which blocks take their turn, and the fate of the
# lines that threads print.

# %%
import numpy as np

from gpu100 import lab

device = lab.device()
kernels = lab.compile(device, "hello_threads.cu")
print(f"{device.gpu.name}, compute capability {device.gpu.capability}")

# %% [markdown]
# ## A line from every thread
#
# The lines may come in any order. They appear at the synchronize, not at the launch.

# %%
# --8<-- [start:greet]
with lab.unordered():
    kernels["greet"].launch(2, 4)
    device.synchronize()
# --8<-- [end:greet]

# %% [markdown]
# ## A few threads, and slots to spare
#
# There are more slots than threads to fill them. A slot that no thread has written still
# holds the poison it was filled with, which reads as minus one.

# %%
# --8<-- [start:small]
SLOTS = 12
POISON = -1


def write_index(blocks: int, threads: int, n: int) -> np.ndarray:
    slots = device.empty(SLOTS, "int32")  # filled with poison
    kernels["write_index"].launch(blocks, threads, slots, n)
    return slots.to_numpy()  # waits for the kernel, then copies


spare, guarded = write_index(2, 4, n=12), write_index(3, 4, n=10)
# --8<-- [end:small]
print("2 blocks of 4 threads, n = 12:", *spare)
print("3 blocks of 4 threads, n = 10:", *guarded)


# --8<-- [start:verdict]
def own_index_up_to(end: int, slots: np.ndarray) -> bool:
    """Whether the first ``end`` slots hold their index, and all others poison still."""
    index = np.arange(SLOTS)
    return bool((slots == np.where(index < end, index, POISON)).all())


eight, ten = own_index_up_to(8, spare), own_index_up_to(10, guarded)
# --8<-- [end:verdict]
written = {"2x4": int((spare != POISON).sum()), "3x4": int((guarded != POISON).sum())}
lab.exact("written", written)
lab.predict("eight-threads", eight, saw=f"{written['2x4']} of {SLOTS} written")
lab.predict("guard", ten, saw=f"{written['3x4']} of {SLOTS} written")

# %% [markdown]
# ## A million threads, and the order of their blocks
#
# The same over as many slots as threads. Beside it, the first thread of each block draws
# a ticket from a common counter, as customers in a shop do. The launch is repeated, since
# no order is promised to come twice.

# %%
# --8<-- [start:big]
N, THREADS, LAUNCHES = 1 << 20, 256, 10
BLOCKS = N // THREADS


def write_index_in_turn() -> tuple[np.ndarray, np.ndarray]:
    slots, tickets = device.empty(N, "int32"), device.empty(BLOCKS, "uint32")
    next_ticket = device.array(np.zeros(1, "uint32"))
    kernel = kernels["write_index_in_turn"]
    kernel.launch(BLOCKS, THREADS, slots, N, next_ticket, tickets)
    return slots.to_numpy(), tickets.to_numpy()


results = [write_index_in_turn() for _ in range(LAUNCHES)]
# --8<-- [end:big]
slots = np.stack([slots for slots, _ in results])
tickets = np.stack([tickets for _, tickets in results]).astype("int64")

lab.check("every slot was written in every launch", slots != POISON)
right = int((slots == np.arange(N)).all(axis=0).sum())
print(f"{right} of {N} slots hold their own index")
lab.exact("blocks", BLOCKS)
lab.exact("right", right, scale={"threads": N})
lab.predict("own-index", right == N, saw=f"{right} of {N} in {LAUNCHES} launches")

# --8<-- [start:tickets]
turns = np.arange(BLOCKS)  # the tickets, had the blocks come in order
drawn = min(len(np.intersect1d(launch, turns)) for launch in tickets)
places = np.abs(tickets - turns)  # how far from its turn each block was
# --8<-- [end:tickets]
print(f"{drawn} of {BLOCKS} blocks drew a ticket of their own")
lab.check("every block drew a ticket of its own", drawn == BLOCKS)
out_of_turn = (places > 0).sum(axis=1)
lab.observed("out_of_turn", out_of_turn, scale={"blocks": BLOCKS})
lab.observed("farthest", places.max(axis=1), scale={"blocks": BLOCKS})
lab.predict("out-of-turn", (out_of_turn > 0).all(), needs_gpu=True)

# %% [markdown]
# ## The buffer behind printf
#
# The driver tells how large it is. Launches in which every thread prints a line show how
# many fit, and what happens where there are more. This part speaks to the driver and to
# the C library directly, so it needs a GPU and Linux.

# %%
import ctypes
import os
import sys
import tempfile

from cuda.bindings import driver

lab.rest_needs_gpu("the buffer behind printf is the driver's")

status, buffer_bytes = driver.cuCtxGetLimit(driver.CUlimit.CU_LIMIT_PRINTF_FIFO_SIZE)
lab.check("the driver told the size", status == driver.CUresult.CUDA_SUCCESS)
print(f"printf buffer: {buffer_bytes} bytes")
lab.exact("buffer_bytes", buffer_bytes)
lab.exact("buffer_per_sm", round(buffer_bytes / device.gpu.sms, 1))
lab.predict("buffer-size", buffer_bytes == 1 << 20, saw=f"{buffer_bytes} bytes")


def printed(blocks: int) -> list[bytes]:
    """What arrives of greet's lines; the process's output goes to a file meanwhile."""
    c_library = ctypes.CDLL(None)
    sys.stdout.flush()
    c_library.fflush(None)
    with tempfile.TemporaryFile() as file:
        output = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            kernels["greet"].launch(blocks, THREADS)
            device.synchronize()
            c_library.fflush(None)
        finally:
            os.dup2(output, 1)
            os.close(output)
        file.seek(0)
        return [line for line in file if line.startswith(b"hello from thread ")]


# %% [markdown]
# First the longest launch of which every line arrives: twice as long again and again
# until lines are missing, then by halving. It goes no farther than twice as many lines as
# would fit if each took 32 bytes: two numbers, the address of its format, bookkeeping.

# %%
LONGEST = lab.sized(2 * buffer_bytes // 32 // THREADS, on_model=4, under_profiler=4)


# --8<-- [start:lines]
def all_arrive(blocks: int) -> bool:
    return len(set(printed(blocks))) == blocks * THREADS


fits = step = 1  # blocks
while 2 * fits <= LONGEST and all_arrive(2 * fits):
    fits = step = 2 * fits
while step > 1:
    step //= 2
    if all_arrive(fits + step):
        fits += step
# --8<-- [end:lines]
lines_fit = fits * THREADS
line_bytes = round(buffer_bytes / lines_fit)
print(f"of {lines_fit} lines all arrive: {line_bytes} bytes for each")
lab.observed("lines_fit", lines_fit, scale={"buffer": buffer_bytes})
lab.observed("line_bytes", line_bytes, scale={"buffer": buffer_bytes})

# %% [markdown]
# Then a launch of three times as many.

# %%
lines = 3 * lines_fit
arrived = printed(3 * fits)
different = len(set(arrived))
print(f"of {lines} lines arrive {lab.Measured((different,)):.0f}")
lab.check("some lines arrived, and no more than were printed", 0 < different <= lines)
lab.observed("lines_printed", lines, scale={"buffer": buffer_bytes})
lab.observed("lines_arrived", different, scale={"lines": lines})
lab.observed("lines_repeated", len(arrived) - different, scale={"lines": lines})
lab.predict("lines-lost", different < lines)
