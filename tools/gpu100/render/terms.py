"""The glossary's terms in running text: how they are found, and what becomes of the first use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from gpu100.model.term import Term

_NOTHING = re.compile(r"(?!)")


class TermIndex:
    """Finds any of a glossary's names; made once a build."""

    def __init__(self, glossary: Mapping[str, Term]) -> None:
        self._by_name = {spelling: term for term in glossary.values() for spelling in _spellings(term)}
        self._pattern = _any_of(self._by_name) if self._by_name else _NOTHING

    def find(self, text: str) -> Iterator[tuple[int, int, Term]]:
        """Every use of a term in ``text``: from where to where, and which."""
        for match in self._pattern.finditer(text):
            yield match.start(), match.end(), self._by_name[" ".join(match[0].split())]


def _any_of(names: Iterable[str]) -> re.Pattern[str]:
    """Finds each of ``names`` as a word, the longest first; a space may be any white space.

    A hyphen joins: "grid-stride" is no use of "grid". Names stand by their first letter, for which
    the engine looks fast; in a plain list each of them would be tried at every word.
    """
    by_letter: dict[str, list[str]] = {}
    for name in sorted(names, key=lambda name: (-len(name), name)):
        by_letter.setdefault(name[0], []).append(re.escape(name[1:]).replace(r"\ ", r"\s+"))
    starts = ((re.escape(letter), "|".join(rests)) for letter, rests in by_letter.items())
    words = "|".join(rf"{letter}(?<![\w-]{letter})(?:{rests})" for letter, rests in starts)
    return re.compile(rf"(?:{words})(?![\w-])")


def _spellings(term: Term) -> Iterator[str]:
    """A term's names, and with a capital for the beginning of a sentence."""
    for name in term.names:
        yield name
        yield name[0].upper() + name[1:]


@dataclass(frozen=True)
class PageTerms:
    """What one page links of the glossary.

    A term that is the page's own, since it is explained there, is left alone.
    """

    index: TermIndex
    href: Callable[[Term], str]
    own: int | None = None
    """The page's day."""

    def uses(self, text: str) -> Iterator[tuple[int, int, Term]]:
        """As :meth:`TermIndex.find`, less what the page itself explains."""
        return (use for use in self.index.find(text) if use[2].day != self.own)

    def attributes(self, term: Term) -> dict[str, str]:
        """Those of the link that the first use becomes."""
        return {"class": "term", "href": self.href(term), "id": f"use-{term.id}", "title": term.said}


_USE = re.compile(r'<a class="term" [^>]*\bid="use-([a-z0-9-]+)"')


def uses_in(html: str) -> Iterator[str]:
    """The ids of the terms that a rendered page links."""
    return (match[1] for match in _USE.finditer(html))
