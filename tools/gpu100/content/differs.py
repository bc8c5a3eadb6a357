"""content/differs.toml: notes on exact results that differ between machines of one capability."""

from __future__ import annotations

from dataclasses import dataclass

from gpu100.content.toml import load
from gpu100.model.differs import Note
from gpu100.paths import Layout


@dataclass(frozen=True, kw_only=True)
class _File:
    note: tuple[Note, ...] = ()


def load_notes(layout: Layout) -> tuple[Note, ...]:
    """The notes; none where the course has no such file.

    Raises:
        ContentError: the file does not fit.
    """
    path = layout.content / "differs.toml"
    return load(_File, path, layout.relative(path)).note if path.exists() else ()
