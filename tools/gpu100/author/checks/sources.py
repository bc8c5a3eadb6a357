"""Sources: each says its section, and on which day somebody looked, or why nobody could; and a page leans on it.

For one day, the sources that its page cites; for the whole course, all of them.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from gpu100.author.context import Context
from gpu100.author.report import Finding, Found
from gpu100.model.source import Source

RULE = "sources"


def check(context: Context) -> Iterator[Found]:
    path = context.layout.content / "sources.toml"
    lines = path.read_text(encoding="utf-8").splitlines()
    cited = {id: day.number for day, page in context.written() for id in page.cited()}
    leaned_on = context.site.reference.cited
    for source in context.site.sources.values():
        if not context.whole and source.id not in cited:
            continue
        yield 1
        line = next((i for i, line in enumerate(lines, 1) if f'"{source.id}"' in line), None)
        for what, hint in _wrong(source, leaned_on=source.id in leaned_on):
            message = f"source {source.id!r} {what}"
            yield Finding(
                rule=RULE,
                message=message,
                path=context.layout.relative(path),
                line=line,
                day=cited.get(source.id),
                hint=hint,
            )


def _wrong(source: Source, *, leaned_on: bool) -> Iterator[tuple[str, str]]:
    if not source.section.strip():
        yield "does not say where in it to look", "set its section"
    if not leaned_on:
        yield "is one that no page leans on", "cite it, or delete it"
    if not source.publisher.strip():
        yield "does not say whose it is", "set its publisher"
    if not source.looked_at and not source.unread.strip():
        yield "has no date", "set looked_at once you have looked, or say in `unread` why nobody could"
    elif source.looked_at and source.unread:
        yield "was looked at and was not", "keep one of looked_at and unread"
    if source.looked_at and datetime.date.fromisoformat(source.looked_at) > _today():
        yield f"was looked at on {source.looked_at}, which is to come", "set looked_at to the day you looked"


def _today() -> datetime.date:
    """A day ahead of UTC, which is where the day begins first."""
    return (datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=14)).date()
