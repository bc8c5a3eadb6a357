"""``gpu100 evidence pr``"""

from __future__ import annotations

import getpass
import platform
from pathlib import Path
from typing import Annotated

import typer

from gpu100.cli.console import out
from gpu100.content.course import load_course
from gpu100.content.differs import load_notes
from gpu100.content.normalize import load_rules
from gpu100.errors import EvidenceError, UsageError, nearest, plural
from gpu100.evidence.normalize import Normalizer
from gpu100.evidence.request import Context, request, template
from gpu100.evidence.store import EvidenceStore, MachineEvidence
from gpu100.paths import find_root

_COMMON = frozenset({"root", "user", "admin", "ubuntu", "debian", "runner", "docker", "localhost", "python", "cuda"})
"""Names that identify nobody."""


def evidence_pr(
    folder: Annotated[str | None, typer.Argument(help="A machine's folder; by default the last captured.")] = None,
    into: Annotated[Path | None, typer.Option("--out", help="Write the text to this file.")] = None,
    empty: Annotated[bool, typer.Option("--template", help="The same text, empty, as .github/ has it.")] = False,
) -> None:
    """Write the text of the request that sends a machine's evidence: machine, counts, drift, warnings.

    Ends with 1 where `gpu100 evidence check` would refuse it.
    """
    if empty:
        _put(template(), into)
        return
    layout = find_root()
    machines = EvidenceStore(layout.evidence).read()
    made = request(
        _chosen(machines, folder),
        Context(
            course=load_course(layout),
            layout=layout,
            machines=machines,
            notes=load_notes(layout),
            rewrite=Normalizer(load_rules(layout)),
            words=_names(),
        ),
    )
    _put(made.text, into)
    if made.problems:
        raise EvidenceError(f"{plural(len(made.problems), 'problem')}; CI will refuse it: see the text's last part")


def _put(text: str, into: Path | None) -> None:
    if into:
        into.write_text(text, encoding="utf-8")
        out.print(f"{into}: {text.splitlines()[0].lstrip('# ')}", soft_wrap=True, markup=False)
    else:
        print(text, end="")  # as it is: no wrapping, no markup


def _chosen(machines: tuple[MachineEvidence, ...], folder: str | None) -> MachineEvidence:
    if not machines:
        raise EvidenceError("there is no evidence to send", hint="make evidence, on a machine with a GPU")
    if folder is None:
        return max(machines, key=lambda at: max((record.started for record in at.records), default=""))
    name = folder.strip("/").removeprefix("evidence/")
    known = {at.folder: at for at in machines}
    if name not in known:
        raise UsageError(f"evidence/ has no {name!r}", hint=nearest(name, known))
    return known[name]


def _names() -> frozenset[str]:
    """This user's and this host's names, to be looked for and never written."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container may have none
        user = ""
    host = platform.node()
    return frozenset(name for name in (user, host, host.split(".")[0]) if len(name) > 3 and name not in _COMMON)
