"""content/facts.toml, held against the model's limits and the course's sources."""

from __future__ import annotations

from collections.abc import Container, Iterator

from gpu100.content.toml import line_of, load
from gpu100.decode import KeyPath
from gpu100.errors import ContentError, nearest
from gpu100.model.capability import Capability
from gpu100.model.facts import Fact, Facts, Limit
from gpu100.model.limits import LIMITS, Limits, limits_of
from gpu100.paths import Layout


def load_facts(layout: Layout, sources: Container[str], days: Container[int]) -> Facts:
    """The facts; none where the course has no such file.

    Raises:
        ContentError: the file does not fit, an id stands twice, a limit is not the model's, or a
            source or day that it names does not exist.
    """
    path = layout.content / "facts.toml"
    if not path.exists():
        return Facts()
    shown = layout.relative(path)
    facts = load(Facts, path, shown)
    for at, message, hint in _wrong(facts, sources, days):
        line = line_of(path.read_text(encoding="utf-8"), at)
        raise ContentError(message, path=shown, line=line, hint=hint)
    return facts


def _wrong(facts: Facts, sources: Container[str], days: Container[int]) -> Iterator[tuple[KeyPath, str, str | None]]:
    """Where, what, and what to do."""
    seen: set[str] = set()
    groups: dict[str, tuple[Fact, ...]] = {
        "cards": facts.cards,
        "limit": facts.limit,
        "formula": facts.formula,
        "figure": facts.figure,
    }
    for group, entries in groups.items():
        for index, fact in enumerate(entries):
            if fact.id in seen:
                yield (group, index, "id"), f"fact {fact.id!r} stands twice", None
            seen.add(fact.id)
            if missing := [id for id in fact.sources if id not in sources]:
                hint = "content/sources.toml lists them"
                yield (group, index, "sources"), f"{fact.id!r} leans on {missing[0]!r}, which is no source", hint
            strange = [day for day in getattr(fact, "days", ()) if day not in days]
            if strange:
                yield (group, index, "days"), f"{fact.id!r} names day {strange[0]}, which does not exist", None
    for index, limit in enumerate(facts.limit):
        yield from (((("limit", index, *at)), message, hint) for at, message, hint in _limit(limit))
    for index, cards in enumerate(facts.cards):
        if limits_of(Capability.parse(cards.capability)) is None:
            message = f"the limits of compute capability {cards.capability} are not on record"
            yield ("cards", index, "capability"), message, "model/limits.py has those that are"


def _limit(limit: Limit) -> Iterator[tuple[KeyPath, str, str | None]]:
    known = [name for name in dir(LIMITS[0]) if isinstance(getattr(LIMITS[0], name), int)]
    if limit.id not in known:
        yield ("id",), f"the model has no limit {limit.id!r}", nearest(limit.id, known)
        return
    expected = {str(limits.capability): _held(limits, limit.id) for limits in LIMITS}
    stated = limit.by or dict.fromkeys(expected, limit.value)
    for capability, number in stated.items():
        if capability not in expected:
            yield ("by",), f"{limit.id!r}: compute capability {capability} is not in the model", None
        elif number != expected[capability]:
            message = f"{limit.id!r} is {number} for {capability}, where the model has {expected[capability]}"
            yield ("by",) if limit.by else ("value",), message, "one of the two is wrong: look into the source"
    if missing := expected.keys() - stated.keys():
        yield ("by",), f"{limit.id!r} does not say what holds for {min(missing)}", None


def _held(limits: Limits, name: str) -> int:
    value = getattr(limits, name)
    assert isinstance(value, int)  # one of the known names
    return value
