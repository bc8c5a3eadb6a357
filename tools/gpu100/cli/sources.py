"""``gpu100 sources check``"""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from gpu100.author.sources import FAULTS, check_sources
from gpu100.cli.console import out
from gpu100.content.sources import load_sources
from gpu100.errors import CourseError
from gpu100.paths import find_root

SAID = {"moved": "moved to", "gone": "is gone:", "changed": "has changed:", "unreachable": "did not answer:"}


def sources_check(
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds that one address may take.")] = 20.0,
) -> None:
    """Ask every source's address, and say which moved, are gone, or have another title.

    Needs internet access. An address that does not answer is said apart, and is no failure.
    """
    probes = check_sources(load_sources(find_root()).values(), timeout)
    if not probes.found:
        raise CourseError("no source has an address to probe")
    for outcome in (*FAULTS, "unreachable"):
        for probe in probes.of(outcome):
            line = f"{probe.source.id}: {probe.source.address} {SAID[outcome]} {probe.detail}"
            out.print(escape(line), soft_wrap=True)
    out.print(str(probes))
    if not probes.answered:
        raise CourseError("no address answered", hint="run it where there is internet access")
    if not probes.ok:
        raise typer.Exit(1)
