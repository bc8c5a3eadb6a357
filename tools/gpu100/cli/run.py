"""``gpu100 run``: a day's programs, or the reader's own, on a GPU or on the SIMT model."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from gpu100.cli.counters import Form, tell
from gpu100.cli.script import run_script
from gpu100.content.course import load_course
from gpu100.errors import UsageError, nearest
from gpu100.evidence.key import source_of
from gpu100.model.course import Day
from gpu100.model.device import DeviceSpec
from gpu100.paths import Layout, find_root


def run_day(
    what: Annotated[str, typer.Argument(metavar="DAY", help="A day, as 5 or day05, or the path of a program.")],
    program: Annotated[str | None, typer.Option(help="One of the day's programs; all of them by default.")] = None,
    device: Annotated[
        str | None, typer.Option(help="gpu, gpu:1, model, model:h200, model:t4 or model:rtx4060.")
    ] = None,
    counters: Annotated[
        Form | None, typer.Option(help="How the model's counters are told; a table by default.")
    ] = None,
    into: Annotated[Path | None, typer.Option("--out", help="A file for the counters, rather than the screen.")] = None,
) -> None:
    """Run a program as a script. On the SIMT model, tell what it asked of the hardware.

    Without --device, the environment variable GPU100_DEVICE decides; without that, it is the first
    GPU, or the model where there is none.
    """
    spec = DeviceSpec.parse(device) if device else None
    layout, scripts = _own(what, program) if what.endswith(".py") else _of_day(what, program)
    code = 0
    for script in scripts:
        ended = run_script(script, layout, spec)
        code = code or ended.exit_code
        if not ended.failed:
            tell(ended.devices, counters, into)
    if code:
        raise typer.Exit(code)


def _own(what: str, program: str | None) -> tuple[Layout | None, list[Path]]:
    """A program by its path, in a course or outside any."""
    path = Path(what)
    if program:
        raise UsageError("--program chooses among a day's programs; a path is one program")
    if not path.is_file():
        raise UsageError(f"{what} does not exist")
    try:
        return find_root(path.resolve().parent), [path.resolve()]
    except UsageError:
        return None, [path.resolve()]


def _of_day(what: str, program: str | None) -> tuple[Layout, list[Path]]:
    number = re.fullmatch(r"(?:day)?(\d{1,4})", what.strip().lower())
    if not number:
        raise UsageError(f"{what!r} is neither a day nor a program", hint="a day is 5 or day05, a program ends in .py")
    layout = find_root()
    day = load_course(layout).day(int(number[1]))
    if day is None:
        raise UsageError(f"there is no day {int(number[1])}")
    return layout, _written(layout, day, program)


def _written(layout: Layout, day: Day, wanted: str | None) -> list[Path]:
    written = {spec.name: source_of(layout, day, spec) for spec in day.programs}
    written = {name: path for name, path in written.items() if path.is_file()}
    if not written:
        raise UsageError(f"{day.tag} has no program yet", hint=f"gpu100 new-day {day.number} begins one")
    if wanted and wanted not in written:
        hint = nearest(wanted, written) or f"it has {', '.join(written)}"
        raise UsageError(f"{day.tag} has no program {wanted!r}", hint=hint)
    return [path for name, path in written.items() if wanted in (None, name)]
