"""``gpu100 evidence status``"""

from __future__ import annotations

import json
from collections import Counter
from typing import Annotated

import typer
from rich.table import Table

from gpu100.cli.console import out, shown
from gpu100.content.course import load_course
from gpu100.errors import EvidenceError
from gpu100.evidence.key import is_written
from gpu100.evidence.status import standings
from gpu100.evidence.store import EvidenceStore
from gpu100.paths import find_root


def evidence_status(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON list instead of a table.")] = False,
) -> None:
    """Show, for every program and machine: fresh, stale (and why), failed or missing."""
    layout = find_root()
    machines = EvidenceStore(layout.evidence).read()
    found = [
        (day, program, standing)
        for day in load_course(layout).days
        for program in day.programs
        if is_written(layout, day, program)
        for standing in standings(layout, day, program, machines)
    ]
    if not found:
        raise EvidenceError("there is no evidence yet", hint="make evidence, on a machine with a GPU")
    if as_json:
        rows = [
            {"day": day.number, "program": program.name, "machine": at.folder, "state": at.state, "why": at.why}
            for day, program, at in found
        ]
        print(json.dumps(rows, indent=2))
        return
    table = Table("program", "machine", "state", "why")
    for day, program, standing in found:
        table.add_row(f"day {day.number} {program.name}", standing.folder, standing.state, shown(standing.why))
    out.print(table)
    counts = Counter(standing.state for _, _, standing in found)
    out.print(", ".join(f"{count} {state}" for state, count in counts.items()))
