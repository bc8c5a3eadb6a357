"""evidence/<gpu>/<driver>-nvrtc<version>/: machine.json and one record per program."""

from __future__ import annotations

import itertools
import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gpu100.errors import EvidenceError
from gpu100.evidence.fidelity import MEASUREMENT_FILE, TABLE_FILE, Fidelity, read_fidelity
from gpu100.evidence.schema import dump, parse
from gpu100.model.machine import Machine
from gpu100.model.record import Compiler, Record
from gpu100.paths import day_tag

MACHINE_FILE = "machine.json"
_NO_RECORDS = {MACHINE_FILE, MEASUREMENT_FILE, TABLE_FILE}
_RECORD_FILE = re.compile(r"day\d{2,3}-\w+\.json")


@dataclass(frozen=True)
class MachineEvidence:
    """One machine's folder, read."""

    folder: str
    """From the store's root: ``h200/580.159.04-nvrtc13.0.88``."""
    machine: Machine
    records: tuple[Record, ...]
    fidelity: Fidelity | None = None
    """How the SIMT model compares with this machine, where that was measured."""

    def record(self, day: int, program: str) -> Record | None:
        return next((r for r in self.records if (r.day, r.program) == (day, program)), None)


Refuse = Callable[[EvidenceError], None]


def _raise(error: EvidenceError) -> None:
    raise error


class EvidenceStore:
    """The evidence below ``root``."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, refuse: Refuse = _raise) -> tuple[MachineEvidence, ...]:
        """Every machine's evidence, by folder name.

        What is wrong with a file goes to ``refuse``; if that does not raise, the file is left out.

        Raises:
            EvidenceError: by default, a file is refused, or does not belong where it lies.
        """
        found = (self._read_folder(path.parent, refuse) for path in sorted(self.root.glob(f"*/*/{MACHINE_FILE}")))
        return tuple(evidence for evidence in found if evidence)

    def folder_for(self, machine: Machine) -> Path:
        """Where ``machine``'s evidence goes: its own folder, or with ``-2`` where another machine has it."""
        name = machine.folder
        for suffix in itertools.chain([""], (f"-{number}" for number in itertools.count(2))):
            folder = self.root / machine.gpu.slug / f"{name}{suffix}"
            path = folder / MACHINE_FILE
            if not path.is_file() or parse(Machine, _text(path), self._shown(path)).same_as(machine):
                return folder
        raise AssertionError("there are infinitely many numbers")

    def write_machine(self, machine: Machine) -> Path:
        """The folder for ``machine``, with its machine.json written.

        Raises:
            EvidenceError: it is the SIMT model, which gives no evidence.
        """
        _refuse_model(machine, machine.gpu.name)
        folder = self.folder_for(machine)
        write_atomically(folder / MACHINE_FILE, dump(machine))
        return folder

    def write(self, folder: Path, record: Record) -> Path:
        """Write ``record`` into a machine's folder, whole or not at all."""
        path = folder / record_name(record.day, record.program)
        write_atomically(path, dump(record))
        return path

    def _read_folder(self, folder: Path, refuse: Refuse) -> MachineEvidence | None:
        shown = self._shown(folder)
        try:
            machine = self._read_machine(folder, shown)
        except EvidenceError as error:
            refuse(error)
            return None
        # A dot file is the half-written neighbor of a capture that was killed.
        names = sorted(path for path in folder.iterdir() if path.name not in _NO_RECORDS and path.name[0] != ".")
        records = []
        for path in names:
            try:
                records.append(self._read_record(path, shown, machine))
            except EvidenceError as error:
                refuse(error)
        try:
            fidelity = read_fidelity(folder, shown, machine)
        except EvidenceError as error:
            refuse(error)
            fidelity = None
        return MachineEvidence(folder=shown, machine=machine, records=tuple(records), fidelity=fidelity)

    def _read_machine(self, folder: Path, shown: str) -> Machine:
        machine = parse(Machine, _text(folder / MACHINE_FILE), f"{shown}/{MACHINE_FILE}")
        _refuse_model(machine, f"{shown}/{MACHINE_FILE}")
        belongs = f"{machine.gpu.slug}/{machine.folder}"
        if shown != belongs and re.sub(r"-\d+$", "", shown) != belongs:
            raise EvidenceError(f"{shown}/{MACHINE_FILE} describes {belongs}, not the folder it lies in")
        return machine

    def _read_record(self, path: Path, folder: str, machine: Machine) -> Record:
        where = f"{folder}/{path.name}"
        if not _RECORD_FILE.fullmatch(path.name) or not path.is_file() or path.is_symlink():
            raise EvidenceError(f"{where} is no record", hint="machine.json and dayNN-program.json belong here")
        record = parse(Record, _text(path), where)
        if path.name != record_name(record.day, record.program):
            raise EvidenceError(f"{where} holds the record of {record_name(record.day, record.program)}")
        if (made := record.compiler) and not _made_on(made, machine):
            raise EvidenceError(
                f"{where} was compiled for {made.arch} by NVRTC {made.nvrtc}, not on this folder's machine"
            )
        return record

    def _shown(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()


def record_name(day: int, program: str) -> str:
    """``day02-warp_slots.json``."""
    return f"{day_tag(day)}-{program}.json"


def _refuse_model(machine: Machine, where: str) -> None:
    if machine.gpu.is_model:
        raise EvidenceError(f"{where} is of the SIMT model, and what ran there is no evidence")


def _made_on(compiler: Compiler, machine: Machine) -> bool:
    """Whether ``machine`` has this compiler and this architecture, its own or its specific variant."""
    arch = compiler.arch.rstrip("af")
    return (arch, compiler.nvrtc) == (machine.gpu.compute_capability.arch, machine.software.nvrtc)


def write_atomically(path: Path, text: str) -> None:
    """Write beside, then replace: a reader, or a crash, meets the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, 0o644)  # mkstemp's 0600 would travel into git and archives
        os.replace(beside, path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise EvidenceError(f"{path.name} is not UTF-8: byte {error.start} cannot be read") from None
