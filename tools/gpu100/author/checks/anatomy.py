"""Page anatomy: the parts of a day's page are there, under their fixed headings, in their order.

Between the question and the program stand two to five sections whose headings the author words.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpu100.author.context import Context
from gpu100.author.page import Page
from gpu100.author.report import Finding, Found
from gpu100.model.course import Day

RULE = "anatomy"

ORDER = (
    "The question",
    "The program",
    "Predictions",
    "Results",
    "Run it yourself",
    "Practice",
    "Quiz",
    "Pitfalls",
    "Go deeper",
    "Next",
)
OPTIONAL = {"Practice", "Pitfalls"}
IDEAS = range(2, 6)
BLOCKS = {"Predictions": "predictions()", "Results": "evidence(", "Run it yourself": "run(", "Quiz": "quiz()"}
"""The expression that a part exists for."""


def check(context: Context) -> Iterator[Found]:
    for day, page in context.written():
        yield len(page.sections)
        yield from _order(context, day, page)
        yield from _ideas(context, day, page)
        yield from _blocks(context, day, page)
        for level, title, line in page.headings:
            if level == 1:
                yield context.finding(
                    RULE, day, f"the title {title!r} is course.toml's to set", line=line, hint="delete this line"
                )


def _order(context: Context, day: Day, page: Page) -> Iterator[Finding]:
    found = [section for section in page.sections if section.title in ORDER]
    titles = [section.title for section in found]
    for title in ORDER:
        if title not in titles and title not in OPTIONAL:
            yield context.finding(RULE, day, f"there is no section {title!r}")
        elif titles.count(title) > 1:
            yield context.finding(RULE, day, f"the section {title!r} stands twice")
    places = [ORDER.index(title) for title in titles]
    for before, section in zip(places, found[1:], strict=False):
        if ORDER.index(section.title) < before:
            hint = f"it belongs before {ORDER[before]!r}"
            yield context.finding(RULE, day, f"{section.title!r} is out of order", line=section.line, hint=hint)


def _ideas(context: Context, day: Day, page: Page) -> Iterator[Finding]:
    titles = [section.title for section in page.sections]
    ideas = [section for section in page.sections if section.title not in ORDER]
    if len(ideas) not in IDEAS:
        message = f"{len(ideas)} idea sections, where {IDEAS.start} to {IDEAS.stop - 1} belong"
        yield context.finding(RULE, day, message, hint="they stand between the question and the program")
    end = titles.index("The program") if "The program" in titles else len(titles)
    for section in ideas:
        if titles.index(section.title) > end:
            message = f"{section.title!r} stands after the program"
            yield context.finding(RULE, day, message, line=section.line, hint="ideas come before it")


def _blocks(context: Context, day: Day, page: Page) -> Iterator[Finding]:
    for title, source in BLOCKS.items():
        section = page.section(title)
        if section and not any(source in line for line in section.prose.splitlines()):
            yield context.finding(RULE, day, f"{title!r} does not show {{{{ {source} ... }}}}", line=section.line)
