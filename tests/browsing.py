"""What tests in a real browser share: Chromium, a server, pages that may not complain, and the real course's looks."""

from __future__ import annotations

import contextlib
import functools
import http.server
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY
from mkdocs.config import load_config
from playwright.sync_api import Browser, Page, sync_playwright

Open = Callable[..., Page]

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str:
    """Where it is; skips without it on a laptop, and fails in CI, where nothing would be tested unnoticed."""
    path = shutil.which("chromium")
    if path is None:
        missing = "Chromium is not installed"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    return path


@contextlib.contextmanager
def browsing() -> Iterator[Browser]:
    """A Chromium."""
    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextlib.contextmanager
def serving(site: Path) -> Iterator[str]:
    """The address at which ``site`` is served; it may be built later."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()
    thread.join()


@contextlib.contextmanager
def opening(browser: Browser, address: str) -> Iterator[Open]:
    """Opens pages, each in a browser of its own; nothing that they did may have been an error or gone elsewhere."""
    contexts = []
    complaints: list[str] = []

    def opened(
        path: str, *, wide: int = 1280, high: int = 800, script: bool = True, before: str = "", scheme: str = "light"
    ) -> Page:
        context = browser.new_context(
            viewport={"width": wide, "height": high},
            java_script_enabled=script,
            color_scheme=scheme,  # type: ignore[arg-type]
        )
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


def looks(address: str) -> dict[str, Any]:
    """Settings that give another course the real one's looks and scripts, once its docs/assets are there."""
    real = load_config(str(REPOSITORY.root / "mkdocs.yml"))
    return {
        "site_url": address,  # Material's instant navigation asks for it
        "theme": {
            "name": "material",
            "custom_dir": str(REPOSITORY.docs / "overrides"),
            "font": False,
            **{name: real.theme[name] for name in ("features", "palette", "logo", "favicon", "icon")},
        },
        "extra_css": real.extra_css,
        "extra_javascript": [{"path": script.path, "type": script.type} for script in real.extra_javascript],
    }
