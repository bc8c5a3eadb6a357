"""The fidelity suite's two files in a machine's folder: what was measured, and the comparison made from it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gpu100.errors import EvidenceError
from gpu100.evidence.schema import parse, seal
from gpu100.model.fidelity import FidelityTable, Measurement
from gpu100.model.machine import Machine

MEASUREMENT_FILE, TABLE_FILE = "fidelity.json", "fidelity-table.json"


@dataclass(frozen=True)
class Fidelity:
    """Both, read and held together."""

    measurement: Measurement
    table: FidelityTable | None


def read_fidelity(folder: Path, shown: str, machine: Machine) -> Fidelity | None:
    """What ``machine``'s folder holds of the suite; None where it was not measured there.

    Raises:
        EvidenceError: a file is refused, or is of another machine or another measurement.
    """
    measured, compared = folder / MEASUREMENT_FILE, folder / TABLE_FILE
    if not measured.is_file():
        if compared.is_file():
            raise EvidenceError(f"{shown}/{TABLE_FILE} compares with no {MEASUREMENT_FILE}")
        return None
    measurement = read_measurement(measured, f"{shown}/{MEASUREMENT_FILE}")
    if not measurement.machine.same_as(machine):
        raise EvidenceError(f"{shown}/{MEASUREMENT_FILE} was measured on another machine than this folder's")
    if not compared.is_file():
        return Fidelity(measurement, None)
    table = parse(FidelityTable, compared.read_text(encoding="utf-8"), f"{shown}/{TABLE_FILE}")
    if table.measurement != seal(measurement):
        raise EvidenceError(
            f"{shown}/{TABLE_FILE} was made from another measurement",
            hint="gpu100 fidelity compare makes it again",
        )
    return Fidelity(measurement, table)


def read_measurement(path: Path, shown: str) -> Measurement:
    """The measurement in a file.

    Raises:
        EvidenceError: it is refused, or holds no case.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise EvidenceError(f"{shown} does not exist") from None
    measurement = parse(Measurement, text, shown)
    if not measurement.cases:
        raise EvidenceError(f"{shown} holds no case")
    return measurement
