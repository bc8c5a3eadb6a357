"""Transfer against compute: when the GPU wins."""

from __future__ import annotations

from collections.abc import Mapping

from gpu100.render.widgets.evidence import KnownGpu
from gpu100.render.widgets.kind import Field, Setting, Settings, Table, Widget
from gpu100.render.widgets.models import Rates, even_at, times
from gpu100.units import number

ASSUMED = {"copy_in": 12, "copy_out": 12, "gpu": 300, "cpu": 20, "launch": 5}
"""Where nothing is recorded: round numbers, for a reader to replace."""


def rates_of(at: Settings, known: KnownGpu | None) -> Rates:
    """The page's rates; where it sets none, those that were recorded."""
    start = ASSUMED | (_recorded(known) if known else {})
    return Rates(**{name: float(at[name] or start[name]) for name in ASSUMED})


def _table(at: Settings, gpus: tuple[KnownGpu, ...]) -> Table:
    rates = rates_of(at, next((known for known in gpus if known.rates), None))
    rows = []
    for kernels in sorted({1, 10, 100, at["kernels"]}):
        even = even_at(kernels, rates)
        for n in (10_000, 1_000_000, 100_000_000):
            took = times(n, kernels, rates)
            all_times = (took.cpu, took.copy_in + took.copy_out, took.kernels, took.gpu)
            shown = (number(kernels), number(n), *map(_rounded, all_times))
            rows.append((*shown, "GPU" if took.gpu < took.cpu else "CPU", "never" if even is None else _rounded(even)))
    head = ("kernels", "elements", "CPU, µs", "copies, µs", "kernels, µs", "GPU with copies, µs")
    return Table((*head, "faster", "even at, elements"), rows)


def _rounded(value: float) -> str:
    """Three digits, or all before the point."""
    return number(round(value)) if value >= 100 else number(float(f"{value:.3g}"))


def _gpu(known: KnownGpu) -> Mapping[str, object] | None:
    return {"stale": known.rates_stale, "day": known.rates_day} if known.rates else None


def _start(known: KnownGpu, given: Settings) -> Mapping[str, Setting]:
    return _recorded(known)


def _recorded(known: KnownGpu) -> dict[str, float]:
    return {name: float(f"{rate:.4g}") for name, rate in known.rates.items()}


def _rate(name: str, label: str, high: float = 20_000) -> Field:
    return Field(name=name, label=label, start=ASSUMED[name], low=0.1, high=high, decimals=True, log=True, of_gpu=True)


CROSSOVER = Widget(
    title="When the GPU wins",
    caption="Adding two arrays of floats: on the CPU, and on the GPU with the copies there and back. Both axes go up "
    "by factors of ten.",
    fields=(
        Field(name="n", label="Elements", start=1 << 20, low=100, high=10**9, log=True),
        Field(name="kernels", label="Kernels on the same data", start=1, low=1, high=10_000, log=True),
        _rate("copy_in", "Copy to the GPU, GB/s"),
        _rate("copy_out", "Copy back, GB/s"),
        _rate("gpu", "The kernel on the GPU, GB/s"),
        _rate("cpu", "The same on the CPU, GB/s"),
        _rate("launch", "A launch, µs", high=1000),
    ),
    limits=(
        "Rates that change with the size. Short copies and kernels are slower than the rates say, and what fits a "
        "cache is faster, on both sides.",
        "Launches that overlap. Each is waited for here; a chain of them costs less than the sum.",
        "Overlap. Copies and kernels come one after the other here; streams let them run at the same time.",
        "What is outside the loop: allocating, the first launch, and turning data into arrays.",
        "Other CPUs. The recorded one adds on one core, with NumPy. Where only copies and kernel are recorded, the "
        "CPU and the launch begin with round numbers; put in your own.",
        "Kernels that compute more. This one does one addition for 12 bytes; with more work per byte the GPU wins "
        "earlier.",
    ),
    table=_table,
    gpu=_gpu,
    start=_start,
)
