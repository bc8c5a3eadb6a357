# %% [markdown]
# # Walking a tile by columns
#
# The result is right. What is wrong is the way to it: all lanes of a warp want the same
# bank of shared memory.

# %%
import numpy as np

from gpu100 import lab

device = lab.device()
transpose = lab.compile(device, "column_walk.cu")["transpose"]

tile = np.random.default_rng(6).standard_normal((32, 32), dtype=np.float32)
out = device.empty((32, 32), "float32")
transpose.launch(1, (32, 32), device.array(tile), out)
lab.check("every element is in its place", out.to_numpy() == tile.T)
