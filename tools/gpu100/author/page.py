"""A day's page as its author wrote it: sections, fences, expressions, words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from gpu100.content import prose

_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*$")
_SNIPPET = re.compile(r"""^\s*--8<--\s+["']([^"':]+)(?::([^"']+))?["']\s*$""")
_FRAGMENT = re.compile(r"""\bdata-fragment=(?P<quote>["'])(?P<reason>.*?)(?P=quote)""")
_WORD = re.compile(r"[^\W_][\w'’.,-]*")


@dataclass(frozen=True)
class Snippet:
    """A file, or a section of one, that the page includes."""

    file: str
    """From code/."""
    section: str
    """Empty where it is the whole file."""
    line: int


@dataclass(frozen=True)
class Fence:
    """A fenced block."""

    info: str
    """What stands behind the opening ticks: language and options."""
    text: str
    """Without the indentation that the fence itself has."""
    line: int
    """The line of its opening ticks, from 1."""

    @property
    def language(self) -> str:
        """``cuda``, of ``cuda`` as of ``{ .cuda data-fragment="a line of a loop" }``."""
        words = self.info.replace("{", " ").replace("}", " ").split()
        return words[0].lstrip(".") if words else ""

    @property
    def fragment(self) -> str | None:
        """Why the block cannot stand alone, where it is marked as one that cannot."""
        match = _FRAGMENT.search(self.info)
        return match["reason"] if match else None

    @property
    def snippets(self) -> tuple[Snippet, ...]:
        """What the block includes."""
        lines = enumerate(self.text.splitlines(), self.line + 1)
        return tuple(Snippet(m[1], m[2] or "", number) for number, line in lines if (m := _SNIPPET.match(line)))

    @property
    def typed(self) -> bool:
        """Whether anything in it is typed, not included."""
        return any(line.strip() and not _SNIPPET.match(line) for line in self.text.splitlines())


@dataclass(frozen=True)
class Section:
    """A second-level heading and what stands below it, up to the next."""

    title: str
    line: int
    prose: str
    """Its lines without fences; their places are kept, as blank lines."""

    def line_of(self, offset: int) -> int:
        """The page's line of a place in ``prose``."""
        return self.line + 1 + self.prose.count("\n", 0, offset)


@dataclass(frozen=True)
class Expression:
    """What stands between double braces in prose."""

    source: str
    line: int


@dataclass(frozen=True)
class Page:
    """The Markdown source of a page."""

    text: str

    @cached_property
    def fences(self) -> tuple[Fence, ...]:
        lines = self.text.splitlines()
        return tuple(_fence(lines, place) for place in prose.fences(lines))

    @cached_property
    def prose(self) -> str:
        """The page without its fences, line for line."""
        return prose.without_fences(self.text)

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        lines = self.prose.splitlines()
        starts = [(i, m[2]) for i, line in enumerate(lines) if (m := _HEADING.match(line)) and len(m[1]) == 2]
        ends = [start for start, _ in starts[1:]] + [len(lines)]
        return tuple(
            Section(title=title, line=start + 1, prose="\n".join(lines[start + 1 : end]))
            for (start, title), end in zip(starts, ends, strict=True)
        )

    @cached_property
    def headings(self) -> tuple[tuple[int, str, int], ...]:
        """Every heading as (level, title, line)."""
        lines = enumerate(self.prose.splitlines(), 1)
        return tuple((len(m[1]), m[2], number) for number, line in lines if (m := _HEADING.match(line)))

    @cached_property
    def expressions(self) -> tuple[Expression, ...]:
        return tuple(Expression(source, line) for source, line in prose.expressions(self.text))

    @cached_property
    def words(self) -> int:
        """Words of prose: without code, expressions and markup."""
        return len(_WORD.findall(re.sub(r"\]\([^)]*\)|[*_#>|=-]", " ", self.plain(self.prose))))

    def cited(self, section: Section | None = None) -> list[str]:
        """The ids of the sources that the page cites, or one section of it."""
        last = section.line + len(section.prose.splitlines()) if section else 0
        inside = (e for e in self.expressions if section is None or section.line < e.line <= last)
        return [match[1] for e in inside if (match := prose.CITATION.match(e.source))]

    @staticmethod
    def plain(text: str) -> str:
        """Prose with code spans and expressions blanked out, so that every place stays what it was."""
        return prose.EXPRESSION.sub(prose.blank, prose.CODE_SPAN.sub(prose.blank, text))

    def section(self, title: str) -> Section | None:
        return next((section for section in self.sections if section.title == title), None)


def _fence(lines: list[str], place: range) -> Fence:
    opening = prose.FENCE.match(lines[place.start])
    assert opening is not None  # it is what makes a fence
    text = "\n".join(line.removeprefix(opening["indent"]) for line in lines[place.start + 1 : place.stop - 1])
    return Fence(info=opening["info"].strip(), text=text, line=place.start + 1)
