"""content/glossary.toml."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpu100.content.toml import line_of, load
from gpu100.errors import ContentError, nearest
from gpu100.model.course import Course
from gpu100.model.source import Source
from gpu100.model.term import Term
from gpu100.paths import Layout


@dataclass(frozen=True, kw_only=True)
class _File:
    term: tuple[Term, ...]


def load_glossary(layout: Layout, course: Course, sources: Mapping[str, Source]) -> dict[str, Term]:
    """Every term by its id, in the alphabet's order; none where the course has no glossary.

    Raises:
        ContentError: the file does not fit, an id or a name stands twice, or a term refers to a
            term, a day or a source that does not exist.
    """
    path = layout.content / "glossary.toml"
    if not path.exists():
        return {}
    shown = layout.relative(path)
    terms = load(_File, path, shown).term
    for index, message, hint in _wrong(terms, course, sources):
        line = line_of(path.read_text(encoding="utf-8"), ("term", index))
        raise ContentError(message, path=shown, line=line, hint=hint)
    return {term.id: term for term in sorted(terms, key=lambda term: term.term.casefold())}


def _wrong(
    terms: tuple[Term, ...], course: Course, sources: Mapping[str, Source]
) -> Iterator[tuple[int, str, str | None]]:
    ids = [term.id for term in terms]
    owners: dict[str, str] = {}
    yield from ((i, f"term id {id!r} stands twice", None) for i, id in enumerate(ids) if id in ids[:i])
    for index, term in enumerate(terms):
        for name in term.names:
            if name.casefold() in owners:
                yield index, f"{name!r} is a name of {term.id!r} and of {owners[name.casefold()]!r}", None
            owners[name.casefold()] = term.id
        for other in term.see:
            if other not in ids or other == term.id:
                yield index, f"{term.id!r} says to see {other!r}, which is no other term", nearest(other, ids)
        if course.day(term.day) is None:
            yield index, f"{term.id!r} is explained on day {term.day}, which does not exist", None
        if term.source and term.source not in sources:
            yield index, f"{term.id!r} cites no source: {term.source!r}", nearest(term.source, sources)
