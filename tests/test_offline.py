"""The site as files: modules as one plain script, and the whole course in a browser without a server."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from browsing import browsing
from bs4 import BeautifulSoup
from conftest import REPOSITORY
from gpu100.errors import ContentError
from gpu100.paths import Layout
from gpu100.site.assets import gather
from gpu100.site.bundle import bundle
from gpu100.site.offline import ARCHIVE, NAME, write_archive
from mkdocs.commands.build import build
from mkdocs.config import load_config
from playwright.sync_api import Browser, Page, expect

# The bundle


def bundled(modules: Mapping[str, str]) -> str:
    return bundle("a.js", modules.__getitem__)


def test_modules_become_one_script_that_a_browser_runs(browser: Browser) -> None:
    text = bundled(
        {
            "a.js": """/** Said of import("x"). */
import { twice, Base as Kind } from "./b/c.js";
import {
  three,
} from "./d.js";
window.made = [twice(2), new Kind().name, three];
import("./b/late.js").then((late) => (window.late = new late.default().name));
""",
            "b/c.js": 'import { three } from "../d.js";\nexport const twice = (n) => n * 2;\n'
            'export class Base {\n  name = "base" + three;\n}\n',
            "b/late.js": 'import { Base } from "./c.js";\nexport default class Late extends Base {\n'
            '  name = "late";\n}\n',
            # Any name is a module's to take, those of other modules and of scripts like this one too.
            "d.js": "export let three = 0;\nthree = define() + 2;\n"
            "function define() {\n  return 1;\n}\nvar get = 2, modules, loaded, exports, fetched;\n",
        }
    )
    assert text.count('"d.js"($exports)') == 1
    page = browser.new_page()
    page.add_script_tag(content=text)
    page.wait_for_function("window.late")
    assert page.evaluate("[...window.made, window.late]") == [4, "base3", 3, "late"]
    page.close()


@pytest.mark.parametrize(
    "line",
    [
        'import whole from "./b.js";',
        'import * as all from "./b.js";',
        'import "./b.js";',
        'import { a } from "elsewhere";',
        'import { "odd name" } from "./b.js";',
        'export { a } from "./b.js";',
        'export * from "./b.js";',
        "export { a };",
        "export default a;",
        "export var a = 1;",
        "const b = import(`./${a}.js`);",
        "const here = import.meta.url;",
        "const $get = 1;",
    ],
)
def test_what_the_bundle_does_not_know_is_refused(line: str) -> None:
    with pytest.raises(ContentError, match=r"a\.js"):
        bundled({"a.js": f"const a = 1;\n{line}\n", "b.js": ""})


def test_the_courses_own_modules_are_all_in_the_bundle() -> None:
    folder = REPOSITORY.docs / "assets" / "javascripts"
    text = bundle("course.js", lambda path: (folder / path).read_text(encoding="utf-8"))
    modules = [path.relative_to(folder).as_posix() for path in folder.rglob("*.js")]
    missing = [name for name in modules if f'"{name}"($exports)' not in text]
    assert len(modules) > 8
    assert missing == ["iframe-worker.js"]


def test_what_is_fetched_where_it_is_used_stays_a_module() -> None:
    modules = {
        "a.js": 'import { b } from "./in/b.js";\nb();\n',
        "in/b.js": 'export const b = () => import("./c.js");\n',
    }
    text = bundle("a.js", modules.__getitem__, whole=False)
    assert 'fetched("./in/c.js")' in text


def test_style_sheets_and_modules_are_gathered_but_not_where_they_are_worked_on(tmp_path: Path) -> None:
    for name, text in {"a.css": "/* a { } */ b { color: red }", "c.css": "d { }", "e.js": "const e = 1;"}.items():
        path = tmp_path / "assets" / ("stylesheets" if name.endswith("css") else "javascripts") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    config = load_config(
        str(REPOSITORY.root / "mkdocs.yml"),
        docs_dir=str(tmp_path),
        site_dir=str(tmp_path.parent / "site"),
        extra_css=["assets/stylesheets/a.css", "https://elsewhere.example/x.css", "assets/stylesheets/c.css"],
        extra_javascript=[{"path": "assets/javascripts/e.js", "type": "module"}, "assets/javascripts/plain.js"],
    )
    config.plugins._current_plugin = "gpu100"  # as MkDocs sets it while a plugin's event runs
    made = {file.src_uri: file.content_string for file in gather(config, whole=False).files(config)}
    assert config.extra_css == ["assets/stylesheets/bundle.css", "https://elsewhere.example/x.css"]
    assert [str(script) for script in config.extra_javascript] == [
        "assets/javascripts/e.bundle.js",
        "assets/javascripts/plain.js",
    ]
    assert made["assets/stylesheets/bundle.css"] == "b { color: red }\nd { }\n"
    assert "const e = 1;" in made["assets/javascripts/e.bundle.js"]


def test_equal_sites_give_equal_archives(tmp_path: Path) -> None:
    site = tmp_path / "site"
    for name in ("index.html", "404.html", "sitemap.xml", "a/b.js", "a/b.js.map", "assets/javascripts/lunr/min/x.js"):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(name, encoding="utf-8")
    first = write_archive(Layout(tmp_path), site).read_bytes()
    os.utime(site / "index.html", (0, 10**9))
    path = write_archive(Layout(tmp_path), site)
    assert path.read_bytes() == first
    assert zipfile.ZipFile(path).namelist() == [f"{NAME}/a/b.js", f"{NAME}/index.html"]


# The whole course, from files


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real course's archive, unpacked."""
    root = tmp_path_factory.mktemp("offline")
    for name in ("code", "content", "docs", "evidence"):
        shutil.copytree(REPOSITORY.root / name, root / name)
    shutil.copy(REPOSITORY.root / "mkdocs.yml", root)
    with contextlib.chdir(root), pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_MKDOCS_2_WARNING", "1")
        patch.setenv("OFFLINE", "true")
        patch.setenv("SITE_URL", "https://course.example/")  # which a page on a disk has no use for
        build(load_config("mkdocs.yml", site_dir="site"))
    logging.getLogger("mkdocs").handlers.clear()
    zipfile.ZipFile(root / "build" / ARCHIVE).extractall(root / "un packed")
    return root / "un packed" / NAME


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that may not complain, and may ask for nothing but files."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(5000)
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda asked: None if asked.url.startswith(("file:", "data:")) else complaints.append(asked.url))
    # What the next page cuts off has not failed.
    page.on(
        "requestfailed",
        lambda asked: None if asked.failure == "net::ERR_ABORTED" else complaints.append(f"failed: {asked.url}"),
    )
    yield page
    context.close()
    assert complaints == []


def test_every_page_opens(root: Path, page: Page) -> None:
    pages = sorted(root.rglob("*.html"))
    assert len(pages) > 12
    for path in pages:
        page.goto(path.as_uri())
        expect(page.locator("html.js[data-gpu]")).to_have_count(1)


def test_no_page_leads_to_a_folder_or_a_server_of_its_own(root: Path) -> None:
    looked = 0
    for path in root.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "course.example" not in text, path
        soup = BeautifulSoup(text, "html.parser")
        for tag in soup.select("a[href], link[href], script[src], img[src]"):
            address = str(tag.get("href") or tag.get("src")).partition("#")[0].partition("?")[0]
            if address and not address.startswith(("http:", "https:", "mailto:")):
                looked += 1
                assert (path.parent / address).is_file(), (path, address)
    assert looked > 300


def test_the_search_finds_a_term(root: Path, page: Page) -> None:
    page.goto((root / "index.html").as_uri())
    search = page.get_by_role("textbox", name="Search")
    search.fill("warp")
    search.press("Shift")
    first = page.locator(".md-search-result__link").first
    expect(first).to_have_attribute("href", f"{(root / 'reference' / 'glossary.html').as_uri()}?h=")
    page.locator(".md-search-result__link[href*='#warp']").first.click()
    expect(page).to_have_url(page.url)
    expect(page.locator("h2#warp")).to_be_visible()


def test_quiz_gpu_and_figures_work(root: Path, page: Page) -> None:
    page.goto((root / "days" / "day05-vector-add.html").as_uri())
    question = page.locator(".question").first
    question.get_by_role("radio").first.check()
    expect(question.locator(".verdict")).not_to_be_empty()
    page.locator("#gpu-choice").select_option("none")
    assert page.evaluate("document.documentElement.dataset.gpu") == "none"
    expect(page.locator(".stands-in").first).to_be_visible()
    page.locator("[data-widget]").first.scroll_into_view_if_needed()
    expect(page.locator(".widget-live svg").first).to_be_visible()
    page.reload()
    expect(page.locator("#gpu-choice")).to_have_value("none")
