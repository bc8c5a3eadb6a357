"""Practice: an exercise is whole, its wrong answers state their reasons, and its proof is of these very files.

Whole: a starter with a TODO, a solution, a check.py, at least four wrong answers, one of them too slow
where the check asks for speed, and two hints or more that end in a line of code, before the
solution's reasons. A page that is written shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from gpu100.author.context import Context
from gpu100.author.report import Finding, Found
from gpu100.content.practice import FOLDER, PracticeFiles, practice_of
from gpu100.errors import ContentError, nearest
from gpu100.model.course import Day
from gpu100.model.practice import MEANS, REASONS

RULE = "practice"
FEWEST_WRONG = 4
FEWEST_HINTS = 2
SPEED = re.compile(r"\bSpeed\(")


def check(context: Context) -> Iterator[Found]:
    for day in context.days:
        folder = context.layout.root / day.folder / FOLDER
        if day.practice is None and not folder.is_dir():
            continue
        yield 1
        files = practice_of(context.layout, day)
        if files is None:
            yield _half(context, day, folder)
            continue
        yield from _files(context, files)
        yield from _wrong(context, files)
        yield from _hints(context, files)
        yield from _proof(context, files)
        yield from _page(context, files)


def _half(context: Context, day: Day, folder: Path) -> Finding:
    if day.practice:
        message = f"{day.tag} declares an exercise and has no {context.layout.relative(folder)}"
        return context.course_finding(
            RULE, day, message, at="[day.practice]", hint="gpu100 new-day --practice makes it"
        )
    hint = "declare [day.practice] with name, title, minutes and task"
    return context.course_finding(RULE, day, f"{day.tag} has an exercise that is not declared", hint=hint)


def _at(context: Context, files: PracticeFiles, path: Path, message: str, line: int = 1, hint: str = "") -> Finding:
    shown = context.layout.relative(path)
    return Finding(rule=RULE, message=message, path=shown, line=line, day=files.day.number, hint=hint or None)


def _files(context: Context, files: PracticeFiles) -> Iterator[Found]:
    yield 4
    for path in files.missing():
        yield _at(context, files, path, f"the exercise of {files.day.tag} lacks {path.name}")
    if files.starter.is_file() and "TODO" not in files.starter.read_text(encoding="utf-8"):
        yield _at(context, files, files.starter, "a starter says by a TODO what is to be written")


def _wrong(context: Context, files: PracticeFiles) -> Iterator[Found]:
    answers = files.wrong()
    yield len(answers)
    if len(answers) < FEWEST_WRONG:
        message = f"{len(answers)} wrong answers, where {FEWEST_WRONG} or more belong"
        yield _at(context, files, files.folder / "wrong", message, hint="each is a mistake that people make")
    asks = SPEED.search(files.check.read_text(encoding="utf-8")) if files.check.is_file() else None
    if asks and not files.timed:
        line = asks.string.count("\n", 0, asks.start()) + 1
        hint = "add one whose first line is `// fails: too-slow`: nothing else shows that a slow answer is caught"
        yield _at(context, files, files.check, "asks for speed, and no wrong answer is too slow", line, hint)
    for answer in answers:
        if answer.reason is None:
            message = f"states {answer.states!r}, which is no reason" if answer.states else "does not say why it fails"
            hint = nearest(answer.states, REASONS) or f"line 1 is `// fails: ` and one of {', '.join(REASONS)}"
            yield _at(context, files, answer.path, message, hint=hint)
        if not answer.because:
            hint = "line 2 is a comment: one sentence, shown on the page"
            yield _at(context, files, answer.path, "does not say what the mistake is", line=2, hint=hint)


def _hints(context: Context, files: PracticeFiles) -> Iterator[Found]:
    titles, hints = files.titles(), files.hints()
    yield len(titles)
    if not files.hints_file.is_file():
        return
    wanted = [*(f"Hint {number}" for number in range(1, len(titles))), "Solution"]
    if titles != wanted:
        message = f"its headings are {', '.join(titles) or 'none'}"
        yield _at(context, files, files.hints_file, message, hint="## Hint 1, ## Hint 2, ..., and ## Solution last")
    elif len(hints) < FEWEST_HINTS:
        yield _at(context, files, files.hints_file, f"{len(hints)} hints, where {FEWEST_HINTS} or more belong")
    elif "`" not in hints[-1]:
        hint = "the last hint leaves little to be found: a line of the code, or its names"
        yield _at(context, files, files.hints_file, "the last hint holds no code", hint=hint)
    if not all((*hints, files.solved())):
        yield _at(context, files, files.hints_file, "a section is empty")


def _proof(context: Context, files: PracticeFiles) -> Iterator[Found]:
    """What is stored of the last proof; the rule on proofs makes one anew."""
    yield 1
    path, hint = files.proof_file, files.renew
    try:
        proof = files.proof()
    except ContentError as error:
        yield _at(context, files, path, error.problem, hint=hint)
        return
    if proof is None:
        yield _at(context, files, path, "was never proven: nobody has run its wrong answers", hint=hint)
    elif proof.fingerprint != files.fingerprint():
        yield _at(context, files, path, "is of other files than these", hint=hint)
    else:
        for attempt in proof.attempts:
            if not attempt.as_it_should:
                said = MEANS[attempt.found] if attempt.found else "A wrong answer has to fail."
                yield _at(context, files, path, str(attempt), hint=said)


def _page(context: Context, files: PracticeFiles) -> Iterator[Found]:
    page = context.pages.get(files.day.number)
    if page is None:
        return
    yield 1
    if not any(expression.source == "practice()" for expression in page.expressions):
        section = page.section("Practice")
        hint = "{{ practice() }}, alone between blank lines, under ## Practice"
        line = section.line if section else None
        yield context.finding(RULE, files.day, "the page does not show its exercise", line=line, hint=hint)
