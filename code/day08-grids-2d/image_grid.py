# %% [markdown]
# # Two and three dimensions
#
# A color image becomes gray, one thread a pixel. The blocks are rectangles of several
# shapes, all with the same number of threads. Whatever the shape, the image has to come
# out the same. What differs is which pixels the threads of one warp have, and so how many
# pieces of memory a warp asks for at once. Nothing is timed.

# %%
import math

import numpy as np

from gpu100 import lab

device = lab.device()
gpu = device.gpu
kernels = lab.compile(device, "image_grid.cu")
print(f"{gpu.name}, compute capability {gpu.capability}")

# %% [markdown]
# ## Which threads are a warp?
#
# One block of each shape, in which every thread writes down a number that it has from its
# warp. The array that it writes to is laid out by slice, row and column. Threads with the
# same number are one warp, whatever rule the hardware went by.

# %%
SHAPES = ((16, 16), (32, 8), (8, 32), (256, 1), (1, 256), (8, 8, 4), (4, 4, 16))


# --8<-- [start:rows_of_warp]
def warps_of(block: tuple[int, ...]) -> np.ndarray:
    """The number of each thread's warp, by slice, row and column."""
    warp_of_thread = device.empty((*block, 1)[2::-1], "int32")
    first = device.array(np.zeros(1, "int32"))
    kernels["name_warps"].launch(1, block, warp_of_thread, first)
    return warp_of_thread.to_numpy()


def rows_of_warp(warps: np.ndarray) -> int:
    """In how many rows a warp has threads, at the most."""
    return max(int((warps == warp).any(axis=-1).sum()) for warp in np.unique(warps))


def in_order(warps: np.ndarray) -> bool:
    """Whether 32 threads after one another are a warp: along x, then y, then z."""
    side_by_side = warps.reshape(-1, gpu.warp_size)  # the array is laid out that way
    return bool((side_by_side == side_by_side[:, :1]).all())
# --8<-- [end:rows_of_warp]


rows, sizes, ordered = {}, [], {}
for block in SHAPES:
    warps = warps_of(block)
    rows[block], ordered[block] = rows_of_warp(warps), in_order(warps)
    sizes.extend(np.unique(warps, return_counts=True)[1])
    x, y, z = (*block, 1)[:3]
    print(f"block {x} x {y} x {z}, rows of a warp: {rows[block]}")
lab.check("every warp has 32 threads", np.array(sizes) == gpu.warp_size)
names = {block: "x".join(map(str, block)) for block in SHAPES}
lab.exact("rows", {names[block]: rows[block] for block in SHAPES})

FLAT = SHAPES[:5]
lab.predict(
    "rows-per-warp",
    [rows[block] for block in FLAT] == [2, 1, 4, 1, 32]
    and all(ordered[block] for block in FLAT),
    saw=", ".join(f"{names[block]}: {rows[block]}" for block in FLAT),
)
lab.predict(
    "third-dimension",
    [rows[block] for block in SHAPES[5:]] == [4, 8]
    and all(ordered[block] for block in SHAPES[5:]),
    saw=", ".join(f"{names[block]}: {rows[block]}" for block in SHAPES[5:]),
)

# %% [markdown]
# ## An image that fits no block
#
# The image takes more than four times what the L2 holds, unless memory is short, and ends
# a few pixels short of whole blocks in both directions. So every shape has blocks that
# reach over the right edge or the lower one.

# %%
COLOR = 4  # bytes of a pixel: red, green, blue and one that is not used

side = lab.sized(math.isqrt(gpu.l2_bytes) // 256 + 2, on_model=1)
while side > 1 and 10 * 65536 * side * side > device.free_bytes() // 2:
    side -= 1
width, height = 256 * side - 3, 256 * side - 5
pixels = width * height
print(f"{width} x {height} pixels: {COLOR * pixels} bytes of color, {pixels} of gray")
SCALE = {"width": width, "height": height}
for name, value in (("width", width), ("height", height), ("pixels", pixels)):
    lab.exact(name, value, scale=SCALE)
lab.exact("color_mb", COLOR * pixels / 1e6, scale=SCALE)

# %% [markdown]
# ## Something to be wrong against
#
# Random channels, seeded. They are even, so that none is the highest there is, and no
# pixel can become the highest gray: that is the poison. Weights are whole numbers and
# the sum is rounded once, so that there is one right answer for each pixel.

# %%
# --8<-- [start:reference]
random = np.random.default_rng(8)
image = random.integers(0, 1 << 32, (height, width), "uint32") & 0x00FEFEFE
on_cpu = 77 * (image & 0xFF)
on_cpu += 150 * (image >> 8 & 0xFF)
on_cpu += 29 * (image >> 16)
on_cpu += 128
on_cpu //= 256
on_cpu = on_cpu.astype("uint8")
# --8<-- [end:reference]

# %% [markdown]
# ## Rows and their pitch
#
# On the GPU each row begins at a multiple of many bytes; what is left over at its end is
# padding. The gray image has rows below it, too, that belong to nobody. Padding and rows
# below are poisoned and must stay so: a thread without its guard would write there.

# %%
ALIGN = 512  # bytes
BELOW = 256  # rows, as many as the tallest block has


# --8<-- [start:pitch]
def padded(row_bytes: int) -> int:
    """The pitch of rows of ``row_bytes`` bytes: rounded up to whole pieces."""
    return -(-row_bytes // ALIGN) * ALIGN


color_pitch, gray_pitch = padded(COLOR * width), padded(width)
host_color = np.zeros((height, color_pitch // COLOR), "uint32")
host_color[:, :width] = image
color = device.array(host_color)
# --8<-- [end:pitch]
del host_color
packed_color = device.array(image)
del image


# --8<-- [start:gray_by]
def gray_by(name, block, color, color_pitch, gray_pitch, swapped=False):
    """The whole of the gray memory after a launch, and the grid."""
    gray = device.empty((height + BELOW, gray_pitch), "uint8")
    extent = (height, width) if swapped else (width, height)
    grid = tuple(-(-n // threads) for n, threads in zip(extent, block, strict=True))
    kernels[name].launch(
        grid, block, color, color_pitch, gray, gray_pitch, width, height
    )
    return gray.to_numpy(), grid
# --8<-- [end:gray_by]


# %% [markdown]
# Memory that no kernel has written must fail the comparison.

# %%
unwritten = device.empty((height, width), "uint8").to_numpy()
lab.check("the comparison rejects what no kernel wrote", unwritten != on_cpu)
del unwritten

# %% [markdown]
# ## The same image, seven ways
#
# Five shapes, one of them once more with x and y swapped, and once more on rows without
# padding.

# %%
pitched = (color, color_pitch, gray_pitch)
WAYS = {f"gray_{names[block]}": (block, *pitched) for block in FLAT}
WAYS["gray_swapped"] = ((32, 8), *pitched, True)
WAYS["gray_packed"] = ((32, 8), packed_color, COLOR * width, width)

wrong, untouched = {}, {}
for name, (block, *how) in WAYS.items():
    gray, grid = gray_by(name, block, *how)
    wrong[name] = int(np.count_nonzero(gray[:height, :width] != on_cpu))
    # --8<-- [start:untouched]
    beside = np.concatenate((gray[:, width:].ravel(), gray[height:, :width].ravel()))
    untouched[name] = bool(np.all(beside == 0xFF))
    # --8<-- [end:untouched]
    shape = f"{grid[0]} x {grid[1]} blocks of {block[0]} x {block[1]}"
    print(f"{name}, {shape}: {wrong[name]} of {pixels} pixels are wrong")
    del gray, beside
lab.check("nothing beside the image was written", list(untouched.values()))
lab.exact("wrong", wrong, scale=SCALE)
lab.predict(
    "same-image",
    not any(wrong.values()),
    saw=f"{sum(wrong.values())} pixels wrong in {len(wrong)} images",
)

# %% [markdown]
# ## Sectors, by arithmetic
#
# Memory is read and written in sectors. A warp's pixels are as many pieces of rows as it
# has rows, and from the place where a piece begins and ends follows how many sectors it
# touches. Summed over all warps of the launch, that is what the GPU's own counters have
# to say.

# %%
SECTOR = 32  # bytes


# --8<-- [start:sectors]
def sectors(columns: int, pixel: int, pitch: int) -> int:
    """Sectors that all warps touch together, of which each has ``columns`` of a row."""
    first = np.arange(0, width, columns)
    last = np.minimum(first + columns, width) - 1
    row_starts, alike = np.unique(np.arange(height) * pitch % SECTOR, return_counts=True)
    begin = (row_starts[:, None] + pixel * first) // SECTOR
    end = (row_starts[:, None] + pixel * last + pixel - 1) // SECTOR
    return int(alike @ (end - begin + 1).sum(axis=1))
# --8<-- [end:sectors]


columns = {f"gray_{names[block]}": gpu.warp_size // rows[block] for block in FLAT}
columns |= {"gray_swapped": 1, "gray_packed": gpu.warp_size}
requests = {
    name: -(-width // across) * -(-height // (gpu.warp_size // across))
    for name, across in columns.items()
}
in_color, in_gray = {}, {}
for name, across in columns.items():
    _, _, pitch_of_color, pitch_of_gray, *_ = WAYS[name]
    in_color[name] = sectors(across, COLOR, pitch_of_color)
    in_gray[name] = sectors(across, 1, pitch_of_gray)
lab.table(
    ["kernel", "requests", "sectors of color", "sectors of gray"],
    [[name, requests[name], in_color[name], in_gray[name]] for name in columns],
)
lab.exact("requests", requests, scale=SCALE)
lab.exact("color_by_hand", in_color, scale=SCALE)
lab.exact("gray_by_hand", in_gray, scale=SCALE)
lab.exact("packed_color", in_color["gray_packed"], scale=SCALE)
lab.exact("packed_gray", in_gray["gray_packed"], scale=SCALE)

# %% [markdown]
# No way to touch every pixel can do with fewer sectors than padded rows have.

# %%
fewest_color = height * -(-COLOR * width // SECTOR)
fewest_gray = height * -(-width // SECTOR)
print(f"at the least: {fewest_color} sectors of color, {fewest_gray} of gray")
lab.exact("fewest_color", fewest_color, scale=SCALE)
lab.exact("fewest_gray", fewest_gray, scale=SCALE)
lab.check(
    "no sum is below the least",
    [in_color[way] >= fewest_color and in_gray[way] >= fewest_gray for way in WAYS],
)

# %% [markdown]
# ## What the driver takes for a pitch
#
# The program chose its pitch by itself. The driver has a call that chooses one and
# allocates rows with it.

# %%
lab.rest_needs_gpu("it asks the driver for a pitch")
# --8<-- [start:driver_pitch]
from cuda.bindings import driver


def driver_pitch(row_bytes: int) -> int:
    """The pitch that the driver gives rows of ``row_bytes`` bytes."""
    given, address, pitch = driver.cuMemAllocPitch(row_bytes, height, 4)
    (taken_back,) = driver.cuMemFree(address)
    lab.check(
        f"the driver pitched rows of {row_bytes} bytes",
        [status == driver.CUresult.CUDA_SUCCESS for status in (given, taken_back)],
    )
    return int(pitch)
# --8<-- [end:driver_pitch]


its_color, its_gray = driver_pitch(COLOR * width), driver_pitch(width)
print(
    f"the driver's pitch: {its_color} bytes for {COLOR * width} of color, "
    f"{its_gray} for {width} of gray"
)
lab.exact("color_row", COLOR * width, scale=SCALE)
lab.exact("color_pitch", its_color, scale=SCALE)
lab.predict(
    "pitch-of-sectors",
    its_color % SECTOR == 0 and its_gray % SECTOR == 0,
    saw=f"{its_color} and {its_gray} bytes",
)
