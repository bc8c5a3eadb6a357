"""What the checks found, as text for a terminal, JSON, or annotations for a pull request."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from gpu100.errors import plural


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that is missing or wrong, with its cure."""

    rule: str
    message: str
    path: str
    """From the course's root."""
    line: int | None = None
    day: int | None = None
    hint: str | None = None

    @property
    def where(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True)
class NotRun:
    """What a rule could not do on this machine, and why; never a pass."""

    reason: str
    hint: str
    optional: bool = False
    """Whether CI may lack it too: a rule that asks for more than CI has to offer."""


Found = Finding | NotRun | int
"""What a rule yields: a finding, a reason not to have looked, or a number of items looked at."""


@dataclass
class Report:
    """All findings, how many items each rule looked at, and which rules could not look."""

    looked: dict[str, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    """Why a rule was not run, or not wholly, by its name."""

    @property
    def items(self) -> int:
        return sum(self.looked.values())

    @property
    def ok(self) -> bool:
        """Nothing was found, and something was looked at."""
        return not self.findings and self.items > 0

    def add(self, rule: str, found: Found, *, ci: bool) -> None:
        """Take in what ``rule`` yielded; what CI may not lack is a finding there."""
        if isinstance(found, Finding):
            self.findings.append(found)
        elif isinstance(found, int):
            self.looked[rule] = self.looked.get(rule, 0) + found
        else:
            self.skipped[rule] = f"{found.reason} ({found.hint})"
            if ci and not found.optional:
                message = f"was not run: {found.reason}"
                self.findings.append(Finding(rule=rule, message=message, path=".", hint=found.hint))

    def text(self) -> str:
        """Findings grouped by day, then what was not looked at, then what was."""
        return "\n".join([*self._grouped(), *self._not_run(), self._summary()])

    def as_json(self) -> str:
        """Everything, for a program."""
        return json.dumps(
            {
                "looked": self.looked,
                "skipped": self.skipped,
                "findings": [dataclasses.asdict(finding) for finding in self.findings],
            },
            indent=2,
        )

    def github(self) -> str:
        """Workflow commands, which GitHub shows beside the lines they name."""
        errors = [
            f"::error file={_property(f.path)},line={f.line or 1},title={_property(f.rule)}::{_escaped(f.message)}"
            + (f"%0A{_escaped(f.hint)}" if f.hint else "")
            for f in self.findings
        ]
        notices = [f"::notice title={rule} was not run::{_escaped(why)}" for rule, why in self.skipped.items()]
        return "\n".join([*errors, *notices, self._summary()])

    def _grouped(self) -> Iterator[str]:
        days = sorted({f.day for f in self.findings}, key=lambda day: (day is not None, day or 0))
        for day in days:
            yield f"Day {day}" if day else "The course"
            for f in sorted((f for f in self.findings if f.day == day), key=lambda f: (f.path, f.line or 0)):
                yield f"  {f.where}: {f.message} [{f.rule}]"
                if f.hint:
                    yield f"      {f.hint}"

    def _not_run(self) -> Iterator[str]:
        return (f"not run: {rule}: {why}" for rule, why in self.skipped.items())

    def _summary(self) -> str:
        looked = f"{plural(len(self.looked), 'rule')}, {plural(self.items, 'item')} checked"
        skipped = f", {len(self.skipped)} not run" if self.skipped else ""
        return f"{looked}, {plural(len(self.findings), 'finding')}{skipped}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
