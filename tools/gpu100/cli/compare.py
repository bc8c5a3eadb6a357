"""``gpu100 evidence compare``"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from gpu100.cli.console import out, shown
from gpu100.content.normalize import load_rules
from gpu100.errors import EvidenceError, UsageError, nearest, plural
from gpu100.evidence.drift import Drift, drift
from gpu100.evidence.normalize import Normalizer
from gpu100.evidence.pairs import compare_machines, newest_two, only_in_one
from gpu100.evidence.status import Standing
from gpu100.evidence.store import EvidenceStore, MachineEvidence, record_name
from gpu100.model.record import Record
from gpu100.paths import Layout, find_root
from gpu100.units import number

DRIFTED = 3


def compare_evidence(
    before: Annotated[str | None, typer.Argument(help="A machine's folder, or one record's file.")] = None,
    after: Annotated[str | None, typer.Argument(help="Another of the same GPU, held against it.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Also list what is the same and what was left out.")] = False,
) -> None:
    """Compare two machines' records, or one program's two; each GPU's two newest folders by default.

    Verdicts: same, text, value, codegen, status, faster, slower, ambiguous, not comparable. Ends
    with 3 where a result, generated code or a measured value drifted.
    """
    layout = find_root()
    machines = EvidenceStore(layout.evidence).read()
    normalizer = Normalizer(load_rules(layout))
    found: list[Drift] = []
    if before is None:
        pairs = newest_two(machines)
        if not pairs:
            hint = "capture under another driver or NVRTC, or import another machine's evidence"
            raise EvidenceError("no GPU has two folders to compare", hint=hint)
        for pair in pairs:
            found += _machines(*pair, normalizer)
    elif after is None:
        raise UsageError("compare takes two folders or two records, or neither")
    else:
        found += _named(layout, machines, before, after, normalizer)
    _tell(found, every)
    _tell_rules(normalizer)
    if any(one.drifted for one in found):
        raise typer.Exit(DRIFTED)


def _named(
    layout: Layout, machines: tuple[MachineEvidence, ...], before: str, after: str, normalizer: Normalizer
) -> list[Drift]:
    sides = [_side(layout, machines, name) for name in (before, after)]
    (a, of_a), (b, of_b) = sides
    if (of_a is None) != (of_b is None):
        raise UsageError("one of the two is a machine's folder and the other a record")
    if (a.folder, of_a) == (b.folder, of_b):
        raise UsageError("the two are one and the same")
    if of_a is None or of_b is None:
        return _machines(a, b, normalizer)
    return [drift(Standing(a.folder, a.machine, of_a), Standing(b.folder, b.machine, of_b), normalizer)]


def _side(layout: Layout, machines: tuple[MachineEvidence, ...], name: str) -> tuple[MachineEvidence, Record | None]:
    """The machine that ``name`` means, by path or from evidence/, and its record where it means one."""
    tried = [place.resolve() for place in (Path(name), layout.root / name, layout.evidence / name)]
    by_path = {(layout.evidence / at.folder).resolve(): at for at in machines}
    for path in tried:
        if path in by_path:
            return by_path[path], None
        if path.parent in by_path and path.is_file():
            at = by_path[path.parent]
            for record in at.records:
                if path.name == record_name(record.day, record.program):
                    return at, record
    known = [at.folder for at in machines]
    raise UsageError(f"evidence/ has no {name!r}", hint=nearest(name, known) or f"it has {', '.join(known)}")


def _machines(before: MachineEvidence, after: MachineEvidence, normalizer: Normalizer) -> list[Drift]:
    out.print(f"{before.folder} -> {after.folder}", soft_wrap=True)
    for name in only_in_one(before, after):
        out.print(f"  only one has {name}", soft_wrap=True)
    return list(compare_machines(before, after, normalizer))


def _tell(found: list[Drift], every: bool) -> None:
    table = Table("program", "verdict", "what", "before", "after")
    for one in found:
        name = f"day {one.day} {one.program}"
        if one.why or not one.moved:
            table.add_row(name, one.verdict, shown(one.why or f"{plural(one.compared, 'item')} compared"))
        for item in one.items if every else one.moved:
            said = item.name + (f": {item.why}" if item.why else "")
            table.add_row(name, item.verdict, *map(shown, (said, item.before, item.after)))
            name = ""
    out.print(table)
    for one in found:
        for why, names in one.left_out().items():
            out.print(f"day {one.day} {one.program}: not compared, {shown(why)}: {shown(', '.join(names))}")
    compared = sum(one.compared for one in found)
    counts = Counter(one.verdict for one in found)
    said = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    if not compared:
        why = next((one.why for one in found if one.why), "the folders have no program in common")
        raise EvidenceError(f"nothing was compared: {why}")
    out.print(f"{plural(len(found), 'program')}, {number(compared)} items compared: {said}")


def _tell_rules(normalizer: Normalizer) -> None:
    if hits := normalizer.hits:
        said = ", ".join(f"{rule} {count}" for rule, count in hits.items())
        out.print(f"hits of content/normalize.toml: {said}")
