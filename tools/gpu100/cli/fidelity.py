"""``gpu100 fidelity measure`` and ``gpu100 fidelity compare``"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.markup import escape
from rich.table import Table

from gpu100.cli.console import out
from gpu100.content.course import load_course
from gpu100.content.explained import load_explained
from gpu100.errors import EvidenceError, UsageError, plural
from gpu100.evidence.fidelity import MEASUREMENT_FILE, TABLE_FILE, read_measurement
from gpu100.evidence.schema import dump
from gpu100.evidence.store import write_atomically
from gpu100.model.device import DeviceSpec
from gpu100.model.fidelity import FidelityTable
from gpu100.paths import Layout, find_root
from gpu100.units import number

if TYPE_CHECKING:  # needs NumPy
    from gpu100.fidelity.compare import CountingDevice


def fidelity_measure(
    file: Annotated[Path, typer.Option("--out", help="The JSON file to write.")],
    keep: Annotated[Path | None, typer.Option(help="A folder for what Nsight Compute wrote.")] = None,
    kept: Annotated[Path | None, typer.Option("--from", help="Such a folder: read it, and run nothing.")] = None,
) -> None:
    """Run the suite on this machine's GPU, plainly and under Nsight Compute, and write what came of it."""
    from gpu100.fidelity.measure import assemble, collect, require_right  # needs NumPy

    with tempfile.TemporaryDirectory() as scratch:
        folder = kept or keep or Path(scratch)
        if kept is None:
            collect(find_root().root, folder)
        measurement = assemble(folder)
    write_atomically(file, dump(measurement))
    machine = measurement.machine
    out.print(f"{machine.gpu.name}, driver {machine.driver.version}, Nsight Compute {measurement.profiler}")
    for name, why in measurement.missing.items():
        out.print(f"without {name}: {why}")
    out.print(f"{plural(len(measurement.cases), 'case')} measured; {file}")
    require_right(measurement)


def fidelity_compare(
    file: Annotated[Path | None, typer.Argument(help="A measurement; by default the reference GPU's.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Show every counter, not only those that differ.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail if the table beside it differs.")] = False,
) -> None:
    """Run the suite on the SIMT model and hold it against a measurement.

    The table is written beside the measurement. A disagreement that content/fidelity.toml does not
    explain is an error, and so is an explanation of what does not differ.
    """
    from gpu100.device.choose import open_device  # needs NumPy, as the next one
    from gpu100.fidelity.compare import compare

    layout = find_root()
    path = file or _reference(layout)
    measurement = read_measurement(path, layout.relative(path))
    spec = DeviceSpec.parse(f"model:{measurement.machine.gpu.slug}")

    def model() -> CountingDevice:
        return cast("CountingDevice", open_device(spec, cache=layout.cache))

    made = compare(model, measurement, load_explained(layout))
    _show(made.table, every)
    table = made.require()
    target = path.with_name(TABLE_FILE)
    if not check:
        write_atomically(target, dump(table))
        out.print(layout.relative(target))
    elif not target.is_file() or target.read_text(encoding="utf-8") != dump(table):
        raise EvidenceError(
            f"{layout.relative(target)} is not what the model says now",
            hint="gpu100 fidelity compare writes it; look at what changed",
        )


def _reference(layout: Layout) -> Path:
    """The reference GPU's measurement, the newest of them. The table beside it may be out of date."""
    gpu = load_course(layout).reference_gpu
    found = list(layout.evidence.glob(f"{gpu}/*/{MEASUREMENT_FILE}"))
    if not found:
        hint = "gpu100 fidelity measure, on that GPU"
        raise UsageError(f"the suite has not been measured on the {gpu}", hint=hint)
    return max(found, key=lambda path: read_measurement(path, layout.relative(path)).started)


def _show(table: FidelityTable, every: bool) -> None:
    rows = Table("case", "counter", "model", "GPU", "")
    for case in table.cases:
        for name, pair in case.counters.items():
            if every or pair.verdict == "explained":
                said = pair.why or ("differs" if pair.verdict == "explained" else pair.verdict)
                rows.add_row(case.name, table.kind(name).title, number(pair.model), number(pair.gpu), escape(said))
    if rows.row_count:
        out.print(rows)
    for name in table.unmeasured:
        out.print(f"not compared, since the GPU's profiler did not count it: {name}")
    said = ", ".join(f"{table.count(verdict):,} {verdict}" for verdict in ("equal", "near", "explained"))
    out.print(f"{plural(len(table.cases), 'case')}, {table.compared:,} pairs of counters: {said}")
