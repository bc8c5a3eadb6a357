"""The suite on this machine's GPU: results in one run, counters in another, one file from both."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from gpu100.capture import ncu
from gpu100.capture.csv_pages import Launch, launches
from gpu100.capture.machine import describe_machine
from gpu100.child import environment
from gpu100.decode import decode, encode
from gpu100.errors import CheckFailed, CourseError, plural
from gpu100.fidelity.metrics import PER_OPCODE, asked
from gpu100.fidelity.ncu import profile
from gpu100.fidelity.suite import CASES
from gpu100.model.fidelity import MeasuredCase, Measurement
from gpu100.model.machine import Machine
from gpu100.model.record import SCHEMA

_FACTS, _RESULTS, _COUNTERS = "facts.json", "results.json", "counters.csv"


def collect(root: Path, folder: Path) -> None:
    """Run the suite twice, plainly and under Nsight Compute; what they say goes into ``folder``.

    Raises:
        Unsupported: no GPU, no Nsight Compute, or none that can read counters.
        CourseError: a run failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    profiler = ncu.find()
    started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    machine = describe_machine(root)
    _results(folder / _RESULTS)
    report = folder / "suite.ncu-rep"
    missing = profile(profiler, report, asked(), folder / "ncu.log")
    (folder / _COUNTERS).write_text(ncu.table(profiler, report, "details"), encoding="utf-8")
    # Not read: another spelling of the same, should the first ever not be understood.
    (folder / "counters-values.csv").write_text(ncu.table(profiler, report, "values"), encoding="utf-8")
    facts = {
        "started": started,
        "machine": encode(machine),
        "profiler": ncu.version(profiler),
        "missing": missing,
    }
    (folder / _FACTS).write_text(json.dumps(facts, indent=2), encoding="utf-8")


def assemble(folder: Path) -> Measurement:
    """The measurement that :func:`collect` left in ``folder``.

    Raises:
        CourseError: a file is missing, or a launch's counters are.
    """
    facts, results = _json(folder / _FACTS), _json(folder / _RESULTS)
    counted = launches((folder / _COUNTERS).read_text(encoding="utf-8"), asked())
    cases = {
        name: decode(
            MeasuredCase, {**result, "metrics": launch.metrics, "opcodes": launch.instances.get(PER_OPCODE, {})}
        )
        for (name, result), launch in _paired(results, counted)
    }
    missing = dict(facts["missing"])
    for name in asked():
        lacking = [case for case, found in cases.items() if not _has(found, name)]
        if lacking and name not in missing:
            missing[name] = f"no value in {plural(len(lacking), 'case')}, such as {lacking[0]}"
    return Measurement(
        schema=SCHEMA,
        started=facts["started"],
        machine=decode(Machine, facts["machine"]),
        profiler=facts["profiler"],
        missing=missing,
        cases=cases,
    )


def require_right(measurement: Measurement) -> None:
    """Raise where the GPU did not compute what NumPy does.

    Raises:
        CheckFailed: with every such case.
    """
    wrong = [name for name, case in measurement.cases.items() if not case.right]
    if wrong:
        raise CheckFailed(f"{plural(len(wrong), 'case')} came out wrong on the GPU: {', '.join(wrong)}")


def _results(file: Path) -> None:
    command = [sys.executable, "-m", "gpu100.fidelity.worker", "results", str(file)]
    child = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
    if child.returncode:
        raise CourseError(f"the suite did not run on this GPU\n{child.stderr.strip()[-2000:]}")


def _paired(
    results: dict[str, dict[str, Any]], counted: list[Launch]
) -> list[tuple[tuple[str, dict[str, Any]], Launch]]:
    """Each case with its launch: both are in the order of the suite."""
    names, kernels = list(results), [result["kernel"] for result in results.values()]
    if names != [case.name for case in CASES]:
        raise CourseError("the results are not of this suite", hint="measure again")
    profiled = [launch.kernel.partition("(")[0].split()[-1] if launch.kernel else "" for launch in counted]
    if profiled != kernels:
        at = next(
            (i for i, pair in enumerate(zip(kernels, profiled, strict=False)) if pair[0] != pair[1]), len(profiled)
        )
        expected = kernels[at] if at < len(kernels) else "no more"
        got = profiled[at] if at < len(profiled) else "no more"
        raise CourseError(
            f"Nsight Compute profiled {plural(len(profiled), 'kernel')}, the suite has {len(kernels)}: "
            f"number {at} is {got!r}, not {expected!r}"
        )
    return list(zip(results.items(), counted, strict=True))


def _has(case: MeasuredCase, metric: str) -> bool:
    return bool(case.opcodes) if metric == PER_OPCODE else metric in case.metrics


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CourseError(f"{path} does not exist", hint="it is written by `gpu100 fidelity measure --keep`") from None
