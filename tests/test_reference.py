"""Sources with what leans on them, and learners' questions with their days."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from conftest import built
from gpu100.author.checks import questions as rule
from gpu100.author.context import Context
from gpu100.author.report import Finding
from gpu100.content.citations import load_citations
from gpu100.content.course import load_course
from gpu100.content.prose import cited
from gpu100.content.questions import load_questions
from gpu100.errors import ContentError
from gpu100.model.asked import Asked, address_of
from gpu100.model.course import Course
from gpu100.model.source import CitingPage
from gpu100.paths import Layout

Edit = Callable[[Path, str, str], None]

QUESTIONS = """
[[question]]
number = 1
ask = "Which thread says `hello`?"
days = [1, 2]
seen = ["owner/name #7", "a forum"]
read = ["owner/name #7"]
looked_at = "2026-11-29"
"""


@pytest.fixture
def asking(layout: Layout) -> Layout:
    """The small course with one question."""
    (layout.content / "questions.toml").write_text(QUESTIONS, encoding="utf-8")
    return layout


def findings(layout: Layout, *days: int) -> list[Finding]:
    course = load_course(layout)
    chosen = tuple(day for day in course.days if not days or day.number in days)
    return [item for item in rule.check(Context(layout, course, chosen)) if isinstance(item, Finding)]


def test_what_a_page_cites_stands_in_prose_only() -> None:
    text = """
One {{ source("a.b") }}, two {{ source('c') }}, again {{ source("a.b") }}.
In a span: `{{ source("span") }}`.

```text
{{ source("fence") }}
```

    ~~~~ text
    {{ source("indented") }}
    ~~~
    ~~~~
{{ day(2) }} {{ source("last") }}
"""
    assert cited(text) == ["a.b", "c", "last"]
    assert cited('```\nnever closed {{ source("open") }}') == ["open"]


def test_pages_that_cite_are_listed_days_first_and_through_files(mini: Layout) -> None:
    course = load_course(mini)
    for name, text in (("a.md", 'x {{ source("guide.hardware") }}'), ("b.md", "# About <b>\n\nNothing.")):
        (mini.docs / name).write_text(text, encoding="utf-8")
    found = load_citations(mini, course, {"b.md": ["guide.hardware"], "nowhere.md": ["other"]})
    assert found == {
        "guide.hardware": (
            CitingPage(path="days/day01-hello.md", title="day 1"),
            CitingPage(path="days/day02-twice.md", title="day 2"),
            CitingPage(path="a.md", title="a"),
            CitingPage(path="b.md", title="About <b>"),
        )
    }


@pytest.mark.parametrize(
    ("place", "address"),
    [
        ("numba/numba #5421", "https://github.com/numba/numba/issues/5421"),
        ("forums.developer.nvidia.com/t/77228", "https://forums.developer.nvidia.com/t/77228"),
        ("finufft #386", None),
        ("Kobzol/hardware-effects-gpu", None),
        ("example.org/q/7, a copy of a question", None),
        ("the Carpentries' GPU lesson, constant_memory.Rmd", None),
    ],
)
def test_a_place_leads_somewhere_where_it_says_enough(place: str, address: str | None) -> None:
    assert address_of(place) == address


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("days = [1, 2]", "days = []", "has no day that settles it"),
        ('seen = ["owner/name #7", "a forum"]', "seen = []", "was seen nowhere"),
        ('read = ["owner/name #7"]', 'read = ["owner/name #8"]', "'owner/name #8' was read and is not among"),
        ('looked_at = "2026-11-29"', "", "needs both `read` and `looked_at`"),
        ('looked_at = "2026-11-29"', 'looked_at = "yesterday"', "yesterday"),
    ],
)
def test_a_question_that_cannot_be_is_refused(asking: Layout, edit: Edit, old: str, new: str, said: str) -> None:
    edit(asking.content / "questions.toml", old, new)
    with pytest.raises(ContentError) as caught:
        load_questions(asking)
    assert said in str(caught.value)


def test_the_course_has_all_52_questions_each_with_its_days(repository: Layout, course: Course) -> None:
    questions = load_questions(repository)
    assert list(questions) == list(range(1, 53))
    assert {number for asked in questions.values() for number in asked.days} <= {day.number for day in course.days}
    assert any(asked.looked_at for asked in questions.values())


def test_every_question_of_the_course_is_in_its_days_plan(repository: Layout, course: Course) -> None:
    context = Context(repository, course, course.days)
    results = list(rule.check(context))
    assert [item for item in results if isinstance(item, Finding)] == []
    assert sum(item for item in results if isinstance(item, int)) > 52


def test_a_question_whose_day_does_not_exist_is_found(asking: Layout, edit: Edit) -> None:
    assert findings(asking) == []
    edit(asking.content / "questions.toml", "days = [1, 2]", "days = [1, 3]")
    [finding] = findings(asking)
    assert finding.message == "question 1 is to be settled on day 3, which does not exist"
    assert (finding.path, finding.line) == ("content/questions.toml", 3)
    assert findings(asking, 2) == []


PLAN = """
[day.plan]
experiment = "Run it."
predict = ["It runs."]
questions = {}

[[day.programs]]
name = "twice"
"""


@pytest.mark.parametrize(
    ("days", "questions", "said"),
    [
        ("[1]", "[1]", "day 2 plans to settle question 1, which does not name it"),
        ("[2]", "[]", "question 1 is to be settled on day 2, whose plan does not name it"),
        ("[1]", "[9]", "plans to settle question 9, which questions.toml does not have"),
    ],
)
def test_a_plan_and_the_questions_that_disagree_are_found(
    asking: Layout, edit: Edit, days: str, questions: str, said: str
) -> None:
    edit(asking.content / "questions.toml", "days = [1, 2]", f"days = {days}")
    edit(asking.course, '\n[[day.programs]]\nname = "twice"\n', PLAN.replace("{}", questions))
    assert [finding.message for finding in findings(asking, 2)] == [said]


def test_the_pages_show_it_all(asking: Layout, repository: Layout) -> None:
    (asking.docs / "reference").mkdir(exist_ok=True)
    for name in ("sources.md", "questions.md"):
        shutil.copy(repository.docs / "reference" / name, asking.docs / "reference")
    site = built(asking)

    def page(name: str) -> BeautifulSoup:
        return BeautifulSoup((site / "reference" / name / "index.html").read_text(encoding="utf-8"), "html.parser")

    entry = page("sources").find(id="guide.hardware")
    assert entry is not None
    text = " ".join(entry.get_text().split())
    assert "CUDA C++ Programming Guide: Hardware Implementation Blocks are handed" in text
    assert "Looked at 2026-11-29 Leaning on it day 1, day 2" in text
    links = [str(link["href"]) for link in entry.select("a")]  # type: ignore[attr-defined]
    assert links[:3] == [
        "https://docs.nvidia.com/cuda/cuda-c-programming-guide/#hardware-implementation",
        "../../days/day01-hello/",
        "../../days/day02-twice/",
    ]

    question = page("questions").find(id="question-1")
    assert question is not None
    text = " ".join(question.get_text().split())
    assert text == (
        "Which thread says hello? Settled on day 1, Hello from every thread; day 2, Twice as much "
        "Looked at on 2026-11-29 owner/name #7 Asked as well at a forum"
    )
    hrefs = [str(link["href"]) for link in question.select("a")]  # type: ignore[attr-defined]
    assert hrefs == ["../../days/day01-hello/", "../../days/day02-twice/", "https://github.com/owner/name/issues/7"]


def test_a_question_is_asked_somewhere_and_settled() -> None:
    with pytest.raises(ValueError, match="no day"):
        Asked(number=1, ask="?", days=(), seen=("x",))
