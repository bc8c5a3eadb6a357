# %% [markdown]
# # Radix sort
#
# Keys are sorted digit by digit, from the lowest, with digits of two widths, and held
# against a sort that compares. NumPy stands in for the GPU.

# %%
import time

import numpy as np
from gpu100 import lab

KEY_BITS, KEY_BYTES = 32, 4
N = 100_003
WIDTHS = (4, 8)
random = np.random.default_rng(37)
keys = random.integers(0, 1 << KEY_BITS, N, dtype=np.uint32)
few = random.integers(0, 5, N, dtype=np.uint32) << 13


# %% [markdown]
# ## One pass


# %%
# --8<-- [start:pass]
def one_pass(keys: np.ndarray, places: np.ndarray, shift: int, bits: int) -> tuple:
    digits = (keys >> shift) & ((1 << bits) - 1)
    order = np.argsort(digits, kind="stable")
    return keys[order], places[order]


# --8<-- [end:pass]


def radix_sort(keys: np.ndarray, bits: int) -> tuple:
    places, passes = np.arange(keys.size), 0
    for shift in range(0, KEY_BITS, bits):
        keys, places = one_pass(keys, places, shift, bits)
        passes += 1
    return keys, places, passes


# %% [markdown]
# ## Sorted, and stable

# %%
# --8<-- [start:check]
passes, right, in_order = {}, N, N
for bits in WIDTHS:
    by_digit, _, passes[bits] = radix_sort(keys, bits)
    lab.check(f"sorted with {bits}-bit digits", by_digit == np.sort(keys))
    right = min(right, int(np.count_nonzero(by_digit == np.sort(keys))))
    _, places, _ = radix_sort(few, bits)
    kept = places == np.argsort(few, kind="stable")
    in_order = min(in_order, int(np.count_nonzero(kept)))
# --8<-- [end:check]
moved = {bits: 2 * KEY_BYTES * passes[bits] for bits in WIDTHS}
lab.table(
    ["digit bits", "passes", "bytes a key"],
    [[bits, passes[bits], moved[bits]] for bits in WIDTHS],
)
lab.exact("passes", passes)
lab.exact("moved", moved)
lab.exact("right", right, scale={"n": N})
lab.exact("in_order", in_order, scale={"n": N})


# %% [markdown]
# ## The predictions


# %%
def seconds(bits: int) -> float:
    begin = time.perf_counter()
    radix_sort(keys, bits)
    return time.perf_counter() - begin


ratio = lab.Measured(tuple(seconds(4) / seconds(8) for _ in range(5)))
print(f"4-bit digits take {ratio:.2f} times as long as 8-bit digits")
lab.predict(
    "passes-32-digit",
    all(passes[bits] * bits == KEY_BITS for bits in WIDTHS),
    saw=f"{passes[4]} and {passes[8]} passes",
)
lab.predict("8-bit-digits", ratio.median >= 1.4, saw=f"{ratio:.2f} times")
lab.predict("sorted-stable-low", in_order == N, saw=f"{in_order} of {N} in order")
