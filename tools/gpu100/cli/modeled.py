"""``gpu100 evidence capture`` where there is no GPU: every program on the SIMT model, and compared."""

from __future__ import annotations

from collections.abc import Iterator

import typer

from gpu100.capture.modeled import Modeled, run_modeled
from gpu100.capture.plan import Job
from gpu100.cli.console import out, shown
from gpu100.errors import EvidenceError, plural
from gpu100.evidence.store import EvidenceStore
from gpu100.model.device import DeviceSpec
from gpu100.model.gpus import PROFILES
from gpu100.paths import Layout


def compare_on_model(jobs: list[Job], layout: Layout, spec: DeviceSpec) -> None:
    """Run ``jobs`` on the model, tell what was compared with evidence and what was not.

    Raises:
        EvidenceError: nothing was compared.
        typer.Exit: a program failed, or differs from the evidence.
    """
    name = PROFILES[spec.profile].name
    out.print(shown(f"{name}: {plural(len(jobs), 'program')} to run and to compare with evidence"))
    done: list[Modeled] = []
    for ran in run_modeled(jobs, layout, spec, EvidenceStore(layout.evidence).read()):
        done.append(ran)
        for line in _lines(ran):
            out.print(shown(line), soft_wrap=True)
    out.print(_total(done))
    if any(ran.problems for ran in done):
        raise typer.Exit(1)
    if not any(ran.comparison for ran in done):
        raise EvidenceError("nothing was compared", hint="evidence of these programs is captured on a GPU")


def _lines(ran: Modeled) -> Iterator[str]:
    """One program: how it ended, what is wrong, and what was left out for which reason."""
    comparison, record = ran.comparison, ran.record
    held = f"{plural(len(record.checks), 'check')} held"
    compared = comparison.compared if comparison else 0
    yield f"{ran.job.name}: {record.status} in {record.seconds:.1f} s, {held}, {compared} compared"
    for problem in ran.problems:
        yield f"  wrong: {problem}"
    if not comparison and not ran.problems:
        yield f"  nothing compared: {ran.why_not}"
    for why, names in comparison.left_out.items() if comparison else ():
        yield f"  left out, {why}: {', '.join(names)}"


def _total(done: list[Modeled]) -> str:
    comparisons = [ran.comparison for ran in done if ran.comparison]
    compared = sum(comparison.compared for comparison in comparisons)
    differ = sum(len(comparison.differences) for comparison in comparisons)
    left = sum(len(names) for comparison in comparisons for names in comparison.left_out.values())
    return f"{plural(compared, 'result')} compared, {differ} differ, {left} left out"
