"""Quizzes: ids unique over the site, options that can be judged, and answers that evidence bears out.

An id begins with the day's tag, since readers' links and other files name questions by it. No option
refers to the others ("all of the above"). A question whose right answer is a value of ours says so,
``expect = "warp_slots.warps"`` and, for a table, ``at = "32"``: then the right option's text has to
hold that value, as pages show it, on every GPU with a fresh record. That every option has a note
and exactly one is right, the quiz's file is refused without.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from gpu100.author.context import Context
from gpu100.author.report import Finding, Found
from gpu100.content.toml import line_of
from gpu100.errors import CourseError, nearest
from gpu100.model.course import Day
from gpu100.model.quiz import Question
from gpu100.render.value import shown_value
from gpu100.units import NO_BREAK

RULE = "quiz"
_OF_THE_ABOVE = re.compile(r"\b(?:all|none|both|neither|any) of (?:the|these|those)\b|\bthe above\b", re.IGNORECASE)


def check(context: Context) -> Iterator[Found]:
    ids = Counter(question.id for quiz in context.quizzes.values() for question in quiz.question)
    for day in context.days:
        if error := context.refused_quizzes.get(day.number):
            path = error.path.as_posix()
            yield Finding(rule=RULE, message=error.problem, path=path, line=error.line, day=day.number, hint=error.hint)
        if quiz := context.quizzes.get(day.number):
            for place, question in enumerate(quiz.question):
                yield 1
                for message, hint in _wrong(context, day, question, ids):
                    yield _finding(context, day, place, f"question {question.id!r} {message}", hint)


def _finding(context: Context, day: Day, place: int, message: str, hint: str | None) -> Finding:
    path = context.layout.quiz(day.number)
    line = line_of(path.read_text(encoding="utf-8"), ("question", place))
    shown = context.layout.relative(path)
    return Finding(rule=RULE, message=message, path=shown, line=line, day=day.number, hint=hint)


def _wrong(context: Context, day: Day, question: Question, ids: Counter[str]) -> Iterator[tuple[str, str | None]]:
    if not question.id.startswith(f"{day.tag}-"):
        yield "does not say which day it is of", f"call it {day.tag}-{question.id}"
    if ids[question.id] > 1:
        yield "has an id that another question has", "ids are unique over the whole site"
    for option in question.options:
        if match := _OF_THE_ABOVE.search(option.text):
            yield f"has the option {option.text!r}", f"an option stands alone: no {match[0]!r}"
    if question.expect:
        yield from _unexpected(context, day, question)


def _unexpected(context: Context, day: Day, question: Question) -> Iterator[tuple[str, str | None]]:
    """GPUs on which the right option is not what was measured."""
    program, _, name = question.expect.partition(".")
    declared = day.program(program)
    spec = declared.value(name) if declared else None
    if spec is None:
        known = [f"{p.name}.{value.name}" for p in day.programs for value in p.values]
        yield f"expects {question.expect!r}, which {day.tag} does not declare", nearest(question.expect, known)
        return
    for standing in context.site.standings.get((day.number, program), ()):
        if standing.state != "fresh":
            continue
        gpu = standing.machine.gpu.name
        try:
            shown = [shown_value(standing, spec, question.at or None, unit=unit).text for unit in (True, False)]
        except CourseError as error:
            yield f"expects what the {gpu} has not: {error.message}", error.hint
            continue
        if not any(_holds(question.answer.text, value) for value in shown):
            wanted = shown[0].replace(NO_BREAK, " ")
            yield f"has {question.answer.text!r} as its right option, and the {gpu} has {wanted}", "mend the option"


def _holds(text: str, value: str) -> bool:
    """Whether ``value`` stands in ``text`` as a whole: 8 warps are not in 48 warps."""
    plain = [" ".join(part.replace(NO_BREAK, " ").split()) for part in (text, value)]
    return re.search(rf"(?<![\w.,]){re.escape(plain[1])}(?![\w%]|[.,]\d)", plain[0]) is not None
