"""Links: every internal address and anchor of the built site exists.

The site is the one in site/, which has to be newer than what it is built from. For some days, their
pages and labs are read; for the whole course, every page. Addresses of other sites are not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from gpu100.author.context import Context
from gpu100.author.report import Finding, Found, NotRun
from gpu100.model.course import Day

RULE = "links"
HINT = "make site"


def check(context: Context) -> Iterator[Found]:
    site = context.layout.root / "site"
    home = site / "index.html"
    if not home.is_file():
        yield NotRun("there is no built site in site/", HINT)
        return
    if newer := _newer_than(context, home.stat().st_mtime):
        yield NotRun(f"site/ is older than {newer}", HINT)
        return
    pages = cache(_read)
    for path in sorted(site.rglob("*.html")):
        day = _day_of(context, path.relative_to(site).as_posix())
        if not (day in context.days if day else context.whole):
            continue
        for line, address in pages(path)[1]:
            yield 1
            if wrong := _wrong(site, path, address, pages):
                shown = context.layout.relative(path)
                number = day.number if day else None
                message = f"{address!r} leads nowhere: {wrong}"
                yield Finding(rule=RULE, message=message, path=shown, line=line, day=number)


def _newer_than(context: Context, built: float) -> str | None:
    """A file that was changed after the site was built."""
    layout = context.layout
    for top in (layout.docs, layout.content, layout.code, layout.evidence):
        for path in top.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts and path.stat().st_mtime > built:
                return layout.relative(path)
    return None


def _day_of(context: Context, page: str) -> Day | None:
    """The day that a page of the site is about: its own page, or a lab of its."""
    folder, _, rest = page.partition("/")
    name = rest.partition("/")[0].removesuffix(".html")
    if folder == "days":
        return next((day for day in context.course.days if day.page.stem == name), None)
    return next((day for day in context.course.days if folder == "labs" and name.startswith(f"{day.tag}-")), None)


Read = tuple[frozenset[str], tuple[tuple[int, str], ...]]
"""A page's anchors, and its addresses with their lines."""


def _wrong(site: Path, path: Path, address: str, pages: Callable[[Path], Read]) -> str | None:
    parts = urlsplit(address)
    if parts.scheme or parts.netloc or address in ("", "#"):
        return None
    target = path
    if parts.path:
        start = site if parts.path.startswith("/") else path.parent
        target = (start / unquote(parts.path).lstrip("/")).resolve()
        target = target / "index.html" if target.is_dir() else target
    if not target.is_file() or not target.is_relative_to(site.resolve()):
        return "no such file"
    if parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in pages(target)[0]:
        return f"nothing is called #{parts.fragment} there"
    return None


def _read(path: Path) -> Read:
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return frozenset(reader.anchors), tuple(reader.addresses)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.addresses: list[tuple[int, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value or "")
            elif name in ("href", "src") and tag != "base":
                self.addresses.append((self.getpos()[0], value or ""))
