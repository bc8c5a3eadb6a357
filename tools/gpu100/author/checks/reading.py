"""Reading time: the minutes that a day states are neither hurried nor padded.

A page is read within

    words / 200 + shown lines of code / 60 + quiz questions / 4   by a fast reader, and
    words / 80  + shown lines of code / 20 + quiz questions       by a careful one,

in minutes, and what the day states lies between the two. Whole files, one click away, are not
counted, nor is the time to run the program and to practice, which has minutes of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpu100.author.checks.references import section_of
from gpu100.author.context import Context
from gpu100.author.page import Fence, Page
from gpu100.author.report import Found

RULE = "reading"


def check(context: Context) -> Iterator[Found]:
    for day, page in context.written():
        yield 1
        quiz = context.quizzes.get(day.number)
        lines, questions = _shown_lines(context, page), len(quiz.question) if quiz else 0
        fast = page.words / 200 + lines / 60 + questions / 4
        slow = page.words / 80 + lines / 20 + questions
        if not fast <= day.minutes <= slow:
            what = f"{page.words} words, {lines} lines of code and {questions} questions"
            message = f"{day.minutes} minutes are stated, and {what} take {fast:.0f} to {slow:.0f}"
            hint = "change the day's minutes, or the page"
            yield context.course_finding(RULE, day, message, at="minutes", hint=hint)


def _shown_lines(context: Context, page: Page) -> int:
    """Lines of code that a reader meets without a click."""
    return sum(_lines_of(context, fence) for fence in page.fences)


def _lines_of(context: Context, fence: Fence) -> int:
    count = len([line for line in fence.text.splitlines() if line.strip()]) - len(fence.snippets)
    for snippet in fence.snippets:
        path = context.layout.code / snippet.file
        if snippet.section and path.is_file():
            count += len(section_of(path.read_text(encoding="utf-8"), snippet.section) or ())
    return count
