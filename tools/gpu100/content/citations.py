"""Which pages lean on which source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from gpu100.content.prose import cited, without_fences
from gpu100.model.course import Course
from gpu100.model.source import CitingPage
from gpu100.paths import Layout

_TITLE = re.compile(r"^# +(.+?)\s*$", re.MULTILINE)


def load_citations(
    layout: Layout, course: Course, through: Mapping[str, Iterable[str]]
) -> dict[str, tuple[CitingPage, ...]]:
    """By a source's id, the pages that lean on it: days first, in the course's order.

    ``through`` has, by page from docs/, sources that reach it from a file of content/.
    """
    days = {day.page.as_posix(): day for day in course.days}
    found: dict[str, list[tuple[int, CitingPage]]] = {}
    for path in sorted(layout.docs.rglob("*.md")):
        page = path.relative_to(layout.docs).as_posix()
        text = path.read_text(encoding="utf-8")
        ids = dict.fromkeys((*cited(text), *through.get(page, ())))
        if not ids:
            continue
        day = days.get(page)
        title = f"day {day.number}" if day else _title(text, path.stem)
        for id in ids:
            found.setdefault(id, []).append((day.number if day else 1000, CitingPage(path=page, title=title)))
    return {id: tuple(page for _, page in sorted(pages, key=lambda item: item[0])) for id, pages in found.items()}


def _title(text: str, otherwise: str) -> str:
    match = _TITLE.search(without_fences(text))
    return match[1] if match else otherwise
