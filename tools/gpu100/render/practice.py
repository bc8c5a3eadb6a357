"""A day's exercise on its page: the task, hints that open one by one, the solution, and failing answers."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from gpu100.content.practice import PracticeFiles, WrongAnswer
from gpu100.errors import ContentError
from gpu100.evidence.status import Standing
from gpu100.model.course import Day
from gpu100.model.lanes import PracticeLane
from gpu100.model.practice import MEANS, Attempt, Proof
from gpu100.render.env import prose, render
from gpu100.render.explorer import explorer_link
from gpu100.render.expressions import Block, ExpressionError, Inline
from gpu100.render.run import WITHOUT_GPU
from gpu100.render.value import ShownValue

MOST_LINES = 6
"""Lines by which a wrong answer differs from the solution and is still shown by them alone."""

_FENCE = re.compile(r"^```[^\n]*\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class ShownAnswer:
    """One wrong answer."""

    name: str
    because: str
    code: Markup
    """What of it differs from the solution, or all of it."""
    states: str
    means: str
    case: str
    lines: Sequence[str]
    """What checking it says, on the model."""
    on_gpu: Mapping[str, str] = field(default_factory=dict)
    """The same in a word on a GPU: text, title and key of what follows the reader's choice; empty for none."""


@dataclass(frozen=True)
class PracticeNames:
    """The function that a page's expressions call to show the day's exercise."""

    day: Callable[[], Day]
    practices: Mapping[int, PracticeFiles]
    """By the day's number."""
    standings: Mapping[tuple[int, str], Sequence[Standing]]
    """By day and program, the reference GPU first."""
    values: dict[str, dict[str, ShownValue]]
    """What follows the reader's choice of GPU: by GPU, then by what it is."""
    existing: Callable[[str], str]
    """A page's address where the site has it, or nothing."""

    def names(self) -> dict[str, Callable[..., Inline | Block]]:
        """By the name that a page uses."""
        return {"practice": self.practice}

    def practice(self) -> Block:
        """The day's exercise: a file of it that is missing, or no proof, stops the page."""
        day = self.day()
        files = self.practices.get(day.number)
        if files is None:
            hint = f"declare [day.practice] in course.toml, and write {day.folder}/practice/"
            raise ExpressionError(f"{day.tag} has no exercise", hint=hint)
        if missing := files.missing():
            raise ExpressionError(f"the exercise of {day.tag} lacks {', '.join(path.name for path in missing)}")
        try:
            proof = files.proof()
        except ContentError as error:
            raise ExpressionError(error.message, hint=error.hint) from None
        standings = self.standings.get((day.number, day.programs[0].name), ()) if day.programs else ()
        starter, solution = (path.read_text(encoding="utf-8") for path in (files.starter, files.solution))
        arch = next((f"sm_{at.machine.gpu.capability.replace('.', '')}" for at in standings), "sm_90")
        return Block(
            render(
                "practice.html",
                day=day,
                spec=files.spec,
                starter=cuda(starter),
                solution=cuda(solution),
                hints=[blocks(hint) for hint in files.hints()],
                why=blocks(files.solved()),
                answers=list(_answers(files, solution, proof, standings, self.values)),
                explorer=explorer_link(starter, arch),
                without=self.existing(WITHOUT_GPU),
            )
        )


def cuda(code: str) -> Markup:
    """CUDA C++ in the colors of a page."""
    lexer = get_lexer_by_name("cuda", stripnl=False, ensurenl=False)
    return Markup(highlight(code.rstrip("\n"), lexer, HtmlFormatter(nowrap=True)).rstrip("\n"))  # noqa: S704 - escaped by Pygments


def blocks(text: str) -> Markup:
    """A hint's Markdown, which has paragraphs, code in backticks, and fences; no more."""
    shown: list[str | Markup] = []
    for index, part in enumerate(_FENCE.split(text)):
        if index % 2:
            shown.append(
                Markup('<div class="highlight"><pre tabindex="0"><code>{}\n</code></pre></div>').format(cuda(part))
            )
        else:
            paragraphs = (found.strip() for found in re.split(r"\n\s*\n", part))
            shown += [Markup("<p>{}</p>").format(prose(" ".join(found.split()))) for found in paragraphs if found]
    return Markup("\n").join(shown)


def differing(solution: str, answer: str) -> str:
    """The lines of ``answer`` that the solution does not have, or all of it where they are many or none."""
    right = [line.strip() for line in solution.splitlines()]
    wrong = [line for line in answer.splitlines() if line.strip()]
    matcher = difflib.SequenceMatcher(a=right, b=[line.strip() for line in wrong], autojunk=False)
    changed: list[str] = []
    for kind, _, _, start, end in matcher.get_opcodes():
        if kind in ("replace", "insert"):
            changed += wrong[start:end]
    if not 0 < len(changed) <= MOST_LINES:
        return answer
    margin = min(len(line) - len(line.lstrip()) for line in changed)
    return "\n".join(line[margin:] for line in changed)


def _answers(
    files: PracticeFiles,
    solution: str,
    proof: Proof | None,
    standings: Sequence[Standing],
    values: dict[str, dict[str, ShownValue]],
) -> Iterable[ShownAnswer]:
    fresh = proof if proof and proof.fingerprint == files.fingerprint() else None
    recorded = _recorded(files, standings)
    for wrong in files.wrong():
        attempt = _named(fresh.attempts, wrong.name) if fresh else None
        yield ShownAnswer(
            name=wrong.name,
            because=wrong.because,
            code=cuda(differing(solution, wrong.code)),
            states=wrong.states,
            means=MEANS[wrong.reason] if wrong.reason else "",
            case=attempt.case if attempt else "",
            lines=attempt.lines if attempt else ("not proven yet",),
            on_gpu=_on_gpu(wrong, recorded, values),
        )


def _recorded(files: PracticeFiles, standings: Sequence[Standing]) -> list[tuple[Standing, PracticeLane]]:
    """What GPUs did with these very files, the first shown first."""
    now = files.fingerprint()
    lanes = ((at, at.record.lanes.get("practice")) for at in standings if at.record)
    return [(at, lane) for at, lane in lanes if isinstance(lane, PracticeLane) and lane.fingerprint == now]


def _on_gpu(
    wrong: WrongAnswer,
    recorded: Sequence[tuple[Standing, PracticeLane]],
    values: dict[str, dict[str, ShownValue]],
) -> dict[str, str]:
    key = f"practice.{wrong.name}"
    first: dict[str, str] = {}
    for at, lane in recorded:
        if (attempt := _named(lane.attempts, wrong.name)) is None:
            continue
        gpu = at.machine.gpu
        shown = ShownValue(f"On {gpu.name}: {_said(attempt)}", "", f"driver {at.machine.driver.version}")
        values.setdefault(gpu.slug, {})[key] = shown
        first = first or {"key": key, "text": shown.text, "title": shown.title, "of": gpu.slug}
    return first


def _said(attempt: Attempt) -> str:
    if attempt.outcome == "passed":
        return "it passed, by luck"
    where = f" at {attempt.case}" if attempt.case else ""
    line = f": {attempt.lines[0]}" if attempt.lines else ""
    return f"{attempt.found}{where}{line}"


def _named(attempts: Sequence[Attempt], name: str) -> Attempt | None:
    return next((attempt for attempt in attempts if attempt.role == "wrong" and attempt.name == name), None)
