"""The glossary's back-links, which are known once every page has been rendered."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from gpu100.render.lookup import GLOSSARY, with_uses
from gpu100.render.page import Site
from gpu100.render.terms import uses_in

_ID = re.compile(r'<[a-z][a-z0-9]*\b[^>]*? id="([^"]+)"')


def anchors_in(html: str) -> set[str]:
    """Every id of a rendered page. MkDocs does not see those of a block's HTML, and would warn of links to them."""
    return set(_ID.findall(html))


def fill_glossary(site: Site, files: Files) -> None:
    """Say in each of the glossary's entries which pages use the term, with a link to the first use.

    The links are read from the pages' HTML, so no page is named that has none, and none is left out.
    """
    file = files.get_file_from_path(GLOSSARY)
    if file is None or file.page is None or file.page.content is None:
        return
    uses: dict[str, list[tuple[str, str]]] = {}
    for name, page in _pages(site, files):
        for id in uses_in(page.content or ""):
            href = f"{get_relative_url(page.url, file.page.url)}#use-{id}"
            uses.setdefault(id, []).append((name, href))
    file.page.content = with_uses(file.page.content, uses)


def _pages(site: Site, files: Files) -> Iterator[tuple[str, Page]]:
    """Every page and what the glossary calls it: the days in their order, then the others by title."""
    pages = {file.src_uri: file.page for file in files.documentation_pages() if file.page is not None}
    for day in site.course.days:
        if (page := pages.pop(day.page.as_posix(), None)) is not None:
            yield f"day {day.number}", page
    yield from sorted(((str(page.title), page) for page in pages.values()), key=lambda named: named[0].casefold())
