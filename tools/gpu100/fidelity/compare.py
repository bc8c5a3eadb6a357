"""The suite on the SIMT model, held against what was measured on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from gpu100.device.interface import Device
from gpu100.errors import CheckFailed, CourseError, nearest
from gpu100.evidence.schema import seal
from gpu100.fidelity.case import Case, Values
from gpu100.fidelity.metrics import COUNTERS, Counter
from gpu100.fidelity.run import compile_kernels, restored, run_case, stored
from gpu100.fidelity.suite import CASES, group_of
from gpu100.model.fidelity import (
    Agreement,
    ComparedCase,
    CounterKind,
    CounterPair,
    FidelityTable,
    MeasuredCase,
    Measurement,
    Number,
    Verdict,
)

Explanations = Mapping[tuple[str, str], str]
"""By case and counter: why they differ."""


class Report(Protocol):
    """What a launch on the model counted."""

    @property
    def kernel(self) -> str: ...

    @property
    def totals(self) -> Mapping[str, Number]: ...


class CountingDevice(Device, Protocol):
    """A device that reports its launches."""

    @property
    def reports(self) -> Sequence[Report]: ...


@dataclass
class Comparison:
    """The table, and what may not stand in it."""

    table: FidelityTable
    problems: list[str] = field(default_factory=list)

    def require(self) -> FidelityTable:
        """The table.

        Raises:
            CheckFailed: with every problem.
        """
        if self.problems:
            raise CheckFailed(
                "\n".join(self.problems),
                hint="content/fidelity.toml explains disagreements, each for as long as it lasts",
            )
        return self.table


MakeDevice = Callable[[], CountingDevice]


def compare(
    make: MakeDevice, measurement: Measurement, explanations: Explanations, cases: Sequence[Case] = CASES
) -> Comparison:
    """Run ``cases`` on devices that ``make`` gives, and hold results and counters against ``measurement``."""
    problems = _unfit(measurement, cases)
    chosen = [case for case in cases if case.name not in problems]
    told = list(problems.values())
    kinds, unmeasured = _kinds(measurement)
    pairing = _Pairing(explanations, {counter.name for counter in COUNTERS} - set(unmeasured), told)
    compared = []
    for case, outcome in _on_model(make, chosen):
        if isinstance(outcome, CourseError):
            told.append(f"{case.name} does not run on the model: {outcome.message}")
        else:
            compared.append(pairing.case(case, *outcome, measurement.cases[case.name]))
    told += pairing.stale(cases)
    if not compared:
        told.append("nothing was compared")
    machine = measurement.machine
    table = FidelityTable(
        schema=measurement.schema,  # the table changes with what it was made from, and with nothing else
        measurement=seal(measurement),
        gpu=machine.gpu.name,
        driver=machine.driver.version,
        nvrtc=machine.software.nvrtc,
        profiler=measurement.profiler,
        counters=kinds,
        unmeasured=unmeasured,
        cases=tuple(compared),
    )
    return Comparison(table, told)


Outcome = tuple[tuple[Values, ...], Mapping[str, Number]]
"""What a case's kernel wrote, and what the model counted."""


def _on_model(make: MakeDevice, cases: Sequence[Case]) -> Iterator[tuple[Case, Outcome | CourseError]]:
    """Every case with what came of it; one that fails takes its device with it."""
    device: CountingDevice | None = None
    source = ""
    for case in cases:
        try:
            if device is None or case.source != source:
                device, source = make(), case.source
                kernels = compile_kernels(device, case)
            values = run_case(device, kernels[case.kernel], case)
            yield case, (values, device.reports[-1].totals)
        except CourseError as error:
            device = None
            yield case, error


def _unfit(measurement: Measurement, cases: Sequence[Case]) -> dict[str, str]:
    """Cases that the measurement says nothing about, by name."""
    found = {}
    for case in cases:
        measured = measurement.cases.get(case.name)
        if measured is None:
            found[case.name] = f"{case.name} was not measured: gpu100 fidelity measure, on the GPU"
        elif measured.key != case.key():
            found[case.name] = f"{case.name} has changed since it was measured: measure again"
        elif not measured.right:
            found[case.name] = f"{case.name} came out wrong on the GPU"
    known = {case.name for case in cases}
    for name in measurement.cases.keys() - known:
        found[name] = f"{name} was measured and is no case of the suite"
    return found


def _kinds(measurement: Measurement) -> tuple[tuple[CounterKind, ...], tuple[str, ...]]:
    """The counters that the GPU told, and the names of those it did not."""
    measured = tuple(measurement.cases.values())
    sources = {counter.name: counter.source(measured) for counter in COUNTERS}
    kinds = tuple(
        CounterKind(
            name=counter.name,
            title=counter.title,
            grade=counter.grade,
            measured=source,
            meaning=counter.meaning,
            within=counter.within,
        )
        for counter in COUNTERS
        if (source := sources[counter.name])
    )
    return kinds, tuple(name for name, source in sources.items() if source is None)


@dataclass
class _Pairing:
    """Pairs counters, and keeps which explanations were needed."""

    explanations: Explanations
    measured: set[str]
    problems: list[str]
    used: set[tuple[str, str]] = field(default_factory=set)

    def case(
        self, case: Case, values: tuple[Values, ...], totals: Mapping[str, Number], gpu: MeasuredCase
    ) -> ComparedCase:
        pairs = {} if case.uncounted else self._pairs(case, totals, gpu)
        shown = {name: pair for name, pair in pairs.items() if pair.model or pair.gpu}
        return ComparedCase(
            name=case.name,
            group=group_of(case),
            source=case.path.name,
            kernel=case.kernel,
            launch=_launch(case),
            teaches=case.teaches,
            results=self._results(case, values, gpu),
            tolerance=case.tolerance,
            uncounted=case.uncounted,
            zeros=len(pairs) - len(shown),
            counters=shown,
        )

    def stale(self, cases: Sequence[Case]) -> list[str]:
        """Explanations of what nobody sees."""
        found = []
        names = [case.name for case in cases]
        for case, counter in self.explanations.keys() - self.used:
            if case not in names:
                hint = nearest(case, names)
                found.append(
                    f"{counter} of {case} is explained, and there is no such case" + (f": {hint}" if hint else "")
                )
            elif counter not in self.measured:
                found.append(f"{counter} of {case} is explained, and no such counter was measured")
            else:
                found.append(f"{counter} of {case} is explained, and does not differ")
        return sorted(found)

    def _results(self, case: Case, values: tuple[Values, ...], gpu: MeasuredCase) -> Agreement:
        mine = [stored(case, array) for array in values]
        same = [one.sha256 for one in mine] == [one.sha256 for one in gpu.results]
        if case.tolerance is None:
            if not same:
                self.problems.append(f"{case.name}: the model's results are not the GPU's")
            return "every bit"
        theirs = [restored(result) for result in gpu.results]
        if len(values) != len(theirs) or not all(
            other is not None and case.agree(one, other) for one, other in zip(values, theirs, strict=True)
        ):
            self.problems.append(f"{case.name}: the model's results are further from the GPU's than {case.tolerance}")
        return "within tolerance, and every bit" if same else "within tolerance"

    def _pairs(self, case: Case, totals: Mapping[str, Number], gpu: MeasuredCase) -> dict[str, CounterPair]:
        pairs = {}
        for counter in COUNTERS:
            theirs = counter.measured(gpu) if counter.name in self.measured else None
            if theirs is None:
                continue
            mine = counted(counter.name, totals)
            if mine is None:
                self.problems.append(f"{case.name}: the model does not count {counter.name}")
                continue
            pairs[counter.name] = self._pair(case, counter, mine, theirs)
        return pairs

    def _pair(self, case: Case, counter: Counter, mine: Number, theirs: Number) -> CounterPair:
        verdict = verdict_of(counter, mine, theirs)
        why = None
        if verdict is None:
            self.used.add((case.name, counter.name))
            why = self.explanations.get((case.name, counter.name))
            verdict = "explained"
            if why is None:
                self.problems.append(f"{case.name}: {counter.name} is {mine} on the model, {theirs} on the GPU")
        return CounterPair(model=mine, gpu=theirs, verdict=verdict, why=why)


def counted(name: str, totals: Mapping[str, Number]) -> Number | None:
    """A counter of the model's report; None where it has none."""
    if name == "threads_per_instruction":
        warps, lanes = totals.get("warp_instructions"), totals.get("lane_instructions")
        return round(lanes / warps, 4) if warps and lanes is not None else None
    return totals.get(name)


def verdict_of(counter: Counter, mine: Number, theirs: Number) -> Verdict | None:
    """How the two counts compare; None where they disagree."""
    if mine == theirs:
        return "equal"
    if counter.grade == "shown":
        return "shown"
    if counter.grade == "indicative" and abs(mine - theirs) <= counter.within * abs(theirs):
        return "near"
    return None


def _launch(case: Case) -> str:
    """``16 blocks of 256 threads``."""
    grid, block = (" × ".join(map(str, extent)) for extent in (case.grid, case.block))
    one = "block" if case.grid == (1,) else "blocks"
    return f"{grid} {one} of {block} threads"
