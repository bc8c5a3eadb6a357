"""The miniature course in a real browser: the choice of a GPU, the quiz, narrow screens, and no script at all."""

from __future__ import annotations

import functools
import http.server
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import REPOSITORY, built, second_machine
from gpu100.model.machine import Machine
from gpu100.model.record import Exact
from gpu100.paths import Layout
from mkdocs.config import load_config
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

Open = Callable[..., Page]

DAY1, DAY2, LAB = "days/day01-hello/", "days/day02-twice/", "labs/day01-hello/"
GLOSSARY, ERRORS = "reference/glossary/", "errors/"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
STORED = "gpu100.gpu"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass


def chromium() -> str:
    """Where it is; skips without it on a laptop, and fails in CI, where nothing would be tested unnoticed."""
    path = shutil.which("chromium")
    if path is None:
        missing = "Chromium is not installed"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    return path


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
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address(
    browser: Browser, captured_mini: Path, tmp_path_factory: pytest.TempPathFactory, t4: Machine
) -> Iterator[str]:
    """Where the course is served: with the real course's looks and scripts, and evidence from a second machine.

    That machine has other values on day 1, and on day 2 lacks one of two.
    """
    layout = Layout(Path(shutil.copytree(captured_mini, tmp_path_factory.mktemp("browser") / "mini")))
    shutil.copytree(REPOSITORY.docs / "assets", layout.docs / "assets", dirs_exist_ok=True)
    second_machine(layout, t4, values={"threads": Exact(kind="exact", value=4, unit="threads")})
    second_machine(
        layout,
        t4,
        record="h200/580.159.04-nvrtc13.0.88/day02-twice.json",
        values={"idle": Exact(kind="exact", value=50, unit="%")},
    )
    site = layout.root / "site"
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    real = load_config(str(REPOSITORY.root / "mkdocs.yml"))
    built(
        layout,
        site_url=address,  # Material's instant navigation asks for it
        theme={"name": "material", "font": False, "features": [*real.theme["features"], "navigation.instant"]},
        extra_css=real.extra_css,
        extra_javascript=[{"path": script.path, "type": script.type} for script in real.extra_javascript],
    )
    yield address
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def open_page(browser: Browser, address: str) -> Iterator[Open]:
    """Opens a page of the site in a browser of its own; nothing it did may have been an error or gone elsewhere."""
    contexts = []
    complaints: list[str] = []

    def opened(path: str, *, wide: int = 1280, script: bool = True, before: str = "") -> Page:
        context = browser.new_context(viewport={"width": wide, "height": 800}, java_script_enabled=script)
        contexts.append(context)
        if before:
            context.add_init_script(before)
        page = context.new_page()
        page.set_default_timeout(5000)
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda asked: None if asked.url.startswith(address) else complaints.append(asked.url))
        page.goto(address + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def record(page: Page, gpu: str) -> Locator:
    return page.locator(f'.record[data-gpu="{gpu}"]')


def radio(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name="Recorded on").get_by_role("radio", name=name)


def expect_gpu(page: Page, name: str, value: str) -> None:
    """The panel shows this GPU's record alone, and the day's value is its own."""
    gpu = {"NVIDIA H200": "h200", "Tesla T4": "tesla-t4"}[name]
    expect(radio(page, name)).to_be_checked()
    expect(record(page, gpu)).to_be_visible()
    expect(page.locator(".record:visible")).to_have_count(1)
    expect(page.locator(".value").first).to_have_text(value)


# The choice of a GPU


def test_the_reference_gpu_comes_first_and_panel_and_sentences_follow_the_choice(open_page: Open) -> None:
    page = open_page(DAY1)
    expect_gpu(page, "NVIDIA H200", "8 threads")
    radio(page, "Tesla T4").check()
    expect_gpu(page, "Tesla T4", "4 threads")
    value = page.locator(".value").first
    expect(value).to_have_class("value")
    expect(value).to_have_attribute("title", "Threads that said hello: Tesla T4, equal in every run")
    radio(page, "NVIDIA H200").check()
    expect_gpu(page, "NVIDIA H200", "8 threads")


def test_a_value_that_the_gpu_lacks_says_so_and_comes_back(open_page: Open) -> None:
    page = open_page(DAY2)
    value = page.locator("td .value")
    expect(value).to_have_text("2 blocks")
    radio(page, "Tesla T4").check()
    expect(value).to_have_text("not measured yet")
    expect(value).to_have_class("value missing")
    radio(page, "NVIDIA H200").check()
    expect(value).to_have_text("2 blocks")
    expect(value).to_have_class("value")


def test_the_choice_survives_a_reload_and_another_page(open_page: Open, address: str) -> None:
    page = open_page(DAY1)
    radio(page, "Tesla T4").check()
    page.reload()
    expect_gpu(page, "Tesla T4", "4 threads")
    page.goto(address + DAY2)
    expect_gpu(page, "Tesla T4", "not measured yet")


def test_the_choice_survives_instant_navigation(open_page: Open, address: str) -> None:
    page = open_page(DAY1)
    radio(page, "Tesla T4").check()
    page.evaluate("window.sameDocument = true")
    page.get_by_role("link", name="day 2", exact=True).click()
    page.wait_for_url(address + DAY2)
    expect_gpu(page, "Tesla T4", "not measured yet")
    page.go_back()
    expect_gpu(page, "Tesla T4", "4 threads")
    assert page.evaluate("window.sameDocument") is True, "the browser loaded the page anew"
    expect(page.locator(".chooser")).to_have_count(1)


def test_the_keyboard_chooses(open_page: Open) -> None:
    page = open_page(DAY1)
    radio(page, "NVIDIA H200").focus()
    page.keyboard.press("ArrowRight")
    expect(radio(page, "Tesla T4")).to_be_focused()
    expect_gpu(page, "Tesla T4", "4 threads")


def test_a_page_that_the_browser_kept_learns_of_a_later_choice(open_page: Open) -> None:
    page = open_page(DAY1)
    page.evaluate(f"localStorage.setItem({STORED!r}, 'tesla-t4')")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect_gpu(page, "Tesla T4", "4 threads")


@pytest.mark.parametrize("nonsense", ["a GPU that was sold", "__proto__"])
def test_stored_nonsense_means_the_first_gpu(open_page: Open, nonsense: str) -> None:
    page = open_page(DAY1, before=f"localStorage.setItem({STORED!r}, {nonsense!r})")
    expect_gpu(page, "NVIDIA H200", "8 threads")


def test_a_browser_that_keeps_nothing_still_chooses(open_page: Open, address: str) -> None:
    refuse = """
      for (const name of ["getItem", "setItem"]) {
        const kept = Storage.prototype[name];
        Storage.prototype[name] = function (key, ...rest) {
          if (key.startsWith("gpu100.")) throw new DOMException("refused", "SecurityError");
          return kept.call(this, key, ...rest);  // Material's own
        };
      }"""
    page = open_page(DAY1, before=refuse)
    expect_gpu(page, "NVIDIA H200", "8 threads")
    radio(page, "Tesla T4").check()
    expect_gpu(page, "Tesla T4", "4 threads")
    page.get_by_role("link", name="day 2", exact=True).click()  # without loading the page anew
    page.wait_for_url(address + DAY2)
    expect_gpu(page, "Tesla T4", "not measured yet")


def test_mounting_twice_changes_nothing(open_page: Open, address: str) -> None:
    page = open_page(DAY1)
    radio(page, "Tesla T4").check()
    page.evaluate(f"import('{address}assets/javascripts/gpu.js').then((gpu) => gpu.mountGpuChoice(document))")
    expect(page.locator(".chooser")).to_have_count(1)
    expect_gpu(page, "Tesla T4", "4 threads")


def test_a_panel_without_the_chosen_gpus_record_says_so(open_page: Open, address: str) -> None:
    page = open_page(DAY1)
    page.evaluate(
        """(address) => {
          document.querySelectorAll('[data-live]').forEach((panel) => delete panel.dataset.live);
          document.querySelectorAll('.chooser, .absent').forEach((made) => made.remove());
          const other = document.querySelector('.evidence').cloneNode(true);
          other.id = 'evidence-other';
          other.querySelector('[data-gpu="tesla-t4"]').remove();
          document.querySelector('.evidence').after(other);
          return import(`${address}assets/javascripts/gpu.js`).then((gpu) => gpu.mountGpuChoice(document));
        }""",
        address,
    )
    other = page.locator("#evidence-other")
    expect(other.locator(".absent")).to_be_hidden()
    page.locator("#evidence-hello").get_by_role("radio", name="Tesla T4").check()
    expect(other.get_by_role("radio", name="Tesla T4")).to_be_checked()
    expect(other.locator(".record")).to_be_hidden()
    expect(other.locator(".absent")).to_have_text("not measured yet Tesla T4 has not run this program for the record.")


def test_without_script_every_record_is_shown(open_page: Open) -> None:
    page = open_page(DAY1, script=False)
    expect(page.locator(".record:visible")).to_have_count(2)
    expect(page.locator(".chooser")).to_have_count(0)
    expect(page.locator(".value").first).to_have_text("8 threads")


def test_a_page_with_one_gpu_has_nothing_to_choose(open_page: Open) -> None:
    page = open_page(LAB)
    expect(page.locator(".chooser")).to_have_count(0)


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
