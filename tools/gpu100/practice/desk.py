"""The reader's own folder: their file, put there once and never over their work."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from gpu100.content.practice import PracticeFiles
from gpu100.errors import UsageError
from gpu100.model.practice import Verdict
from gpu100.practice.progress import DayProgress, Progress, read_progress, write_progress

FOLDER = "practice"
"""In the clone's root, where git does not look."""


@dataclass
class Desk:
    """One reader's work on one exercise."""

    files: PracticeFiles
    base: Path
    """Where the days' folders and the progress are."""
    progress: Progress
    remark: str | None = None
    """What was odd about the progress file."""

    @classmethod
    def at(cls, files: PracticeFiles, base: Path) -> Desk:
        """The desk whose folders are below ``base``."""
        return cls(files, base, *read_progress(base))

    @property
    def folder(self) -> Path:
        return self.base / self.files.day.tag

    @property
    def file(self) -> Path:
        """The reader's own."""
        return self.folder / f"{self.files.spec.name}.cu"

    @property
    def standing(self) -> DayProgress:
        return self.progress.of(self.files.day.number) or DayProgress(state="begun")

    def lay_out(self) -> list[Path]:
        """Put the starter and its headers there, each unless a file of that name is; what was put.

        Raises:
            UsageError: the folder cannot be written.
        """
        put = []
        wanted = {self.file: self.files.starter} | {self.folder / path.name: path for path in self.files.headers}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for target, source in wanted.items():
                if not (target.exists() or target.is_symlink()):
                    with target.open("x", encoding="utf-8", newline="\n") as file:
                        file.write(source.read_text(encoding="utf-8"))
                    put.append(target)
        except OSError as error:
            raise UsageError(
                f"{self.folder} cannot be written: {error.strerror}", hint="--into chooses another"
            ) from None
        return put

    def note(self, verdict: Verdict) -> None:
        """One more attempt."""
        standing = self.standing
        state = "solved" if verdict.passed else standing.state
        self._write(replace(standing, state=state, attempts=standing.attempts + 1))

    def next_hint(self) -> tuple[int, str] | None:
        """The next hint with its number; the last one again where all are shown, None where there is none."""
        hints = self.files.hints()
        if not hints:
            return None
        number = min(self.standing.hints + 1, len(hints))
        self._write(replace(self.standing, hints=number))
        return number, hints[number - 1]

    def show_solution(self) -> None:
        """Note that the solution was looked at."""
        if self.standing.state != "solved":
            self._write(replace(self.standing, state="shown"))

    def _write(self, changed: DayProgress) -> None:
        self.progress = self.progress.having(self.files.day.number, changed)
        write_progress(self.base, self.progress)
