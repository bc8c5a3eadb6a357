# %% [markdown]
# # A reversal without a barrier
#
# Threads read what others write. On a GPU the result may be right in one run and wrong
# in the next.

# %%
import numpy as np

from gpu100 import lab

device = lab.device()
reverse = lab.compile(device, "missing_barrier.cu")["reverse"]

BLOCKS, THREADS = 64, 256
numbers = np.random.default_rng(5).integers(0, 1 << 30, BLOCKS * THREADS, dtype="int32")
out = device.empty(numbers.size, "int32")
reverse.launch(BLOCKS, THREADS, device.array(numbers), out)
expected = numbers.reshape(BLOCKS, THREADS)[:, ::-1].ravel()
lab.check("every block is reversed", out.to_numpy() == expected)
