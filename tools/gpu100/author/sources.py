"""Whether the sources' addresses still lead where they led: ``gpu100 sources check``.

It needs internet access, so it is no rule of ``gpu100 check``. Nothing but the addresses of
sources.toml is asked, each once, a few at a time.
"""

from __future__ import annotations

import html
import re
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException, HTTPMessage
from typing import IO, Literal
from urllib.parse import urldefrag, urlsplit

import gpu100
from gpu100.errors import plural
from gpu100.model.source import Source

AGENT = f"100-Days-of-GPU-sources-check/{gpu100.__version__}"
AT_ONCE = 4
MOST_BYTES = 1 << 20
"""Of a page, in which its title has to come."""

Outcome = Literal["ok", "moved", "gone", "changed", "unreachable"]
FAULTS: tuple[Outcome, ...] = ("moved", "gone", "changed")
"""What the course can mend; an address that does not answer today may answer tomorrow."""

_PERMANENT, _TEMPORARY = {301, 308}, {302, 303, 307}
_GONE = {404, 410}
_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Probe:
    """What became of one source's address."""

    source: Source
    outcome: Outcome
    detail: str = ""
    """Where it moved to, the title that it has now, or why there was no answer."""


@dataclass(frozen=True)
class Probes:
    """Those of all sources that have an address."""

    found: tuple[Probe, ...]

    def of(self, outcome: Outcome) -> list[Probe]:
        return [probe for probe in self.found if probe.outcome == outcome]

    @property
    def answered(self) -> int:
        return len(self.found) - len(self.of("unreachable"))

    @property
    def ok(self) -> bool:
        """Something answered, and nothing has to be mended."""
        return self.answered > 0 and not any(self.of(outcome) for outcome in FAULTS)

    def __str__(self) -> str:
        counts = ", ".join(f"{len(self.of(outcome))} {outcome}" for outcome in (*FAULTS, "unreachable"))
        return f"{plural(len(self.found), 'source')} probed: {len(self.of('ok'))} ok, {counts}"


def check_sources(sources: Iterable[Source], timeout: float) -> Probes:
    """Ask every address, and give each ``timeout`` seconds in all."""
    asked: dict[str, list[Source]] = {}
    for source in sources:
        if source.address:
            asked.setdefault(urldefrag(source.address).url, []).append(source)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        titled = [any(source.page_title for source in group) for group in asked.values()]
        answers = pool.map(lambda url, title: _within(timeout, url, title), asked, titled)
        pairs = zip(asked.values(), answers, strict=True)
        return Probes(tuple(_judged(source, answer) for group, answer in pairs for source in group))


@dataclass
class _Answer:
    """What an address said; while it says nothing, there is only a reason for that."""

    status: int = 0
    moved_to: str = ""
    """Where the permanent redirects at the beginning lead."""
    title: str | None = None
    reason: str = "no answer"


def _judged(source: Source, answer: _Answer) -> Probe:
    if answer.status in _GONE:
        return Probe(source, "gone", f"status {answer.status}")
    if not 200 <= answer.status < 300:
        return Probe(source, "unreachable", f"status {answer.status}" if answer.status else answer.reason)
    if answer.moved_to:
        fragment = urldefrag(source.address).fragment
        lost = fragment and not urldefrag(answer.moved_to).fragment
        return Probe(source, "moved", f"{answer.moved_to}#{fragment}" if lost else answer.moved_to)
    if source.page_title and _plain(source.page_title) not in _plain(answer.title or ""):
        return Probe(source, "changed", f"its title is now {answer.title!r}" if answer.title else "it has no title")
    return Probe(source, "ok")


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _within(timeout: float, url: str, title: bool) -> _Answer:
    """What ``url`` answers; a server that trickles for ever is left behind when the time is up.

    A socket's own time-out begins anew with every byte, so the time is kept from outside.
    """
    answer: list[_Answer] = []
    thread = threading.Thread(target=lambda: answer.append(_ask(url, title, timeout)), daemon=True)
    thread.start()
    thread.join(timeout)
    return answer[0] if answer else _Answer(reason=f"no answer within {timeout:g} s")


def _ask(url: str, title: bool, timeout: float) -> _Answer:
    """HEAD, and GET where HEAD is not enough: not answered, not understood, or without the title."""
    if urlsplit(url).scheme not in ("http", "https"):
        return _Answer(reason="not an address of the web")
    until = time.monotonic() + timeout
    answer = _Answer() if title else _request("HEAD", url, until)
    return answer if 200 <= answer.status < 300 else _request("GET", url, until)


def _request(method: str, url: str, until: float) -> _Answer:
    hops = _Hops()
    request = urllib.request.Request(url, method=method, headers={"User-Agent": AGENT, "Accept": "*/*"})  # noqa: S310 - http or https, as _ask saw to
    left = max(until - time.monotonic(), 0.1)
    try:
        with urllib.request.build_opener(hops).open(request, timeout=left) as response:
            title = _title(response, response.headers) if method == "GET" else None
            return _Answer(response.status, hops.moved_to, title)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code in _PERMANENT | _TEMPORARY:
            return _Answer(reason="it redirects without end")
        return _Answer(error.code)
    except urllib.error.URLError as error:
        return _Answer(reason=str(error.reason))
    except (OSError, HTTPException, ValueError) as error:
        return _Answer(reason=str(error) or type(error).__name__)


class _Hops(urllib.request.HTTPRedirectHandler):
    """Follows redirects, keeps the method, and remembers how far the permanent ones led."""

    def __init__(self) -> None:
        self.moved_to = ""
        self._permanent = True

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        self._permanent = self._permanent and code in _PERMANENT
        if self._permanent:
            self.moved_to = newurl
        following = super().redirect_request(req, fp, code, msg, headers, newurl)
        if following is not None:
            following.method = req.get_method()
        return following


def _title(response: IO[bytes], headers: Message) -> str | None:
    """The page's title, read no further than it takes."""
    text = ""
    for chunk in _chunks(response):
        text += chunk.decode(headers.get_content_charset() or "utf-8", errors="replace")
        if match := _TITLE.search(text):
            return " ".join(html.unescape(match[1]).split())
    return None


def _chunks(response: IO[bytes]) -> Iterator[bytes]:
    for _ in range(MOST_BYTES >> 14):
        if not (chunk := response.read(1 << 14)):
            return
        yield chunk
