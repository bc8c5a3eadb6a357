"""The map of the course: ten rows of ten days."""

from __future__ import annotations

from collections.abc import Callable

from gpu100.model.course import Course, Day
from gpu100.render.env import render
from gpu100.render.words import DayView


def course_map(course: Course, view: Callable[[Day], DayView], link: Callable[[Day], str | None]) -> str:
    """HTML of the map; a day with a page is a link."""
    modules = [
        (module, [(view(day), link(day)) for day in course.days if day.module == module.number])
        for module in course.modules
    ]
    return render("map.html", modules=modules)
