"""Evidence on its way between machines: one archive out, checked file by file on the way in."""

from __future__ import annotations

import gzip
import io
import os
import re
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from gpu100.decode import encode
from gpu100.errors import EvidenceError, plural
from gpu100.evidence.schema import parse
from gpu100.evidence.store import FOLDER, MACHINE_FILE, EvidenceStore, MachineEvidence, write_beside
from gpu100.model.machine import Machine
from gpu100.model.record import Record

_MEMBER = re.compile(rf"{FOLDER}/(?:machine|fidelity(?:-table)?|day\d{{2,3}}-\w+)\.json", re.ASCII)
_MOST_BYTES = 2 << 20
_MOST_FILES = 5_000
_MOST_TOTAL = 64 << 20

Object = Callable[[MachineEvidence], Iterable[str]]
"""What speaks against one machine's evidence."""


def pack(root: Path, archive: Path, folders: list[Path]) -> int:
    """Write the machines' ``folders`` below ``root`` as a .tar.gz; the number of files in it."""
    files = sorted(path for folder in folders for path in folder.glob("[!.]*.json"))
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "w:gz") as tar:
        for path in files:
            tar.add(path, arcname=path.relative_to(root).as_posix(), filter=_anonymous)
    return len(files)


def unpack(archive: Path, root: Path, *, against: Object = lambda evidence: (), replace: bool = False) -> list[Path]:
    """Bring an archive's evidence into the store at ``root``; the files written.

    A machine that is not the one whose folder its name would give gets a folder of its own. What is
    there already, byte for byte, is left alone; another file of the same name is replaced only
    where ``replace`` says so.

    Everything is checked before anything is written: names, kinds and sizes of members, each
    machine's folder as the store itself reads it, then what ``against`` has to say.

    Raises:
        EvidenceError: anything about the archive is not as :func:`pack` writes it, something speaks
            against it, it would replace what is here, or the disk does not take it.
    """
    with tempfile.TemporaryDirectory() as scratch:
        staged = Path(scratch)
        names = _stage(archive, staged)
        machines = EvidenceStore(staged).read()
        if len(machines) != len({Path(name).parent for name in names}):
            raise EvidenceError(f"{archive.name}: a folder without machine.json")
        if not any(machine.records for machine in machines):
            raise EvidenceError(f"{archive.name} holds no record")
        if problems := [said for machine in machines for said in against(machine)]:
            raise EvidenceError("\n".join([f"{archive.name} is refused", *problems]))
        return _bring_in(staged, names, machines, EvidenceStore(root), replace)


def _stage(archive: Path, staged: Path) -> list[str]:
    """The archive's members below ``staged``, by name."""
    names: list[str] = []
    taken: set[str] = set()
    for name, data in _members(archive):
        # Where case does not count, one of two such files would take the other's place.
        if name.casefold() in taken:
            raise EvidenceError(f"{archive.name}: {name} is in it twice, or once more in another case")
        taken.add(name.casefold())
        target = staged / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        names.append(name)
    return names


def _bring_in(
    staged: Path, names: list[str], machines: tuple[MachineEvidence, ...], store: EvidenceStore, replace: bool
) -> list[Path]:
    folders: dict[str, Path] = {}
    for evidence in machines:
        folders[evidence.folder] = store.folder_for(evidence.machine, folders.values())
    texts = {
        folders[Path(name).parent.as_posix()] / Path(name).name: (staged / name).read_text(encoding="utf-8")
        for name in names
    }
    new = {path: text for path, text in texts.items() if not _is(path, text)}
    there = [path for path in new if path.exists()]
    if there and not replace:
        told = [_replaced(path, new[path], store.root) for path in there]
        are = f"{plural(len(there), 'file')} of it {'is' if len(there) == 1 else 'are'} here already"
        raise EvidenceError(
            "\n".join([f"{are}, with other contents; {len(new) - len(there)} would be new", *told]),
            hint="nothing was imported; --replace puts the archive's in their place, and git keeps what was committed",
        )
    _write_all(new, store.root)
    return list(new)


def _is(path: Path, text: str) -> bool:
    """Whether ``path`` holds just ``text``."""
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False


def _replaced(path: Path, text: str, root: Path) -> str:
    """``path``, and which of the two records is older, or what differs between two machine.json."""
    shown = path.relative_to(root).as_posix()
    try:
        before = path.read_text(encoding="utf-8")
        if path.name == MACHINE_FILE:
            return f"{shown}: {', '.join(_differing(parse(Machine, before, shown), parse(Machine, text, shown)))}"
        here, theirs = parse(Record, before, shown), parse(Record, text, shown)
    except (EvidenceError, OSError, ValueError):
        return shown  # neither of the two, or damaged here
    age = {-1: "older", 0: "as old", 1: "newer"}[(theirs.started > here.started) - (theirs.started < here.started)]
    return f"{shown}: here from {here.started}, in the archive from {theirs.started}, which is {age}"


def _differing(here: Machine, theirs: Machine) -> Iterator[str]:
    """Where two descriptions of one machine differ: ``software.python 3.12.3 here and 3.13.0 there``."""
    a, b = dict(_flat(here)), dict(_flat(theirs))
    for name in sorted(a.keys() | b.keys()):
        if a.get(name) != b.get(name):
            yield f"{name} {a.get(name)} here and {b.get(name)} there"


def _flat(machine: Machine) -> Iterator[tuple[str, object]]:
    for name, held in encode(machine).items():
        if isinstance(held, dict):
            yield from ((f"{name}.{inner}", item) for inner, item in held.items())
        else:
            yield name, held


def _write_all(texts: dict[Path, str], root: Path) -> None:
    """Write all files or none: each beside its place, and only then into it."""
    beside: dict[Path, Path] = {}
    made: list[Path] = []
    try:
        for path, text in texts.items():
            made += [folder for folder in (path.parent, *path.parent.parents) if not folder.exists()]
            path.parent.mkdir(parents=True, exist_ok=True)
            beside[path] = write_beside(path, text)
        for path, waiting in beside.items():
            os.replace(waiting, path)
    except BaseException as error:
        for waiting in beside.values():
            waiting.unlink(missing_ok=True)
        for folder in sorted(made, key=lambda folder: -len(folder.parts)):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
        if isinstance(error, OSError):
            said = error.strerror or str(error)
            raise EvidenceError(f"{root.name}/ cannot be written: {said}; nothing was imported") from None
        raise


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    try:
        with gzip.open(archive) as packed:
            data = packed.read(_MOST_TOTAL + 1)  # no further: a few bytes can be packed gigabytes
        if len(data) > _MOST_TOTAL:
            raise EvidenceError(f"{archive.name} is larger than evidence may be")
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            for count, member in enumerate(tar):
                # A sparse file is a plain one whose zeros the archive leaves out: a few bytes for megabytes.
                if not member.isfile() or member.issparse() or not _MEMBER.fullmatch(member.name):
                    raise EvidenceError(
                        f"{archive.name}: {member.name[:200]!r} does not belong in an archive of evidence",
                        hint="make it with `gpu100 evidence capture --bundle`",
                    )
                if member.size > _MOST_BYTES or count >= _MOST_FILES:
                    raise EvidenceError(f"{archive.name}: {member.name} is larger than evidence may be")
                file = tar.extractfile(member)
                assert file is not None  # isfile() was checked
                yield member.name, file.read()
    except (tarfile.TarError, EOFError, OSError, ValueError, zlib.error) as error:
        raise EvidenceError(f"{archive.name} cannot be read as an archive: {error}") from None
    except RecursionError:  # a member's long name may have a long name, and so on
        raise EvidenceError(f"{archive.name} cannot be read as an archive: its names have no end") from None


def _anonymous(info: tarfile.TarInfo) -> tarfile.TarInfo:
    """The same member without the owner's names and numbers."""
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    return info
