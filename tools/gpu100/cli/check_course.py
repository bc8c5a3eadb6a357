"""``gpu100 check``"""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Annotated

import typer

from gpu100.content.course import load_course
from gpu100.errors import CourseError, Unsupported, UsageError
from gpu100.model.course import Course, Day
from gpu100.paths import find_root


class Format(StrEnum):
    """How findings are told."""

    text = "text"
    json = "json"
    github = "github"


def check_course(
    days: Annotated[list[int] | None, typer.Argument(help="Days to check; the whole course by default.")] = None,
    form: Annotated[Format, typer.Option("--format", help="For a terminal, a program, or GitHub.")] = Format.text,
) -> None:
    """Check pages, programs, quizzes and links as CI does, and say all that is wrong at once. Needs no GPU."""
    try:  # here, since capture has to start on machines that have no Jinja2
        from gpu100.author.checks import run_checks
        from gpu100.author.context import Context
    except ModuleNotFoundError as error:
        raise Unsupported(f"checking needs {error.name}", hint="pip install 'gpu100[site]'") from None
    layout = find_root()
    course = load_course(layout)
    context = Context(layout, course, _chosen(course, days or []))
    if not context.pages:
        raise CourseError("nothing was checked: no page is written yet", hint="make new-day DAY=... begins one")
    report = run_checks(context, ci=bool(os.environ.get("CI")))
    told = {Format.text: report.text, Format.json: report.as_json, Format.github: report.github}
    print(told[form]())
    if not report.ok:
        raise typer.Exit(1)


def _chosen(course: Course, numbers: list[int]) -> tuple[Day, ...]:
    for number in numbers:
        if course.day(number) is None:
            raise UsageError(f"there is no day {number}")
    return tuple(day for day in course.days if not numbers or day.number in numbers)
