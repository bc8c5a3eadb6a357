"""The miniature course in a real browser: the quiz, the glossary, the errors, and narrow screens."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Open, browsing, chromium, looks, opening, serving
from conftest import REPOSITORY, built
from gpu100.paths import Layout
from playwright.sync_api import Browser, Locator, Page, expect

DAY1, DAY2, LAB = "days/day01-hello/", "days/day02-twice/", "labs/day01-hello/"
GLOSSARY, ERRORS = "reference/glossary/", "errors/"


@pytest.mark.parametrize(("ci", "outcome"), [("", pytest.skip.Exception), ("1", pytest.fail.Exception)])
def test_without_chromium_a_laptop_skips_and_ci_fails(
    monkeypatch: pytest.MonkeyPatch, ci: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="Chromium is not installed"):
        chromium()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(browser: Browser, captured_mini: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the course is served, with the real course's looks and scripts."""
    layout = Layout(Path(shutil.copytree(captured_mini, tmp_path_factory.mktemp("browser") / "mini")))
    shutil.copytree(REPOSITORY.docs / "assets", layout.docs / "assets", dirs_exist_ok=True)
    with serving(layout.root / "site") as address:
        built(layout, **looks(address))
        yield address


@pytest.fixture
def open_page(browser: Browser, address: str) -> Iterator[Open]:
    with opening(browser, address) as opened:
        yield opened


# The quiz


def question(page: Page) -> Locator:
    """The first question; its second option is right."""
    return page.locator(".question").first


def test_notes_are_hidden_until_there_is_an_answer(open_page: Open) -> None:
    page = open_page(DAY1)
    expect(question(page).get_by_role("radio")).to_have_count(2)
    expect(question(page).locator(".note:visible")).to_have_count(0)


def test_a_wrong_choice_opens_every_note(open_page: Open) -> None:
    page = open_page(DAY1)
    question(page).get_by_role("radio").first.check()
    expect(question(page).locator(".note[open]")).to_have_count(2)
    expect(question(page).get_by_role("status")).to_contain_text("Wrong.")
    expect(page.locator(".question").nth(1).locator(".note:visible")).to_have_count(0)


def test_the_right_choice_opens_its_own_note(open_page: Open) -> None:
    page = open_page(DAY1)
    question(page).get_by_role("radio").nth(1).check()
    expect(question(page).locator(".option.right .note[open]")).to_have_count(1)
    expect(question(page).locator(".note[open]")).to_have_count(1)
    expect(question(page).get_by_role("status")).to_contain_text("Right.")


def test_walking_with_the_arrow_keys_answers_nothing_before_enter(open_page: Open) -> None:
    page = open_page(DAY1)
    question(page).get_by_role("radio").first.focus()
    page.keyboard.press("ArrowDown")
    expect(question(page).get_by_role("radio").nth(1)).to_be_checked()
    expect(question(page).locator(".note[open]")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(question(page).locator(".note[open]")).to_have_count(1)
    expect(question(page).get_by_role("status")).to_contain_text("Right.")


def test_without_script_every_note_can_be_opened(open_page: Open) -> None:
    page = open_page(DAY1, script=False)
    notes = question(page).locator(".note")
    expect(notes).to_have_count(2)
    notes.first.locator("summary").click()
    expect(notes.first.locator("p")).to_be_visible()
    expect(notes.nth(1).locator("summary")).to_be_visible()


# The glossary and the errors


def test_the_keyboard_reaches_a_term_and_shows_its_meaning(open_page: Open) -> None:
    page = open_page(DAY2)
    term = page.locator("a.term").first
    shown = "(link) => getComputedStyle(link, '::after').content"
    assert term.evaluate(shown) == "none"
    term.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(term).to_be_focused()
    assert term.evaluate(shown) == '"One run of a kernel\'s body, such as twice."'
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{GLOSSARY}#thread")
    expect(page.locator("#thread")).to_be_in_viewport()


def test_without_script_a_term_is_still_a_link_with_its_meaning(open_page: Open) -> None:
    page = open_page(DAY2, script=False)
    expect(page.locator("a.term").first).to_have_attribute("title", "One run of a kernel's body, such as twice.")
    page.locator("a.term").first.click()
    page.wait_for_url(f"**/{GLOSSARY}#thread")


@pytest.mark.parametrize(
    "pasted",
    [
        "an illegal memory access was encountered",
        "RuntimeError: CUDA error: an illegal memory access was encountered",
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "cudaErrorIllegalAddress",
        "error 700",
    ],
)
def test_an_error_is_found_by_pasting_what_it_says(open_page: Open, pasted: str) -> None:
    page = open_page("")
    search = page.get_by_role("textbox", name="Search")
    search.fill(pasted)
    search.press("Shift")
    # The first result is the page, the second its section.
    sections = page.locator(".md-search-result__link[href*='errors/'][href*='#']")
    expect(sections.first).to_have_attribute("href", re.compile(r"errors/(\?.*)?#illegal-address$"))


# Narrow screens


@pytest.mark.parametrize("path", ["", DAY1, DAY2, LAB, GLOSSARY, ERRORS])
def test_no_page_scrolls_sideways_on_a_phone(open_page: Open, path: str) -> None:
    page = open_page(path, wide=390)
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_what_is_wider_than_a_phone_scrolls_in_its_own_box(open_page: Open) -> None:
    page = open_page(LAB, wide=390)
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    widths = page.locator("article pre").evaluate_all("all => all.map((one) => one.querySelector('code').scrollWidth)")
    assert max(widths) > 390
