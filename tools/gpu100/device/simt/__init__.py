"""The SIMT model: kernels run without a GPU, from the PTX that NVRTC makes of them.

In the order in which a launch passes through it: :mod:`ptx` parses, :mod:`decode` turns each basic
block into a function over many lanes, :mod:`execute` runs those, :mod:`memory` checks and counts
what they access. :mod:`device` is the face that programs see.
"""
