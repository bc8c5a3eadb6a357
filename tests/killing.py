"""Captures that are killed, by the hundred: what is told, what is on disk, what is left behind.

A real capture runs each program in a process of its own, and so takes a second. For most kills a
stand-in serves, which writes records one after the other for as long as it lives; it is forked from a
process that has imported everything, so that a hundred of them take seconds.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from gpu100.capture.held import HALF_WRITTEN
from gpu100.evidence.schema import dump
from gpu100.evidence.store import EvidenceStore
from gpu100.model.machine import Machine
from gpu100.model.record import Record
from gpu100.paths import Layout

# Captures the small course on a machine described in a file, telling each record as it is written.
REAL = """
import sys
from pathlib import Path
from gpu100.capture.held import held
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
folder = store.write_machine(machine)
with held(folder):
    for step in capture(jobs, layout, machine, store, folder):
        print(step.job.program.name, flush=True)
"""

# Forks a stand-in for each line that it reads. A stand-in's records say in `seconds` which write they are of.
NURSERY = """
import dataclasses, itertools, os, sys, time
from pathlib import Path
from gpu100.capture.held import held
from gpu100.evidence import store as stores
from gpu100.evidence.schema import parse
from gpu100.model.machine import Machine
from gpu100.model.record import Record

root, machine, record, writer = Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
machine = parse(Machine, Path(machine).read_text(), "machine")
record = parse(Record, Path(record).read_text(), "record")

def torn(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as file:
        file.write(text[: len(text) // 2])
        file.flush()
        time.sleep(0.002)
        file.write(text[len(text) // 2 :])

def slow(handle, fsync=os.fsync):  # a disk that takes its time, so that many a kill falls into a write
    fsync(handle)
    time.sleep(0.005)

os.fsync = slow
if writer == "torn":
    stores.write_atomically = torn

def stand_in(first):
    store = stores.EvidenceStore(root)
    folder = store.write_machine(machine)
    with held(folder):
        for number in itertools.count(first):
            store.write(folder, dataclasses.replace(record, seconds=float(number)))
            os.write(1, b"wrote %d\\n" % number)

for line in sys.stdin:
    child = os.fork()
    if not child:
        stand_in(int(line))
    os.write(1, b"born %d\\n" % child)
    os.waitpid(child, 0)
    os.write(1, b"died\\n")
"""


@dataclass
class Toll:
    """What came of the kills so far."""

    kills: int = 0
    finished: int = 0
    """Records that were told as written before their capture was killed."""
    halves: int = 0
    """Half-written files that lay there after a kill; the next capture removes them."""


@contextlib.contextmanager
def _nursery(root: Path, machine: Machine, record: Record, writer: str) -> Iterator[tuple[IO[str], IO[str]]]:
    described, recorded = root.parent / "machine.json", root.parent / "record.json"
    described.write_text(dump(machine), encoding="utf-8")
    recorded.write_text(dump(record), encoding="utf-8")
    command = [sys.executable, "-c", NURSERY, str(root), str(described), str(recorded), writer]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdin, process.stdout
        process.stdin.close()


def kill_stand_ins(
    root: Path, machine: Machine, record: Record, kills: int, choose: random.Random, writer: str = "atomic"
) -> Toll:
    """Kill ``kills`` captures at random moments; after each, the record on disk is whole and the last one told.

    Raises:
        AssertionError: a finished record was lost, or a half-written file outlived the next capture's start.
        EvidenceError: a file is not whole.
    """
    toll, last = Toll(), -1
    store = EvidenceStore(root)
    with _nursery(root, machine, record, writer) as (tell, hear):
        for _ in range(kills):
            tell.write(f"{last + 1}\n")
            tell.flush()
            wrote: list[int] = []
            child, enough = 0, choose.randrange(3)
            while not child or len(wrote) < enough:  # it may have written before its parent speaks of it
                word, number = hear.readline().split()
                wrote += [int(number)] if word == "wrote" else []
                child = int(number) if word == "born" else child
            time.sleep(choose.uniform(0.0, 0.02))
            os.kill(child, signal.SIGKILL)
            wrote += [int(line.split()[1]) for line in iter(hear.readline, "died\n")]
            toll.kills += 1
            toll.finished += len(wrote)
            last = max(wrote, default=last)
            halves = list(root.rglob(HALF_WRITTEN))
            if wrote:  # else it may not have come as far as removing what an earlier one left
                assert len(halves) <= 1, "a capture began without removing what an earlier one had left"
            toll.halves += len(halves)
            for found in (record for evidence in store.read() for record in evidence.records):
                assert found.seconds in (last, last + 1), f"{found.seconds:.0f} is on disk, and {last} was told"
                last = int(found.seconds)
    return toll


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


def kill_captures(layout: Layout, machine: Machine, kills: int, choose: random.Random) -> Toll:
    """The same with real captures, of which every second one loses its worker first and records a crash.

    Raises:
        AssertionError: a finished record was lost, or a program went on running.
    """
    toll = Toll()
    described = layout.root.parent / "machine.json"
    described.write_text(dump(machine), encoding="utf-8")
    for number in range(kills):
        command = [sys.executable, "-c", REAL, str(layout.root), str(described)]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        time.sleep(choose.uniform(0.2, 1.5))
        if number % 2:
            for worker in workers(layout.root):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(worker, signal.SIGKILL)
            time.sleep(0.1)
        child.kill()
        told, _ = child.communicate()
        toll.kills += 1
        toll.finished += len(told.split())
        records = {r.program for evidence in EvidenceStore(layout.evidence).read() for r in evidence.records}
        assert set(told.split()) <= records, f"capture {number} lost a record"
    patience = time.monotonic() + 20
    while workers(layout.root) and time.monotonic() < patience:
        time.sleep(0.05)
    assert workers(layout.root) == [], "a killed capture left its program running"
    return toll
