"""The reader's site in a real browser: the GPU that is chosen, the place that is kept, and what every reader needs.

The miniature course with evidence from two machines shows what a choice changes; the real course shows
what its pages are to a phone, a keyboard, a screen reader, and a browser without scripts.
"""

from __future__ import annotations

import contextlib
import json
import logging
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import Open, browsing, looks, opening, serving
from conftest import REPOSITORY, built, second_machine
from gpu100.model.machine import Machine
from gpu100.model.record import Exact
from gpu100.paths import Layout
from mkdocs.commands.build import build
from mkdocs.config import load_config
from playwright.sync_api import Browser, Locator, Page, expect

DAY1, DAY2, LAB = "days/day01-hello/", "days/day02-twice/", "labs/day01-hello/"
GPU, DAYS = "gpu100.gpu", "gpu100.days"

HOME, DAY, FACTS, REAL_LAB = "", "days/day05-vector-add/", "reference/facts/", "labs/day05-vector_add/"
LOST = "404.html"
PAGES = [HOME, DAY, FACTS, REAL_LAB, "errors/", "reference/glossary/", "reference/simt-model/", LOST]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture(scope="module")
def mini_address(
    browser: Browser, captured_mini: Path, tmp_path_factory: pytest.TempPathFactory, t4: Machine
) -> Iterator[str]:
    """Where the miniature course is served, with evidence from a second machine on day 1 alone."""
    layout = Layout(Path(shutil.copytree(captured_mini, tmp_path_factory.mktemp("reader") / "mini")))
    shutil.copytree(REPOSITORY.docs / "assets", layout.docs / "assets", dirs_exist_ok=True)
    (layout.docs / "setup").mkdir()
    (layout.docs / "setup" / "no-gpu.md").write_text("# Without a GPU\n\nOn the model.\n", encoding="utf-8")
    second_machine(layout, t4, values={"threads": Exact(kind="exact", value=4, unit="threads")})
    with serving(layout.root / "site") as address:
        built(layout, **looks(address))
        yield address


@pytest.fixture
def open_mini(browser: Browser, mini_address: str) -> Iterator[Open]:
    with opening(browser, mini_address) as opened:
        yield opened


@pytest.fixture(scope="module")
def real_address(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the real course is served, built as a host of pages builds it."""
    root = tmp_path_factory.mktemp("real")
    for name in ("code", "content", "docs", "evidence"):
        shutil.copytree(REPOSITORY.root / name, root / name)
    shutil.copy(REPOSITORY.root / "mkdocs.yml", root)
    with serving(root / "site") as address, contextlib.chdir(root), pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_MKDOCS_2_WARNING", "1")
        build(load_config("mkdocs.yml", site_dir="site", site_url=address))
        logging.getLogger("mkdocs").handlers.clear()
        yield address


@pytest.fixture
def open_real(browser: Browser, real_address: str) -> Iterator[Open]:
    with opening(browser, real_address) as opened:
        yield opened


def kept(name: str, value: object) -> str:
    """A script that has something kept before the page opens."""
    text = value if isinstance(value, str) else json.dumps(value)
    return f"localStorage.setItem({json.dumps(name)}, {json.dumps(text)})"


def choice(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Your GPU")


def choose(page: Page, name: str) -> None:
    choice(page).select_option(label=name)


def expect_gpu(page: Page, gpu: str, value: str) -> None:
    """Day 1 shows this GPU's record alone, and its value."""
    expect(page.locator(".record:visible")).to_have_count(1)
    expect(page.locator(".record:visible")).to_have_attribute("data-gpu", gpu)
    expect(page.locator(".value").first).to_have_text(value)


def eventually(page: Page, script: str) -> None:
    """Waits until a script is true; Playwright's own way of waiting is evaluated in the page, where that is refused."""
    for _ in range(50):
        if page.evaluate(script):
            return
        page.wait_for_timeout(100)
    pytest.fail(f"never true: {script}")


# The reader's GPU


def test_the_choice_is_among_the_recorded_gpus_and_none(open_mini: Open) -> None:
    page = open_mini(DAY1)
    expect(choice(page).locator("option")).to_have_text(["H200", "T4", "no GPU"])
    expect(choice(page)).to_have_value("h200")
    expect_gpu(page, "h200", "8 threads")


def test_panel_prose_and_header_follow_the_choice_and_come_back(open_mini: Open) -> None:
    page = open_mini(DAY1)
    choose(page, "T4")
    expect_gpu(page, "tesla-t4", "4 threads")
    value = page.locator(".value").first
    expect(value).to_have_attribute("title", "Threads that said hello: Tesla T4, equal in every run")
    expect(page.locator("[data-shown]")).to_have_text("Tesla T4")
    choose(page, "H200")
    expect_gpu(page, "h200", "8 threads")
    expect(page.locator("[data-shown]")).to_have_text("NVIDIA H200, the reference GPU")


def test_a_day_without_a_record_of_the_gpu_says_so_and_shows_the_reference_gpus(open_mini: Open) -> None:
    page = open_mini(DAY2)
    choose(page, "T4")
    expect(page.locator(".stands-in")).to_have_text(
        "not measured yet Tesla T4 has not run this program for the record. This is what NVIDIA H200 did."
    )
    expect(page.locator(".record:visible")).to_have_attribute("data-gpu", "h200")
    expect(page.locator("td .value + .whose")).to_have_text("(H200)")
    expect(page.locator("[data-shown]")).to_contain_text("no record of Tesla T4 yet")
    choose(page, "H200")
    expect(page.locator(".stands-in, .whose:not(label .whose), .lacking")).to_have_count(0)
    expect(page.locator("td .value")).to_have_text("2 blocks")


def test_without_a_gpu_pages_show_the_reference_gpus_and_the_way_to_the_model(
    open_mini: Open, mini_address: str
) -> None:
    page = open_mini(DAY1)
    choose(page, "no GPU")
    expect_gpu(page, "h200", "8 threads")
    expect(page.locator(".value + .whose")).to_have_count(0)
    page.get_by_role("link", name="Day 2", exact=True).click()
    page.wait_for_url(mini_address + DAY2)
    page.locator(".stands-in").get_by_role("link", name="run it without a GPU").click()
    page.wait_for_url(mini_address + "setup/no-gpu/")
    expect(choice(page)).to_have_value("none")


def test_the_choice_survives_reload_navigation_and_the_way_back(open_mini: Open, mini_address: str) -> None:
    page = open_mini(DAY1)
    choose(page, "T4")
    page.reload()
    expect_gpu(page, "tesla-t4", "4 threads")
    page.evaluate("window.sameDocument = true")
    page.get_by_role("link", name="Day 2", exact=True).click()
    page.wait_for_url(mini_address + DAY2)
    expect(page.locator(".stands-in")).to_be_visible()
    page.go_back()
    expect_gpu(page, "tesla-t4", "4 threads")
    assert page.evaluate("window.sameDocument") is True, "the browser loaded the page anew"
    expect(page.locator("select")).to_have_count(1)


def test_figures_are_told_of_the_choice_when_it_changes_and_on_every_page(open_mini: Open, mini_address: str) -> None:
    listen = "window.told = []; document.addEventListener('gpu100:gpu', ({ detail }) => told.push(detail.slug))"
    page = open_mini(DAY1, before=listen)
    expect(page.locator("html")).to_have_attribute("data-gpu", "h200")
    choose(page, "no GPU")
    choose(page, "T4")
    page.get_by_role("link", name="Day 2", exact=True).click()
    page.wait_for_url(mini_address + DAY2)
    expect(page.locator(".stands-in")).to_be_visible()
    assert page.evaluate("told") == ["h200", "none", "tesla-t4", "tesla-t4"]
    expect(page.locator("html")).to_have_attribute("data-gpu", "tesla-t4")


def test_the_map_follows_the_choice(open_mini: Open) -> None:
    page = open_mini("")
    first = page.locator(".map .cell").first
    count = page.locator(".legend [data-mark=published]")
    expect(first).to_have_class("cell verified")
    choose(page, "T4")
    expect(first).to_have_class("cell verified")
    expect(count).to_be_hidden()


def test_a_day_that_the_gpu_has_not_run_is_not_verified_on_the_map(open_mini: Open) -> None:
    page = open_mini("")
    page.locator(".cell.verified").evaluate_all("all => all.forEach((cell) => (cell.dataset.verified = 'h200'))")
    choose(page, "T4")
    expect(page.locator(".cell.verified")).to_have_count(0)
    expect(page.locator(".legend [data-mark=published] .count")).to_have_text("1")
    expect(page.locator(".legend [data-mark=verified]")).to_be_hidden()
    choose(page, "no GPU")
    expect(page.locator(".map .cell.verified")).to_have_count(1)


@pytest.mark.parametrize(
    ("nonsense", "said"),
    [
        ("rtx-9090", "The GPU you chose, rtx-9090, is not among those recorded now. Pages show NVIDIA H200."),
        ("<b>sold</b>", "What was chosen as your GPU is not among those recorded now. Pages show NVIDIA H200."),
        ("__proto__", "What was chosen as your GPU is not among those recorded now. Pages show NVIDIA H200."),
    ],
)
def test_a_kept_gpu_that_is_gone_falls_back_and_says_so(open_mini: Open, nonsense: str, said: str) -> None:
    page = open_mini(DAY1, before=f"if (!sessionStorage.been) {{ sessionStorage.been = 1; {kept(GPU, nonsense)} }}")
    expect_gpu(page, "h200", "8 threads")
    note = page.locator(".fallen-back")
    expect(note.locator("p")).to_have_text(said)
    note.get_by_role("button", name="Dismiss").click()
    expect(note).to_have_count(0)
    page.reload()
    expect_gpu(page, "h200", "8 threads")
    expect(note).to_have_count(0)


def test_a_browser_that_keeps_nothing_still_chooses(open_mini: Open, mini_address: str) -> None:
    refuse = """
      for (const name of ["getItem", "setItem"]) {
        const kept = Storage.prototype[name];
        Storage.prototype[name] = function (key, ...rest) {
          if (key.startsWith("gpu100.")) throw new DOMException("refused", "SecurityError");
          return kept.call(this, key, ...rest);  // Material's own
        };
      }"""
    page = open_mini(DAY1, before=refuse)
    choose(page, "T4")
    expect_gpu(page, "tesla-t4", "4 threads")
    page.get_by_role("link", name="Day 2", exact=True).click()  # without loading the page anew
    page.wait_for_url(mini_address + DAY2)
    expect(page.locator(".stands-in")).to_be_visible()


def test_another_window_and_a_page_that_was_kept_learn_of_a_choice(open_mini: Open, mini_address: str) -> None:
    page = open_mini(DAY1)
    other = page.context.new_page()
    other.goto(mini_address + DAY2)
    choose(other, "T4")
    expect_gpu(page, "tesla-t4", "4 threads")
    page.evaluate(f"localStorage.setItem({GPU!r}, 'h200')")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect_gpu(page, "h200", "8 threads")


def test_the_keyboard_chooses(open_mini: Open) -> None:
    page = open_mini(DAY1)
    choice(page).focus()
    page.keyboard.press("ArrowDown")
    expect(choice(page)).to_be_focused()
    expect_gpu(page, "tesla-t4", "4 threads")


def test_a_course_without_records_has_nothing_to_choose(browser: Browser, mini: Layout, tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY.docs / "assets", mini.docs / "assets")
    text = mini.course.read_text(encoding="utf-8").replace('status = "published"', 'status = "draft"')
    mini.course.write_text(text, encoding="utf-8")
    with serving(mini.root / "site") as address, opening(browser, address) as opened:
        built(mini, **looks(address))
        page = opened(DAY1)
        expect(page.locator(".value").first).to_have_text("not measured yet")
        expect(choice(page)).to_have_count(0)


# Where the reader left off


def test_the_way_in_leads_to_where_the_reader_left_off(open_mini: Open, mini_address: str) -> None:
    page = open_mini("")
    expect(page.locator(".start a")).to_have_text("Begin with day 1")
    page.goto(mini_address + DAY2)
    page.get_by_role("heading", name="Results").evaluate("(heading) => heading.scrollIntoView()")
    eventually(page, f"localStorage.getItem({DAYS!r}).includes('results')")
    page.goto(mini_address)
    expect(page.locator(".start a")).to_have_text("Go on with day 2")
    expect(page.locator(".start .where")).to_have_text("Twice as much, at “Results”")
    expect(page.locator(".map .cell.visited")).to_have_count(1)
    expect(page.locator(".map a[data-day='2']")).to_have_class("cell draft visited last")
    page.locator(".start a").click()
    page.wait_for_url(mini_address + DAY2 + "#results")


def test_what_is_kept_is_forgotten_when_the_reader_says_so(open_mini: Open, mini_address: str) -> None:
    page = open_mini(DAY1)
    choose(page, "T4")
    page.goto(mini_address)
    expect(page.locator("[data-mark=visited] .count")).to_have_text("1")
    page.get_by_role("button", name="Forget them").click()
    expect(page.locator(".start [role=status]")).to_have_text("Forgotten.")
    expect(page.locator(".start a")).to_have_text("Begin with day 1")
    expect(page.locator("[data-mark=visited] .count")).to_have_text("0")
    expect(choice(page)).to_have_value("h200")
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('gpu100.'))") == []


@pytest.mark.parametrize(
    "nonsense",
    ["", "{", "null", "[1]", '{"visited": "all", "last": 3}', '{"visited": [0, 1.5, "2", 4000], "last": {"day": "2"}}'],
)
def test_nonsense_for_a_place_is_no_place(open_mini: Open, nonsense: str) -> None:
    page = open_mini("", before=kept(DAYS, nonsense))
    expect(page.locator(".start a")).to_have_text("Begin with day 1")
    expect(page.locator("[data-mark=visited] .count")).to_have_text("0")


def test_a_last_day_that_has_no_page_now_is_told(open_mini: Open) -> None:
    page = open_mini("", before=kept(DAYS, {"visited": [7], "last": {"day": 7, "id": "x", "section": "X"}}))
    expect(page.locator(".start a")).to_have_text("Begin with day 1")
    expect(page.locator(".start .where")).to_have_text("Day 7, where you were, has no page now")


# Without scripts


def test_without_scripts_nothing_is_missing_and_nothing_is_offered_in_vain(open_mini: Open) -> None:
    page = open_mini(DAY1, script=False)
    expect(page.locator(".record:visible")).to_have_count(2)
    expect(page.locator(".value").first).to_have_text("8 threads")
    expect(page.locator("#gpu-choice")).to_be_hidden()
    home = open_mini("", script=False)
    expect(home.locator(".start a")).to_be_visible()
    expect(home.get_by_role("button", name="Forget them")).to_be_hidden()


def test_without_scripts_the_map_is_complete(open_real: Open) -> None:
    page = open_real(HOME, script=False)
    days = page.locator(".module li")
    expect(days).to_have_count(100)
    for day in days.all()[:10]:
        text = day.inner_text()
        assert " min" in text
        assert "from " in text
    expect(page.locator(".map ol > li")).to_have_count(10)
    expect(page.locator(".map .cell")).to_have_count(100)


# What every reader needs


# What comes to a page a while after it is laid out: Material's buttons, and the keyboard's way into a box.
SETTLED = """() =>
  ![...document.querySelectorAll("pre:not(.no-copy, :has(.md-code__nav)) > code")].some((one) => one.checkVisibility())
  && [...document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex], .table-scroll *)")]
    .every((box) => box.scrollWidth <= box.clientWidth)"""


def unfold(page: Page, wide: int) -> None:
    """Everything is opened and on one high screen, so that nothing waits to be seen."""
    page.evaluate("document.querySelectorAll('article details').forEach((one) => (one.open = true))")
    for _ in range(5):  # what is shown only then may be higher than was thought
        high = page.evaluate("document.body.scrollHeight")
        page.set_viewport_size({"width": wide, "height": high})
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        if page.evaluate("document.body.scrollHeight") == high:
            break
    page.wait_for_function(SETTLED)


@pytest.mark.parametrize(("scheme", "wide"), [("light", 1440), ("dark", 390)])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(open_real: Open, path: str, scheme: str, wide: int) -> None:
    page = open_real(path, scheme=scheme, wide=wide)
    unfold(page, wide)
    found: dict[str, Any] = Axe().run(page, options={"resultTypes": ["violations"]}).response
    assert len(found["passes"]) > 10
    assert [
        f"{one['id']}: {node['html'][:200]} {node.get('failureSummary', '')}"
        for one in found["violations"]
        for node in one["nodes"][:3]
    ] == []


@pytest.mark.parametrize("wide", [390, 1440])
def test_no_page_scrolls_sideways(open_real: Open, wide: int) -> None:
    for path in PAGES:
        page = open_real(path, wide=wide)
        unfold(page, wide)
        assert page.evaluate("document.documentElement.scrollWidth") <= wide, path
        page.context.close()


@pytest.mark.parametrize(("wide", "high"), [(390, 844), (1440, 900)])
@pytest.mark.parametrize("path", [HOME, DAY, FACTS, REAL_LAB])
def test_nothing_shifts(open_real: Open, path: str, wide: int, high: int) -> None:
    watch = """
      window.shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
      }).observe({ type: "layout-shift", buffered: true });"""
    memory = kept(DAYS, {"visited": [1, 2, 5], "last": {"day": 5, "id": "results", "section": "Results"}})
    page = open_real(path, wide=wide, high=high, before=memory + watch)
    page.wait_for_load_state("networkidle")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))")
    assert page.evaluate("window.shift") < 0.02


@pytest.mark.parametrize("wide", [390, 1440])
@pytest.mark.parametrize("path", [DAY, REAL_LAB])
def test_code_that_is_not_laid_out_yet_has_its_room(open_real: Open, path: str, wide: int) -> None:
    page = open_real(path, wide=wide)
    page.evaluate("document.querySelectorAll('article details').forEach((one) => (one.open = true))")
    heights = "[...document.querySelectorAll('pre > code')].map((one) => one.getBoundingClientRect().height)"
    waiting = page.evaluate("getComputedStyle(document.querySelector('pre > code')).contentVisibility")
    assert waiting == "auto", "everything is laid out at once"
    before = page.evaluate(heights)
    page.evaluate("document.querySelectorAll('pre > code').forEach((one) => (one.style.contentVisibility = 'visible'))")
    assert len(before) > 10
    assert page.evaluate(heights) == pytest.approx(before, abs=0.6)


def test_code_that_is_unfolded_can_be_copied(open_real: Open) -> None:
    page = open_real(DAY)
    closed = page.locator("article details:has(pre)").first
    expect(closed.locator(".md-code__nav")).to_have_count(0)
    closed.locator("summary").first.click()
    expect(closed.get_by_role("button", name="Copy to clipboard").first).to_be_visible()


def test_the_box_of_a_copy_button_is_never_a_landmark(open_real: Open) -> None:
    page = open_real(DAY)
    assert page.locator(".md-code__nav:not([role=presentation])").count() == 0
    role = page.evaluate(
        """async () => {
          const nav = document.createElement("nav");
          nav.className = "md-code__nav";
          document.querySelector("pre").append(nav);
          await null;  // what observes the page has run by then, and nothing that waits for a clock
          return nav.getAttribute("role");
        }"""
    )
    assert role == "presentation"


def test_the_first_stop_of_the_keyboard_skips_to_the_content(open_real: Open) -> None:
    page = open_real(DAY)
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(choice(page)).to_be_focused()
    assert choice(page).evaluate("(select) => getComputedStyle(select).outlineStyle") == "solid"


def test_a_phones_menu_and_search_open_by_keyboard(open_real: Open) -> None:
    page = open_real(DAY, wide=390)
    page.locator("label[for=__drawer][tabindex]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#__drawer")).to_be_checked()
    page = open_real(DAY, wide=390)
    page.locator("label[for=__search][tabindex]").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Search")).to_be_focused()


def test_a_missing_page_leads_on(open_real: Open, real_address: str) -> None:
    page = open_real(LOST)
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such page")
    page.get_by_role("article").get_by_role("link", name="The course").click()
    page.wait_for_url(real_address)
