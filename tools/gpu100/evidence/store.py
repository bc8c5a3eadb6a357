"""evidence/<gpu>/<driver>-nvrtc<version>/: machine.json and one record per program."""

from __future__ import annotations

import itertools
import os
import re
import tempfile
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from gpu100.errors import EvidenceError
from gpu100.evidence.fidelity import MEASUREMENT_FILE, TABLE_FILE, Fidelity, read_fidelity
from gpu100.evidence.schema import dump, parse
from gpu100.model.machine import Machine
from gpu100.model.record import Compiler, Record
from gpu100.paths import day_tag

MACHINE_FILE = "machine.json"
FOLDER = r"[a-z0-9-]+/[\w.+-]+-nvrtc[\w.+-]+"
"""A machine's folder: plain ASCII, since it becomes part of addresses and file names everywhere."""
MOST_BYTES = 512 << 10
"""Of one record: what a page can use, many times over."""
MOST_SUITE_BYTES = 1 << 20
"""Of a file of the fidelity suite, which holds hundreds of launches."""
_NO_RECORDS = {MACHINE_FILE, MEASUREMENT_FILE, TABLE_FILE}
_RECORD_FILE = re.compile(r"day\d{2,3}-\w+\.json", re.ASCII)
_GPU_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ()./,+_-]{0,79}")
"""Drivers name GPUs in plain letters; what else stands in a name was put there."""


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

    def folder_for(self, machine: Machine, taken: Collection[Path] = ()) -> Path:
        """Where ``machine``'s evidence goes: its own folder, or with ``-2`` where another machine has it.

        ``taken`` are folders that others are about to be written to.
        """
        name = machine.folder
        for suffix in itertools.chain([""], (f"-{number}" for number in itertools.count(2))):
            folder = self.root / machine.gpu.slug / f"{name}{suffix}"
            path = folder / MACHINE_FILE
            if folder in taken:
                continue
            if not path.is_file() or parse(Machine, _text(path, self._shown(path)), self._shown(path)).same_as(machine):
                return folder
        raise AssertionError("there are infinitely many numbers")

    def write_machine(self, machine: Machine) -> Path:
        """The folder for ``machine``, with its machine.json written.

        Raises:
            EvidenceError: it is the SIMT model, which gives no evidence.
        """
        _refuse_model(machine, machine.gpu.name)
        folder = self.folder_for(machine)
        _written(folder / MACHINE_FILE, dump(machine))
        return folder

    def write(self, folder: Path, record: Record) -> Path:
        """Write ``record`` into a machine's folder, whole or not at all."""
        path = folder / record_name(record.day, record.program)
        _written(path, dump(record))
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
        where = f"{shown}/{MACHINE_FILE}"
        if folder.is_symlink() or (folder / MACHINE_FILE).is_symlink():
            raise EvidenceError(f"{where} is a link")
        machine = parse(Machine, _text(folder / MACHINE_FILE, where), where)
        _refuse_model(machine, f"{shown}/{MACHINE_FILE}")
        _refuse_strange(machine, f"{shown}/{MACHINE_FILE}")
        belongs = f"{machine.gpu.slug}/{machine.folder}"
        if shown != belongs and re.sub(r"-\d+$", "", shown) != belongs:
            raise EvidenceError(f"{shown}/{MACHINE_FILE} describes {belongs}, not the folder it lies in")
        return machine

    def _read_record(self, path: Path, folder: str, machine: Machine) -> Record:
        where = f"{folder}/{path.name}"
        if not _RECORD_FILE.fullmatch(path.name) or not path.is_file() or path.is_symlink():
            raise EvidenceError(f"{where} is no record", hint="machine.json and dayNN-program.json belong here")
        record = parse(Record, _text(path, where), where)
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


def _refuse_strange(machine: Machine, where: str) -> None:
    """Names that no driver gives: they would become folders, addresses and headings."""
    if not _GPU_NAME.fullmatch(machine.gpu.name):
        raise EvidenceError(f"{where}: {machine.gpu.name[:80]!r} is no name of a GPU")
    if not re.fullmatch(FOLDER, f"{machine.gpu.slug}/{machine.folder}", re.ASCII):
        raise EvidenceError(f"{where}: its driver or NVRTC version is none")
    try:
        machine.gpu.compute_capability  # noqa: B018 - parsed to see whether it can be
    except ValueError as error:
        raise EvidenceError(f"{where}: {error}") from None


def _made_on(compiler: Compiler, machine: Machine) -> bool:
    """Whether ``machine`` has this compiler and this architecture, its own or its specific variant."""
    arch = compiler.arch.rstrip("af")
    return (arch, compiler.nvrtc) == (machine.gpu.compute_capability.arch, machine.software.nvrtc)


def write_atomically(path: Path, text: str) -> None:
    """Write beside, then replace: a reader, or a crash, meets the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = write_beside(path, text)
    try:
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def write_beside(path: Path, text: str) -> Path:
    """``text``, whole and on disk, in a new file of ``path``'s folder that is to take its place."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    beside = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, 0o644)  # mkstemp's 0600 would travel into git and archives
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return beside


def _written(path: Path, text: str) -> None:
    """Write, or say what the disk would not take.

    Raises:
        EvidenceError: the disk is full, the folder may not be written to, or the like.
    """
    try:
        write_atomically(path, text)
    except OSError as error:
        hint = "what was written before is whole; the same command goes on from there"
        raise EvidenceError(f"{path.name} cannot be written: {error.strerror or error}", hint=hint) from None


def most_bytes(name: str) -> int:
    """The size that a file of evidence has at most."""
    return MOST_SUITE_BYTES if name in (MEASUREMENT_FILE, TABLE_FILE) else MOST_BYTES


def oversized(path: Path, shown: str) -> str | None:
    """What is to be said of a file that is larger than evidence."""
    size, most = path.stat().st_size, most_bytes(path.name)
    return f"{shown} has {size:,} bytes; a record has at most {most:,}" if size > most else None


def _text(path: Path, shown: str) -> str:
    if said := oversized(path, shown):  # not even read
        raise EvidenceError(said)
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise EvidenceError(f"{shown} is not UTF-8: byte {error.start} cannot be read") from None
