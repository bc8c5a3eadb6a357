"""Exercises: what may be wrong with an answer, and what checking one found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Reason = Literal[
    "no-guard",
    "off-by-one",
    "local-index",
    "wrong-index",
    "overlap",
    "one-pass",
    "tail",
    "overflow",
    "wrong-order",
    "wrong-result",
    "wrong-buffer",
    "unwritten",
    "missing-barrier",
    "divergent-barrier",
    "race",
    "uninitialized",
    "misaligned",
    "endless",
    "too-slow",
]
"""Why a wrong answer fails. An exercise's wrong answers state one of these in their first line."""

REASONS: tuple[Reason, ...] = get_args(Reason)

Refusal = Literal["source", "signature", "compile", "launch", "crash", "not-modeled", "too-fast"]
"""Why an attempt was not judged as an answer: it could not be compiled, called, or believed."""

Found = Reason | Refusal

MEANS: dict[Found, str] = {
    "no-guard": "Threads past the end of the data do work that is not theirs.",
    "off-by-one": "One element too many is touched, or one too few.",
    "local-index": "Only the first block's share is done: the index is the same in every block.",
    "wrong-index": "The threads are enough, yet some elements have none: indexes leave gaps.",
    "overlap": "Several threads do the work of one element.",
    "one-pass": "Every thread does one element and stops, where there are more elements than threads.",
    "tail": "The last elements, those of a block that is not full, are left out.",
    "overflow": "An index passes the largest number of its type: 2,147,483,647 for int, 4,294,967,295 for unsigned.",
    "wrong-order": "All the right values are there, in the wrong places.",
    "wrong-result": "Elements are written, each once, with values that are wrong.",
    "wrong-buffer": "Something is written that is only to be read.",
    "unwritten": "Nothing is written at all.",
    "missing-barrier": "A thread reads or overwrites what another one may not have finished with.",
    "divergent-barrier": "Not all threads of a block come to the same barrier.",
    "race": "Several threads change one place at once, and some of the changes are lost.",
    "uninitialized": "Something is read that nobody has written.",
    "misaligned": "An access is wider than its address allows.",
    "endless": "The kernel does not end, or not in reasonable time.",
    "too-slow": "The result is right, at several times the cost.",
    "source": "The file could not be taken as it is.",
    "signature": "The kernel cannot be called as the task says.",
    "compile": "NVRTC refuses the file.",
    "launch": "The launch was refused, or ended by an error of the GPU.",
    "crash": "The kernel did what ends it, or the process that ran it was ended.",
    "not-modeled": "The kernel holds something that the SIMT model does not have.",
    "too-fast": "The time is shorter than the memory's bus allows, so the work was not done.",
}
"""One sentence each, for the reader."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What checking one attempt came to.

    Raises:
        ValueError: it passed and something was found, or neither.
    """

    passed: bool
    found: Found | None = None
    case: str = ""
    """The smallest that fails: ``n = 33``."""
    launch: str = ""
    """How it was launched: ``1 block of 256 threads``."""
    lines: tuple[str, ...] = ()
    """What is wrong there, for people; bounded."""
    printed: tuple[str, ...] = ()
    """The first lines that the kernel printed."""
    passes: int = 0
    """Cases that were right before the one that was not."""
    cases: int = 0
    """All that there are."""
    seed: int = 0
    device: str = ""
    """The GPU's name; a model says that it is one."""

    def __post_init__(self) -> None:
        if self.passed != (self.found is None):
            raise ValueError("an attempt passes exactly when nothing is found")


Role = Literal["starter", "solution", "wrong"]


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One file of an exercise, and how it did: what a proof holds."""

    name: str
    """``starter``, ``solution``, or the wrong answer's own."""
    role: Role
    states: Reason | None = None
    """What a wrong answer says it fails for."""
    outcome: Literal["passed", "failed"]
    found: Found | None = None
    case: str = ""
    lines: tuple[str, ...] = ()

    @property
    def as_it_should(self) -> bool:
        """Whether it does what a file of its role has to do, on the SIMT model."""
        if self.role == "solution":
            return self.outcome == "passed"
        if self.role == "starter":
            return self.outcome == "failed" and self.found in REASONS
        return self.outcome == "failed" and self.found == self.states

    def __str__(self) -> str:
        found = f" for {self.found}" if self.found else ""
        states = f", and states {self.states}" if self.states else ""
        return f"{self.name} {self.outcome}{found}{states}"


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What an exercise's files did on the SIMT model: generated, committed, and shown on its page."""

    schema: int
    fingerprint: str
    """Of all files of the exercise; another one means that the proof is stale."""
    device: str
    attempts: tuple[Attempt, ...]


PROOF_SCHEMA = 1

ACCEPTED_ON_GPU: dict[Reason, frozenset[Found]] = {
    "no-guard": frozenset({"launch"}),
    "off-by-one": frozenset({"no-guard"}),
    "overlap": frozenset({"wrong-result", "race"}),
    "overflow": frozenset({"launch"}),
    "missing-barrier": frozenset({"wrong-result", "wrong-order", "race"}),
    "divergent-barrier": frozenset({"wrong-result", "launch", "endless", "race"}),
    "race": frozenset({"wrong-result", "overlap"}),
    "uninitialized": frozenset({"wrong-result", "race"}),
    "local-index": frozenset({"race"}),
}
"""What else a GPU may show where the model names the reason. A GPU has no lines and no shadow of its
memory: an access far outside ends in an error of the launch; a read past the end goes unseen unless
a value comes out wrong; whose turn it was in a race is chance."""

MAY_PASS_ON_GPU: frozenset[Reason] = frozenset({"missing-barrier", "divergent-barrier", "race", "uninitialized"})
"""Reasons that a GPU lets through on a lucky run, with the right result. The model never does."""


def holds_on_gpu(attempt: Attempt) -> bool:
    """Whether an attempt did on a GPU what its role allows there."""
    if attempt.role != "wrong" or attempt.as_it_should or attempt.states is None:
        return attempt.as_it_should
    if attempt.outcome == "passed":
        return attempt.states in MAY_PASS_ON_GPU
    return attempt.found in ACCEPTED_ON_GPU.get(attempt.states, frozenset())
