"""The map of the course: ten rows of ten days, and the same days with what is known of each."""

from __future__ import annotations

from collections.abc import Callable

from gpu100.model.course import Course, Day, Module
from gpu100.render.env import render
from gpu100.render.words import DayView

View = Callable[[Day], DayView]
Link = Callable[[Day], str | None]


def course_map(course: Course, view: View, link: Link) -> str:
    """HTML of the map, a cell for each day; one with a page is a link."""
    return render("map.html", modules=_modules(course, view, link))


def course_days(course: Course, view: View, link: Link) -> str:
    """HTML of the modules with their days: what the map's rows lead to."""
    return render("days.html", modules=_modules(course, view, link))


def start(course: Course, link: Link) -> str:
    """HTML of the way in: the first day that has a page, or where the reader left off."""
    first = next((day for day in course.days if link(day)), None)
    return render("start.html", day=first, link=link(first) if first else None)


def _modules(course: Course, view: View, link: Link) -> list[tuple[Module, list[tuple[DayView, str | None]]]]:
    return [
        (module, [(view(day), link(day)) for day in course.days if day.module == module.number])
        for module in course.modules
    ]
