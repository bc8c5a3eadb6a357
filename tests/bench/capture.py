"""What capture itself costs: a program that only compiles, in as many processes as capture takes."""

from __future__ import annotations

import time
from pathlib import Path

from gpu100.capture.plan import Job
from gpu100.capture.run import RUNS, capture_one
from gpu100.model.course import Day, ProgramSpec, ValueSpec
from gpu100.paths import Layout

from bench.figures import Figure, median
from bench.synthetic import machines

KERNEL = 'extern "C" __global__ void twice(float* y) { y[threadIdx.x] *= 2; }\n'
PROGRAM = """# %%
from pathlib import Path

from gpu100 import lab
from gpu100.device.interface import Source
from gpu100.device.nvrtc import compile_source
from gpu100.model.behaviour import COMPILE_OPTIONS

path = Path(__file__).with_suffix(".cu")
cubin = compile_source(Source(path=path, name=path.name, text=path.read_text()), "sm_90", COMPILE_OPTIONS)
lab.check("it is a cubin", cubin.startswith(b"\\x7fELF"))
lab.exact("bytes", len(cubin))
"""


def capture_figure(scratch: Path, rounds: int) -> Figure:
    """Seconds a process: start, imports, one compilation without a cache, and the record's share."""
    value = ValueSpec(name="bytes", kind="exact", what="Bytes of the cubin", unit="bytes")
    program = ProgramSpec(name="twice", values=(value,))
    day = Day(
        number=1, slug="twice", title="Twice", module=1, asks="?", minutes=1, capability="7.5", programs=(program,)
    )
    layout = Layout(scratch / "capture")
    folder = layout.root / day.folder
    folder.mkdir(parents=True)
    (folder / "twice.cu").write_text(KERNEL, encoding="utf-8")
    (folder / "twice.py").write_text(PROGRAM, encoding="utf-8")
    samples = []
    for _ in range(rounds):
        began = time.perf_counter()
        record = capture_one(Job(day, program), layout, machines()[0])
        samples.append((time.perf_counter() - began) / RUNS)
        if record.status != "ok":
            raise SystemExit(f"the program that only compiles is {record.status}: {record.reason}")
    return median("capture's own cost, per process", samples, 3.0, "s", f"{rounds} captures of {RUNS} processes")
