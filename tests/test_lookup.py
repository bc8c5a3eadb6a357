"""The glossary and the errors on a built site: links there, links back, and what the search finds."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from conftest import built
from gpu100.paths import Layout
from mkdocs.exceptions import Abort

Edit = Callable[[Path, str, str], None]

DAY2, GLOSSARY, ERRORS = "days/day02-twice", "reference/glossary", "errors"


@pytest.fixture(scope="module")
def site(captured_mini: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as it comes, strictly built: a link to an anchor that is not there would stop it."""
    root = shutil.copytree(captured_mini, tmp_path_factory.mktemp("lookup") / "mini")
    return built(Layout(Path(root)), strict=True)


def page(site: Path, name: str) -> BeautifulSoup:
    return BeautifulSoup((site / name / "index.html").read_text(encoding="utf-8"), "html.parser")


def target(site: Path, name: str, href: str) -> tuple[Path, str]:
    """The file and the anchor that a link of the page ``name`` leads to."""
    path, _, anchor = href.partition("#")
    file = (site / name / path).resolve()
    return (file / "index.html" if file.is_dir() else file), anchor


def terms_of(site: Path, name: str) -> list[str]:
    return [str(link["id"]) for link in page(site, name).select("a.term[id]")]


def test_a_days_first_use_leads_to_the_glossarys_entry(site: Path) -> None:
    link = page(site, DAY2).select_one("a.term")
    assert link is not None
    assert (link.get_text(), link["title"]) == ("thread", "One run of a kernel's body, such as twice.")
    file, anchor = target(site, DAY2, str(link["href"]))
    assert file == (site / GLOSSARY / "index.html").resolve()
    assert page(site, GLOSSARY).select_one(f"h2#{anchor}") is not None


def test_the_entry_leads_back_to_every_page_that_uses_the_term_and_to_no_other(site: Path) -> None:
    entries = {str(h2["id"]): h2.parent for h2 in page(site, GLOSSARY).select(".glossary h2")}
    back = {
        (id, *target(site, GLOSSARY, str(link["href"])))
        for id, entry in entries.items()
        for link in (entry.select("a[href*='#use-']") if entry else ())
    }
    used = {
        (id.removeprefix("use-"), path.resolve(), id)
        for path in site.rglob("index.html")
        for id in terms_of(site, str(path.parent.relative_to(site)))
    }
    assert len(used) >= 2
    assert back == used
    assert page(site, GLOSSARY).select("[data-term]") == []


def test_days_come_first_among_the_pages_that_use_a_term(site: Path) -> None:
    more = page(site, GLOSSARY).select_one("a[href*='#use-thread']")
    assert more is not None
    assert more.parent is not None
    assert " ".join(more.parent.get_text().split()) == "Used on day 2, Errors"


def test_neither_the_glossary_nor_the_day_that_explains_a_term_links_it(site: Path) -> None:
    assert terms_of(site, GLOSSARY) == []
    assert terms_of(site, "days/day01-hello") == []
    assert terms_of(site, DAY2) == ["use-thread"]


def test_a_page_that_no_longer_uses_a_term_is_no_longer_named(layout: Layout) -> None:
    path = layout.docs / f"{DAY2}.md"
    text = re.sub("thread", "strand", path.read_text(encoding="utf-8"), flags=re.IGNORECASE)
    path.write_text(text, encoding="utf-8")
    used_on = page(built(layout), GLOSSARY).select("a[href*='#use-thread']")
    assert [link.get_text() for link in used_on] == ["Errors"]


def test_an_error_is_linked_by_its_name(site: Path) -> None:
    link = page(site, ERRORS).select_one("a.error")
    assert link is not None
    assert link.get_text() == "CUDA_ERROR_ILLEGAL_ADDRESS"
    assert target(site, ERRORS, str(link["href"]))[1] == "illegal-address"


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ('{{ error("CUDA_ERROR_ILLEGAL_ADRESS") }}', "did you mean 'CUDA_ERROR_ILLEGAL_ADDRESS'?"),
        ('{{ term("threat") }}', "did you mean 'thread'?"),
    ],
)
def test_an_unknown_error_or_term_stops_the_build(
    layout: Layout, edit: Edit, caplog: pytest.LogCaptureFixture, new: str, said: str
) -> None:
    edit(layout.docs / "errors" / "index.md", '{{ error("CUDA_ERROR_ILLEGAL_ADDRESS") }}', new)
    with pytest.raises(Abort):
        built(layout)
    assert "docs/errors/index.md:3:" in caplog.text
    assert said in caplog.text


def test_a_misspelled_anchor_of_an_error_stops_a_strict_build(layout: Layout, edit: Edit) -> None:
    validation = {"links": {"anchors": "warn"}}
    edit(layout.docs / "errors" / "index.md", '{{ error("CUDA_ERROR_ILLEGAL_ADDRESS") }}', "[it](#illegal-address)")
    built(layout, strict=True, validation=validation)
    edit(layout.docs / "errors" / "index.md", "[it](#illegal-address)", "[it](#illegal-adress)")
    with pytest.raises(Abort):
        built(layout, strict=True, validation=validation)


def test_a_course_with_neither_file_has_empty_pages(layout: Layout, edit: Edit) -> None:
    (layout.content / "glossary.toml").unlink()
    (layout.content / "errors.toml").unlink()
    edit(layout.docs / "errors" / "index.md", '{{ error("CUDA_ERROR_ILLEGAL_ADDRESS") }}', "an error")
    assert terms_of(built(layout, strict=True), DAY2) == []


def test_each_error_is_an_entry_of_the_search_with_message_names_and_number(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    entries = {entry["location"]: entry for entry in index["docs"]}
    entry = entries["errors/#illegal-address"]
    plain = {key: re.sub(r"<[^>]+>", " ", entry[key]) for key in ("title", "text")}
    assert " ".join(plain["title"].split()) == "an illegal memory access was encountered error 700"
    for wanted in ("CUDA_ERROR_ILLEGAL_ADDRESS", "cudaErrorIllegalAddress", "700", "beyond the array"):
        assert wanted in plain["text"]
    assert "out of memory" not in plain["text"]
    assert "reference/glossary/#thread" in entries
    assert "illegal memory" not in entries["errors/"]["text"], "the table repeats every message"
