"""``gpu100 fidelity instructions``"""

from __future__ import annotations

from typing import Annotated

import typer

from gpu100.cli.console import out
from gpu100.content.instructions import WRITTEN_BY, dump_instructions, instructions_file
from gpu100.errors import CheckFailed, plural
from gpu100.paths import find_root


def fidelity_instructions(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail if the list is not the model's.")] = False,
) -> None:
    """Write the list of the PTX instructions that the SIMT model has, for the site's page."""
    from gpu100.device.simt.decode.instructions import instructions  # needs NumPy

    layout = find_root()
    path, known = instructions_file(layout), instructions()
    text = dump_instructions(known)
    if not check:
        path.write_text(text, encoding="utf-8")
    elif not path.is_file() or path.read_text(encoding="utf-8") != text:
        raise CheckFailed(f"{layout.relative(path)} is not what the model has", hint=WRITTEN_BY)
    out.print(f"{plural(known.count, 'instruction')}; {layout.relative(path)}")
