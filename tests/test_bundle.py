"""Archives of evidence: what comes in is checked file by file, and refused whole."""

from __future__ import annotations

import dataclasses
import gzip
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from gpu100.errors import EvidenceError
from gpu100.evidence.bundle import pack, unpack
from gpu100.evidence.schema import dump
from gpu100.evidence.store import EvidenceStore
from gpu100.model.machine import Machine
from gpu100.model.record import Record

FOLDER = "h200/580.159.04-nvrtc13.0.88"
RECORD = f"{FOLDER}/day02-twice.json"
MACHINE = f"{FOLDER}/machine.json"


@pytest.fixture
def files(h200: Machine, record: Record) -> dict[str, str]:
    """What a good archive holds."""
    return {MACHINE: dump(h200), RECORD: dump(record)}


@pytest.fixture
def archive(tmp_path: Path, h200: Machine, record: Record) -> Path:
    """An archive as a capture makes it."""
    store = EvidenceStore(tmp_path / "theirs")
    folder = store.write_machine(h200)
    store.write(folder, record)
    pack(store.root, tmp_path / "evidence.tar.gz", [folder])
    return tmp_path / "evidence.tar.gz"


@pytest.fixture
def refused(tmp_path: Path) -> Callable[[Path], str]:
    """Try to bring an archive in; the refusal, once it is sure that nothing was written."""

    def attempt(archive: Path) -> str:
        ours = tmp_path / "ours" / "evidence"
        with pytest.raises(EvidenceError) as caught:
            unpack(archive, ours)
        assert not (tmp_path / "ours").exists(), "something was written"
        return caught.value.message

    return attempt


def make(path: Path, files: dict[str, str], *odd: tarfile.TarInfo) -> Path:
    """An archive with ``files``, and members that are something else."""
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            data = text.encode()
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        for info in odd:
            tar.addfile(info, io.BytesIO(b"\0" * info.size))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "", size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, target, size
    return info


def test_evidence_comes_through_an_archive_unchanged(
    archive: Path, tmp_path: Path, h200: Machine, record: Record
) -> None:
    ours = EvidenceStore(tmp_path / "ours")
    written = unpack(archive, ours.root)
    assert written == [ours.root / RECORD, ours.root / MACHINE]
    (machine,) = ours.read()
    assert (machine.machine, machine.records) == (h200, (record,))
    assert (ours.root / RECORD).read_bytes() == (tmp_path / "theirs" / RECORD).read_bytes()


def test_packing_counts_its_files_and_leaves_half_written_ones(tmp_path: Path, archive: Path) -> None:
    folder = tmp_path / "theirs" / FOLDER
    (folder / ".day02-twice.json.x7").write_text("half")
    assert pack(tmp_path / "theirs", tmp_path / "again.tar.gz", [folder]) == 2
    with tarfile.open(tmp_path / "again.tar.gz") as tar:
        assert tar.getnames() == [RECORD, MACHINE]


def test_an_archive_says_nothing_of_who_made_it(archive: Path) -> None:
    with tarfile.open(archive) as tar:
        members = tar.getmembers()
    assert members
    assert {(m.uid, m.gid, m.uname, m.gname) for m in members} == {(0, 0, "", "")}


def test_an_archive_made_by_hand_is_accepted(tmp_path: Path, files: dict[str, str]) -> None:
    # The refusals below differ from it in one thing each.
    assert len(unpack(make(tmp_path / "a.tar.gz", files), tmp_path / "ours")) == 2


def test_a_name_that_leads_out_is_refused(
    tmp_path: Path, files: dict[str, str], refused: Callable[[Path], str]
) -> None:
    for name in (f"../{RECORD}", f"{FOLDER}/../../../day02-twice.json", f"./{RECORD}", f"h200//{RECORD}"):
        assert repr(name) in refused(make(tmp_path / "a.tar.gz", files | {name: "{}"}))


def test_an_absolute_name_is_refused(tmp_path: Path, files: dict[str, str], refused: Callable[[Path], str]) -> None:
    name = f"{tmp_path}/{RECORD}"
    assert "does not belong" in refused(make(tmp_path / "a.tar.gz", files | {name: "{}"}))


def test_a_foreign_file_is_refused(tmp_path: Path, files: dict[str, str], refused: Callable[[Path], str]) -> None:
    for name in (f"{FOLDER}/notes.txt", "machine.json", f"{FOLDER}/.hidden.json", f"{FOLDER}/day02-x.json\n"):
        assert "does not belong" in refused(make(tmp_path / "a.tar.gz", files | {name: "{}"}))


def test_members_that_are_no_plain_files_are_refused(
    tmp_path: Path, files: dict[str, str], refused: Callable[[Path], str]
) -> None:
    name = f"{FOLDER}/day03-link.json"
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
        assert "does not belong" in refused(make(tmp_path / "a.tar.gz", files, member(name, kind, RECORD)))


def test_a_link_to_the_outside_is_refused(
    tmp_path: Path, files: dict[str, str], refused: Callable[[Path], str]
) -> None:
    del files[RECORD]
    odd = member(RECORD, tarfile.SYMTYPE, "/etc/passwd")
    assert "does not belong" in refused(make(tmp_path / "a.tar.gz", files, odd))


def test_a_name_twice_or_in_another_case_is_refused(
    tmp_path: Path, files: dict[str, str], refused: Callable[[Path], str]
) -> None:
    said = "is in it twice, or once more in another case"
    assert said in refused(make(tmp_path / "a.tar.gz", files, member(RECORD)))
    assert said in refused(make(tmp_path / "a.tar.gz", files | {RECORD.replace("twice", "TWICE"): files[RECORD]}))


def test_a_sparse_member_is_refused(tmp_path: Path, refused: Callable[[Path], str]) -> None:
    """Zeros that the archive leaves out: a thousand bytes would be written as two hundred million."""
    path = tmp_path / "a.tar.gz"
    path.write_bytes(gzip.compress(b"".join(sparse(f"{FOLDER}/day{day}-x.json") for day in range(10, 99))))
    assert "does not belong" in refused(path)


def sparse(name: str, size: int = 2 << 20) -> bytes:
    """The header of a sparse member in GNU's format that is ``size`` zeros, and has no data."""
    header = bytearray(member(name, tarfile.GNUTYPE_SPARSE).tobuf(tarfile.GNU_FORMAT)[:512])
    header[386:483] = bytes(97)
    header[483:495] = b"%011o " % size
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header)


def test_long_names_of_long_names_are_refused(tmp_path: Path, refused: Callable[[Path], str]) -> None:
    long = member("././@LongLink", tarfile.GNUTYPE_LONGNAME, size=5).tobuf(tarfile.GNU_FORMAT)
    path = tmp_path / "a.tar.gz"
    path.write_bytes(gzip.compress((long + b"name".ljust(512, b"\0")) * 3000))
    assert "its names have no end" in refused(path)


def test_an_oversized_member_is_refused(tmp_path: Path, files: dict[str, str], refused: Callable[[Path], str]) -> None:
    odd = member(f"{FOLDER}/day03-huge.json", size=3 << 20)
    assert "larger than evidence may be" in refused(make(tmp_path / "a.tar.gz", files, odd))


def test_too_many_members_are_refused(tmp_path: Path, files: dict[str, str], refused: Callable[[Path], str]) -> None:
    odd = [member(f"{FOLDER}/day03-p{i}.json") for i in range(5_000)]
    assert "larger than evidence may be" in refused(make(tmp_path / "a.tar.gz", files, *odd))


def test_a_folder_without_its_machine_is_refused(
    tmp_path: Path, files: dict[str, str], refused: Callable[[Path], str]
) -> None:
    assert "without machine.json" in refused(make(tmp_path / "a.tar.gz", {RECORD: files[RECORD]}))


def test_one_of_two_folders_without_its_machine_is_refused(
    tmp_path: Path, files: dict[str, str], refused: Callable[[Path], str]
) -> None:
    files["t4/580.1-nvrtc13.0.88/day02-twice.json"] = files[RECORD]
    assert "without machine.json" in refused(make(tmp_path / "a.tar.gz", files))


def test_a_machine_without_a_record_is_refused(
    tmp_path: Path, files: dict[str, str], refused: Callable[[Path], str]
) -> None:
    assert "holds no record" in refused(make(tmp_path / "a.tar.gz", {MACHINE: files[MACHINE]}))


def test_an_empty_archive_is_refused(tmp_path: Path, refused: Callable[[Path], str]) -> None:
    assert "holds no record" in refused(make(tmp_path / "a.tar.gz", {}))


def test_an_edited_record_is_refused(tmp_path: Path, files: dict[str, str], refused: Callable[[Path], str]) -> None:
    data = json.loads(files[RECORD])
    data["predictions"]["last-block-full"]["outcome"] = "held"
    files[RECORD] = json.dumps(data)
    assert f"{RECORD} is not what was captured" in refused(make(tmp_path / "a.tar.gz", files))


def test_a_record_of_another_machine_is_refused(
    tmp_path: Path, t4: Machine, record: Record, refused: Callable[[Path], str]
) -> None:
    folder = "tesla-t4/580.95.05-nvrtc13.0.88"
    files = {f"{folder}/machine.json": dump(t4), f"{folder}/day02-twice.json": dump(record)}
    assert "not on this folder's machine" in refused(make(tmp_path / "a.tar.gz", files))


def test_one_bad_record_keeps_the_good_ones_out(
    tmp_path: Path, files: dict[str, str], record: Record, refused: Callable[[Path], str]
) -> None:
    other = dataclasses.replace(record, day=1, program="hello")
    files[f"{FOLDER}/day01-hello.json"] = dump(other).replace("held", "hold")
    assert "day01-hello.json is not what was captured" in refused(make(tmp_path / "a.tar.gz", files))


def test_a_file_that_is_no_archive_is_refused(tmp_path: Path, refused: Callable[[Path], str]) -> None:
    path = tmp_path / "a.tar.gz"
    for data in (b"", b"not an archive", b"\x1f\x8b" + b"\0" * 40, b"PK\x03\x04" + b"\0" * 600):
        path.write_bytes(data)
        assert refused(path)


def test_a_truncated_archive_is_refused(archive: Path, refused: Callable[[Path], str]) -> None:
    data = archive.read_bytes()
    for end in range(1, len(data) - 64, 97):
        archive.write_bytes(data[:end])
        assert refused(archive)


def test_a_damaged_archive_is_refused_or_brings_what_was_packed(archive: Path, tmp_path: Path) -> None:
    data = bytearray(archive.read_bytes())
    theirs = {name: (tmp_path / "theirs" / name).read_bytes() for name in (RECORD, MACHINE)}
    refusals = 0
    for i in range(0, len(data), 11):
        data[i] ^= 0x55
        archive.write_bytes(data)
        data[i] ^= 0x55
        ours = tmp_path / f"ours{i}"
        try:
            unpack(archive, ours)
        except EvidenceError:
            refusals += 1
            assert not ours.exists()
        else:
            assert {name: (ours / name).read_bytes() for name in theirs} == theirs
    assert refusals
