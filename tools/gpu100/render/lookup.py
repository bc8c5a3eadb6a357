"""The pages that are looked into rather than read: the glossary, and the errors by their message."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from gpu100.errors import nearest
from gpu100.model.cuda_error import CudaError
from gpu100.model.source import Source
from gpu100.model.term import Term
from gpu100.render.env import render
from gpu100.render.expressions import Block, ExpressionError, Inline
from gpu100.render.provoked import Found
from gpu100.render.reference import Link, LinkedDay
from gpu100.render.terms import PageTerms, TermIndex

GLOSSARY = "reference/glossary.md"
ERRORS = "errors/index.md"
"""The two pages, from docs/."""

FIGURE_COLORS = ("thread", "register", "warp", "shared-memory", "block", "l2", "sm", "dram")
"""What has a color of its own in every figure, by its term, from light to dark.

The style sheet holds it as ``--figure-thread`` and so on.
"""

API = {"driver": "driver", "runtime": "runtime", "nvrtc": "NVRTC", "tools": "profiler"}
SURVIVES = {
    "yes": "survives: later calls work",
    "no": "is lost: every later call fails too, until the process ends",
    "unknown": "may or may not survive: not measured yet",
}


@dataclass(frozen=True)
class Lookup:
    """What these pages list; all of it may be missing in a course."""

    glossary: Mapping[str, Term] = field(default_factory=dict)
    """In the alphabet's order."""
    errors: Mapping[str, CudaError] = field(default_factory=dict)

    @cached_property
    def index(self) -> TermIndex:
        """Finds the glossary's terms."""
        return TermIndex(self.glossary)

    def sources(self) -> dict[str, list[str]]:
        """What each of the two pages leans on, from its own file of content/."""
        return {
            GLOSSARY: [term.source for term in self.glossary.values() if term.source],
            ERRORS: [id for error in self.errors.values() for id in (*error.sources, error.survives_source) if id],
        }

    def on(self, page: str, link: Link, day: int | None) -> PageTerms | None:
        """What the page at ``page`` may link of the glossary; None on the glossary itself."""
        if page == GLOSSARY or not self.glossary:
            return None
        return PageTerms(self.index, lambda term: f"{link(GLOSSARY)}#{term.id}", day)

    def error(self, name: str) -> CudaError | None:
        """The error by its id or by any library's name for it."""
        named = (error for error in self.errors.values() if name in (one.name for one in error.names))
        return self.errors.get(name) or next(named, None)


@dataclass(frozen=True)
class LookupNames:
    """The functions that a page's expressions call to show any of it."""

    lookup: Lookup
    sources: Mapping[str, Source]
    link: Link
    """For links in sentences, which the host resolves."""
    day: LinkedDay
    provoked: Callable[[], Found] = dict
    """What records know of the errors, by their ids."""

    def names(self) -> dict[str, Callable[..., Inline | Block]]:
        """By the name that a page uses."""
        return {
            "error": self.error,
            "errors_page": self.errors_page,
            "figure_colors": lambda: Block(figure_colors(self.lookup.glossary)),
            "glossary_page": lambda: Block(glossary_page(self.lookup.glossary, self.sources, self.day)),
            "term": self.term,
        }

    def error(self, name: str) -> Inline:
        """A link to what the reference says of an error, by any of its names."""
        error = self.lookup.error(name)
        if error is None:
            known = [one for e in self.lookup.errors.values() for one in (e.id, *(n.name for n in e.names))]
            raise ExpressionError(f"content/errors.toml has no {name!r}", hint=nearest(name, known))
        attributes = {"class": "error", "href": f"{self.link(ERRORS)}#{error.id}", "title": error.text}
        return Inline(error.name if name == error.id else name, tag="a", attributes=attributes)

    def errors_page(self) -> Block:
        """All errors, with what the course's programs saw of them."""
        return Block(errors_page(self.lookup.errors.values(), self.sources, self.day, self.provoked()))

    def term(self, id: str, text: str = "") -> Inline:
        """A link to a term of the glossary where no first use links it by itself."""
        term = self.lookup.glossary.get(id)
        if term is None:
            raise ExpressionError(f"content/glossary.toml has no {id!r}", hint=nearest(id, self.lookup.glossary))
        attributes = {"class": "term", "href": f"{self.link(GLOSSARY)}#{id}", "title": term.said}
        return Inline(text or term.term, tag="a", attributes=attributes)


def glossary_page(glossary: Mapping[str, Term], sources: Mapping[str, Source], day: LinkedDay) -> str:
    """HTML of the terms, each with an empty place for the pages that use it."""
    entries = [
        (term, day(term.day), sources.get(term.source), [glossary[id] for id in term.see]) for term in glossary.values()
    ]
    return render("glossary.html", entries=entries)


_PLACE = re.compile(r'<p class="uses" data-term="([a-z0-9-]+)"></p>\n?')


def with_uses(html: str, uses: Mapping[str, Sequence[tuple[str, str]]]) -> str:
    """The glossary's page with its places filled, once all other pages are known.

    ``uses`` has, by term, the pages that use it: what each is called, and its address.
    """
    return _PLACE.sub(lambda place: render("uses.html", uses=uses.get(place[1], ())), html)


def figure_colors(glossary: Mapping[str, Term]) -> str:
    """HTML of the swatches."""
    return render("colors.html", terms=[glossary[id] for id in FIGURE_COLORS if id in glossary])


def errors_page(
    errors: Iterable[CudaError],
    sources: Mapping[str, Source],
    day: LinkedDay,
    provoked: Found | None = None,
) -> str:
    """HTML of the errors: a table to find a message in, then a section for each.

    ``provoked`` is what records know of an error, by its id. Whether the context survives need not be
    called unknown where it was seen.
    """
    entries = []
    for error in errors:
        seen = (provoked or {}).get(error.id, {})
        entries.append(
            {
                "error": error,
                "days": [day(number) for number in error.days],
                "sources": [sources[id] for id in error.sources],
                "survives": "" if seen and error.survives == "unknown" else SURVIVES.get(error.survives or ""),
                "survives_source": sources.get(error.survives_source),
                "provoked": [(how, mistakes, *day(how.day.number)) for how, mistakes in seen.items()],
            }
        )
    return render("errors.html", entries=entries, api=API)
