"""Facts: what every machine of the evidence reports is what is on record for its compute capability.

That facts.toml says what the model says is seen to when it is read.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpu100.author.context import Context
from gpu100.author.report import Finding, Found
from gpu100.model.limits import COMPARED, contradictions

RULE = "facts"


def check(context: Context) -> Iterator[Found]:
    for evidence in context.machines if context.whole else ():
        yield len(COMPARED)
        for message in contradictions(evidence.machine.gpu):
            path = context.layout.relative(context.layout.evidence / evidence.folder / "machine.json")
            hint = "either the record or tools/gpu100/model/limits.py is wrong"
            yield Finding(rule=RULE, message=message, path=path, hint=hint)
