"""An exercise to begin with: files that already prove themselves, on doubling, to be made the day's own."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from string import Template

from gpu100.content.practice import FOLDER
from gpu100.errors import UsageError
from gpu100.model.course import Day
from gpu100.paths import Layout

_INDEX, _STORE = "blockIdx.x * blockDim.x + threadIdx.x", "y[i] = 2 * x[i];"
_WRONG: dict[str, tuple[str, str, str, str]] = {
    "no_guard": ("no-guard", "Threads without an element write too.", _INDEX, _STORE),
    "one_too_far": ("off-by-one", "Element n is one past the last.", _INDEX, f"if (i <= n) {_STORE}"),
    "thread_alone": ("local-index", "The index is the same in every block.", "threadIdx.x", f"if (i < n) {_STORE}"),
    "thrice": ("wrong-result", "TODO: a mistake of this day's own.", _INDEX, "if (i < n) y[i] = 3 * x[i];"),
}
"""By file: its reason, what the mistake is, its index, and its store."""


def practice_files(layout: Layout, day: Day) -> dict[Path, str]:
    """What stands in an exercise's folder at first, by path.

    Raises:
        UsageError: the day has such a folder already.
    """
    folder = layout.root / day.folder / FOLDER
    if folder.exists():
        hint = "nothing is overwritten; go on there by hand"
        raise UsageError(f"{layout.relative(folder)} is already there", hint=hint)
    name = kernel_of(day)
    files = {
        folder / f"{part}": _filled(f"practice-{part}", name=name)
        for part in ("check.py", "starter.cu", "solution.cu", "hints.md")
    }
    for file, (reason, because, index, store) in _WRONG.items():
        text = _filled("practice-wrong.cu", name=name, reason=reason, because=because, index=index, store=store)
        files[folder / "wrong" / f"{file}.cu"] = text
    return files


def kernel_of(day: Day) -> str:
    """What the exercise's kernel and the reader's file are called at first."""
    return day.practice.name if day.practice else f"exercise{day.number:02d}"


def declaration(day: Day) -> str:
    """What course.toml has to say of it, to be put into the day's entry."""
    return (
        "[day.practice]\n"
        f'name = "{kernel_of(day)}"\n'
        'title = "TODO: what the reader writes"\n'
        "minutes = 15\n"
        'task = "TODO: the task, in a sentence or two."\n'
    )


def write_new(files: dict[Path, str]) -> None:
    """Write the files, none of which may be there."""
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)


def _filled(template: str, **blanks: str) -> str:
    text = resources.files("gpu100.author").joinpath("templates", f"{template}.txt").read_text(encoding="utf-8")
    return Template(text).substitute(blanks)
