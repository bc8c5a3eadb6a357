"""Order: a day needs only earlier days that exist, each once.

course.toml itself is refused where a day needs a later one, before any rule runs.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpu100.author.context import Context
from gpu100.author.report import Found

RULE = "needs"


def check(context: Context) -> Iterator[Found]:
    for day in context.days:
        yield len(day.needs)
        for needed in day.needs:
            message = ""
            if context.course.day(needed) is None:
                message = f"needs day {needed}, which does not exist"
            elif needed >= day.number:
                message = f"needs day {needed}, which does not come before it"
            elif day.needs.count(needed) > 1:
                message = f"needs day {needed} more than once"
            if message:
                yield context.course_finding(RULE, day, message, at="needs", hint="mend `needs` in course.toml")
