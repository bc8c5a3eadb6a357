"""How results and errors look on a terminal."""

from __future__ import annotations

from typing import IO

from rich.console import Console
from rich.markup import escape

from gpu100.errors import CourseError
from gpu100.render.words import visible

out = Console(highlight=False)


def shown(text: str) -> str:
    """``text`` line by line as it is: no markup of ours, and nothing that moves a terminal's cursor or
    hides a line. A record is a stranger's, and what a message quotes of it too.
    """
    return escape("\n".join(visible(line) for line in text.split("\n")))


def errors_to(stream: IO[str], error: CourseError) -> None:
    """Print what is wrong, and below it what to do."""
    console = Console(file=stream, highlight=False, soft_wrap=True)
    console.print(f"[bold red]error:[/] {shown(error.message)}")
    if error.hint:
        console.print(f"  {shown(error.hint)}")
