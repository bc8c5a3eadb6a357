"""nvcc: where there is one, it compiles every program's file as it stands, host half and all.

For the lowest architecture that the day claims. What it has once compiled is not compiled again by
the same nvcc: a stamp in build/ says so.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gpu100.author.compiler import first_error
from gpu100.author.context import Context
from gpu100.author.report import Finding, Found, NotRun
from gpu100.fingerprint import digest
from gpu100.includes import local_includes
from gpu100.model.capability import claimed
from gpu100.model.course import Day

RULE = "nvcc"
AT_ONCE = 2


def check(context: Context) -> Iterator[Found]:
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        yield NotRun("there is no nvcc on PATH", "it comes with the CUDA toolkit", optional=True)
        return
    version = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False).stdout
    jobs = [
        (day, path)
        for day in context.days
        for program in day.programs
        if (path := context.layout.root / day.folder / f"{program.name}.cu").is_file()
    ]
    yield len(jobs)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        logs = list(pool.map(lambda job: _log_of(nvcc, version, job[0], job[1], context.layout.cache), jobs))
    for (day, path), log in zip(jobs, logs, strict=True):
        if log is not None:
            line, message = first_error(log)
            shown = context.layout.relative(path)
            yield Finding(rule=RULE, message=f"nvcc: {message}", path=shown, line=line, day=day.number)


def _log_of(nvcc: str, version: str, day: Day, path: Path, cache: Path) -> str | None:
    """What nvcc has to say against the file, or None where it compiles."""
    arch = claimed(day.needs_capability)[0].arch
    files = {str(place): file.read_bytes() for place, file in enumerate((path, *local_includes(path)))}
    stamp = cache / "nvcc" / digest({"version": version, "arch": arch, **files})
    if stamp.is_file():
        return None
    command = [nvcc, f"-arch={arch}", "-c", "-o", "/dev/null", path.name]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr + done.stdout
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.touch()
    return None
