"""``{{`` that reached the built page: an expression where none is evaluated, such as raw HTML."""

from __future__ import annotations

from html.parser import HTMLParser

_SILENT = {"code", "pre", "script", "style"}


def leftover_braces(html: str) -> list[str]:
    """Every piece of text, or attribute, that holds ``{{`` outside code and math."""
    if "{{" not in html:  # nearly every page: reading one costs as much as converting half of it
        return []
    reader = _Reader()
    reader.feed(html)
    return reader.found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._silent: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if self._silent:
            if tag == self._silent[-1]:
                self._silent.append(tag)
        elif tag in _SILENT or "arithmatex" in (named.get("class") or ""):
            self._silent.append(tag)
        self.found += [value.strip() for value in named.values() if value and "{{" in value]

    def handle_endtag(self, tag: str) -> None:
        if self._silent and tag == self._silent[-1]:
            self._silent.pop()

    def handle_data(self, data: str) -> None:
        if "{{" in data and not self._silent:
            self.found.append(data.strip()[:60])
