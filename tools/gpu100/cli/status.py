"""``gpu100 evidence status``"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from gpu100.cli.console import out
from gpu100.content.course import load_course
from gpu100.errors import EvidenceError
from gpu100.evidence.status import states
from gpu100.evidence.store import EvidenceStore
from gpu100.paths import find_root


def evidence_status(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON list instead of a table.")] = False,
) -> None:
    """Show, for every program and machine: fresh, stale (and why), failed or missing."""
    layout = find_root()
    machines = EvidenceStore(layout.evidence).read()
    found = list(states(load_course(layout), layout, machines))
    if not found:
        raise EvidenceError("there is no evidence yet", hint="make evidence, on a machine with a GPU")
    if as_json:
        print(json.dumps([asdict(state) for state in found], indent=2))
        return
    table = Table("program", "machine", "state", "why")
    for state in found:
        table.add_row(f"day {state.day} {state.program}", state.machine, state.state, escape(state.why))
    out.print(table)
    counts = Counter(state.state for state in found)
    out.print(", ".join(f"{count} {state}" for state, count in counts.items()))
