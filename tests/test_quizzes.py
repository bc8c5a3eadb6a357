"""A day's quiz, and what is refused of one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from gpu100.content.course import load_course
from gpu100.content.quizzes import load_quiz
from gpu100.errors import ContentError
from gpu100.model.course import Course
from gpu100.paths import Layout

Edit = Callable[[Path, str, str], None]


def refusal(layout: Layout) -> ContentError:
    with pytest.raises(ContentError) as caught:
        load_quiz(layout, load_course(layout).days[0])
    return caught.value


def line_of_question(layout: Layout, number: int) -> int:
    lines = layout.quiz(1).read_text(encoding="utf-8").splitlines()
    return [i for i, line in enumerate(lines, 1) if line == "[[question]]"][number - 1]


def test_a_quiz_is_read(mini: Layout) -> None:
    quiz = load_quiz(mini, load_course(mini).days[0])
    assert quiz is not None
    assert [question.id for question in quiz.question] == ["day01-how-many", "day01-whose-number"]
    assert [option.right for option in quiz.question[0].options] == [False, True]


def test_a_day_without_a_quiz_has_none(mini: Layout) -> None:
    mini.quiz(2).unlink()
    assert load_quiz(mini, load_course(mini).days[1]) is None


def test_every_quiz_of_the_course_is_read(repository: Layout, course: Course) -> None:
    quizzes = [load_quiz(repository, day) for day in course.days]
    files = list(repository.content.glob("quizzes/*.toml"))
    assert sum(quiz is not None for quiz in quizzes) == len(files)


def test_an_option_without_a_note_is_refused_at_its_question(mini: Layout, edit: Edit) -> None:
    edit(mini.quiz(1), 'note = "Every block has a thread 0."', 'note = " "')
    error = refusal(mini)
    assert "question 'day01-whose-number': option '`threadIdx.x`' has no note" in str(error)
    assert error.line == line_of_question(mini, 2)
    assert error.path == Path("content/quizzes/day01.toml")


def test_a_note_that_is_missing_is_refused(mini: Layout, edit: Edit) -> None:
    edit(mini.quiz(1), 'note = "Every block has a thread 0."', "")
    assert "question[1].options[1]: missing key 'note'" in str(refusal(mini))


def test_a_question_without_a_right_option_is_refused(mini: Layout, edit: Edit) -> None:
    edit(mini.quiz(1), 'note = "Two blocks of four threads each."\nright = true', 'note = "So many."')
    error = refusal(mini)
    assert "question 'day01-how-many' has 0 right options where one belongs" in str(error)
    assert error.line == line_of_question(mini, 1)


def test_a_question_with_two_right_options_is_refused(mini: Layout, edit: Edit) -> None:
    edit(mini.quiz(1), 'note = "Every block has a thread 0."', 'note = "So it is."\nright = true')
    assert "question 'day01-whose-number' has 2 right options where one belongs" in str(refusal(mini))


def test_a_question_with_one_option_is_refused(mini: Layout, edit: Edit) -> None:
    wrong = '\n[[question.options]]\ntext = "`threadIdx.x`"\nnote = "Every block has a thread 0."\n'
    edit(mini.quiz(1), wrong, "")
    assert "question 'day01-whose-number' has fewer than two options" in str(refusal(mini))


def test_an_id_that_stands_twice_is_refused_at_the_second(mini: Layout, edit: Edit) -> None:
    edit(mini.quiz(1), 'id = "day01-whose-number"', 'id = "day01-how-many"')
    error = refusal(mini)
    assert "question id 'day01-how-many' stands twice" in str(error)
    assert error.line == line_of_question(mini, 2)


def test_an_entry_of_no_value_is_refused(mini: Layout, edit: Edit) -> None:
    edit(mini.quiz(1), 'id = "day01-how-many"', 'id = "day01-how-many"\nat = "300"')
    assert "question 'day01-how-many' has `at` without `expect`" in str(refusal(mini))
