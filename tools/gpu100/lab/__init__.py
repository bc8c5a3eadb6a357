"""What a day's program imports: a device, and the declaration of results.

A program finds a device, compiles its ``.cu``, launches, compares, and *declares* what came out;
it does not leave results to be scraped from its output::

    from gpu100 import lab

    device = lab.device()
    kernels = lab.compile(device, "vector_add.cu")
    c = device.empty(n, "float32")
    kernels["add"].launch(blocks, threads, a, b, c, n)
    lab.check("every sum equals the CPU's", c.to_numpy() == expected)

The same program runs as a plain script, in a notebook and under capture, on a GPU or, where there is
none, on the SIMT model.
"""

from gpu100.device.arguments import Address
from gpu100.lab import call
from gpu100.lab.isolated import Told, cases, isolated
from gpu100.lab.measured import Measured
from gpu100.lab.on_model import rest_needs_gpu, sized
from gpu100.lab.results import (
    check,
    codegen,
    exact,
    measured,
    observed,
    predict,
    series,
    tolerant,
    unordered,
)
from gpu100.lab.start import compile, device
from gpu100.lab.table import table
from gpu100.lab.timing import Comparison, compare, rotations, sweep, time

__all__ = [
    "Address",
    "Comparison",
    "Measured",
    "Told",
    "call",
    "cases",
    "check",
    "codegen",
    "compare",
    "compile",
    "device",
    "exact",
    "isolated",
    "measured",
    "observed",
    "predict",
    "rest_needs_gpu",
    "rotations",
    "series",
    "sized",
    "sweep",
    "table",
    "time",
    "tolerant",
    "unordered",
]
