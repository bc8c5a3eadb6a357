"""Python-Markdown: the first use of a glossary's term in a page becomes a link with its meaning.

A link of HTML alone: it can be reached with the keyboard, a screen reader says its title, and it
leads somewhere. Only running text is looked at, once the inline patterns are done with it: what
they made is no text any more, and raw HTML is a placeholder by then.
"""

from __future__ import annotations

import xml.etree.ElementTree as etree
from collections.abc import Callable, Iterator

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor
from markdown.util import HTML_PLACEHOLDER_RE, INLINE_PLACEHOLDER_PREFIX, AtomicString

from gpu100.render.terms import PageTerms

Terms = Callable[[], PageTerms | None]

_SILENT = frozenset(
    {"a", "abbr", "button", "cite", "code", "kbd", "label", "legend", "math", "pre", "samp", "script", "style"}
    | {"sub", "summary", "sup", "svg", "th", "var", "h1", "h2", "h3", "h4", "h5", "h6"}
)
"""Links and what may not hold one; code and math; headings, and what heads something else."""

_SILENT_CLASSES = frozenset({"admonition-title", "arithmatex", "highlight", "filename"})


class FirstUse(Treeprocessor):
    """Links the first use of each term that the host's ``terms`` knows for the page at hand.

    An element with the attribute ``mark`` came from an expression, and is left as it is.
    """

    def __init__(self, md: Markdown, terms: Terms, mark: str) -> None:
        super().__init__(md)
        self._of_page = terms
        self._mark = mark

    def run(self, root: etree.Element) -> None:
        terms = self._of_page()
        if terms is not None:
            self._walk(root, terms, set())

    def _walk(self, parent: etree.Element, terms: PageTerms, seen: set[str]) -> None:
        """In the page's order: an element's text, then each child, each followed by its tail."""
        if _holds_raw_html(parent):
            return
        inside = list(parent)
        parent.text, made = self._split(parent.text, terms, seen)
        parent[0:0] = made
        for child in inside:
            if not self._silent(child):
                self._walk(child, terms, seen)
            child.tail, made = self._split(child.tail, terms, seen)
            if made:
                after = list(parent).index(child) + 1
                parent[after:after] = made

    def _silent(self, element: etree.Element) -> bool:
        return (
            not isinstance(element.tag, str)
            or element.tag in _SILENT
            or self._mark in element.attrib
            or not _SILENT_CLASSES.isdisjoint(element.get("class", "").split())
        )

    def _split(self, text: str | None, terms: PageTerms, seen: set[str]) -> tuple[str | None, list[etree.Element]]:
        """The text up to the first link, and the links with what follows each."""
        if not text or text.isspace() or isinstance(text, AtomicString):
            return text, []
        made: list[etree.Element] = []
        before, done = text, 0
        for start, end, term in terms.uses(text):
            if term.id in seen:
                continue
            seen.add(term.id)
            link = etree.Element("a", terms.attributes(term))
            link.text = AtomicString(text[start:end])
            if made:
                made[-1].tail = text[done:start]
            else:
                before = text[:start]
            made.append(link)
            done = end
        if made:
            made[-1].tail = text[done:]
        return before, made


def _holds_raw_html(element: etree.Element) -> bool:
    """Whether tags written as HTML stand in the element's own text: what they enclose may be a link."""
    return any(
        HTML_PLACEHOLDER_RE.search(text) or INLINE_PLACEHOLDER_PREFIX in text for text in _own_text(element) if text
    )


def _own_text(element: etree.Element) -> Iterator[str | None]:
    yield element.text
    for child in element:
        yield child.tail
