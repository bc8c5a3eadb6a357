"""``python -m gpu100.device.awake``: has the driver open until standard input ends, and does nothing else."""

from __future__ import annotations

import sys

from cuda.bindings import driver

if __name__ == "__main__":
    driver.cuInit(0)
    sys.stdin.read()
