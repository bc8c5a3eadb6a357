"""The GPUs of this machine, where it has several: those of one name are captured once."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence

from gpu100.child import environment, settings
from gpu100.errors import CourseError

VISIBLE = "CUDA_VISIBLE_DEVICES"


def gpu_names() -> list[str]:
    """The names of all GPUs that the driver shows, in its order.

    Raises:
        CourseError: it could not be asked.
    """
    command = [sys.executable, "-m", "gpu100.capture.gpus"]
    child = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
    try:
        return [str(name) for name in json.loads(child.stdout)]
    except json.JSONDecodeError:
        last = (child.stderr.strip().splitlines() or ["no output"])[-1]
        raise CourseError(f"the GPUs could not be listed: {last}") from None


def alike(names: Sequence[str]) -> list[tuple[int, ...]]:
    """The GPUs of each name, by their numbers; the names in the order of their first."""
    groups: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        groups.setdefault(name, []).append(index)
    return [tuple(group) for group in groups.values()]


@contextlib.contextmanager
def only(gpus: Sequence[int]) -> Iterator[None]:
    """Every process started meanwhile sees these GPUs alone, the first of them as number 0."""
    # What is visible may be restricted already: then the numbers count within that.
    shown = before.split(",") if (before := os.environ.get(VISIBLE)) else None
    with settings({VISIBLE: ",".join(shown[gpu].strip() if shown else str(gpu) for gpu in gpus)}):
        yield


def _main() -> None:
    from gpu100.device.cuda import CudaDevice

    print(json.dumps(CudaDevice.names()))


if __name__ == "__main__":
    _main()
