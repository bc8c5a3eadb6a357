"""Files: every page, program and quiz belongs to a declared day, and none of a day's is missing.

In a day's folder belong its programs, their inputs, what they include, and practice/. In
code/mistakes/ belong programs that no day captures: each a .cu and the .py that runs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gpu100.author.context import Context
from gpu100.author.report import Finding, Found
from gpu100.content.halves import missing_halves
from gpu100.errors import nearest
from gpu100.includes import local_includes
from gpu100.model.course import Day
from gpu100.paths import Layout

RULE = "files"
PRACTICE = "practice"
MISTAKES = "mistakes"


def check(context: Context) -> Iterator[Found]:
    layout = context.layout
    declared = {file: day for day in context.course.days for file in _declared(layout, day)}
    folders = {layout.root / day.folder: day for day in context.course.days}
    for path in _files(layout):
        folder = next((parent for parent in path.parents if parent in folders), None)
        day = declared.get(path) or (folders[folder] if folder else None)
        if not (day in context.days if day else context.whole):
            continue
        yield 1
        if path not in declared and not (folder and day and _belongs(path, folder, day)) and not _mistake(path, layout):
            yield Finding(
                rule=RULE,
                message="belongs to no day's page, program or quiz",
                path=layout.relative(path),
                day=day.number if day else None,
                hint=nearest(layout.relative(path), [layout.relative(file) for file in declared])
                or "declare it in course.toml, or remove it",
            )
    for error in missing_halves(layout, context.course):
        missing = layout.root / error.path
        day = declared.get(missing)
        if day in context.days and not missing.exists():
            number = day.number if day else None
            yield Finding(rule=RULE, message=error.problem, path=error.path.as_posix(), day=number, hint=error.hint)


def _declared(layout: Layout, day: Day) -> Iterator[Path]:
    """The files that a day has by what course.toml says."""
    yield layout.docs / day.page
    yield layout.quiz(day.number)
    for program in day.programs:
        for name in (f"{program.name}.cu", f"{program.name}.py", *program.inputs):
            yield layout.root / day.folder / name


def _files(layout: Layout) -> Iterator[Path]:
    for top in (layout.docs / "days", layout.content / "quizzes", layout.code):
        for path in sorted(top.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith("."):
                yield path


def _belongs(path: Path, folder: Path, day: Day) -> bool:
    """Whether a file of a day's folder is for practice, or pulled in by one of its programs."""
    if path.relative_to(folder).parts[0] == PRACTICE:
        return True
    sources = [folder / f"{program.name}.cu" for program in day.programs]
    return any(path.resolve() in local_includes(source) for source in sources if source.is_file())


def _mistake(path: Path, layout: Layout) -> bool:
    """Whether a file is one half of a program in code/mistakes/ that has both."""
    halves = {path.with_suffix(".cu"), path.with_suffix(".py")}
    return path.parent == layout.code / MISTAKES and path in halves and all(half.is_file() for half in halves)
