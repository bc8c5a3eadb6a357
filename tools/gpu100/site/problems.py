"""What is wrong with the pages, collected so that one build tells all of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from gpu100.errors import ContentError, plural
from gpu100.paths import Layout


@dataclass
class Problems:
    """Findings of one build, each with the file and line it is about."""

    layout: Layout
    _found: list[ContentError] = field(default_factory=list)
    _page: Path = Path()

    def enter(self, docs_dir: str, path: str) -> None:
        """What follows is about the page at ``path`` below ``docs_dir``."""
        self._page = Path(docs_dir) / path

    def add(self, message: str, *, at: str, hint: str | None = None) -> None:
        """Add a finding; the line is that of the page's source which holds the text ``at``."""
        shown = self.layout.relative(self._page)
        self._found.append(ContentError(message, path=shown, line=self._line_of(at), hint=hint))

    def _line_of(self, text: str) -> int | None:
        lines = self._page.read_text(encoding="utf-8").splitlines() if self._page.is_file() else []
        return next((number for number, line in enumerate(lines, 1) if text in line), None)

    def __bool__(self) -> bool:
        return bool(self._found)

    def __str__(self) -> str:
        told = list(dict.fromkeys(str(error) for error in self._found))
        return "\n".join([plural(len(told), "problem"), *told])
