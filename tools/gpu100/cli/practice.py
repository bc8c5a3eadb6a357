"""``gpu100 practice``: a day's exercise, from the starter to a solution that is right."""

from __future__ import annotations

import importlib.util
import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from gpu100.cli.console import out
from gpu100.content.course import load_course
from gpu100.content.practice import PracticeFiles, exercises, require_practice
from gpu100.errors import Unsupported, UsageError, plural
from gpu100.model.course import Course
from gpu100.model.device import VARIABLE, DeviceSpec
from gpu100.model.practice import MEANS, Verdict
from gpu100.paths import Layout, find_root

if TYPE_CHECKING:  # the command line starts without NumPy
    from gpu100.practice.desk import Desk

COMMAND = ".venv/bin/gpu100 practice"
"""As a reader types it in the course's clone."""
UNCHECKED = ("source", "signature", "compile", "not-modeled")
"""Found before any case was tried."""
POLL_SECONDS = 0.3
EDITOR_SECONDS = 0.1
"""An editor may save in several steps."""


def practice(
    day: Annotated[
        str | None, typer.Argument(metavar="[DAY]", help="A day, as 5 or day05. Without one, all exercises are listed.")
    ] = None,
    hint: Annotated[bool, typer.Option("--hint", help="Show the next hint, and check nothing.")] = False,
    solution: Annotated[
        bool, typer.Option("--solution", help="Show the solution and why it is right; your file stays as it is.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Check again whenever you save, until it is right or you press Ctrl-C.")
    ] = False,
    device: Annotated[
        str | None,
        typer.Option(help="gpu, gpu:1, model, model:h200, model:t4 or model:rtx4060; else a GPU, then the model."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**31 - 1, help="Check with the inputs of an earlier check.")
    ] = None,
    into: Annotated[
        Path | None, typer.Option(help="Your folder; practice/ in the course's clone by default.", file_okay=False)
    ] = None,
    prove: Annotated[
        bool, typer.Option("--prove", help="For authors: run the exercise's own files, and keep how each fails.")
    ] = False,
) -> None:
    """Solve a day's exercise: edit your file, and be told which case fails, and why.

    The first call puts a file into practice/dayNN/, to be edited. Every call checks it, on the GPU, if
    there is one, and on the SIMT model, with new random inputs and sizes that find mistakes. Your file is only read:
    nothing overwrites it. Ends with 0 if it is right, and with 1 if it is not.
    """
    layout = find_root()
    course = load_course(layout)
    base = (into or layout.root / "practice").absolute()
    _require_library()
    if prove:
        _prove(layout, course, day)
        return
    if day is None:
        _list(layout, course, base)
        return
    from gpu100.practice.desk import Desk

    desk = Desk.at(_exercise(layout, course, day), base)
    if desk.remark:
        out.print(escape(desk.remark), soft_wrap=True)
    if hint:
        _hint(desk)
    elif solution:
        _solution(desk)
    else:
        asked = device or os.environ.get(VARIABLE)
        checked = Checked(layout, desk, DeviceSpec.parse(asked) if asked else None, seed)
        checked.begin()
        right = checked.watch() if watch else checked.once().passed
        if not right:
            raise typer.Exit(1)


def _require_library() -> None:
    for name in ("numpy", "cuda"):
        if importlib.util.find_spec(name) is None:
            hint = "pip install 'gpu100[cuda]', or make evidence, which installs it"
            raise Unsupported(f"checking an exercise needs {name}, which is not installed", hint=hint)


def _exercise(layout: Layout, course: Course, day: str) -> PracticeFiles:
    number = re.fullmatch(r"(?:day)?(\d{1,4})", day.strip().lower())
    if not number:
        raise UsageError(f"{day!r} is no day", hint="a day is 5 or day05; gpu100 practice lists the exercises")
    return require_practice(layout, course, int(number[1]))


class Checked:
    """The reader's file, checked once or again and again."""

    def __init__(self, layout: Layout, desk: Desk, device: DeviceSpec | None, seed: int | None) -> None:
        self.layout = layout
        self.desk = desk
        self.device = device
        self.seed = seed

    def begin(self) -> None:
        """Say what is to be done, and put the file there if it is not."""
        spec, day = self.desk.files.spec, self.desk.files.day
        out.print(f"[bold]Day {day.number}: {escape(spec.title)}[/], about {spec.minutes} minutes")
        out.print(escape(spec.task), soft_wrap=True)
        put = self.desk.lay_out()
        new = " (new: open it in your editor)" if self.desk.file in put else ""
        out.print(f"Your file: {escape(self._shown)}{new}\n", soft_wrap=True)

    @property
    def _shown(self) -> str:
        """The reader's file as messages call it: from where they are, if it is below."""
        path, here = self.desk.file, Path.cwd()
        return path.relative_to(here).as_posix() if path.is_relative_to(here) else str(path)

    def once(self) -> Verdict:
        """Check the file, say how it did, and note it."""
        from gpu100.practice.run import Job, check_answer

        files = self.desk.files
        job = Job(
            check=files.check,
            path=self.desk.file,
            shown=self._shown,
            device=self.device,
            solution=files.solution,
            cache=self.layout.cache,
            seed=self.seed,
        )
        verdict = check_answer(job)
        self.desk.note(verdict)
        tell(verdict)
        if not verdict.passed and verdict.found not in UNCHECKED:
            self._on()
        return verdict

    def _on(self) -> None:
        """What to do next."""
        number, hints = self.desk.files.day.number, len(self.desk.files.hints())
        shown = self.desk.standing.hints
        if shown < hints:
            out.print(f"Hint {shown + 1} of {hints}: {COMMAND} {number} --hint", soft_wrap=True)
        else:
            out.print(f"All hints were shown; the solution: {COMMAND} {number} --solution", soft_wrap=True)

    def watch(self) -> bool:
        """Check at every change of the reader's folder; True once it is right, False at Ctrl-C."""
        try:
            while True:
                seen = self._stamp()
                if self.once().passed:
                    return True
                out.print(f"\nWatching {escape(self._shown)}; Ctrl-C ends it.", soft_wrap=True)
                while self._stamp() == seen:
                    time.sleep(POLL_SECONDS)
                time.sleep(EDITOR_SECONDS)
        except KeyboardInterrupt:
            out.print("\nNo longer watching.")
            return False

    def _stamp(self) -> tuple[tuple[str, int, int], ...]:
        """The folder's sources, with when and how large each was saved."""
        found = []
        for path in sorted(self.desk.folder.glob("*")):
            try:
                about = path.stat()
            except OSError:  # gone between the two looks: an editor's own
                continue
            if path.suffix in {".cu", ".cuh", ".h", ".hpp"}:
                found.append((path.name, about.st_mtime_ns, about.st_size))
        return tuple(found)


def tell(verdict: Verdict) -> None:
    """How an attempt did."""
    on = f" on {verdict.device}" if verdict.device else ""
    if verdict.passed:
        out.print(f"[bold green]right[/]: all {plural(verdict.cases, 'case')}{escape(on)}", soft_wrap=True)
    else:
        assert verdict.found
        where = f" at {verdict.case}" if verdict.case else ""
        launch = f", with {verdict.launch}" if verdict.launch else ""
        word = "not checked" if verdict.found in UNCHECKED else "wrong"
        out.print(f"[bold red]{word}[/]{escape(where + launch + on)}", soft_wrap=True)
        for line in verdict.lines:
            out.print(f"  {escape(line)}", soft_wrap=True)
        out.print(f"  [bold]{verdict.found}[/]: {escape(MEANS[verdict.found])}", soft_wrap=True)
    if verdict.printed:
        out.print("The kernel printed:")
        for line in verdict.printed:
            out.print(f"  {escape(line)}", soft_wrap=True)
    if verdict.passes and not verdict.passed:
        out.print(f"{plural(verdict.passes, 'smaller case')} before it passed" if verdict.case else "All cases passed")
    if verdict.found not in UNCHECKED:
        out.print(f"The same inputs once more: --seed {verdict.seed}")


def _hint(desk: Desk) -> None:
    found = desk.next_hint()
    if found is None:
        raise UsageError(f"day {desk.files.day.number} has no hints")
    number, text = found
    out.print(f"[bold]Hint {number} of {len(desk.files.hints())}[/]")
    out.print(escape(text), soft_wrap=True)


def _solution(desk: Desk) -> None:
    desk.show_solution()
    for path in (desk.files.solution, *desk.files.headers):
        out.print(f"[bold]{escape(path.name)}[/]\n{escape(path.read_text(encoding='utf-8'))}", soft_wrap=True)
    out.print(escape(desk.files.solved()), soft_wrap=True)


def _list(layout: Layout, course: Course, base: Path) -> None:
    from gpu100.practice.progress import read_progress

    progress, remark = read_progress(base)
    if remark:
        out.print(escape(remark), soft_wrap=True)
    found = list(exercises(layout, course))
    if not found:
        raise UsageError("the course has no exercise yet")
    for files in found:
        at = progress.of(files.day.number)
        words = {"begun": "begun", "solved": "solved", "shown": "solution shown"}
        state = words[at.state] if at else "not begun"
        tries = f", {plural(at.attempts, 'attempt')}" if at and at.attempts else ""
        line = f"day {files.day.number:>3}  {files.spec.title:<40} {files.spec.minutes:>3} min  {state}{tries}"
        out.print(escape(line), soft_wrap=True)
    solved = sum(1 for files in found if (at := progress.of(files.day.number)) and at.state == "solved")
    out.print(f"{solved} of {len(found)} solved. {COMMAND} DAY begins one, or goes on with it.")


def _prove(layout: Layout, course: Course, day: str | None) -> None:
    from gpu100.practice.prove import prove_exercise

    chosen = [_exercise(layout, course, day)] if day else list(exercises(layout, course))
    wrong = 0
    for files in chosen:
        proof = prove_exercise(files, cache=layout.cache)
        files.write_proof(proof)
        for attempt in proof.attempts:
            wrong += not attempt.as_it_should
            mark = "as it should" if attempt.as_it_should else "[bold red]NOT as it should[/]"
            states = f", states {attempt.states}" if attempt.states else ""
            did = f"{attempt.outcome}{f' ({attempt.found})' if attempt.found else ''}"
            out.print(f"day {files.day.number}: {attempt.name} {did}{states}: {mark}", soft_wrap=True)
            for line in () if attempt.as_it_should else attempt.lines:
                out.print(f"    {escape(line)}", soft_wrap=True)
    if wrong:
        raise typer.Exit(1)
