"""The site's navigation, from course.toml."""

from __future__ import annotations

from typing import Any

from gpu100.model.course import Course

DAYS = "days"
"""In mkdocs.yml's nav, the entry that the course's days take the place of."""


def navigation(course: Course, written: frozenset[int], nav: list[Any]) -> list[Any]:
    """``nav`` with its ``days`` entry replaced by the modules and their written days.

    Previous and next follow from it: MkDocs walks the navigation in order.
    """
    modules = [
        {
            f"{module.number}. {module.title}": [
                {f"Day {day.number}: {day.title}": day.page.as_posix()}
                for day in course.days
                if day.module == module.number and day.number in written
            ]
        }
        for module in course.modules
    ]
    days = {"Days": [module for module in modules if any(module.values())]}
    return [days if entry == DAYS else entry for entry in nav]
