"""The real course, built strictly from committed evidence: what no page of it may show."""

from __future__ import annotations

import contextlib
import gzip
import logging
import shutil
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from gpu100.content.citations import load_citations
from gpu100.content.course import load_course
from gpu100.content.sources import load_sources
from gpu100.paths import Layout
from gpu100.site.leftover import leftover_braces
from mkdocs.commands.build import build
from mkdocs.config import load_config

MOST_DAY, MOST_LAB = 60 << 10, 24 << 10
"""Bytes of a page, gzipped."""


@pytest.fixture(scope="module")
def site(repository: Layout, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real site. Built from a copy: a build writes its notebooks beside the sources."""
    root = tmp_path_factory.mktemp("real")
    for name in ("code", "content", "docs", "evidence"):
        shutil.copytree(repository.root / name, root / name)
    shutil.copy(repository.root / "mkdocs.yml", root)
    patch = pytest.MonkeyPatch()
    patch.setenv("NO_MKDOCS_2_WARNING", "1")
    with patch.context(), contextlib.chdir(root):
        build(load_config("mkdocs.yml", site_dir="site", strict=True))
    logging.getLogger("mkdocs").handlers.clear()
    return root / "site"


def pages(site: Path, pattern: str = "**/*.html") -> list[Path]:
    found = sorted(site.glob(pattern))
    assert found, f"no page matches {pattern}"
    return found


def soup(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def test_no_page_holds_an_expression_that_nobody_evaluated(site: Path) -> None:
    for path in pages(site):
        assert leftover_braces(path.read_text(encoding="utf-8")) == [], path


def test_code_is_marked_only_where_a_color_follows(site: Path) -> None:
    css = (site / "assets" / "stylesheets" / "course.css").read_text(encoding="utf-8")
    for what in ("name", "function", "variable"):
        assert f"--md-code-hl-{what}-color: var(--ink);" in css, "this color follows now: say so in render/code.py"
    seen: set[str] = set()
    for path in (*pages(site, "days/*/index.html"), *pages(site, "labs/*/index.html")):
        marks = {name for span in soup(path).select("code span, pre span") for name in span.get_attribute_list("class")}
        assert not marks & {"n", "nf", "nn", "o", "p", "w"}, path
        seen |= marks
    assert {"k", "kt", "c1", "s2"} <= seen


def test_no_value_is_without_its_machine(site: Path) -> None:
    values = [value for path in pages(site, "days/*/index.html") for value in soup(path).select(".value:not(.mark)")]
    assert len(values) > 20
    assert [value for value in values if "NVIDIA H200" not in value["title"] or "stale" in value["class"]] == []


def test_every_published_day_is_verified_on_the_reference_gpu(site: Path, repository: Layout) -> None:
    published = [day for day in load_course(repository).days if day.status == "published"]
    assert published
    for day in published:
        header = soup(site / day.page.with_suffix("") / "index.html").select_one(".day-header")
        assert header is not None
        assert header.select_one(".mark.verified") is not None, day.tag


def test_pages_weigh_what_they_should(site: Path) -> None:
    for pattern, most in (("days/*/index.html", MOST_DAY), ("labs/*/index.html", MOST_LAB)):
        for path in pages(site, pattern):
            assert len(gzip.compress(path.read_bytes())) <= most, path


def test_no_page_asks_another_host_for_anything(site: Path) -> None:
    for path in pages(site):
        page = soup(path)
        asked = [tag.get("src") or tag.get("href") for tag in page.select("script[src], link[href], img[src]")]
        assert [address for address in asked if str(address).startswith(("http:", "https:", "//"))] == [], path


def test_every_source_is_listed_with_the_pages_that_cite_it(site: Path, repository: Layout) -> None:
    listed = soup(site / "reference" / "sources" / "index.html")
    sources = load_sources(repository)
    cited = load_citations(repository, load_course(repository), {})
    assert cited
    for source in sources.values():
        entry = listed.find(id=source.id)
        assert isinstance(entry, Tag), source.id
        leaning = {str(link["href"]) for link in entry.select("a[href^='../']")}
        for page in cited.get(source.id, ()):
            address = page.path.removesuffix(".md").removesuffix("index").strip("/")
            assert f"../../{address}/" in leaning, (source.id, page.path)


def test_the_limits_of_a_page_are_those_of_the_facts(site: Path) -> None:
    day, facts = (
        soup(site / page / "index.html").select_one(".table-scroll[aria-label^=Limits] tbody")
        for page in ("days/day02-gpu-vs-cpu", "reference/facts")
    )
    assert day is not None
    assert facts is not None
    rows = [[cell.get_text() for cell in row.select("td")] for row in day.select("tr")]
    whole = [[cell.get_text() for cell in row.select("td")] for row in facts.select("tr")]
    assert len(rows) == len(whole) > 5
    assert rows == [[row[0], row[1], row[3], row[-1]] for row in whole]
