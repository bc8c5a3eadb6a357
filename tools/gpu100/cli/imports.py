"""``gpu100 evidence import``"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gpu100.cli.console import out
from gpu100.errors import UsageError, plural
from gpu100.evidence.bundle import unpack
from gpu100.paths import find_root


def import_evidence(
    archive: Annotated[Path, typer.Argument(help="What `evidence capture --bundle` wrote.")],
) -> None:
    """Check an archive of evidence and bring it into the course, or refuse it whole."""
    if not archive.is_file():
        raise UsageError(f"{archive} does not exist")
    layout = find_root()
    written = unpack(archive, layout.evidence)
    for path in written:
        out.print(layout.relative(path))
    out.print(f"{plural(len(written), 'file')} imported")
