"""Proofs: run now, an exercise's starter and wrong answers fail as they are stored, and its solution passes.

On the SIMT model. What was once proven is not run again while neither the exercise nor the checker
nor the model changes: a stamp in build/ says so.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import gpu100
from gpu100.author.context import Context
from gpu100.author.report import Finding, Found, NotRun
from gpu100.content.practice import PracticeFiles, practice_of
from gpu100.errors import ContentError, CourseError
from gpu100.fingerprint import digest
from gpu100.model.practice import Attempt, Proof
from gpu100.practice.prove import prove_exercise

RULE = "proofs"
NEEDED = ("numpy", "cuda")
JUDGES = ("child.py", "device", "model", "practice")
"""What of the package decides how an attempt ends."""


def check(context: Context) -> Iterator[Found]:
    exercises = [files for day in context.days if (files := practice_of(context.layout, day))]
    if missing := [name for name in NEEDED if importlib.util.find_spec(name) is None] if exercises else []:
        yield NotRun(f"nothing to run exercises with: {missing[0]} is not installed", "pip install 'gpu100[cuda]'")
        return
    judges = _judges()
    for files in exercises:
        if files.missing():
            continue  # the rule on practice says so
        yield 2 + len(files.wrong())
        stored = files.proof_file.read_bytes() if files.proof_file.is_file() else b""
        parts: dict[str, bytes | str] = {"exercise": files.fingerprint(), "judges": judges, "stored": stored}
        stamp = context.layout.cache / "proofs" / digest(parts)
        if not stamp.is_file():
            found = list(_proven(context, files))
            yield from found
            if not found:
                stamp.parent.mkdir(parents=True, exist_ok=True)
                stamp.touch()


def _judges() -> str:
    package = Path(gpu100.__file__).parent
    tops = (package / name for name in JUDGES)
    paths = sorted(path for top in tops for path in ([top] if top.is_file() else top.rglob("*.py")))
    return digest({str(path.relative_to(package)): path.read_bytes() for path in paths})


def _proven(context: Context, files: PracticeFiles) -> Iterator[Finding]:
    shown, number = context.layout.relative(files.check), files.day.number
    try:
        proof = prove_exercise(files, cache=context.layout.cache)
    except CourseError as error:
        yield Finding(rule=RULE, message=error.message, path=shown, line=1, day=number, hint=error.hint)
        return
    stored = _stored(files)
    for attempt in proof.attempts:
        path = context.layout.relative(_path(files, attempt))
        if not attempt.as_it_should:
            hint = "; ".join(attempt.lines[:2]) or None
            yield Finding(rule=RULE, message=_said(attempt), path=path, line=1, day=number, hint=hint)
        elif stored and _outcome(attempt) not in map(_outcome, stored.attempts):
            message = f"{_said(attempt)}, and {files.proof_file.name} has it otherwise"
            yield Finding(rule=RULE, message=message, path=path, line=1, day=number, hint=files.renew)


def _stored(files: PracticeFiles) -> Proof | None:
    try:
        return files.proof()
    except ContentError:
        return None  # the rule on practice says so


def _path(files: PracticeFiles, attempt: Attempt) -> Path:
    return files.folder / ("wrong" if attempt.role == "wrong" else "") / f"{attempt.name}.cu"


def _outcome(attempt: Attempt) -> tuple[object, ...]:
    return attempt.name, attempt.outcome, attempt.found, attempt.case


def _said(attempt: Attempt) -> str:
    if attempt.outcome == "passed":
        return "passes, and has to fail"
    found = f"fails for {attempt.found}"
    if attempt.role == "solution":
        return f"the solution {found} at {attempt.case}"
    if attempt.role == "starter":
        return f"the starter {found}, where it has to compile"
    return f"{found}, and states {attempt.states or 'nothing'}"
