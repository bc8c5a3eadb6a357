"""Expressions: everything between double braces means something, and stands where it may.

Days, values, sources, terms and errors are named through expressions, so that this rule is also
the one that finds a cross-reference to something that does not exist.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpu100.author.context import Context
from gpu100.author.page import Page
from gpu100.author.report import Finding, Found
from gpu100.errors import CourseError
from gpu100.model.course import Day
from gpu100.render.expressions import Block, evaluate
from gpu100.render.page import PageNames

RULE = "expressions"


def check(context: Context) -> Iterator[Found]:
    for day, page in context.written():
        yield from _page(context, context.page_path(day), page, day)
    for path, page in context.other_pages():
        yield from _page(context, context.layout.relative(path), page, None)


def _page(context: Context, shown: str, page: Page, day: Day | None) -> Iterator[Found]:
    quiz = context.quizzes.get(day.number) if day else None
    names = PageNames(context.site, shown.removeprefix("docs/"), day, quiz).names()
    lines = page.text.splitlines()
    number = day.number if day else None
    for expression in page.expressions:
        if number in context.refused_quizzes and expression.source.startswith("quiz("):
            continue  # the quiz rule says what is wrong with it
        yield 1
        message, hint = "", None
        try:
            result = evaluate(expression.source, names)
        except CourseError as error:
            message, hint = error.message, error.hint
        else:
            line = lines[expression.line - 1].strip()
            if line.startswith("#"):
                message, hint = f"{{{{ {expression.source} }}}} stands in a heading", "a heading may not move"
            elif isinstance(result, Block) and not (line.startswith("{{") and line.endswith("}}")):
                message, hint = f"{{{{ {expression.source} }}}} is a block inside a sentence", "let it stand alone"
        if message:
            yield Finding(rule=RULE, message=message, path=shown, line=expression.line, day=number, hint=hint)
