"""Python-Markdown: ``{{ expression }}`` in running text and between blank lines.

The inline processor runs after code spans are taken out and before escapes are, and fences and
raw HTML are taken out before any of it, so an expression is only ever found in prose. What it
means is the host's business: the extension is given a function that evaluates it.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree
from collections.abc import Callable
from re import Match
from typing import Any

from markdown import Markdown
from markdown.blockparser import BlockParser
from markdown.blockprocessors import BlockProcessor
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.treeprocessors import Treeprocessor

from gpu100.render.expressions import Block, ExpressionError, Inline
from gpu100.site.first_use import FirstUse

Evaluate = Callable[[str], Inline | Block]
Refuse = Callable[[str, str, str | None], None]

EXPRESSION = r"\{\{\s*(?P<expression>[^{}\n]+?)\s*\}\}"
_ALONE = re.compile(rf"\s{{0,3}}{EXPRESSION}\s*")
_LINK_TARGET = re.compile(r"\]\([^()\s]*$")
_BEGINS_SENTENCE = re.compile(r"(?:^|[.?!][)*_\"”]*)\s*$")
_MARK = "data-expression"


def _no_host(source: str) -> Inline | Block:
    raise ExpressionError(f"{{{{ {source} }}}}: the extension was loaded without its `evaluate` option")


def _raise(source: str, message: str, hint: str | None) -> None:
    raise ExpressionError(f"{{{{ {source} }}}} {message}", hint=hint)


class CourseExtension(Extension):
    """Registers the processors.

    ``evaluate`` turns an expression's text into what it shows. ``refuse`` is told of one that
    stands where none may: its text, what is wrong, and a hint; by default it raises. ``terms``
    says what the page at hand may link of the glossary; by default nothing.
    """

    def __init__(self, **kwargs: Any) -> None:
        self.config = {
            "evaluate": [_no_host, "The function that evaluates an expression."],
            "refuse": [_raise, "The function that is told of an expression in the wrong place."],
            "terms": [lambda: None, "The function that gives the page's terms of the glossary."],
        }
        super().__init__(**kwargs)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Python-Markdown's name
        evaluate, refuse = self.getConfig("evaluate"), self.getConfig("refuse")
        md.parser.blockprocessors.register(_AloneProcessor(md.parser, evaluate), "gpu100-block", 75)
        # Backticks are at 190, escapes at 180.
        md.inlinePatterns.register(_InlineExpression(EXPRESSION, md, evaluate, refuse), "gpu100-inline", 185)
        # After the inline patterns, at 20.
        md.treeprocessors.register(FirstUse(md, self.getConfig("terms"), _MARK), "gpu100-terms", 17)
        md.treeprocessors.register(_NotInHeadings(md, refuse), "gpu100-headings", 15)


class _AloneProcessor(BlockProcessor):
    """An expression between blank lines: a block where it evaluates to one."""

    def __init__(self, parser: BlockParser, evaluate: Evaluate) -> None:
        super().__init__(parser)
        self._evaluate = evaluate

    def test(self, parent: etree.Element, block: str) -> bool:
        return _ALONE.fullmatch(block) is not None

    def run(self, parent: etree.Element, blocks: list[str]) -> bool | None:
        match = _ALONE.fullmatch(blocks[0])
        assert match is not None  # test() said so
        result = self._evaluate(match["expression"])
        if isinstance(result, Inline):
            return False  # a sentence that is one value: the paragraph will meet it again
        blocks.pop(0)
        paragraph = etree.SubElement(parent, "p")
        paragraph.text = self.parser.md.htmlStash.store(result.html)
        return None


class _InlineExpression(InlineProcessor):
    """An expression inside a sentence, a table cell or a list item."""

    def __init__(self, pattern: str, md: Markdown, evaluate: Evaluate, refuse: Refuse) -> None:
        super().__init__(pattern, md)
        self._evaluate = evaluate
        self._refuse = refuse

    def handleMatch(  # type: ignore[override]  # noqa: N802 - Python-Markdown's name
        self, match: Match[str], data: str
    ) -> tuple[etree.Element, int, int]:
        source = match["expression"]
        result = self._evaluate(source)
        if _LINK_TARGET.search(data[: match.start()]):
            self._refuse(source, "stands in a link's target", "write the address out")
        if isinstance(result, Block):
            self._refuse(source, "is a block inside a sentence", "let it stand alone between blank lines")
            result = Inline("")
        element = etree.Element(result.tag, {**result.attributes, _MARK: source})
        begins = result.capital and _BEGINS_SENTENCE.search(data[: match.start()])
        element.text = result.text[:1].upper() + result.text[1:] if begins else result.text
        return element, match.start(), match.end()


class _NotInHeadings(Treeprocessor):
    """Headings become link targets and titles, so nothing in them may move with the evidence."""

    def __init__(self, md: Markdown, refuse: Refuse) -> None:
        super().__init__(md)
        self._refuse = refuse

    def run(self, root: etree.Element) -> None:
        for element in root.iter():
            if re.fullmatch(r"h[1-6]", element.tag if isinstance(element.tag, str) else ""):
                for inside in element.iter():
                    if source := inside.get(_MARK):
                        self._refuse(source, "stands in a heading", None)
        for element in root.iter():
            element.attrib.pop(_MARK, None)
