"""Where things are: every path the project knows, and how a day's files are named."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gpu100.errors import UsageError

COURSE_FILE = Path("content/course.toml")


def day_tag(number: int) -> str:
    """``day02``, ``day37``, ``day100``: two digits, three for day 100."""
    return f"day{number:02d}"


@dataclass(frozen=True)
class Layout:
    """The course's folders below ``root``."""

    root: Path

    @property
    def course(self) -> Path:
        return self.root / COURSE_FILE

    @property
    def content(self) -> Path:
        return self.root / "content"

    @property
    def code(self) -> Path:
        return self.root / "code"

    @property
    def docs(self) -> Path:
        return self.root / "docs"

    @property
    def evidence(self) -> Path:
        return self.root / "evidence"

    @property
    def cache(self) -> Path:
        """Compiled cubins and other things that may be thrown away."""
        return self.root / "build" / "cache"

    @property
    def plots(self) -> Path:
        """Drawn plots, which may be thrown away too."""
        return self.root / ".cache" / "plots"

    @property
    def model_runs(self) -> Path:
        """What programs did on the SIMT model, one folder a GPU that it was. Never evidence."""
        return self.root / "build" / "model"

    def quiz(self, day: int) -> Path:
        return self.content / "quizzes" / f"{day_tag(day)}.toml"

    def relative(self, path: Path) -> str:
        """``path`` as it is written in messages: from the root, with forward slashes."""
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            return path.as_posix()


def find_root(start: Path | None = None) -> Layout:
    """The course that ``start`` (the working directory) lies in.

    Raises:
        UsageError: no folder above ``start`` holds content/course.toml.
    """
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        if (folder / COURSE_FILE).is_file():
            return Layout(folder)
    raise UsageError(
        f"{start} is not inside a course: no {COURSE_FILE} here or above",
        hint="run the command in a clone of the course",
    )
