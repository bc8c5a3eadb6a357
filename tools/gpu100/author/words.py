"""What the scaffold writes of a plan: the templates' blanks, filled."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib import resources
from string import Template

from gpu100.model.asked import Asked
from gpu100.model.course import Course, Day, Plan, PredictionSpec, ValueSpec

BECAUSE = "TODO: Why, with numbers in it: a formula, a limit of the GPU, a published figure. Before the run."

RIGHT = ValueSpec(name="right", kind="exact", unit="elements", what="Elements that equal the CPU's")
"""What the scaffolded program reports."""

_UNPLANNED = Plan(
    experiment="(there was none: say it here)",
    predict=("TODO: A claim that the run can refute.",),
)
_SMALL = frozenset(
    [
        "a",
        "all",
        "also",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "but",
        "by",
        "do",
        "does",
        "each",
        "every",
        "for",
        "from",
        "has",
        "have",
        "in",
        "is",
        "it",
        "its",
        "no",
        "not",
        "of",
        "on",
        "one",
        "or",
        "over",
        "than",
        "that",
        "the",
        "their",
        "them",
        "they",
        "this",
        "to",
        "under",
        "up",
        "what",
        "when",
        "where",
        "which",
        "with",
        "without",
    ]
)


def predictions(day: Day) -> tuple[PredictionSpec, ...]:
    """The plan's claims, declared; each reason is still to be given."""
    taken: list[str] = []
    for claim in (day.plan or _UNPLANNED).predict:
        taken.append(_id(claim, taken))
    claims = (day.plan or _UNPLANNED).predict
    return tuple(PredictionSpec(id=id, claim=claim, because=BECAUSE) for id, claim in zip(taken, claims, strict=True))


def page(course: Course, day: Day, asked: Mapping[int, Asked]) -> str:
    """The page: every part, and below each what belongs there."""
    plan = day.plan or _UNPLANNED
    questions = (asked[number] for number in plan.questions if number in asked)
    after = course.day(day.number + 1)
    next_day = f"{{{{ day({day.number + 1}) }}}}" if after else "whoever goes on from here"
    return _filled(
        "page.md",
        day,
        asks=day.asks,
        experiment=plan.experiment,
        questions=_todos(f"Settle it too: {q.ask} Seen at {'; '.join(q.seen)}." for q in questions),
        also=_todos([f"Do not leave out: {item}" for item in plan.also] + _widget(plan)),
        facts=_todos([f"Published, to predict from and never shown as ours: {plan.facts}"] if plan.facts else []),
        bar=_todos([f"Hold it against the bar, in the same run: {_sentence(plan.bar)}"] if plan.bar else []),
        next=f"What {next_day} needs from today.",
    )


def kernel_file(day: Day) -> str:
    """The .cu: a kernel with a guard, and the host's main."""
    return _filled("program.cu", day)


def host_file(day: Day) -> str:
    """The .py: it runs as it is, and judges nothing yet."""
    judged = (
        f'lab.predict(  # TODO: Judge it, by a condition that can fail.\n    "{prediction.id}", False, '
        'saw="not judged yet", applies=False\n)'
        for prediction in day.predict
    )
    return _filled("program.py", day, predictions="\n".join(judged))


def quiz_file(day: Day) -> str:
    """One question, as a pattern."""
    return _filled("quiz.toml", day)


def _filled(name: str, day: Day, **blanks: str) -> str:
    template = resources.files("gpu100.author").joinpath("templates", f"{name}.txt").read_text(encoding="utf-8")
    return Template(template).substitute(
        number=day.number,
        tag=day.tag,
        title=day.title,
        folder=day.folder.name,
        program=day.programs[0].name,
        arch=day.needs_capability.arch if day.needs_capability.suffix else "native",
        **blanks,
    )


def _todos(items: Iterable[str]) -> str:
    """Placeholders between blank lines; nothing where there are none."""
    return "".join(f"\nTODO: {item}\n" for item in items)


def _widget(plan: Plan) -> list[str]:
    return [f"The widget `{plan.widget}`, with the list of what it does not show."] if plan.widget else []


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _id(claim: str, taken: list[str]) -> str:
    """A short name for a claim, from its first words that carry something."""
    words = re.findall(r"[a-z0-9]+", claim.removeprefix("TODO:").lower().replace("'", ""))
    first = "-".join([word for word in words if word not in _SMALL][:3]) or "first"
    return first if first not in taken else f"{first}-{len(taken) + 1}"
