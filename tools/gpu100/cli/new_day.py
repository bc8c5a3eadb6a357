"""``gpu100 new-day``"""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from gpu100.author.scaffold import Scaffold, new_day, write
from gpu100.cli.console import out
from gpu100.errors import plural
from gpu100.paths import COURSE_FILE, Layout, find_root


def scaffold_day(
    number: Annotated[int, typer.Argument(metavar="DAY", help="The day to begin, 1 to 100.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be written, and write nothing.")] = False,
) -> None:
    """Make a planned day's files: page, program, quiz, and its entry in course.toml."""
    layout = find_root()
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


def _say(layout: Layout, scaffold: Scaffold, verb: str) -> None:
    for path, text in scaffold.files.items():
        out.print(escape(f"{verb} {layout.relative(path)} ({plural(text.count(chr(10)), 'line')})"), soft_wrap=True)
    program = scaffold.day.programs[0]
    declared = f"{plural(len(program.values), 'value')} and {plural(len(scaffold.day.predict), 'prediction')}"
    out.print(f"{verb} {COURSE_FILE.as_posix()}: day {scaffold.day.number} is a draft, with {declared}", soft_wrap=True)
