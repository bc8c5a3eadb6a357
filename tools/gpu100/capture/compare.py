"""A run on the SIMT model held against the record of the GPU that it is a model of.

Compared is what code and GPU decide: exact values where the scales agree, tolerant ones within their
tolerance, exact series over the same points, outcomes of predictions, and, where one compiler made
both, its registers and values of its own. What is left out is said, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from gpu100.model.record import Codegen, Exact, Record, Scalar, Tolerant, Value

Verdict = Literal["equal", "differs", "left out"]

_OF_HARDWARE = {"measured": "measured", "observed": "free to differ in every run"}
"""Why values of these kinds are not compared."""


@dataclass(frozen=True)
class Item:
    """One thing that the GPU's record holds, and how the model's stands to it."""

    name: str
    verdict: Verdict
    why: str = ""
    """What differs, or the reason for which it was left out."""


@dataclass
class Comparison:
    """All items of one program."""

    items: list[Item] = field(default_factory=list)

    @property
    def compared(self) -> int:
        return sum(item.verdict != "left out" for item in self.items)

    @property
    def differences(self) -> list[Item]:
        return [item for item in self.items if item.verdict == "differs"]

    @property
    def left_out(self) -> dict[str, list[str]]:
        """Names by the reason for which they were left out."""
        found: dict[str, list[str]] = {}
        for item in self.items:
            if item.verdict == "left out":
                found.setdefault(item.why, []).append(item.name)
        return found


def compare(model: Record, gpu: Record) -> Comparison:
    """Every value, series, kernel and prediction of ``gpu``'s record against ``model``'s."""
    same_compiler = model.compiler == gpu.compiler
    return Comparison(
        [
            *(_value(name, model.values.get(name), there, same_compiler) for name, there in gpu.values.items()),
            *_series(model, gpu),
            *_kernels(model, gpu, same_compiler),
            *_predictions(model, gpu),
        ]
    )


def _value(name: str, here: Value | None, there: Value, same_compiler: bool) -> Item:
    shown = f"value {name!r}"
    if there.kind in _OF_HARDWARE:
        return Item(shown, "left out", _OF_HARDWARE[there.kind])
    if here is None:
        return _unreported(shown)
    if isinstance(there, Codegen) and not same_compiler:
        return _other_compiler(shown)
    if isinstance(there, Exact | Tolerant) and isinstance(here, Exact | Tolerant) and here.scale != there.scale:
        return Item(shown, "left out", _scales(here.scale, there.scale))
    if isinstance(there, Tolerant) and isinstance(here, Tolerant):
        return _judged(shown, there.agrees(here.value), here.value, there.value)
    return _judged(shown, (here.kind, here.value) == (there.kind, there.value), here.value, there.value)


def _series(model: Record, gpu: Record) -> Iterator[Item]:
    for name, there in gpu.series.items():
        shown, here = f"series {name!r}", model.series.get(name)
        if there.kind == "measured":
            yield Item(shown, "left out", _OF_HARDWARE["measured"])
        elif here is None:
            yield _unreported(shown)
        elif [point.x for point in here.points] != [point.x for point in there.points]:
            yield Item(shown, "left out", "of other points")
        else:
            yield _judged(shown, here == there, [p.y for p in here.points], [p.y for p in there.points])


def _kernels(model: Record, gpu: Record, same_compiler: bool) -> Iterator[Item]:
    for name, there in gpu.kernels.items():
        shown, here = f"kernel {name!r}", model.kernels.get(name)
        if here is None:
            yield _unreported(shown)
        elif not same_compiler:
            yield _other_compiler(shown)
        else:
            yield _judged(shown, here == there, here, there)


def _predictions(model: Record, gpu: Record) -> Iterator[Item]:
    for name, there in gpu.predictions.items():
        shown, here = f"prediction {name!r}", model.predictions.get(name)
        if here is None:
            yield _unreported(shown)
        elif "not-evaluated" in (here.outcome, there.outcome):
            yield Item(shown, "left out", "not evaluated")
        elif here.claim != there.claim:
            yield Item(shown, "left out", "reworded since")
        else:
            yield _judged(shown, here.outcome == there.outcome, here.outcome, there.outcome)


def _judged(name: str, equal: bool, here: object, there: object) -> Item:
    return Item(name, "equal") if equal else Item(name, "differs", f"{here} on the model, {there} on the GPU")


def _unreported(name: str) -> Item:
    return Item(name, "left out", "not reported by the model")


def _other_compiler(name: str) -> Item:
    return Item(name, "left out", "made by another compiler, or for another architecture")


def _scales(here: dict[str, Scalar], there: dict[str, Scalar]) -> str:
    names = sorted(here.keys() | there.keys())
    other = [name for name in names if here.get(name) != there.get(name)]
    return "of another size: " + ", ".join(f"{n} is {here.get(n)} here, {there.get(n)} there" for n in other)
