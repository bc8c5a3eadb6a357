"""The files of a new day, made from its entry in course.toml.

Everything is worked out, and everything that could stand in the way is looked at, before the first
byte is written: a day is scaffolded whole or not at all, and no file that exists is touched, but
for the day's own lines in course.toml.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gpu100.author import words
from gpu100.author.entry import drafted, entry_lines
from gpu100.content.course import LAST_DAY, load_course
from gpu100.content.questions import load_questions
from gpu100.content.toml import parse_toml
from gpu100.decode import decode
from gpu100.errors import ContentError, CourseError, UsageError, plural
from gpu100.evidence.store import write_atomically
from gpu100.model.course import Day
from gpu100.paths import COURSE_FILE, Layout, day_tag


@dataclass(frozen=True)
class Scaffold:
    """A new day, not written yet."""

    day: Day
    """As course.toml will declare it."""
    files: dict[Path, str]
    before: str
    """course.toml as it is, byte for byte."""
    after: str

    def course_diff(self) -> Iterator[str]:
        """What changes in course.toml, as a unified diff."""
        name = COURSE_FILE.as_posix()
        return difflib.unified_diff(self.before.splitlines(), self.after.splitlines(), name, name, lineterm="", n=1)


def new_day(layout: Layout, number: int) -> Scaffold:
    """What the scaffold of day ``number`` would write.

    Raises:
        UsageError: there is no such day, it is written already, or a file stands in the way.
        ContentError: course.toml is wrong, or the day's entry cannot be made a draft's.
    """
    if not 1 <= number <= LAST_DAY:
        raise UsageError(f"day {number} is outside 1 to {LAST_DAY}", hint="make new-day DAY=37")
    course = load_course(layout)
    day = course.day(number)
    if day is None:
        shown = layout.relative(layout.course)
        raise UsageError(f"{shown} has no day {number}", hint="declare it there first: a [[day]] with its [day.plan]")
    _require_unwritten(layout, day)
    (program,) = day.programs
    draft = dataclasses.replace(
        day,
        status="draft",
        programs=(dataclasses.replace(program, values=(words.RIGHT,)),),
        predict=words.predictions(day),
    )
    before = layout.course.read_bytes().decode()
    code = layout.root / draft.folder
    return Scaffold(
        day=draft,
        files={
            layout.docs / draft.page: words.page(course, draft, load_questions(layout)),
            code / f"{program.name}.cu": words.kernel_file(draft),
            code / f"{program.name}.py": words.host_file(draft),
            layout.quiz(number): words.quiz_file(draft),
        },
        before=before,
        after=_checked(layout, before, drafted(before, draft), draft),
    )


def write(layout: Layout, scaffold: Scaffold) -> None:
    """Write the new files, then course.toml; what a failure leaves half done is taken back.

    Raises:
        UsageError: a file has come into the way meanwhile.
    """
    written: list[Path] = []
    try:
        for path, text in scaffold.files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8", newline="\n") as file:
                written.append(path)
                file.write(text)
        if layout.course.read_bytes() != scaffold.before.encode():
            raise UsageError(f"{COURSE_FILE.as_posix()} changed meanwhile", hint="nothing was written; try again")
        write_atomically(layout.course, scaffold.after)
    except BaseException as error:
        for path in written:
            path.unlink()
        if isinstance(error, FileExistsError):
            raise _in_the_way(layout, Path(error.filename)) from None
        raise


def _require_unwritten(layout: Layout, day: Day) -> None:
    """Whatever would stop the scaffold, found before it begins."""
    page = layout.relative(layout.docs / day.page)
    if day.status != "planned":
        raise UsageError(f"day {day.number} is not planned any more: it is {day.status}", hint=f"go on in {page}")
    shown = layout.relative(layout.course)
    names = ((day.slug, r"[a-z0-9]+(-[a-z0-9]+)*"), *((p.name, r"[a-z][a-z0-9_]*") for p in day.programs))
    for name, form in names:
        if not re.fullmatch(form, name):
            hint = "a slug is words-with-dashes, a program words_with_underscores, both in lower case"
            raise ContentError(f"day {day.number}: {name!r} cannot name a file", path=shown, hint=hint)
    if len(day.programs) != 1:
        hint = 'leave one, programs = [{ name = "..." }], and add others by hand afterwards'
        message = f"day {day.number} has {plural(len(day.programs), 'program')} where the scaffold writes one"
        raise ContentError(message, path=shown, hint=hint)
    if day.predict or day.programs[0].values or day.programs[0].series:
        hint = "take them out, or keep the claims in [day.plan]: the scaffold declares them"
        raise ContentError(f"day {day.number} already declares values or predictions", path=shown, hint=hint)
    # Under another slug too: two pages of one day would be worse than none.
    for folder, name in (
        (layout.docs / "days", f"{day.tag}-*.md"),
        (layout.code, f"{day.tag}-*"),
        (layout.content / "quizzes", f"{day_tag(day.number)}.toml"),
    ):
        if found := sorted(folder.glob(name)):
            raise _in_the_way(layout, found[0])


def _in_the_way(layout: Layout, path: Path) -> UsageError:
    hint = "nothing is overwritten, and nothing was written; move it away, or go on by hand"
    return UsageError(f"{layout.relative(path)} is already there", hint=hint)


def _checked(layout: Layout, before: str, after: str, draft: Day) -> str:
    """``after``, once it is known to declare the draft and to leave every other day as it was."""
    shown = layout.relative(layout.course)
    try:
        old, new = parse_toml(before, shown), parse_toml(after, shown)
        index = next(i for i, entry in enumerate(old["day"]) if entry["number"] == draft.number)
        fits = decode(Day, new["day"].pop(index)) == draft and old["day"].pop(index) and old == new
    except (CourseError, LookupError):
        fits = False
    if not fits:
        line = entry_lines(before.splitlines(), draft.number).start + 1
        hint = 'lay its entry out like the others: one key a line, then programs = [{ name = "..." }], then [day.plan]'
        raise ContentError(f"day {draft.number} cannot be made a draft here", path=shown, line=line, hint=hint)
    return after
