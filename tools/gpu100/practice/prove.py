"""An exercise proven: its starter and every wrong answer fail as they should, and its solution passes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gpu100.content.practice import PracticeFiles, WrongAnswer
from gpu100.model.device import MODEL, DeviceSpec
from gpu100.model.practice import PROOF_SCHEMA, Attempt, Proof, Role
from gpu100.practice.run import Job, check_attempt

SEED = 100
"""Of every proof, so that what is shown on a page is the same wherever it is made."""
AT_ONCE = 2


def prove_exercise(files: PracticeFiles, *, cache: Path | None = None) -> Proof:
    """Run all files of the exercise on the SIMT model.

    Raises:
        CourseError: check.py is at fault.
    """
    attempts = try_files(files, MODEL, cache=cache)
    return Proof(schema=PROOF_SCHEMA, fingerprint=files.fingerprint(), device=str(MODEL), attempts=attempts)


def try_files(files: PracticeFiles, device: DeviceSpec, *, cache: Path | None = None) -> tuple[Attempt, ...]:
    """How the starter, the solution and each wrong answer do on ``device``, in that order.

    On a GPU one after the other, so that none disturbs the other's time.

    Raises:
        Unsupported: there is no such device.
        CourseError: check.py is at fault.
    """
    chosen: list[tuple[Role, Path, WrongAnswer | None]] = [
        ("starter", files.starter, None),
        ("solution", files.solution, None),
        *(("wrong", wrong.path, wrong) for wrong in files.wrong()),
    ]

    def one(item: tuple[Role, Path, WrongAnswer | None]) -> Attempt:
        role, path, wrong = item
        job = Job(files.check, path, path.name, device, files.solution, cache, SEED)
        verdict = check_attempt(job)
        return Attempt(
            name=path.stem,
            role=role,
            states=wrong.reason if wrong else None,
            outcome="passed" if verdict.passed else "failed",
            found=verdict.found,
            case=verdict.case,
            lines=verdict.lines,
        )

    with ThreadPoolExecutor(AT_ONCE if device.kind == "model" else 1) as pool:
        return tuple(pool.map(one, chosen))
