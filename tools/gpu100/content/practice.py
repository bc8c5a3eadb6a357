"""An exercise's files: starter, solution, wrong answers, hints, and the proof of what they do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gpu100.decode import DecodeError, decode, dotted, encode
from gpu100.errors import ContentError, UsageError
from gpu100.fingerprint import digest, lf
from gpu100.model.course import Course, Day, PracticeSpec
from gpu100.model.practice import PROOF_SCHEMA, REASONS, Proof, Reason
from gpu100.paths import Layout

FOLDER = "practice"
PROOF = "failures.json"
BEHAVIOUR = 1
"""Bumped by hand when the checker finds other reasons, or says them in other words: proofs are then made anew."""

HEADERS = {".cuh", ".h", ".hpp"}

_FAILS = re.compile(r"//\s*fails:\s*(\S*)\s*$")
_HEADING = re.compile(r"^## +(.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class WrongAnswer:
    """A file that has to fail, for the reason that it states."""

    path: Path
    states: str
    """Its first line's, a Reason unless the rules object."""
    because: str
    """What the mistake is, by its second line."""
    code: str
    """The rest."""

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def reason(self) -> Reason | None:
        return next((reason for reason in REASONS if reason == self.states), None)

    @property
    def timed(self) -> bool:
        """Whether its results are right, so that its cost tells."""
        return self.reason == "too-slow"


@dataclass(frozen=True)
class PracticeFiles:
    """A day's exercise on disk."""

    day: Day
    spec: PracticeSpec
    folder: Path

    @property
    def starter(self) -> Path:
        return self.folder / "starter.cu"

    @property
    def solution(self) -> Path:
        return self.folder / "solution.cu"

    @property
    def check(self) -> Path:
        return self.folder / "check.py"

    @property
    def hints_file(self) -> Path:
        return self.folder / "hints.md"

    @property
    def proof_file(self) -> Path:
        return self.folder / PROOF

    @property
    def headers(self) -> list[Path]:
        """What the reader gets besides the starter."""
        return [path for path in sorted(self.folder.glob("*")) if path.suffix in HEADERS]

    def missing(self) -> list[Path]:
        """Those of the files that every exercise has and that are not there."""
        needed = (self.starter, self.solution, self.check, self.hints_file)
        return [path for path in needed if not path.is_file()]

    def wrong(self) -> list[WrongAnswer]:
        """The wrong answers, by name."""
        return [_wrong(path) for path in sorted((self.folder / "wrong").glob("*.cu"))]

    @property
    def timed(self) -> bool:
        """Whether the cost of an answer counts, so that its checks want a GPU to themselves."""
        return any(answer.timed for answer in self.wrong())

    def hints(self) -> tuple[str, ...]:
        """The hints, in order, as Markdown; without the solution's."""
        return tuple(text for title, text in self._sections() if title.lower() != "solution")

    def solved(self) -> str:
        """Why the solution is right: the last section of hints.md."""
        return next((text for title, text in self._sections() if title.lower() == "solution"), "")

    def titles(self) -> list[str]:
        """The headings of hints.md."""
        return [title for title, _ in self._sections()]

    def fingerprint(self) -> str:
        """A digest of all that a proof depends on."""
        parts: dict[str, bytes | str] = {"checker": str(BEHAVIOUR)}
        for path in sorted(self.folder.rglob("*")):
            if path.suffix in {".cu", ".py", *HEADERS} and "__pycache__" not in path.parts:
                parts[path.relative_to(self.folder).as_posix()] = lf(path.read_bytes())
        return digest(parts)

    def proof(self) -> Proof | None:
        """What the files did on the model when it was last proven; None where it never was.

        Raises:
            ContentError: the file is not a proof.
        """
        if not self.proof_file.is_file():
            return None
        try:
            return decode(Proof, json.loads(self.proof_file.read_text(encoding="utf-8")))
        except DecodeError as error:
            raise ContentError(f"{dotted(error.at)}: {error.message}", path=self.proof_file, hint=self.renew) from None
        except ValueError as error:
            raise ContentError(f"not a proof: {error}", path=self.proof_file, hint=self.renew) from None

    @property
    def renew(self) -> str:
        """The command that makes the proof."""
        return f".venv/bin/gpu100 practice {self.day.number} --prove"

    def write_proof(self, proof: Proof) -> None:
        data = {"schema": PROOF_SCHEMA, **encode(proof)}
        text = json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        self.proof_file.write_text(text, encoding="utf-8")

    def _sections(self) -> list[tuple[str, str]]:
        if not self.hints_file.is_file():
            return []
        text = lf(self.hints_file.read_bytes()).decode(errors="replace")
        _, *parts = _HEADING.split(text)
        return [(title, body.strip()) for title, body in zip(parts[::2], parts[1::2], strict=True)]


def practice_of(layout: Layout, day: Day) -> PracticeFiles | None:
    """The day's exercise, where course.toml declares one and its folder is there."""
    folder = layout.root / day.folder / FOLDER
    return PracticeFiles(day, day.practice, folder) if day.practice and folder.is_dir() else None


def exercises(layout: Layout, course: Course) -> Iterator[PracticeFiles]:
    """All that the course has, by day."""
    return (files for day in course.days if (files := practice_of(layout, day)))


def require_practice(layout: Layout, course: Course, number: int) -> PracticeFiles:
    """The exercise of day ``number``.

    Raises:
        UsageError: there is no such day, or it has no exercise.
    """
    day = course.day(number)
    if day is None:
        raise UsageError(f"there is no day {number}")
    if files := practice_of(layout, day):
        return files
    known = ", ".join(str(files.day.number) for files in exercises(layout, course))
    hint = f"days with one: {known}" if known else None
    raise UsageError(f"day {number} has no exercise", hint=hint)


def _wrong(path: Path) -> WrongAnswer:
    first, *rest = [*lf(path.read_bytes()).decode(errors="replace").splitlines(), ""]
    match = _FAILS.match(first)
    because = ""
    if rest and rest[0].startswith("//"):
        because = rest.pop(0).lstrip("/ ").strip()
    return WrongAnswer(path, match[1] if match else "", because, "\n".join(rest).strip("\n"))
