# %% [markdown]
# # Hello
#
# Two blocks of four threads, each of which writes down its number. NumPy stands in for
# the GPU.

# %%
import numpy as np
from gpu100 import lab

BLOCKS, THREADS = 2, 4
block, place = np.divmod(np.arange(BLOCKS * THREADS), THREADS)
# --8<-- [start:number]
number = block * THREADS + place
# --8<-- [end:number]
for thread in number:
    print(f"thread {thread} says hello")

# %% [markdown]
# Nobody may be missing.

# %%
lab.check("every number is there", np.sort(number) == np.arange(BLOCKS * THREADS))
lab.exact("threads", number.size)
distinct = len(set(number.tolist()))
lab.predict("all-speak", distinct == number.size, saw=f"{number.size} numbers")
