"""Captures killed at random moments: every finished record whole, none lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from gpu100.evidence.schema import dump
from gpu100.evidence.store import EvidenceStore
from gpu100.model.machine import Machine
from gpu100.paths import Layout

CAPTURES = 50

# Captures the small course on a machine described in a file, telling each record as it is written.
CHILD = """
import sys
from pathlib import Path
from gpu100.capture.plan import jobs_of
from gpu100.capture.run import capture
from gpu100.content.course import load_course
from gpu100.evidence.schema import parse
from gpu100.evidence.store import EvidenceStore
from gpu100.model.machine import Machine
from gpu100.paths import Layout

layout = Layout(Path(sys.argv[1]))
machine = parse(Machine, Path(sys.argv[2]).read_text(), "machine")
store = EvidenceStore(layout.evidence)
jobs = jobs_of(load_course(layout).days, layout)
for job, record in capture(jobs, layout, machine, store, store.write_machine(machine)):
    print(job.program.name, flush=True)
"""


def workers(root: Path) -> list[int]:
    """Processes that run a program of the course below ``root``."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if "gpu100.capture.worker" in command and str(root) in command:
            found.append(int(entry.name))
    return found


def test_fifty_killed_captures_lose_no_finished_record(mini: Layout, h200: Machine, tmp_path: Path) -> None:
    described = tmp_path / "machine.json"
    described.write_text(dump(h200), encoding="utf-8")
    choose = random.Random(2)
    finished = 0
    for number in range(CAPTURES):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(mini.root), str(described)], stdout=subprocess.PIPE, text=True
        )
        time.sleep(choose.uniform(0.05, 0.8))
        if number % 2:
            child.kill()
        else:  # the worker: its capture goes on, and records a crash
            for pid in workers(mini.root):
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.1)
            child.kill()
        told, _ = child.communicate()
        finished += len(told.split())
        records = {r.program for evidence in EvidenceStore(mini.evidence).read() for r in evidence.records}
        assert set(told.split()) <= records, f"capture {number} lost a record"
    assert finished, "no capture lived long enough to finish a record: the test proves nothing"
    patience = time.monotonic() + 10
    while workers(mini.root) and time.monotonic() < patience:
        time.sleep(0.05)
    assert workers(mini.root) == [], "a killed capture left its program running"
