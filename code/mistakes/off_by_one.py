# %% [markdown]
# # A vector add with one element too many
#
# Every sum is right, and the comparison says so. The mistake is in memory that nobody
# looks at: on a GPU it usually goes unnoticed.

# %%
import numpy as np

from gpu100 import lab

device = lab.device()
add = lab.compile(device, "off_by_one.cu")["add"]

N, THREADS = 1000, 256
random = np.random.default_rng(4)
a, b = (random.standard_normal(N, dtype=np.float32) for _ in range(2))
c = device.empty(N, "float32")
add.launch(-(-N // THREADS), THREADS, device.array(a), device.array(b), c, N)
lab.check("every sum equals the CPU's", c.to_numpy() == a + b)
