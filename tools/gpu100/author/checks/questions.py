"""Learners' questions: each has its day, and each day that is to settle one is named there.

`days` in questions.toml outlasts a day's plan, so the two are held against each other while the
plan is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpu100.author.context import Context
from gpu100.author.report import Finding, Found
from gpu100.model.asked import Asked
from gpu100.model.course import Day

RULE = "questions"


def check(context: Context) -> Iterator[Found]:
    questions = context.site.reference.questions
    days = {day.number for day in context.course.days}
    checked = {day.number for day in context.days}
    for asked in questions.values():
        if context.whole or checked.intersection(asked.days):
            yield 1
            for number in asked.days:
                if number not in days:
                    message = f"question {asked.number} is to be settled on day {number}, which does not exist"
                    yield _finding(context, asked, message)
    for day in context.days:
        yield from _plan(context, day, questions.values())


def _plan(context: Context, day: Day, questions: Iterable[Asked]) -> Iterator[Found]:
    if day.plan is None:
        return
    known = {asked.number: asked for asked in questions}
    for number in day.plan.questions:
        yield 1
        if number not in known:
            message = f"plans to settle question {number}, which questions.toml does not have"
            yield context.course_finding(RULE, day, message, at="questions = ")
        elif day.number not in known[number].days:
            message = f"day {day.number} plans to settle question {number}, which does not name it"
            hint = f"add {day.number} to its days, or take it from the plan"
            yield _finding(context, known[number], message, hint)
    for asked in known.values():
        if day.number in asked.days and asked.number not in day.plan.questions:
            message = f"question {asked.number} is to be settled on day {day.number}, whose plan does not name it"
            yield _finding(context, asked, message)


def _finding(context: Context, asked: Asked, message: str, hint: str | None = None) -> Finding:
    path = context.layout.content / "questions.toml"
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    line = next((i for i, text in lines if text.replace(" ", "") == f"number={asked.number}"), None)
    return Finding(rule=RULE, message=message, path=context.layout.relative(path), line=line, hint=hint)
