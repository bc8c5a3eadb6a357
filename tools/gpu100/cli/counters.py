"""What the SIMT model counted while a program ran, told on the screen or in a file."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from gpu100.errors import Unsupported

if TYPE_CHECKING:  # the command line starts without NumPy
    from gpu100.device.interface import Device
    from gpu100.device.simt.report import LaunchReport


class Form(StrEnum):
    """How counters are told."""

    table = "table"
    json = "json"
    listing = "listing"
    html = "html"
    none = "none"


BY_SUFFIX = {".json": Form.json, ".html": Form.html}
"""The form that a file's name asks for where nobody says it."""


def tell(devices: Iterable[Device], form: Form | None, into: Path | None) -> None:
    """Tell the launches of those ``devices`` that are models; of a GPU nothing is counted."""
    models = [device for device in devices if device.is_model]
    if not models:
        if form not in (None, Form.none):
            print("Only the SIMT model counts; --device model runs the program there.", file=sys.stderr)
        return
    chosen = form or BY_SUFFIX.get(into.suffix if into else "", Form.table)
    if chosen is Form.none:
        return
    text = render(chosen, [report for model in models for report in getattr(model, "reports", ())])
    if into is None:
        print(f"\n{text}")
        return
    into.parent.mkdir(parents=True, exist_ok=True)
    into.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    print(f"counters: {into}", file=sys.stderr)


def render(form: Form, reports: list[LaunchReport]) -> str:
    """The launches ``reports`` in that form, those of one kernel and extent added up.

    Raises:
        Unsupported: HTML is asked for, and Jinja2 is not installed.
    """
    from gpu100.device.simt import report, show

    if form is Form.json:
        return json.dumps(show.as_json(reports), indent=2)
    if form is Form.table:
        return show.table(reports)
    if form is Form.listing:
        return "\n\n".join(show.listing(one) for one in report.by_kernel(reports))
    return _html(reports)


def _html(reports: list[LaunchReport]) -> str:
    from gpu100.device.simt import show

    try:
        from gpu100.render.counters import counters_html
    except ModuleNotFoundError as error:
        raise Unsupported(f"HTML needs {error.name}", hint="pip install 'gpu100[site]'") from None
    texts = {report.source.name: report.source.text for report in reports if report.source}
    return counters_html(show.counters(reports), texts)
