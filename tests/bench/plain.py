"""The same pages for MkDocs without gpu100: what came of every expression already stands in them."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as etree
from pathlib import Path

from gpu100.content.quizzes import load_quiz
from gpu100.model.cells import split_cells
from gpu100.model.course import Day
from gpu100.model.record import Record
from gpu100.paths import Layout
from gpu100.render.expressions import Inline, evaluate
from gpu100.render.loading import load_site
from gpu100.render.page import PageNames, Site
from gpu100.render.run import lab_page
from gpu100.site.extension import EXPRESSION

_FENCE = "`" * 3


def write_plain(layout: Layout, docs: Path, *, labs: bool) -> None:
    """The course's pages as plain Markdown in ``docs``; with ``labs``, a page for each program too."""
    site = load_site(layout)
    shutil.copytree(layout.docs / "assets", docs / "assets")
    (docs / "days").mkdir()
    (docs / "labs").mkdir()
    (docs / "index.md").write_text(_evaluated(layout, site, None, "index.md"), encoding="utf-8")
    for day in (day for day in site.course.days if day.number in site.written):
        (docs / day.page).write_text(_evaluated(layout, site, day, day.page.as_posix()), encoding="utf-8")
        if labs:
            program = day.programs[0]
            record = site.standings[day.number, program.name][0].record
            assert record is not None  # the synthetic course is measured throughout
            py = layout.root / day.folder / f"{program.name}.py"
            page = docs / lab_page(day, program)
            page.with_suffix(".md").write_text(_lab(py, record), encoding="utf-8")


def _evaluated(layout: Layout, site: Site, day: Day | None, path: str) -> str:
    """A page's Markdown with HTML for its expressions; none stands in a code span or a fence."""
    page = PageNames(site, path, day, load_quiz(layout, day) if day else None)
    names = page.names()

    def shown(match: re.Match[str]) -> str:
        result = evaluate(match["expression"], names)
        if not isinstance(result, Inline):
            return result.html.strip()
        element = etree.Element(result.tag, result.attributes)
        element.text = result.text
        return etree.tostring(element, encoding="unicode")

    text = (layout.docs / path).read_text(encoding="utf-8")
    if day:
        text = f"---\ndescription: {day.asks}\n---\n# {day.title}\n\n{{{{ header() }}}}\n\n{text}"
    return f"{re.sub(EXPRESSION, shown, text)}\n\n{page.data()}\n"


def _lab(py: Path, record: Record) -> str:
    """A program as a page: its prose, its code, and what each cell printed, out of the search as labs are."""
    printed = {output.cell: output.stdout for output in record.transcript}
    parts = ["---\nsearch: { exclude: true }\n---", _fenced("cuda", py.with_suffix(".cu").read_text(encoding="utf-8"))]
    for cell in split_cells(py.read_text(encoding="utf-8")):
        if cell.markdown:
            parts.append(cell.text)
        else:
            parts += [_fenced("python", cell.source), _fenced("text", "\n".join(printed.get(cell.number, ())))]
    return "\n\n".join(parts) + "\n"


def _fenced(language: str, text: str) -> str:
    body = re.sub(r"^.*--8<--.*\n", "", text, flags=re.MULTILINE).strip("\n")
    return f"{_FENCE}{language}\n{body}\n{_FENCE}"
