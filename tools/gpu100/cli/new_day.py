"""``gpu100 new-day``"""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from gpu100.author.practice_files import declaration, practice_files, write_new
from gpu100.author.scaffold import Scaffold, new_day, write
from gpu100.cli.console import out
from gpu100.content.course import load_course
from gpu100.errors import UsageError, plural
from gpu100.paths import COURSE_FILE, Layout, find_root


def scaffold_day(
    number: Annotated[int, typer.Argument(metavar="DAY", help="The day to begin, 1 to 100.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be written, and write nothing.")] = False,
    practice: Annotated[
        bool, typer.Option("--practice", help="Make an exercise for a day that is begun, and nothing else.")
    ] = False,
) -> None:
    """Make a planned day's files: page, program, quiz, and its entry in course.toml."""
    layout = find_root()
    if practice:
        _exercise(layout, number, dry_run=dry_run)
        return
    scaffold = new_day(layout, number)
    if dry_run:
        _say(layout, scaffold, "would write")
        out.print("\n".join(escape(line) for line in scaffold.course_diff()), soft_wrap=True)
        return
    write(layout, scaffold)
    _say(layout, scaffold, "wrote")
    out.print(
        f"Next: .venv/bin/gpu100 check {number} says what is to be written, make serve shows the page.", soft_wrap=True
    )


def _exercise(layout: Layout, number: int, *, dry_run: bool) -> None:
    day = load_course(layout).day(number)
    if day is None:
        raise UsageError(f"there is no day {number}")
    files = practice_files(layout, day)
    if not dry_run:
        write_new(files)
    for path in files:
        out.print(escape(f"{'would write' if dry_run else 'wrote'} {layout.relative(path)}"), soft_wrap=True)
    if day.practice is None:
        out.print(escape(f"\nTo be put into day {number}'s entry in {COURSE_FILE.as_posix()}:\n\n{declaration(day)}"))
    out.print(f"Next: .venv/bin/gpu100 practice {number} --prove runs all of it on the model.", soft_wrap=True)


def _say(layout: Layout, scaffold: Scaffold, verb: str) -> None:
    for path, text in scaffold.files.items():
        out.print(escape(f"{verb} {layout.relative(path)} ({plural(text.count(chr(10)), 'line')})"), soft_wrap=True)
    program = scaffold.day.programs[0]
    declared = f"{plural(len(program.values), 'value')} and {plural(len(scaffold.day.predict), 'prediction')}"
    out.print(f"{verb} {COURSE_FILE.as_posix()}: day {scaffold.day.number} is a draft, with {declared}", soft_wrap=True)
