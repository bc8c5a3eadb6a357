"""A client of the driver while a capture runs: without one, each process would wake the GPUs up anew.

It has the driver initialized and does nothing else: no context, none of the GPU's memory. On an H200,
in persistence mode as it was, each process of a capture then took 0.1 to 0.2 s less.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator

from gpu100.child import environment


@contextlib.contextmanager
def driver_client() -> Iterator[None]:
    """Within, there is such a client; where there is no driver, nothing happens."""
    command = [sys.executable, "-m", "gpu100.device.driver_client"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()) as child:
        assert child.stdin
        with child.stdin:  # it ends when this is closed, also by the end of this process
            yield
