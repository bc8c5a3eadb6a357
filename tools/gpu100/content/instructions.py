"""content/instructions.json: what the SIMT model has, written by ``gpu100 fidelity instructions``."""

from __future__ import annotations

import json
from pathlib import Path

from gpu100.decode import DecodeError, decode, dotted, encode
from gpu100.errors import ContentError
from gpu100.model.instructions import Instructions
from gpu100.paths import Layout

WRITTEN_BY = "gpu100 fidelity instructions writes it"


def instructions_file(layout: Layout) -> Path:
    """Where the list is kept."""
    return layout.content / "instructions.json"


def load_instructions(layout: Layout) -> Instructions | None:
    """The list; None where the course has no such file.

    Raises:
        ContentError: it is not what the command writes.
    """
    path = instructions_file(layout)
    if not path.exists():
        return None
    try:
        return decode(Instructions, json.loads(path.read_text(encoding="utf-8")))
    except json.JSONDecodeError as error:
        raise ContentError(error.msg, path=layout.relative(path), line=error.lineno, hint=WRITTEN_BY) from None
    except DecodeError as error:
        message = f"{dotted(error.at)}: {error.message}"
        raise ContentError(message, path=layout.relative(path), hint=WRITTEN_BY) from None


def dump_instructions(instructions: Instructions) -> str:
    """The file's text."""
    return json.dumps(encode(instructions), indent=1) + "\n"
