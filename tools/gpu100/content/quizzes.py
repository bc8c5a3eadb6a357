"""content/quizzes/dayNN.toml."""

from __future__ import annotations

from gpu100.content.toml import line_of, load
from gpu100.errors import ContentError
from gpu100.model.course import Day
from gpu100.model.quiz import Quiz
from gpu100.paths import Layout


def load_quiz(layout: Layout, day: Day) -> Quiz | None:
    """The day's quiz, or None where it has none yet.

    Raises:
        ContentError: the file does not fit, or an id stands twice.
    """
    path = layout.quiz(day.number)
    if not path.exists():
        return None
    shown = layout.relative(path)
    quiz = load(Quiz, path, shown)
    seen: set[str] = set()
    for index, question in enumerate(quiz.question):
        if question.id in seen:
            line = line_of(path.read_text(encoding="utf-8"), ("question", index))
            raise ContentError(f"question id {question.id!r} stands twice", path=shown, line=line)
        seen.add(question.id)
    return quiz
