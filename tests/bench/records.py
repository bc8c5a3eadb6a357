"""What checking, comparing and showing evidence costs with more of it than a course will have for years."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path

from gpu100.content.course import load_course
from gpu100.evidence.check import check_evidence
from gpu100.evidence.store import EvidenceStore
from gpu100.render.evidence_json import evidence_json
from gpu100.render.evidence_pages import EvidenceNames
from gpu100.render.expressions import Block
from gpu100.render.loading import site_of

from bench.figures import Figure, median
from bench.synthetic import machines, write_course

DAYS, MACHINES = 100, 50


def record_figures(scratch: Path, rounds: int) -> list[Figure]:
    """Milliseconds a record to check it, and seconds to make all evidence's own pages."""
    layout = write_course(scratch / "records", DAYS)
    store = EvidenceStore(layout.evidence)
    first = store.read()[0]
    for watts in range(MACHINES - 2):
        gpu = dataclasses.replace(machines()[0].gpu, power_limit_watts=100.0 + watts)
        folder = store.write_machine(dataclasses.replace(machines()[0], gpu=gpu))
        for record in first.records:
            store.write(folder, record)
    course = load_course(layout)
    count = DAYS * MACHINES
    checked, shown = [], []
    for _ in range(min(rounds, 3)):
        began = time.perf_counter()
        report = check_evidence(course, layout)
        checked.append((time.perf_counter() - began) / count * 1000)
        if report.records != count:
            raise SystemExit(f"{report.records} of {count} records were checked: {report.problems[:3]}")
        site = site_of(layout, course, store.read())
        began = time.perf_counter()
        names = EvidenceNames(course, site.recorded, lambda number: (course.days[number - 1], None), lambda page: "")
        blocks = [names.names()[name]() for name in ("evidence_matrix", "evidence_machines", "evidence_drift")]
        assert all(isinstance(block, Block) for block in blocks)
        evidence_json(site)
        shown.append(time.perf_counter() - began)
    how = f"{count:,} records of {MACHINES} machines"
    return [
        median("checking a record", checked, 8.0, "ms", how),
        median("matrix, machines, drift and evidence.json", shown, 10.0, "s", how),
    ]
