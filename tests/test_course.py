"""content/course.toml: the real one, and every way in which one can contradict itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from gpu100.content.course import load_course
from gpu100.errors import ContentError
from gpu100.model.course import Course
from gpu100.paths import Layout

Edit = Callable[..., None]


def refusal(layout: Layout) -> ContentError:
    with pytest.raises(ContentError) as caught:
        load_course(layout)
    return caught.value


def line_with(layout: Layout, text: str) -> int:
    lines = layout.course.read_text(encoding="utf-8").splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


def test_the_course_has_a_hundred_days_in_ten_modules(course: Course) -> None:
    assert [day.number for day in course.days] == list(range(1, 101))
    assert [module.number for module in course.modules] == list(range(1, 11))
    assert all(any(day.module == module.number for day in course.days) for module in course.modules)


def test_the_small_course_is_read(mini: Layout) -> None:
    course = load_course(mini)
    assert course.title == "2 Days of GPU"
    assert [(day.tag, day.folder.as_posix()) for day in course.days] == [
        ("day01", "code/day01-hello"),
        ("day02", "code/day02-twice"),
    ]
    assert course.days[1].page.as_posix() == "days/day02-twice.md"
    assert course.module_of(course.days[1]).title == "Both days"


def test_a_prediction_without_a_program_belongs_to_the_only_one(mini: Layout) -> None:
    day = load_course(mini).days[1]
    assert [p.id for p in day.predictions_of("twice")] == ["last-block-full", "needs-two", "clean"]
    assert day.predictions_of("hello") == ()


def test_days_are_sorted_wherever_they_stand(mini: Layout, edit: Edit) -> None:
    text = mini.course.read_text(encoding="utf-8")
    head, first, second = text.split("[[day]]")
    mini.course.write_text("[[day]]".join((head, second, first)), encoding="utf-8")
    assert [day.number for day in load_course(mini).days] == [1, 2]


def test_day_100_has_three_digits(course: Course) -> None:
    last = course.day(100)
    assert last is not None
    assert last.tag == "day100"
    assert course.day(101) is None


def test_a_day_outside_the_hundred_is_refused(mini: Layout, edit: Edit) -> None:
    edit(mini.course, "number = 2", "number = 101")
    error = refusal(mini)
    assert "day 101 is outside 1 to 100" in str(error)
    assert error.line == line_with(mini, "number = 101") - 1


def test_a_number_that_stands_twice_is_refused(mini: Layout, edit: Edit) -> None:
    edit(mini.course, "number = 2", "number = 1")
    edit(mini.course, "needs = [1]", "needs = []")
    error = refusal(mini)
    assert "day 1 is declared twice" in str(error)
    assert error.line == line_with(mini, 'slug = "twice"') - 2


def test_a_slug_that_stands_twice_is_refused(mini: Layout, edit: Edit) -> None:
    edit(mini.course, 'slug = "twice"', 'slug = "hello"')
    assert "slug 'hello' is taken by another day" in str(refusal(mini))


def test_a_module_that_does_not_exist_is_refused(mini: Layout, edit: Edit) -> None:
    edit(mini.course, 'title = "Twice as much"\nmodule = 1', 'title = "Twice as much"\nmodule = 7')
    assert "day 2 is in module 7, which does not exist" in str(refusal(mini))


def test_a_need_that_comes_later_is_refused(mini: Layout, edit: Edit) -> None:
    edit(mini.course, "needs = [1]", "needs = [1, 2]")
    assert "day 2 needs day 2, which does not come before it" in str(refusal(mini))


def test_a_program_that_stands_twice_is_refused(mini: Layout, edit: Edit) -> None:
    program = '[[day.programs]]\nname = "hello"\n'
    edit(mini.course, program, program + "\n" + program)
    assert "day 1 declares program 'hello' twice" in str(refusal(mini))


def test_a_prediction_that_stands_twice_is_refused(mini: Layout, edit: Edit) -> None:
    edit(mini.course, 'id = "needs-two"', 'id = "last-block-full"')
    assert "day 2 declares prediction 'last-block-full' twice" in str(refusal(mini))


def test_a_value_that_stands_twice_is_refused(mini: Layout, edit: Edit) -> None:
    edit(mini.course, 'name = "idle"', 'name = "blocks"')
    assert "day 2 declares value 'blocks' twice" in str(refusal(mini))


def test_a_prediction_that_two_programs_could_judge_is_refused(mini: Layout, edit: Edit) -> None:
    program = '[[day.programs]]\nname = "hello"\n'
    edit(mini.course, program, '[[day.programs]]\nname = "other"\n\n' + program)
    assert "day 1: prediction 'all-speak' does not say which program judges it" in str(refusal(mini))


def test_a_prediction_that_no_program_could_judge_is_refused(mini: Layout, edit: Edit) -> None:
    edit(mini.course, 'id = "all-speak"', 'id = "all-speak"\nprogram = "helo"')
    assert "day 1: prediction 'all-speak' names no program of the day" in str(refusal(mini))


def test_a_capability_that_is_none_is_refused(mini: Layout, edit: Edit) -> None:
    edit(mini.course, 'capability = "7.5"\nstatus = "draft"', 'capability = "seven"\nstatus = "draft"')
    error = refusal(mini)
    assert "'seven' is not a compute capability such as 7.5 or 9.0a" in str(error)
    assert error.line == line_with(mini, 'slug = "twice"') - 2


def test_a_misspelled_key_is_told_with_file_line_and_the_right_name(mini: Layout, edit: Edit) -> None:
    edit(mini.course, "minutes = 4", "minuets = 4")
    error = refusal(mini)
    where = f"content/course.toml:{line_with(mini, 'minuets')}"
    assert str(error) == f"{where}: day[1].minuets: unknown key 'minuets'\n  did you mean 'minutes'?"


def test_a_status_that_is_not_an_authors_to_set_is_refused(mini: Layout, edit: Edit) -> None:
    edit(mini.course, 'status = "draft"', 'status = "verified"')
    assert "'verified' is none of 'planned', 'draft', 'in-review', 'published'" in str(refusal(mini))


def test_a_missing_file_is_told(mini: Layout) -> None:
    mini.course.unlink()
    assert str(refusal(mini)) == "content/course.toml: no such file"
