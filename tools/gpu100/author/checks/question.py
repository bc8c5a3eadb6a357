"""The question: told with a place where it is asked, and the date on which somebody looked there."""

from __future__ import annotations

from collections.abc import Iterator

from gpu100.author.context import Context
from gpu100.author.report import Found

RULE = "question"
TITLE = "The question"


def check(context: Context) -> Iterator[Found]:
    for day, page in context.written():
        section = page.section(TITLE)
        if section is None:
            continue  # which anatomy reports
        yield 1
        cited = [context.site.sources.get(id) for id in page.cited(section)]
        if not cited:
            hint = 'cite one: {{ source("...") }}, from content/sources.toml'
            yield context.finding(
                RULE, day, "the question names no place where it is asked", line=section.line, hint=hint
            )
        elif not any(source and source.publisher.strip() and source.looked_at for source in cited):
            message = "no source of the question says when somebody looked there"
            hint = "set looked_at of one of them in content/sources.toml, once you have looked"
            yield context.finding(RULE, day, message, line=section.line, hint=hint)
