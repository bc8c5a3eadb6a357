"""content/questions.toml."""

from __future__ import annotations

from dataclasses import dataclass

from gpu100.content.toml import line_of, load
from gpu100.errors import ContentError
from gpu100.model.asked import Asked
from gpu100.paths import Layout


@dataclass(frozen=True, kw_only=True)
class _File:
    question: tuple[Asked, ...]


def load_questions(layout: Layout) -> dict[int, Asked]:
    """Every question by its number; none where the course has no such file.

    Raises:
        ContentError: the file does not fit, or a number stands twice.
    """
    path = layout.content / "questions.toml"
    if not path.exists():
        return {}
    shown = layout.relative(path)
    found: dict[int, Asked] = {}
    for index, asked in enumerate(load(_File, path, shown).question):
        if asked.number in found:
            line = line_of(path.read_text(encoding="utf-8"), ("question", index))
            raise ContentError(f"question {asked.number} stands twice", path=shown, line=line)
        found[asked.number] = asked
    return found
