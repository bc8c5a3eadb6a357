"""The command line. Verbs live one a file; this maps errors to messages and exit codes."""

from __future__ import annotations

import sys

import typer

from gpu100.cli import (
    capture,
    check,
    check_course,
    compare,
    doctor,
    fidelity,
    imports,
    instructions,
    new_day,
    pr,
    practice,
    run,
    sources,
    status,
)
from gpu100.cli.console import errors_to
from gpu100.errors import CourseError

app = typer.Typer(no_args_is_help=True, add_completion=False, help="The tools of 100 Days of GPU.")
evidence = typer.Typer(no_args_is_help=True, help="Capture evidence, look at it, bring it in.")
app.add_typer(evidence, name="evidence")
documents = typer.Typer(no_args_is_help=True, help="The documents that the course cites.")
app.add_typer(documents, name="sources")
suite = typer.Typer(no_args_is_help=True, help="How faithful the SIMT model is.")
app.add_typer(suite, name="fidelity")
app.command("check")(check_course.check_course)
app.command("doctor")(doctor.doctor)
app.command("new-day")(new_day.scaffold_day)
app.command("practice")(practice.practice)
app.command("run")(run.run_day)
documents.command("check")(sources.sources_check)
evidence.command("capture")(capture.capture_evidence)
evidence.command("status")(status.evidence_status)
evidence.command("check")(check.evidence_check)
evidence.command("import")(imports.import_evidence)
evidence.command("compare")(compare.compare_evidence)
evidence.command("pr")(pr.evidence_pr)
suite.command("compare")(fidelity.fidelity_compare)
suite.command("instructions")(instructions.fidelity_instructions)
suite.command("measure")(fidelity.fidelity_measure)


def main() -> None:
    """Run the command; an error of the course ends it with its own exit code."""
    try:
        app()
    except CourseError as error:
        errors_to(sys.stderr, error)
        sys.exit(error.exit_code)
