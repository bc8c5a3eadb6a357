"""``gpu100 evidence import``"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from gpu100.cli.console import out
from gpu100.content.course import load_course
from gpu100.errors import UsageError, plural
from gpu100.evidence.bundle import unpack
from gpu100.evidence.check import objections
from gpu100.paths import find_root


def import_evidence(
    archive: Annotated[Path, typer.Argument(help="What `evidence capture --bundle` wrote.")],
    replace: Annotated[bool, typer.Option("--replace", help="Also take the place of records that are here.")] = False,
) -> None:
    """Check an archive of evidence and bring it into the course, or refuse it whole."""
    if not archive.is_file():
        raise UsageError(f"{archive} does not exist")
    layout = find_root()
    against = partial(objections, load_course(layout), layout)
    written = unpack(archive, layout.evidence, against=against, replace=replace)
    for path in written:
        out.print(layout.relative(path), soft_wrap=True)
    out.print(f"{plural(len(written), 'file')} imported")
