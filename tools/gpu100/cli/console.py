"""How results and errors look on a terminal."""

from __future__ import annotations

from typing import IO

from rich.console import Console
from rich.markup import escape

from gpu100.errors import CourseError

out = Console(highlight=False)


def errors_to(stream: IO[str], error: CourseError) -> None:
    """Print what is wrong, and below it what to do."""
    console = Console(file=stream, highlight=False, soft_wrap=True)
    console.print(f"[bold red]error:[/] {escape(error.message)}")
    if error.hint:
        console.print(f"  {escape(error.hint)}")
