"""Normalization rules at work: in order, and counting how often each hits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gpu100.model.normalize import Rule


class Normalizer:
    """Rewrites lines by ``rules``."""

    def __init__(self, rules: Sequence[Rule] = ()) -> None:
        self._rules = tuple(rules)
        self._hits: Counter[str] = Counter()

    def __call__(self, line: str) -> str:
        for rule in self._rules:
            line, hits = rule.apply(line)
            self._hits[rule.id] += hits
        return line

    @property
    def hits(self) -> dict[str, int]:
        """By rule, in the file's order: how often it has hit so far; 0 for one that never did."""
        return {rule.id: self._hits[rule.id] for rule in self._rules}
