"""content/normalize.toml: what transcripts of two toolchains may differ in."""

from __future__ import annotations

from dataclasses import dataclass

from gpu100.content.toml import line_of, load
from gpu100.errors import ContentError
from gpu100.model.normalize import Rule
from gpu100.paths import Layout


@dataclass(frozen=True, kw_only=True)
class _File:
    rule: tuple[Rule, ...] = ()


def load_rules(layout: Layout) -> tuple[Rule, ...]:
    """The rules, in the order in which they are applied; none where the course has no such file.

    Raises:
        ContentError: the file does not fit, a rule's case does not hold, or an id stands twice.
    """
    path = layout.content / "normalize.toml"
    if not path.exists():
        return ()
    shown = layout.relative(path)
    rules = load(_File, path, shown).rule
    seen: set[str] = set()
    for index, rule in enumerate(rules):
        if rule.id in seen:
            line = line_of(path.read_text(encoding="utf-8"), ("rule", index))
            raise ContentError(f"rule {rule.id!r} stands twice", path=shown, line=line)
        seen.add(rule.id)
    return rules
