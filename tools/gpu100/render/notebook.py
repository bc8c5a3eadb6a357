"""A day's program as a notebook, with a record's output in its cells."""

from __future__ import annotations

import json
from typing import Any

from gpu100.includes import without_markers
from gpu100.model.cells import split_cells
from gpu100.model.record import Record

PACKAGES = "cuda-core[cu13]"
"""What the wheel does not carry: cuda-python with NVRTC, its headers and the runtime's."""

_LIES_THERE = "# The wheel is the course's own, from the site that has this notebook."
_LIES_BESIDE = (
    "# The wheel is the course's own. Upload it too, beside this notebook: the site this is from has no address."
)

WRITE = "%%writefile "
"""The magic of the cell that holds the ``.cu``."""


def notebook(name: str, cu: bytes, py: bytes, record: Record | None, wheel: str) -> str:
    """The program ``name`` as .ipynb JSON.

    Cell 1 installs ``wheel``, cell 2 writes the ``.cu``; then come the program's own cells, with
    what ``record`` printed where there is one.
    """
    printed = {output.cell: output.stdout for output in record.transcript} if record else {}
    setup = [
        f'%pip install --quiet {wheel} "{PACKAGES}"\n{_LIES_THERE if "://" in wheel else _LIES_BESIDE}',
        f"{WRITE}{name}.cu\n{without_markers(cu)}",
    ]
    own = [
        _markdown(cell.text) if cell.markdown else _code(cell.source, printed.get(cell.number, ()))
        for cell in split_cells(without_markers(py))
    ]
    cells = [
        {"id": f"cell-{number}", **cell} for number, cell in enumerate([_code(text, ()) for text in setup] + own, 1)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def _code(text: str, stdout: tuple[str, ...]) -> dict[str, Any]:
    lines = "".join(f"{line}\n" for line in stdout)
    outputs = [{"name": "stdout", "output_type": "stream", "text": lines}] if lines else []
    source = text.strip("\n")
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": outputs, "source": source}
