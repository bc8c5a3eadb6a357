"""content/sources.toml."""

from __future__ import annotations

from dataclasses import dataclass

from gpu100.content.toml import line_of, load
from gpu100.errors import ContentError
from gpu100.model.source import Source
from gpu100.paths import Layout


@dataclass(frozen=True, kw_only=True)
class _File:
    source: tuple[Source, ...]


def load_sources(layout: Layout) -> dict[str, Source]:
    """Every source by its id, in the file's order.

    Raises:
        ContentError: the file does not fit, or an id stands twice.
    """
    path = layout.content / "sources.toml"
    shown = layout.relative(path)
    found: dict[str, Source] = {}
    for index, source in enumerate(load(_File, path, shown).source):
        if source.id in found:
            line = line_of(path.read_text(encoding="utf-8"), ("source", index))
            raise ContentError(f"source id {source.id!r} stands twice", path=shown, line=line)
        found[source.id] = source
    return found
