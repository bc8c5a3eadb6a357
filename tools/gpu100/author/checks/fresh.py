"""Evidence: every published day is fresh on the reference GPU, and every record can be read."""

from __future__ import annotations

from collections.abc import Iterator

from gpu100.author.context import Context
from gpu100.author.report import Finding, Found
from gpu100.render.loading import shortfalls

RULE = "fresh"


def check(context: Context) -> Iterator[Found]:
    checked = {day.number for day in context.days}
    yield sum(len(day.programs) for day in context.days if day.status == "published")
    for shortfall in shortfalls(context.site):
        if shortfall.day.number in checked:
            hint = f"on that GPU: make evidence DAYS={shortfall.day.number}"
            yield context.finding(RULE, shortfall.day, shortfall.message, hint=hint)
    for error in context.refused_records if context.whole else ():
        shown = context.layout.relative(context.layout.evidence)
        yield Finding(rule=RULE, message=error.message, path=shown, hint=error.hint)
