"""The real course as a host serves it: its policy in a browser, its search, its links, its picture."""

from __future__ import annotations

import contextlib
import json
import logging
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Open, browsing, opening, serving
from bs4 import BeautifulSoup
from conftest import REPOSITORY
from gpu100.content.course import load_course
from gpu100.evidence.schema import parse
from gpu100.model.record import Record
from gpu100.render.card import HEIGHT, WIDTH
from mkdocs.commands.build import build
from mkdocs.config import load_config
from playwright.sync_api import Browser, expect


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """The site's folder, and where it is served."""
    root = tmp_path_factory.mktemp("published")
    for name in ("code", "content", "docs", "evidence"):
        shutil.copytree(REPOSITORY.root / name, root / name)
    shutil.copy(REPOSITORY.root / "mkdocs.yml", root)
    with serving(root / "site") as address, contextlib.chdir(root), pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_MKDOCS_2_WARNING", "1")
        patch.setenv("SITE_URL", address.removesuffix("/"))
        build(load_config("mkdocs.yml", site_dir="site"))
        logging.getLogger("mkdocs").handlers.clear()
        yield root / "site", address


@pytest.fixture
def open_page(browser: Browser, served: tuple[Path, str]) -> Iterator[Open]:
    with opening(browser, served[1]) as opened:
        yield opened


def soup(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


# The policy


def test_no_page_complains_under_its_policy(open_page: Open, served: tuple[Path, str]) -> None:
    site, address = served
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 12
    page = open_page("")
    for path in pages:
        page.goto(address + path.relative_to(site).as_posix().removesuffix("index.html"))
        expect(page.locator("html.js")).to_have_count(1)
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")


def test_the_policy_holds_and_is_the_same_after_instant_navigation(browser: Browser, served: tuple[Path, str]) -> None:
    page = browser.new_page()  # of its own, since it is to complain
    page.goto(served[1])
    page.evaluate("window.sameDocument = true")
    page.locator(".map a.cell").first.click()
    expect(page.locator(".day-header")).to_be_visible()
    assert page.evaluate("window.sameDocument")
    tried = """() => {
      const script = document.createElement("script");
      script.textContent = "window.planted = true";
      return new Promise((done) => {
        document.addEventListener("securitypolicyviolation", (event) => done(event.violatedDirective));
        setTimeout(() => done(window.planted ? "it ran" : "nobody said"), 10000);
        document.body.append(script);
      });
    }"""
    assert page.evaluate(tried) == "script-src-elem"
    assert page.evaluate("window.planted") is None
    page.close()


# Addresses


def test_every_page_has_its_canonical_link_and_one_picture(served: tuple[Path, str]) -> None:
    site, address = served
    looked = 0
    for path in site.rglob("index.html"):
        page = soup(path)
        own = address + path.relative_to(site).as_posix().removesuffix("index.html")
        assert [link["href"] for link in page.select('link[rel="canonical"]')] == [own]
        assert [meta["content"] for meta in page.select('meta[property="og:url"]')] == [own]
        assert [meta["content"] for meta in page.select('meta[property="og:image"]')] == [f"{address}assets/card.png"]
        assert [link["href"] for link in page.select('link[type="application/atom+xml"]')] == [f"{address}feed.xml"]
        looked += 1
    assert looked > 12


def test_the_picture_has_the_size_that_pages_say(served: tuple[Path, str]) -> None:
    data = (served[0] / "assets" / "card.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", data[16:24]) == (WIDTH, HEIGHT) == (1200, 630)
    assert len(data) < 60_000


# Search


@pytest.fixture(scope="module")
def index(served: tuple[Path, str]) -> list[dict[str, Any]]:
    found = json.loads((served[0] / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    assert len(found) > 100
    return list(found)


def test_no_line_that_a_program_printed_and_no_lab_is_in_the_index(index: list[dict[str, Any]]) -> None:
    text = "\n".join(" ".join(str(entry["text"]).split()) for entry in index)
    code = "\n".join(" ".join(path.read_text(encoding="utf-8").split()) for path in REPOSITORY.code.glob("day*/*.*"))
    looked = 0
    for path in sorted(REPOSITORY.evidence.rglob("day*.json")):
        record = parse(Record, path.read_text(encoding="utf-8"), path.name)
        # Short lines are words that a page may well have too, and the code, which is found, has heads of tables.
        lines = [" ".join(line.split()) for cell in record.transcript for line in cell.stdout]
        printed = [line for line in lines if len(line) > 30 and line not in code]
        looked += len(printed)
        assert [line for line in printed if line in text] == [], path.name
    assert looked > 20
    assert [entry["location"] for entry in index if entry["location"].startswith("labs/")] == []


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("warp", "reference/glossary/"),
        ("shared memory", "reference/glossary/"),
        ("an illegal memory access was encountered", "errors/"),
        ("CUDA_ERROR_ASSERT", "errors/"),
        ("day 2", "days/day02-gpu-vs-cpu/"),
        ("vector add", "days/day05-vector-add/"),
    ],
)
def test_the_search_finds_terms_errors_and_days(
    open_page: Open, served: tuple[Path, str], asked: str, found: str
) -> None:
    page = open_page("")
    search = page.get_by_role("textbox", name="Search")
    search.fill(asked)
    search.press("Shift")
    first = page.locator(".md-search-result__link").first
    expect(first).to_be_visible()
    assert str(first.get_attribute("href")).startswith(served[1] + found)


# A newcomer


def test_a_newcomer_is_one_click_from_running_day_1_without_a_gpu(open_page: Open, served: tuple[Path, str]) -> None:
    page = open_page("")
    page.locator("article a[href$='setup/no-gpu/']").first.click()
    page.wait_for_url(f"{served[1]}setup/no-gpu/")
    expect(page.get_by_role("heading", name="Day 1, now")).to_be_visible()
    expect(page.get_by_text("gpu100 run 1")).to_be_visible()


def test_every_day_leads_to_the_page_for_those_without_a_gpu(served: tuple[Path, str]) -> None:
    written = [day for day in load_course(REPOSITORY).days if (REPOSITORY.docs / day.page).is_file()]
    assert written
    for day in written:
        page = soup(served[0] / day.page.with_suffix("") / "index.html")
        assert page.select(".run a[href='../../setup/no-gpu/']"), day.tag
        assert page.select(".run a[href='../../setup/']"), day.tag
