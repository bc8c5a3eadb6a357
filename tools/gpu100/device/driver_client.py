"""``python -m gpu100.device.driver_client``: a client of the driver until standard input ends, and nothing else."""

from __future__ import annotations

import sys

from cuda.bindings import driver

if __name__ == "__main__":
    driver.cuInit(0)
    sys.stdin.read()
