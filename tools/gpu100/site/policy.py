"""What a page lets a browser run and load: a Content-Security-Policy without 'unsafe-inline'.

Material writes a few scripts into each page. Those are known by their text in its templates, and pass
by their hashes; any other script written into a page, or handler in an attribute, is a problem.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path

_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.DOTALL | re.IGNORECASE)
_TYPE = re.compile(r"""\btype=["']?([^"'\s]+)""", re.IGNORECASE)
_SUSPECT = re.compile(r"<style\b|<[a-z][^<>]*?(?:[\s/](?:on[a-z]+|style)\s*=|javascript:)", re.IGNORECASE)
_FILLED = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_CONTROL = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_CHARSET = re.compile(r'<meta charset="utf-8">')

_DATA = {"application/json", "application/ld+json"}
"""A script element's types that no browser runs. A module or a plain script has another or none."""

_FIXED = (
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",  # Material's icons are data: addresses of its style sheet
    "font-src 'self'",
    "connect-src 'self'",  # the search's index, and pages that instant navigation fetches
    "worker-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
)


def scripts_of_theme(folders: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    """What a theme's templates write into pages, from its folders: their text, and a word where they fill one in."""
    found: dict[str, re.Pattern[str]] = {}
    for folder in folders:
        for path in sorted((Path(folder) / "partials" / "javascripts").glob("*.html")):
            text = _CONTROL.sub("", path.read_text(encoding="utf-8"))
            for attributes, script in _SCRIPT.findall(text):
                if "src=" not in attributes:
                    parts = [re.escape(part) for part in _FILLED.split(script)]
                    found[script] = re.compile(r"[^<>\"'\\]*".join(parts))
    return tuple(found.values())


def hashes_in(html: str, known: Iterable[re.Pattern[str]]) -> tuple[list[str], list[str]]:
    """The hashes by which a page's own scripts pass, and what in the page the policy would stop."""
    hashes: dict[str, None] = {}
    stopped: list[str] = []
    patterns = tuple(known)
    for attributes, script in _SCRIPT.findall(html):
        kind = _TYPE.search(attributes)
        if "src=" in attributes or (kind and kind[1].lower() in _DATA):
            continue
        if any(pattern.fullmatch(script) for pattern in patterns):
            hashes[_hash(script)] = None
        else:
            stopped.append(f"a script written into the page: {script.strip()[:60]!r}")
    return list(hashes), stopped + list(_others(html))


def _others(html: str) -> Iterator[str]:
    """What no hash lets pass. Few pages look as if there were any, and only those are read with care."""
    if _SUSPECT.search(html):
        reader = _Reader()
        reader.feed(html)
        yield from dict.fromkeys(reader.found)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "style":
            self.found.append("a style sheet written into the page")
        for name, value in attrs:
            if name.startswith("on"):
                self.found.append(f"a handler in an attribute: {name}={value!r}")
            elif name == "style":
                self.found.append(f"a style in an attribute: {value!r}")
            elif (value or "").strip().lower().startswith("javascript:"):
                self.found.append(f"an address that is a script: {value!r}")


def _hash(script: str) -> str:
    # A browser hashes what its parser hands it, in which every line ends in LF.
    digest = hashlib.sha256(script.replace("\r\n", "\n").replace("\r", "\n").encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def policy(hashes: Iterable[str]) -> str:
    """The policy that lets scripts of these hashes pass, and files of the site."""
    first, *rest = _FIXED
    return "; ".join([first, " ".join(["script-src 'self'", *hashes]), *rest])


def with_policy(html: str, hashes: Iterable[str]) -> str:
    """The page with its policy, ahead of everything that it judges."""
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy(hashes)}">'
    page, times = _CHARSET.subn(lambda found: f"{found[0]}\n      {meta}", html, count=1)
    if not times:
        raise ValueError(f"{_CHARSET.pattern} is not in the page, and the policy stands behind it")
    return page


def headers(hashes: Iterable[str]) -> str:
    """A ``_headers`` file, which several static hosts read, with what a page cannot say of itself."""
    lines = [
        f"Content-Security-Policy: {policy(hashes)}; frame-ancestors 'none'",
        "X-Content-Type-Options: nosniff",
        "Referrer-Policy: strict-origin-when-cross-origin",
    ]
    return "/*\n" + "".join(f"  {line}\n" for line in lines)
