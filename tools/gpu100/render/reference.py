"""The pages that list what the course rests on: sources, facts, and the questions it was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from gpu100.errors import nearest
from gpu100.model.asked import Asked, address_of
from gpu100.model.course import Day
from gpu100.model.facts import Facts, Figure, Limit
from gpu100.model.limits import LIMITS
from gpu100.model.source import CitingPage, Source
from gpu100.render.env import render
from gpu100.render.expressions import Block, ExpressionError, Inline
from gpu100.units import quantity

FACTS, SOURCES = "reference/facts.md", "reference/sources.md"
"""The pages of the facts and of the sources, from docs/."""

CAPABILITIES = tuple(str(limits.capability) for limits in LIMITS)

Link = Callable[[str], str]
"""A page's address as the page at hand has to link it in HTML, by its source from docs/."""

LinkedDay = Callable[[int], tuple[Day, str | None]]
"""A day, and its address where it is written."""


@dataclass(frozen=True)
class Reference:
    """What these pages list, besides the sources; all of it may be missing in a course."""

    facts: Facts = field(default_factory=Facts)
    questions: Mapping[int, Asked] = field(default_factory=dict)
    cited: Mapping[str, tuple[CitingPage, ...]] = field(default_factory=dict)
    """By a source's id: the pages that lean on it."""


@dataclass(frozen=True)
class ReferenceNames:
    """The functions that a page's expressions call to show any of it."""

    reference: Reference
    sources: Mapping[str, Source]
    link: Link
    day: LinkedDay

    def names(self) -> dict[str, Callable[..., Inline | Block]]:
        """By the name that a page uses."""
        facts, sources = self.reference.facts, self.sources
        return {
            "common_limits": lambda: Block(common_limits(facts, sources)),
            "fact": lambda name, at=None: fact_text(facts, name, at),
            "figures": lambda: Block(figures_table(facts, sources, self.link, self.day)),
            "formulas": lambda: Block(formulas_list(facts, sources, self.day)),
            "limits": lambda *names: Block(limits_table(facts, names, sources)),
            "questions_page": lambda: Block(questions_list(self.reference.questions.values(), self.day)),
            "sources_page": lambda: Block(sources_list(sources.values(), self.reference.cited, self.link)),
        }


def sources_list(sources: Iterable[Source], cited: Mapping[str, tuple[CitingPage, ...]], link: Link) -> str:
    """HTML of every source, by publisher, with the pages that lean on it."""
    ordered = sorted(sources, key=lambda source: (*_publisher(source), source.title, source.section))
    groups = [(name, list(group)) for name, group in groupby(ordered, key=lambda source: source.publisher)]
    citing = {
        source.id: [(page.title, link(page.path)) for page in cited.get(source.id, ())]
        for _, group in groups
        for source in group
    }
    return render("sources.html", groups=groups, citing=citing)


def _publisher(source: Source) -> tuple[bool, str, str]:
    """NVIDIA, whose hardware it is, then the others by name."""
    return source.publisher != "NVIDIA", source.publisher.casefold(), source.publisher


def limits_table(facts: Facts, names: tuple[str, ...], sources: Mapping[str, Source]) -> str:
    """HTML of a table: a row for every compute capability, a column for each limit of ``names``.

    Without names, it has every limit that differs between capabilities.

    Raises:
        ExpressionError: a name that is no limit of facts.toml.
    """
    chosen = tuple(_limit(facts, name) for name in names) or tuple(limit for limit in facts.limit if limit.by)
    rows = [
        (capability, [limit.shown(capability) for limit in chosen], facts.examples(capability))
        for capability in CAPABILITIES
    ]
    return render("limits.html", limits=chosen, rows=rows, sources=_of(chosen, sources))


def common_limits(facts: Facts, sources: Mapping[str, Source]) -> str:
    """HTML of the limits that are the same everywhere."""
    chosen = [limit for limit in facts.limit if limit.value is not None]
    rows = [(limit, limit.shown(CAPABILITIES[0])) for limit in chosen]
    return render("common-limits.html", rows=rows, sources=_of(chosen, sources))


def formulas_list(facts: Facts, sources: Mapping[str, Source], day: LinkedDay) -> str:
    """HTML of the formulas with their examples."""
    entries = [(f, [sources[id] for id in f.sources], [day(number) for number in f.days]) for f in facts.formula]
    return render("formulas.html", entries=entries)


def figures_table(facts: Facts, sources: Mapping[str, Source], link: Link, day: LinkedDay) -> str:
    """HTML of the figures that others published, by whose they are."""
    by_source: dict[str, list[tuple[Figure, list[tuple[Day, str | None]]]]] = {}
    for figure in facts.figure:
        by_source.setdefault(figure.source, []).append((figure, [day(number) for number in figure.days]))
    groups = [(sources[id], figures) for id, figures in by_source.items()]
    return render("figures.html", groups=groups, page=link(SOURCES))


def fact_text(facts: Facts, name: str, at: str | None) -> Inline:
    """A limit or a published figure inside a sentence, with its unit.

    Raises:
        ExpressionError: there is no such fact, or none for that compute capability.
    """
    if figure := next((figure for figure in facts.figure if figure.id == name), None):
        title = f"published elsewhere: {figure.what}, {figure.on} ({figure.source})"
        return Inline(quantity(figure.value, figure.unit), attributes={"class": "fact", "title": title})
    limit = _limit(facts, name, [figure.id for figure in facts.figure])
    if limit.by and at is None:
        raise ExpressionError(f"{name!r} differs by compute capability", hint=f'fact("{name}", "9.0")')
    number = limit.shown(at or CAPABILITIES[0])
    if number is None or (at is not None and at not in CAPABILITIES):
        raise ExpressionError(f"{name!r} has no entry {at!r}", hint=f"it has {', '.join(limit.by or CAPABILITIES)}")
    where = f", compute capability {at}" if at else ""
    title = f"{limit.what}{where} ({', '.join(limit.sources)}, {limit.looked_at})"
    return Inline(quantity(number, limit.unit), attributes={"class": "fact", "title": title})


def questions_list(questions: Iterable[Asked], day: LinkedDay) -> str:
    """HTML of what learners ask, with the days that settle it."""
    entries = [
        {
            "asked": asked,
            "days": [day(number) for number in asked.days],
            "read": [(place, address_of(place)) for place in asked.read],
            "others": [(place, address_of(place)) for place in asked.seen if place not in asked.read],
        }
        for asked in questions
    ]
    return render("questions.html", entries=entries)


def _limit(facts: Facts, name: str, others: Iterable[str] = ()) -> Limit:
    limit = next((limit for limit in facts.limit if limit.id == name), None)
    if limit is None:
        known = [*(limit.id for limit in facts.limit), *others]
        raise ExpressionError(f"content/facts.toml has no {name!r}", hint=nearest(name, known))
    return limit


def _of(limits: Iterable[Limit], sources: Mapping[str, Source]) -> list[tuple[Source, str]]:
    """The sources of some limits, each once, and the last day on which they were compared with it."""
    found: dict[str, str] = {}
    for limit in limits:
        for id in limit.sources:
            found[id] = max(found.get(id, ""), limit.looked_at)
    return [(sources[id], date) for id, date in found.items()]
