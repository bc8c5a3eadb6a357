# %% [markdown]
# # How many warps an SM holds
#
# A block is cut into warps, and an SM has a fixed number of places for warps and for
# blocks. This program asks the driver, for a range of block sizes, how many blocks of
# a small kernel one SM holds at once, holds the answer against the limits the device
# reports, lets two small launches count their warps, and then tempts the GPU to spread a
# block over two SMs.

# %%
import numpy as np

from gpu100 import lab

device = lab.device()
gpu = device.gpu
kernels = lab.compile(device, "warp_slots.cu")
print(
    f"{gpu.name}, compute capability {gpu.capability}: {gpu.sms} SMs, "
    f"each with room for {gpu.warps_per_sm} warps and {gpu.blocks_per_sm} blocks"
)

# %% [markdown]
# ## One SM, by block size
#
# A block takes whole warps, so its last warp may have lanes that no thread fills. The
# number of resident blocks is the driver's answer for this kernel, not a formula.

# %%
SIZES = (16, 32, 48, 64, 128, 256, 512, 1024)
multiply_add = kernels["multiply_add"]


# --8<-- [start:residency]
def warps_of(threads: int) -> int:
    """Warps that a block of ``threads`` threads takes: the last one may be part empty."""
    return -(-threads // gpu.warp_size)


blocks_held = {threads: multiply_add.blocks_per_sm(threads) for threads in SIZES}
warps_held = {
    threads: blocks * warps_of(threads) for threads, blocks in blocks_held.items()
}
# --8<-- [end:residency]
idle = {threads: warps_of(threads) * gpu.warp_size - threads for threads in SIZES}
occupancy = {
    threads: round(100 * warps / gpu.warps_per_sm, 1)
    for threads, warps in warps_held.items()
}

lab.table(
    ["threads", "warps/block", "idle lanes", "blocks/SM", "warps/SM", "occupancy %"],
    [
        [t, warps_of(t), idle[t], blocks_held[t], warps_held[t], occupancy[t]]
        for t in SIZES
    ],
)
lab.exact("idle_lanes", idle)
lab.exact("blocks", blocks_held)
lab.exact("warps", warps_held)
lab.exact("occupancy", occupancy)
lab.exact("block_slots", gpu.blocks_per_sm)
lab.exact("warp_slots", gpu.warps_per_sm)

# %% [markdown]
# Every row must respect both limits, and at least one of the two must be the reason
# that no further block fits.


# %%
# --8<-- [start:limits]
def within_limits(threads: int) -> bool:
    return (
        blocks_held[threads] <= gpu.blocks_per_sm
        and warps_held[threads] <= gpu.warps_per_sm
    )


def no_room_for_another(threads: int) -> bool:
    one_more = (blocks_held[threads] + 1) * warps_of(threads)
    return blocks_held[threads] == gpu.blocks_per_sm or one_more > gpu.warps_per_sm


lab.check("every size is within both limits", [within_limits(t) for t in SIZES])
lab.check(
    "no size leaves room for another block", [no_room_for_another(t) for t in SIZES]
)
# --8<-- [end:limits]

# %% [markdown]
# ## Where the two limits meet
#
# The same question for every block size there is. Small blocks run out of block slots
# first; from some size on, the SM runs out of warp slots.

# %%
every_size = range(1, gpu.threads_per_block + 1)
blocks_at = {threads: multiply_add.blocks_per_sm(threads) for threads in every_size}
warps_at = {
    threads: blocks * warps_of(threads) for threads, blocks in blocks_at.items()
}
filled = [t for t in every_size if warps_at[t] == gpu.warps_per_sm]
full_blocks = [t for t in filled if t % gpu.warp_size == 0]
print(f"smallest block that fills every warp slot: {filled[0]} threads")
print("blocks of whole warps that fill every warp slot:", *full_blocks)
lab.exact("smallest_filling", filled[0])
lab.exact("filling", ", ".join(str(threads) for threads in full_blocks))

# %% [markdown]
# For a picture of all sizes, those of whole warps are enough, if the driver makes no
# difference between a block whose last warp is full and one whose last warp is not.

# %%
# --8<-- [start:series]
whole_warps = [t for t in every_size if t % gpu.warp_size == 0]
rounded_up = {t: warps_of(t) * gpu.warp_size for t in every_size}
lab.check(
    "a part-empty warp takes the room of a full one",
    [blocks_at[t] == blocks_at[rounded_up[t]] for t in every_size],
)
for name, resident, unit in (
    ("resident_warps", warps_at, "warps"),
    ("resident_blocks", blocks_at, "blocks"),
):
    points = [(threads, resident[threads]) for threads in whole_warps]
    lab.series(name, points, x_unit="threads", y_unit=unit)
# --8<-- [end:series]

# %% [markdown]
# Now the two predictions about the limits can be judged.

# %%
# --8<-- [start:predict]
both_bound = [blocks_held[16], blocks_held[32]] == [gpu.blocks_per_sm] * 2
lab.predict(
    "block-limit-first",
    both_bound,
    saw=f"{blocks_held[16]} and {blocks_held[32]} blocks of {gpu.blocks_per_sm}",
    applies=gpu.warps_per_sm > gpu.blocks_per_sm,
)
warps_at_meeting = -(-gpu.warps_per_sm // gpu.blocks_per_sm)
lab.predict(
    "limits-meet",
    filled[0] == gpu.warp_size * (warps_at_meeting - 1) + 1,
    saw=f"first filled at {filled[0]} threads, with {gpu.warps_per_sm} warps "
    f"and {gpu.blocks_per_sm} blocks",
    applies=gpu.warps_per_sm % warps_at_meeting == 0,
)
# --8<-- [end:predict]

# %% [markdown]
# ## The same threads, cut two ways
#
# Counted by the warps themselves: whoever is lane 0 of a warp adds one.

# %%
THREADS = 128
for blocks, threads in ((8, 16), (4, 32)):
    count = device.array(np.zeros(1, "uint32"))
    kernels["count_warps"].launch(blocks, threads, count)
    warps = int(count.to_numpy()[0])
    lanes = warps * gpu.warp_size
    print(
        f"{blocks} blocks of {threads} threads: {warps} warps, "
        f"{lanes - THREADS} of {lanes} lanes idle"
    )
    lab.exact(f"warps_{blocks}x{threads}", warps)

# %% [markdown]
# ## Is a block ever split?
#
# Many more blocks than the GPU holds at once, each warp writing down the SM it runs on.
# A block has 11 warps, so that an SM which is full for it still has warp slots left: too
# few for a whole block, and enough on two or three SMs together. Each block signs in at
# its SM and out again, and all of its warps look how many are there meanwhile.

# %%
# --8<-- [start:split]
threads, blocks = 336, 64 * gpu.sms
LOOKS = lab.sized(20, on_model=1)
sm_of_warp = device.empty((blocks, warps_of(threads)), "uint32")
here, most = (device.array(np.zeros(1024, "uint32")) for _ in range(2))
kernels["report_sm"].launch(blocks, threads, sm_of_warp, here, most, LOOKS)
sms, at_once = sm_of_warp.to_numpy(), int(most.to_numpy().max())
# --8<-- [end:split]

lab.check("every warp wrote its SM", sms != 0xFFFFFFFF)
split = int((sms != sms[:, :1]).any(axis=1).sum())
print(f"{split} of {blocks} blocks had warps on more than one SM")
lab.exact("blocks_split", split, scale={"blocks": blocks})
lab.predict(
    "one-sm", split == 0, saw=f"{split} of {blocks} blocks split", needs_gpu=True
)

# %%
lab.rest_needs_gpu("the model runs one block after the other")

held = kernels["report_sm"].blocks_per_sm(threads)
left = gpu.warps_per_sm - held * warps_of(threads)
print(f"blocks of {threads} threads on one SM at once: at most {at_once}")
lab.exact("at_once", at_once)
lab.exact("left_over", left)
lab.predict(
    "as-the-driver-says", at_once == held, saw=f"at most {at_once}, the driver: {held}"
)
