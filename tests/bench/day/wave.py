# %% [markdown]
# # Day NUMBER: a wave, sampled
#
# A kernel samples a wave, another folds every block's samples into one sum. The host compares
# both with NumPy in double precision.

# %%
import numpy as np
from gpu100 import lab

device = lab.device()
kernels = lab.compile(device, "wave_NUMBER.cu")
n, threads = 1 << 20, 256
blocks = -(-n // threads)

# %% [markdown]
# ## The samples
#
# The phase moves from step to step, and every sample is compared.

# %%
y = device.empty(n, "float32")
sums = device.empty(blocks, "float32")
# --8<-- [start:steps]
for step in range(1, 33):
    kernels["wave_NUMBER"].launch(blocks, threads, y, np.float32(step / 32), n)
    kernels["fold_NUMBER"].launch(blocks, threads, sums, y, n)
    print(f"step {step}: {blocks} blocks, the first sums to {sums.to_numpy()[0]:.4f}")
# --8<-- [end:steps]

# %% [markdown]
# ## What came of them
#
# Sums differ in their last bits where the order of additions does.

# %%
expected = np.sin(np.float32(1) + np.arange(n))
lab.check("every sample is near NumPy's", np.abs(y.to_numpy() - expected) < 1e-3)
lab.exact("samples", n)
