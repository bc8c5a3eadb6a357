"""The Content-Security-Policy: what the theme writes into pages passes by its hash, and nothing else does."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from conftest import built
from gpu100.paths import Layout
from gpu100.site.policy import hashes_in, headers, policy, scripts_of_theme, with_policy
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

PAGE = '<html><head><meta charset="utf-8"></head><body>{}</body></html>'


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> tuple[re.Pattern[str], ...]:
    """Of a theme with two scripts, one of them filled in."""
    files = {
        "partials/javascripts/base.html": '{#- note -#}<script>scope=new URL("{{ base_url }}",location)</script>',
        "partials/javascripts/content.html": "{% if a %}<script>first()</script>{% endif %}<script src='b'></script>",
        "partials/footer.html": "<script>elsewhere()</script>",
    }
    folder = tmp_path_factory.mktemp("theme")
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return scripts_of_theme([str(folder)])


def test_the_themes_scripts_pass_by_the_hash_of_what_the_page_holds(known: tuple[re.Pattern[str], ...]) -> None:
    script = 'scope=new URL("../..",location)'
    hashes, stopped = hashes_in(PAGE.format(f"<script>{script}</script><script>first()</script>"), known)
    expected = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert hashes[0] == f"'sha256-{expected}'"
    assert len(hashes) == 2
    assert stopped == []


@pytest.mark.parametrize(
    ("planted", "said"),
    [
        ("<script>alert(1)</script>", "alert(1)"),
        ("<script type=module>alert(1)</script>", "alert(1)"),
        ("<SCRIPT>alert(1)</SCRIPT>", "alert(1)"),
        ('<script>scope=new URL("..",location);alert(1)</script>', "alert(1)"),
        ('<script>scope=new URL(""+alert("1")+"",location)</script>', "alert"),
        ("<script>elsewhere()</script>", "elsewhere()"),
        ('<button onclick="alert(1)">x</button>', "onclick"),
        ("<svg/onload=alert(1)>", "onload"),
        ('<a href=" JavaScript:alert(1)">x</a>', "an address that is a script"),
        ('<p style="color:red">x</p>', "color:red"),
        ("<style>p { color: red }</style>", "style sheet"),
    ],
)
def test_anything_else_is_found(known: tuple[re.Pattern[str], ...], planted: str, said: str) -> None:
    hashes, stopped = hashes_in(PAGE.format(planted), known)
    assert hashes == []
    assert len(stopped) == 1
    assert said in stopped[0]


@pytest.mark.parametrize(
    "harmless",
    [
        '<script type="application/json">{"a": 1}</script>',
        '<script src="a.js"></script><script type="module" src="b.js"></script>',
        '<p title="one = 1, and style = plain">on = off</p>',
        "<pre>&lt;script&gt;alert(1)&lt;/script&gt; onclick=</pre>",
    ],
)
def test_what_runs_nothing_is_let_be(known: tuple[re.Pattern[str], ...], harmless: str) -> None:
    assert hashes_in(PAGE.format(harmless), known) == ([], [])


def test_the_policy_stands_ahead_of_all_that_it_judges_and_has_no_unsafe_word() -> None:
    page = with_policy(PAGE.format("<script>first()</script>"), ["'sha256-abc='"])
    assert page.index("Content-Security-Policy") < page.index("<script")
    assert "script-src 'self' 'sha256-abc=';" in page
    assert "unsafe" not in policy(["'sha256-abc='"])
    with pytest.raises(ValueError, match="charset"):
        with_policy("<html></html>", [])


def test_headers_say_what_a_page_cannot() -> None:
    assert headers(["'sha256-abc='"]).startswith(
        "/*\n  Content-Security-Policy: default-src 'none'; script-src 'self' 'sh"
    )
    assert "frame-ancestors 'none'" in headers([])


def test_every_page_of_a_site_has_its_policy(captured_mini: Path) -> None:
    site = built(Layout(captured_mini))
    pages = list(site.rglob("*.html"))
    assert len(pages) > 5
    whole = (site / "_headers").read_text(encoding="utf-8")
    for path in pages:
        page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        meta = page.select_one('meta[http-equiv="Content-Security-Policy"]')
        assert meta is not None, path
        own = re.findall(r"'sha256-[^']+'", str(meta["content"]))
        assert len(own) == len(page.select("script:not([src]):not([type])")), path
        assert all(one in whole for one in own), path


def test_a_script_written_into_a_page_stops_the_build(layout: Layout, caplog: pytest.LogCaptureFixture) -> None:
    (layout.docs / "index.md").write_text("# Home\n\n<script>alert(1)</script>\n", encoding="utf-8")
    with pytest.raises(Abort):
        built(layout)
    assert "index.md: a script written into the page: 'alert(1)'" in caplog.text


def test_a_served_page_has_none_since_the_server_writes_a_script_into_it(layout: Layout) -> None:
    config = load_config(str(layout.root / "mkdocs.yml"), site_dir=str(layout.root / "site"))
    config.plugins.on_startup(command="serve", dirty=False)
    try:
        plugin = config.plugins["gpu100"]
        plugin.on_config(config)
        assert plugin._policies is None  # type: ignore[attr-defined]
    finally:  # MkDocs hands the same object to every later build of this process
        config.plugins.on_startup(command="build", dirty=False)
