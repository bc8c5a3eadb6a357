"""The cells of a notebook, taken out of the page that nbconvert makes of it."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

from gpu100.render.lab import LabCell

_REGIONS = {"jp-MarkdownOutput": "prose", "clipboard-copy-txt": "code", "jp-OutputArea-output": "printed"}
"""What is wanted, by the class of the ``div`` around it. Code stands on the page twice, in
Python's colors and plain, as text to be copied; the plain one is exact."""

_FOREIGN = {"script", "style"}


def cells_of(html: str) -> list[LabCell]:
    """Every cell's content, without prompts, buttons, wrappers, styles and scripts."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.cells


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)  # what is copied stays as it is written
        self.cells: list[LabCell] = []
        self._region: str | None = None
        self._depth = 0
        self._foreign = False
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._region is None:
            classes = (dict(attrs).get("class") or "").split() if tag == "div" else []
            self._region = next((_REGIONS[name] for name in classes if name in _REGIONS), None)
            self._depth, self._text = 1, []
            return
        self._depth += tag == "div"
        self._foreign = self._foreign or tag in _FOREIGN
        self._copy(self.get_starttag_text() or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._copy(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        self._depth -= tag == "div"
        if self._region and self._depth == 0:
            self._take(self._region, "".join(self._text))
            self._region = None
        self._copy(f"</{tag}>")
        self._foreign = self._foreign and tag not in _FOREIGN

    def handle_data(self, data: str) -> None:
        self._copy(data)

    def handle_entityref(self, name: str) -> None:
        self._copy(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._copy(f"&#{name};")

    def _copy(self, text: str) -> None:
        if self._region and not self._foreign:
            self._text.append(text)

    def _take(self, region: str, text: str) -> None:
        if region == "prose":
            # The sign behind a heading is the one of all other pages.
            self.cells.append(LabCell(prose=text.replace('<a class="anchor-link"', '<a class="headerlink"').strip()))
        elif region == "code":
            self.cells.append(LabCell(code=unescape(text)))
        else:
            printed = text.strip().removeprefix("<pre>").removesuffix("</pre>").rstrip("\n")
            self.cells[-1] = replace(self.cells[-1], printed=(*self.cells[-1].printed, printed))
