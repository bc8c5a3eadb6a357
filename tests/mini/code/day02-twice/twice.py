# %% [markdown]
# # Twice
#
# How many blocks cover so many elements, and how much of the last one is idle.

# %%
from pathlib import Path

import numpy as np
from gpu100 import lab

THREADS = 256
numbers = Path(__file__).with_name("numbers.txt").read_text()
sizes = [int(line) for line in numbers.split()]


# --8<-- [start:blocks]
def blocks_for(elements: int) -> int:
    return -(-elements // THREADS)


# --8<-- [end:blocks]
blocks = {n: blocks_for(n) for n in sizes}
lab.table(["elements", "blocks"], [[n, blocks[n]] for n in sizes])
lab.exact("blocks", blocks)

# %%
x = np.random.default_rng(2).standard_normal(sizes[-1], dtype=np.float32)
lab.check("twice is the sum with itself", 2 * x == x + x)
threads = blocks[x.size] * THREADS
idle = 100 * (threads - x.size) / THREADS
print(f"{idle:.1f} % of the last block's threads are idle")
lab.exact("idle", round(idle, 1), scale={"elements": x.size})
lab.predict("last-block-full", idle == 0, saw=f"{threads - x.size} idle threads")
many = x.size > THREADS
lab.predict("needs-two", blocks[x.size] > 1, saw=f"{blocks[x.size]} blocks", applies=many)
