"""A lab's page: a program's notebook, with where it belongs and where its outputs come from."""

from __future__ import annotations

import re
from dataclasses import dataclass

from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from gpu100.evidence.status import Standing
from gpu100.model.course import Day, ProgramSpec
from gpu100.render.env import render
from gpu100.render.notebook import WRITE
from gpu100.render.words import date_of

_TITLE = re.compile(r"<h1\b.*?</h1>", re.DOTALL)


@dataclass(frozen=True)
class LabCell:
    """One cell: either a Markdown cell's HTML, or code and the HTML of what it printed."""

    prose: str = ""
    code: str = ""
    printed: tuple[str, ...] = ()


@dataclass(frozen=True)
class LabLinks:
    """Where a lab's page leads, from that page."""

    style: str
    day: str
    download: str


def lab_body(day: Day, program: ProgramSpec, standing: Standing | None, cells: list[LabCell], links: LabLinks) -> str:
    """The page's HTML; ``standing`` is the one whose output stands in ``cells``, if there is any.

    The title comes first, though the notebook begins with cells that set it up. Those can be told
    by their magics, since a program is plain Python.
    """
    title = next((found[0] for cell in cells if (found := _TITLE.search(cell.prose))), "")
    shown = [
        {
            "setup": cell.code.startswith("%"),
            "prose": Markup(cell.prose.replace(title, "", 1).strip()),  # noqa: S704 - nbconvert's HTML
            "code": _code(cell.code),
            "printed": [Markup(text) for text in cell.printed],  # noqa: S704 - escaped by nbconvert
        }
        for cell in cells
    ]
    return render(
        "lab.html",
        day=day,
        program=program,
        standing=standing,
        date=date_of(standing) if standing else "",
        links=links,
        title=Markup(title),  # noqa: S704 - nbconvert's HTML
        cells=shown,
    )


def _code(source: str) -> Markup:
    """``source`` in the colors of a day's page; what a cell writes to a ``.cu`` file in CUDA's."""
    magic, line, file = source.partition("\n") if source.startswith(WRITE) else ("", "", source)
    lexer = get_lexer_by_name("cuda" if magic else "python", stripnl=False, ensurenl=False)
    return escape(magic + line) + Markup(highlight(file, lexer, HtmlFormatter(nowrap=True)))  # noqa: S704 - escaped by Pygments
