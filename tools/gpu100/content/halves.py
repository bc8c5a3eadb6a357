"""A day has two halves, its page and its programs, and neither may be there alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gpu100.errors import ContentError, nearest
from gpu100.model.course import Course, Day, ProgramSpec
from gpu100.paths import Layout


def missing_halves(layout: Layout, course: Course) -> Iterator[ContentError]:
    """Pages without a day, days without a page, and files that a day's programs lack."""
    pages = {day.page.name: day for day in course.days}
    written = sorted((layout.docs / "days").glob("*.md"))
    for path in written:
        if path.name not in pages:
            hint = nearest(path.name, pages)
            yield ContentError("this page belongs to no day of course.toml", path=layout.relative(path), hint=hint)
    names = {path.name for path in written}
    for day in course.days:
        if day.page.name in names:
            yield from _missing_programs(layout, day)
        elif day.status != "planned":
            path = layout.docs / day.page
            hint = f"write it, or set {day.tag} back to planned in course.toml"
            yield ContentError(f"{day.tag} is {day.status} and has no page", path=layout.relative(path), hint=hint)


def missing_files(layout: Layout, day: Day, program: ProgramSpec) -> Iterator[Path]:
    """The files that the program is made of and that are not there: its two halves and its inputs."""
    names = (f"{program.name}.cu", f"{program.name}.py", *program.inputs)
    return (path for name in names if not (path := layout.root / day.folder / name).is_file())


def _missing_programs(layout: Layout, day: Day) -> Iterator[ContentError]:
    for program in day.programs:
        for path in missing_files(layout, day, program):
            what = "an input" if path.name in program.inputs else "this half"
            message = f"{day.tag} has a page and lacks {what} of its program {program.name!r}"
            yield ContentError(message, path=layout.relative(path), hint="write it, or mend its name")
