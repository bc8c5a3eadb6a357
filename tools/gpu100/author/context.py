"""What every rule may look at, read once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from gpu100.author.entry import entry_lines
from gpu100.author.page import Page
from gpu100.author.report import Finding
from gpu100.content.quizzes import load_quiz
from gpu100.errors import ContentError, EvidenceError
from gpu100.evidence.store import EvidenceStore, MachineEvidence
from gpu100.model.course import Course, Day
from gpu100.model.quiz import Quiz
from gpu100.paths import Layout
from gpu100.render.loading import site_of
from gpu100.render.page import Site


@dataclass
class Context:
    """The course, and the days that are being checked."""

    layout: Layout
    course: Course
    days: tuple[Day, ...]
    refused_quizzes: dict[int, ContentError] = field(default_factory=dict)
    """By day: quizzes that cannot be read. Filled as :attr:`quizzes` is."""
    refused_records: list[EvidenceError] = field(default_factory=list)
    """Filled as :attr:`machines` is."""

    @property
    def whole(self) -> bool:
        """Whether all of the course is being checked, with what belongs to no day."""
        return len(self.days) == len(self.course.days)

    @cached_property
    def pages(self) -> dict[int, Page]:
        """The page of every checked day that has one, by its number."""
        paths = ((day.number, self.layout.docs / day.page) for day in self.days)
        return {number: Page(path.read_text(encoding="utf-8")) for number, path in paths if path.is_file()}

    @cached_property
    def quizzes(self) -> dict[int, Quiz]:
        """The quizzes of all days, checked or not: ids are one namespace."""
        found: dict[int, Quiz] = {}
        for day in self.course.days:
            try:
                quiz = load_quiz(self.layout, day)
            except ContentError as error:
                self.refused_quizzes[day.number] = error
            else:
                if quiz:
                    found[day.number] = quiz
        return found

    @cached_property
    def machines(self) -> tuple[MachineEvidence, ...]:
        """All evidence that is fit to be read."""
        return EvidenceStore(self.layout.evidence).read(self.refused_records.append)

    @cached_property
    def site(self) -> Site:
        """What pages may show."""
        return site_of(self.layout, self.course, self.machines)

    def written(self) -> Iterator[tuple[Day, Page]]:
        """The checked days that have a page, with it."""
        for day in self.days:
            if day.number in self.pages:
                yield day, self.pages[day.number]

    def other_pages(self) -> Iterator[tuple[Path, Page]]:
        """Pages that belong to no day, where the whole course is checked."""
        for path in sorted(self.layout.docs.rglob("*.md")) if self.whole else ():
            if path.parent != self.layout.docs / "days":
                yield path, Page(path.read_text(encoding="utf-8"))

    def page_path(self, day: Day) -> str:
        return self.layout.relative(self.layout.docs / day.page)

    def course_line(self, day: Day, text: str = "") -> int | None:
        """The line of course.toml on which the day begins, or the first of the day's that holds ``text``."""
        lines = self._course_lines
        place = entry_lines(lines, day.number)
        if not place:
            return None
        return 1 + next((at for at in place if text in lines[at]), place.start)

    @cached_property
    def _course_lines(self) -> list[str]:
        return self.layout.course.read_text(encoding="utf-8").splitlines()

    def finding(
        self, rule: str, day: Day, message: str, *, line: int | None = None, hint: str | None = None
    ) -> Finding:
        """A finding about the day's page."""
        return Finding(rule=rule, message=message, path=self.page_path(day), line=line, day=day.number, hint=hint)

    def course_finding(self, rule: str, day: Day, message: str, *, at: str = "", hint: str | None = None) -> Finding:
        """A finding about what course.toml declares of the day; ``at`` is some text of the line it is about."""
        path, line = self.layout.relative(self.layout.course), self.course_line(day, at)
        return Finding(rule=rule, message=message, path=path, line=line, day=day.number, hint=hint)
