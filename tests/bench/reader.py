"""What a reader's browser does with the real site: the size of our own files, shifts of the layout, Lighthouse."""

from __future__ import annotations

import contextlib
import functools
import gzip
import http.server
import json
import os
import shutil
import statistics
import subprocess
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gpu100.paths import Layout
from mkdocs.config import load_config

from bench.build import build
from bench.figures import Figure, median
from bench.plain import write_plain
from bench.synthetic import REPOSITORY

LIGHTHOUSE = "lighthouse@13.5.0"
"""What npx is asked for where no lighthouse is on PATH."""

HOME, DAY = "", "days/day05-vector-add/"
PAGES = (HOME, DAY, "days/day02-gpu-vs-cpu/", "reference/facts/", "labs/day05-vector_add/")
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")

_SHIFT = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((seen) => {
    for (const one of seen.getEntries()) if (!one.hadRecentInput) sum += one.value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 1000);
})"""


def reader_figures(scratch: Path, rounds: int) -> Iterator[Figure]:
    """Of the repository's site, built for the address at which it is then looked at."""
    site, bare = scratch / "read", scratch / "bare"
    with _serving(site) as address, _serving(bare) as bare_address:
        build(REPOSITORY.root / "mkdocs.yml", site, SITE_URL=address)
        yield from _sizes(site)
        yield from _shifts(address)
        if command := _lighthouse():
            _build_bare(scratch / "bare-course", bare)
            yield from _scores(command, address, bare_address, rounds)


def _sizes(site: Path) -> Iterator[Figure]:
    """All that the site's pages load of our own scripts and style sheets."""
    assets = site / "assets"
    loaded = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.html"))
    widgets = list((assets / "javascripts" / "widgets").rglob("*.js"))
    for what, folder, more, limit in (
        ("scripts", "javascripts", widgets, 25.0),
        ("style sheets", "stylesheets", [], 12.0),
    ):
        ours = [path for path in (assets / folder).glob("*.*") if path.name in loaded and ".min." not in path.name]
        sizes = [len(gzip.compress(path.read_bytes(), 9)) / 1000 for path in (*ours, *more)]
        spread = (min(sizes), max(sizes))
        yield Figure(f"our {what}, gzipped", sum(sizes), limit, "KB", spread, f"{len(sizes)} files, one by one")


def _shifts(address: str) -> Iterator[Figure]:
    """The most that a page's layout shifts while it loads, wide and on a phone."""
    from playwright.sync_api import sync_playwright

    found: dict[str, float] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(ARGUMENTS))
        for path in PAGES:
            for wide in (1440, 390):
                page = browser.new_page(viewport={"width": wide, "height": 800})
                page.goto(address + path)
                page.evaluate("scrollTo(0, document.body.scrollHeight)")
                found[f"{path or 'home'} at {wide} px"] = page.evaluate(_SHIFT)
                page.close()
        browser.close()
    worst = max(found, key=found.__getitem__)
    spread = (min(found.values()), found[worst])
    yield Figure("largest layout shift", found[worst], 0.02, "", spread, f"{worst}, of {len(found)}")


def _lighthouse() -> list[str] | None:
    """The command, or None, with a word on what is missing."""
    if own := shutil.which("lighthouse"):
        return [own]
    if npx := shutil.which("npx"):
        command = [npx, "--yes", LIGHTHOUSE]
        if subprocess.run([*command, "--version"], capture_output=True, check=False).returncode == 0:
            return command
    print("Lighthouse was not run: there is none on PATH, and npx cannot fetch it")
    return None


def _scores(command: list[str], address: str, bare: str, rounds: int) -> Iterator[Figure]:
    """How many points are missing to 100, so that less is better as in every other figure."""
    for name, path in (("home", HOME), ("day 5", DAY)):
        desktop = _report(command, address + path, "--preset=desktop")
        yield _missing(f"Lighthouse desktop, {name}", [desktop["performance"]], 5)
        for category in ("accessibility", "best-practices"):
            yield _missing(f"Lighthouse {category}, {name}", [desktop[category]], 0)
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(rounds):  # in turn, so that what slows the machine down meets both
            ours.append(_report(command, address + path)["performance"])
            theirs.append(_report(command, bare + path)["performance"])
        yield _missing(f"Lighthouse mobile, {name}", ours, 10)
        behind = statistics.median(theirs) - statistics.median(ours)
        how = f"bare Material {statistics.median(theirs):.0f}, ours {statistics.median(ours):.0f}"
        yield Figure(f"mobile, {name}, behind bare Material", behind, 3, "points", (behind, behind), how)


def _missing(what: str, scores: Sequence[float], limit: float) -> Figure:
    how = f"scores {', '.join(f'{score:.0f}' for score in scores)}"
    return median(f"{what}, short of 100", [100 - score for score in scores], limit, "points", how)


def _report(command: list[str], address: str, *options: str) -> dict[str, float]:
    """The scores of one run, by category, from 0 to 100."""
    flags = f"--chrome-flags=--headless=new {' '.join(ARGUMENTS)}"
    only = "--only-categories=performance,accessibility,best-practices"
    done = subprocess.run(
        [*command, address, "--output=json", "--quiet", only, flags, *options],
        env={**os.environ, "CHROME_PATH": shutil.which("chromium") or ""},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"Lighthouse failed on {address}:\n{done.stderr[-2000:]}")
    report: dict[str, Any] = json.loads(done.stdout)
    return {name: 100 * (found["score"] or 0) for name, found in report["categories"].items()}


def _build_bare(root: Path, site: Path) -> None:
    """The same pages with the same features of Material, and no style sheet, script or template of ours."""
    docs = root / "docs"
    write_plain(Layout(REPOSITORY.root), docs, labs=False)
    shutil.rmtree(docs / "assets")
    extensions: list[Any] = ["admonition", "attr_list", "footnotes", "md_in_html", "tables"]
    extensions += [f"pymdownx.{name}" for name in ("details", "highlight", "superfences")]
    extensions += [{"pymdownx.tabbed": {"alternate_style": True}}]
    extensions += [{"pymdownx.snippets": {"base_path": str(REPOSITORY.code), "dedent_subsections": True}}]
    real = load_config(str(REPOSITORY.root / "mkdocs.yml"))
    palette = [{**one, "primary": "indigo", "accent": "indigo"} for one in real.theme["palette"]]
    extensions += [{"toc": {"permalink": True}}]
    settings = {
        "site_name": "Bare",
        "theme": {"name": "material", "font": False, "features": real.theme["features"], "palette": palette},
        "plugins": ["search"],
        "markdown_extensions": extensions,
        "validation": {"links": {"not_found": "ignore"}},  # pages that are not among these
    }
    (root / "mkdocs.yml").write_text(json.dumps(settings), encoding="utf-8")  # which is YAML too
    build(root / "mkdocs.yml", site)


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Sends text gzipped, as hosts do."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(404)
            return
        kind = self.guess_type(path)
        data = path.read_bytes()
        packed = kind.startswith("text/") or kind.endswith(("javascript", "json", "xml"))
        data = gzip.compress(data) if packed else data
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "max-age=600")
        if packed:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextlib.contextmanager
def _serving(folder: Path) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()
    thread.join()
