"""content/fidelity.toml: why the SIMT model's counters differ from a GPU's, where they do."""

from __future__ import annotations

from dataclasses import dataclass

from gpu100.content.toml import line_of, load
from gpu100.errors import ContentError
from gpu100.paths import Layout


@dataclass(frozen=True, kw_only=True)
class Explained:
    """One reason, and the counters of the cases that it covers."""

    cases: tuple[str, ...]
    counters: tuple[str, ...]
    why: str

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Every case with every counter."""
        return tuple((case, counter) for case in self.cases for counter in self.counters)


@dataclass(frozen=True, kw_only=True)
class _File:
    explained: tuple[Explained, ...] = ()


def load_explained(layout: Layout) -> dict[tuple[str, str], str]:
    """By case and counter: why they differ.

    Raises:
        ContentError: the file does not fit, or a pair is explained twice.
    """
    path = layout.content / "fidelity.toml"
    if not path.exists():
        return {}
    shown = layout.relative(path)
    found: dict[tuple[str, str], str] = {}
    for index, entry in enumerate(load(_File, path, shown).explained):
        for pair in entry.pairs():
            if pair in found:
                line = line_of(path.read_text(encoding="utf-8"), ("explained", index))
                raise ContentError(f"{pair[1]} of {pair[0]} is explained twice", path=shown, line=line)
            found[pair] = entry.why
    return found
