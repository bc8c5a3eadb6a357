"""The counters lane: the metrics that a program's values name, counted by Nsight Compute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gpu100.capture import ncu
from gpu100.capture.csv_pages import Launch, launches
from gpu100.errors import CheckFailed, CourseError
from gpu100.model.course import CounterSpec, ProgramSpec, ValueSpec
from gpu100.model.lanes import CountersLane
from gpu100.model.record import Exact, Observed, Record, Scalar, Value

LAUNCHES = 5
"""Of each kernel, the first ones: ncu runs every one several times over. One digit, as it stands in a pattern."""


def run(
    program: ProgramSpec, record: Record, target: Sequence[str], *, root: Path, scratch: Path, seconds: float
) -> tuple[CountersLane, dict[str, Value]]:
    """Profile every kernel that ``program`` counts on; the lane, and the values that it gives.

    Raises:
        Unsupported: there is no Nsight Compute, or it may not read counters.
        CheckFailed: a count that is to be exact differs between launches, or nothing was counted.
        CourseError: ncu, or the program under it, failed.
    """
    tool = ncu.find()
    report = scratch / "counted.ncu-rep"
    by_kernel = _by_kernel(program)
    specs = [pair for pairs in by_kernel.values() for pair in pairs]
    wanted = list(dict.fromkeys(metric for _, counter in specs for metric in counter.metrics))
    # One profile for all of them: the program's own time and the profiler's start are paid once.
    names = "|".join(by_kernel)
    also = ["--kernel-name-base", "function", "--kernel-id", f"::regex:^({names})$:[1-{LAUNCHES}]"]

    def profile(metrics: Sequence[str]) -> str:
        return ncu.profile(tool, report, metrics, target, root=root, seconds=seconds, also=also)

    refused = ncu.settled(tool, report, wanted, profile)
    profiled = launches(ncu.table(tool, report, "values"), wanted) if report.is_file() else []
    found = {kernel: [at for at in profiled if _plain(at.kernel) == kernel] for kernel in by_kernel}
    values: dict[str, Value] = {}
    missing: dict[str, str] = {}
    for spec, counter in specs:
        value = value_of(spec, counter, found[counter.kernel], record.values)
        if value is None:
            missing[spec.name] = _why(counter, refused)
        else:
            values[spec.name] = value
    if not values:
        raise CheckFailed(f"nothing was counted: {next(iter(missing.values()), 'the program names no metric')}")
    lane = CountersLane(
        kind="counters",
        status="ok",
        tool=f"Nsight Compute {ncu.version(tool)}",
        launches={kernel: len(launched) for kernel, launched in found.items()},
        values=tuple(values),
        missing=missing,
    )
    return lane, values


def value_of(
    spec: ValueSpec, counter: CounterSpec, found: Sequence[Launch], beside: Mapping[str, Value]
) -> Value | None:
    """The value over all launches ``found``; None where a launch does not have it.

    Raises:
        CheckFailed: it is to be exact and differs between launches.
    """
    counts = [count for launch in found if (count := _count(counter, launch)) is not None]
    if not counts or len(counts) < len(found):
        return None
    scale = dict(_scale(counter, beside))
    if spec.kind == "observed":
        whole = [round(count) for count in counts]
        return Observed(kind="observed", unit=spec.unit, value=whole[-1], low=min(whole), high=max(whole), scale=scale)
    if other := [count for count in counts if count != counts[0]]:
        raise CheckFailed(
            f"value {spec.name!r} moved between {len(counts)} launches of {counter.kernel}: "
            f"{counts[0]}, then {other[0]}"
        )
    return Exact(kind="exact", unit=spec.unit, value=counts[0], scale=scale)


def _count(counter: CounterSpec, launch: Launch) -> int | float | None:
    total = launch.metrics.get(counter.metric)
    if total is None or not counter.per:
        return total
    per = launch.metrics.get(counter.per)
    if not per:
        return None
    return total // per if isinstance(total, int) and isinstance(per, int) and total % per == 0 else total / per


def _scale(counter: CounterSpec, beside: Mapping[str, Value]) -> Iterator[tuple[str, Scalar]]:
    for name in counter.scale:
        value = beside[name].value if name in beside else None
        if isinstance(value, dict) or value is None:
            raise CourseError(f"{counter.kernel} is counted at the size {name!r}, which is no number of the run")
        yield name, value


def _plain(kernel: str) -> str:
    return (kernel.partition("(")[0].split() or [""])[-1]


def _by_kernel(program: ProgramSpec) -> dict[str, list[tuple[ValueSpec, CounterSpec]]]:
    found: dict[str, list[tuple[ValueSpec, CounterSpec]]] = {}
    for spec in program.counted:
        if spec.counter:
            found.setdefault(spec.counter.kernel, []).append((spec, spec.counter))
    return found


def _why(counter: CounterSpec, refused: Sequence[str]) -> str:
    gone = [metric for metric in counter.metrics if metric in refused]
    if gone:
        return f"this Nsight Compute has no {gone[0]} for this GPU"
    return f"no launch of {counter.kernel} gave {' and '.join(counter.metrics)}"
