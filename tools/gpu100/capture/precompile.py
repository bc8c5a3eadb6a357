"""All kernels into the cache before any program runs.

A compiler that works beside a measurement disturbs it, and a kernel that does not compile is
better known in the first minute than in the last. In children, since NVRTC can crash.
"""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gpu100.capture.beside import at_once
from gpu100.capture.plan import Job
from gpu100.child import environment
from gpu100.evidence.key import source_of
from gpu100.model.machine import Machine
from gpu100.paths import Layout


def precompile(jobs: list[Job], layout: Layout, machine: Machine) -> list[str]:
    """The names of those ``jobs`` whose kernels do not compile; their records will say why."""
    files = [str(source_of(layout, job.day, job.program).with_suffix(".cu")) for job in jobs]
    command = [sys.executable, "-m", "gpu100.capture.precompile", str(layout.root), str(layout.cache)]
    command.append(machine.gpu.compute_capability.arch)

    def refused(part: list[str]) -> set[str]:
        child = subprocess.run([*command, *part], capture_output=True, text=True, env=environment(), check=False)
        try:
            return set(json.loads(child.stdout))
        except json.JSONDecodeError:  # the compiler crashed; the program's own run will tell
            return set()

    children = min(at_once(), len(files)) or 1
    with ThreadPoolExecutor(children) as pool:
        bad = set[str]().union(*pool.map(refused, (files[first::children] for first in range(children))))
    return [job.name for job, file in zip(jobs, files, strict=True) if file in bad]


def _main() -> None:
    from gpu100.device.interface import Source
    from gpu100.device.nvrtc import compile_source
    from gpu100.errors import CompileError
    from gpu100.model.behaviour import COMPILE_OPTIONS

    root, cache, arch, *files = sys.argv[1:]
    refused = []
    for file in files:
        try:
            compile_source(Source.read(Path(file), Path(root)), arch, COMPILE_OPTIONS, cache=Path(cache))
        except CompileError:
            refused.append(file)
    print(json.dumps(refused))


if __name__ == "__main__":
    _main()
