"""Evidence on its way between machines: one archive out, checked file by file on the way in."""

from __future__ import annotations

import re
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gpu100.errors import EvidenceError
from gpu100.evidence.store import EvidenceStore, write_atomically

_MEMBER = re.compile(r"[a-z0-9-]+/[\w.-]+-nvrtc[\w.-]+/(?:machine|fidelity(?:-table)?|day\d{2,3}-\w+)\.json")
_MOST_BYTES = 2 << 20
_MOST_FILES = 5_000


def pack(root: Path, archive: Path, folders: list[Path]) -> int:
    """Write the machines' ``folders`` below ``root`` as a .tar.gz; the number of files in it."""
    files = sorted(path for folder in folders for path in folder.glob("[!.]*.json"))
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "w:gz") as tar:
        for path in files:
            tar.add(path, arcname=path.relative_to(root).as_posix(), filter=_anonymous)
    return len(files)


def unpack(archive: Path, root: Path) -> list[Path]:
    """Bring an archive's evidence into the store at ``root``; the files written.

    A machine that is not the one whose folder its name would give gets a folder of its own.

    Everything is checked before anything is written: names, kinds and sizes of members, then
    each machine's folder as the store itself reads it.

    Raises:
        EvidenceError: anything about the archive is not as :func:`pack` writes it.
    """
    with tempfile.TemporaryDirectory() as scratch:
        staged = Path(scratch)
        names = []
        for name, data in _members(archive):
            target = staged / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            names.append(name)
        machines = EvidenceStore(staged).read()
        if len(machines) != len({Path(name).parent for name in names}):
            raise EvidenceError(f"{archive.name}: a folder without machine.json")
        if not any(machine.records for machine in machines):
            raise EvidenceError(f"{archive.name} holds no record")
        targets = {evidence.folder: EvidenceStore(root).folder_for(evidence.machine) for evidence in machines}
        written = [(staged / name, targets[Path(name).parent.as_posix()] / Path(name).name) for name in names]
        for source, target in written:
            write_atomically(target, source.read_text(encoding="utf-8"))
    return [target for _, target in written]


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    try:
        with tarfile.open(archive, "r:*") as tar:
            for count, member in enumerate(tar):
                if not member.isfile() or not _MEMBER.fullmatch(member.name):
                    raise EvidenceError(
                        f"{archive.name}: {member.name!r} does not belong in an archive of evidence",
                        hint="make it with `gpu100 evidence capture --bundle`",
                    )
                if member.size > _MOST_BYTES or count >= _MOST_FILES:
                    raise EvidenceError(f"{archive.name}: {member.name} is larger than evidence may be")
                file = tar.extractfile(member)
                assert file is not None  # isfile() was checked
                yield member.name, file.read()
    except (tarfile.TarError, EOFError, OSError) as error:
        raise EvidenceError(f"{archive.name} cannot be read as an archive: {error}") from None


def _anonymous(info: tarfile.TarInfo) -> tarfile.TarInfo:
    """The same member without the owner's names and numbers."""
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    return info
