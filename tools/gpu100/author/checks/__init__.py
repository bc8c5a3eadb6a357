"""The rules, one a file.

A rule is a module with its name in ``RULE`` and a ``check(context)`` that yields a Finding for each
thing that is wrong, an int for items it looked at, and a NotRun for what it could not look at here.
Its docstring's first line says what it asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from gpu100.author.checks import (
    anatomy,
    expressions,
    facts,
    fences,
    files,
    fresh,
    links,
    needs,
    numbers,
    nvcc,
    practice,
    predictions,
    programs,
    proofs,
    question,
    questions,
    quiz,
    reading,
    references,
    sources,
    todo,
    width,
)
from gpu100.author.context import Context
from gpu100.author.report import Found, Report


class Rule(Protocol):
    """What a rule's module has."""

    RULE: str

    def check(self, context: Context) -> Iterator[Found]: ...


RULES: tuple[Rule, ...] = (
    files,
    todo,
    anatomy,
    question,
    expressions,
    references,
    predictions,
    fresh,
    numbers,
    quiz,
    sources,
    questions,
    facts,
    needs,
    reading,
    width,
    fences,
    programs,
    nvcc,
    practice,
    proofs,
    links,
)


def run_checks(context: Context, rules: tuple[Rule, ...] = RULES, *, ci: bool = False) -> Report:
    """Every rule over every checked day, all findings at once.

    Where ``ci`` is true, a rule that could not be run is a finding unless it may be missing there.
    """
    report = Report()
    for rule in rules:
        report.looked[rule.RULE] = 0
        for found in rule.check(context):
            report.add(rule.RULE, found, ci=ci)
    return report
