"""An exercise proven: its starter and every wrong answer fail as they should, and its solution passes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gpu100.child import processors
from gpu100.content.practice import PracticeFiles, WrongAnswer
from gpu100.model.device import MODEL, DeviceSpec
from gpu100.model.practice import PROOF_SCHEMA, Attempt, Proof, Role
from gpu100.practice.run import Job, check_attempt

SEED = 100
"""Of every proof, so that what is shown on a page is the same wherever it is made."""
MOST_AT_ONCE = 4

_Chosen = tuple[Role, Path, WrongAnswer | None]


def prove_exercise(files: PracticeFiles, *, cache: Path | None = None) -> Proof:
    """Run all files of the exercise on the SIMT model.

    Raises:
        CourseError: check.py is at fault.
    """
    attempts = try_files(files, MODEL, cache=cache)
    return Proof(schema=PROOF_SCHEMA, fingerprint=files.fingerprint(), device=str(MODEL), attempts=attempts)


def try_files(files: PracticeFiles, device: DeviceSpec, *, cache: Path | None = None) -> tuple[Attempt, ...]:
    """How the starter, the solution and each wrong answer do on ``device``, in that order.

    Several at once, but for those whose time a GPU is asked for: they come last, one by one.

    Raises:
        Unsupported: there is no such device.
        CourseError: check.py is at fault.
    """
    chosen: list[_Chosen] = [
        ("starter", files.starter, None),
        ("solution", files.solution, None),
        *(("wrong", wrong.path, wrong) for wrong in files.wrong()),
    ]

    def one(item: _Chosen) -> Attempt:
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

    def alone(item: _Chosen) -> bool:
        role, _, wrong = item
        return device.kind != "model" and files.timed and (role == "solution" or (wrong is not None and wrong.timed))

    together = [item for item in chosen if not alone(item)]
    with ThreadPoolExecutor(min(MOST_AT_ONCE, processors())) as pool:
        done = dict(zip(together, pool.map(one, together), strict=True))
    return tuple(done.get(item) or one(item) for item in chosen)
