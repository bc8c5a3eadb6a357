"""Evidence on disk: where each file belongs, and that it is written whole or not at all."""

from __future__ import annotations

import dataclasses
import os
import stat
from pathlib import Path

import pytest
from gpu100.errors import EvidenceError
from gpu100.evidence.schema import dump
from gpu100.evidence.store import EvidenceStore, write_atomically
from gpu100.model.machine import Machine
from gpu100.model.record import Record


@pytest.fixture
def store(tmp_path: Path) -> EvidenceStore:
    return EvidenceStore(tmp_path / "evidence")


@pytest.fixture
def folder(store: EvidenceStore, h200: Machine, record: Record) -> Path:
    """An H200's folder with one record in it."""
    folder = store.write_machine(h200)
    store.write(folder, record)
    return folder


def refusal(store: EvidenceStore) -> EvidenceError:
    with pytest.raises(EvidenceError) as caught:
        store.read()
    return caught.value


def test_a_store_without_evidence_is_empty(store: EvidenceStore) -> None:
    assert store.read() == ()


def test_what_was_written_is_read(store: EvidenceStore, folder: Path, h200: Machine, record: Record) -> None:
    (machine,) = store.read()
    assert folder == store.root / "h200" / "580.159.04-nvrtc13.0.88"
    assert machine.folder == "h200/580.159.04-nvrtc13.0.88"
    assert (machine.machine, machine.records) == (h200, (record,))
    assert machine.record(2, "twice") == record
    assert machine.record(1, "twice") is None
    assert (folder / "day02-twice.json").is_file()


def test_a_second_machine_of_the_same_kind_has_a_number(store: EvidenceStore, folder: Path) -> None:
    folder.rename(folder.with_name(f"{folder.name}-2"))
    assert [machine.folder for machine in store.read()] == ["h200/580.159.04-nvrtc13.0.88-2"]


def test_a_machine_in_the_wrong_folder_is_refused(store: EvidenceStore, folder: Path) -> None:
    folder.rename(folder.with_name("570.1-nvrtc13.0.88"))
    assert "describes h200/580.159.04-nvrtc13.0.88, not the folder it lies in" in refusal(store).message


def test_a_machine_below_the_wrong_gpu_is_refused(store: EvidenceStore, folder: Path) -> None:
    folder.parent.rename(store.root / "h100")
    assert "describes h200/" in refusal(store).message


def test_a_record_of_another_machine_is_refused(
    store: EvidenceStore, folder: Path, t4: Machine, record: Record
) -> None:
    store.write(store.write_machine(t4), record)
    assert "was compiled for sm_90 by NVRTC 13.0.88, not on this folder's machine" in refusal(store).message


def test_a_record_of_another_compiler_is_refused(store: EvidenceStore, folder: Path, record: Record) -> None:
    assert record.compiler is not None
    older = dataclasses.replace(record, compiler=dataclasses.replace(record.compiler, nvrtc="12.9.86"))
    store.write(folder, older)
    assert "by NVRTC 12.9.86" in refusal(store).message


def test_a_record_for_the_machines_own_variant_belongs_to_it(
    store: EvidenceStore, folder: Path, record: Record
) -> None:
    assert record.compiler is not None
    specific = dataclasses.replace(record, compiler=dataclasses.replace(record.compiler, arch="sm_90a"))
    store.write(folder, specific)
    assert store.read()[0].records == (specific,)


def test_a_record_under_the_wrong_name_is_refused(store: EvidenceStore, folder: Path) -> None:
    (folder / "day02-twice.json").rename(folder / "day03-twice.json")
    assert "day03-twice.json holds the record of day02-twice.json" in refusal(store).message


def test_a_foreign_file_is_refused(store: EvidenceStore, folder: Path) -> None:
    (folder / "notes.txt").write_text("measured on a Tuesday")
    error = refusal(store)
    assert error.message == "h200/580.159.04-nvrtc13.0.88/notes.txt is no record"
    assert error.hint == "machine.json and dayNN-program.json belong here"


def test_a_folder_among_records_is_refused(store: EvidenceStore, folder: Path) -> None:
    (folder / "day04-more.json").mkdir()
    assert "is no record" in refusal(store).message


def test_a_link_among_records_is_refused(store: EvidenceStore, folder: Path, tmp_path: Path) -> None:
    outside = (folder / "day02-twice.json").rename(tmp_path / "outside.json")
    (folder / "day02-twice.json").symlink_to(outside)
    assert "is no record" in refusal(store).message


def test_a_record_that_is_not_utf8_is_refused(store: EvidenceStore, folder: Path, record: Record) -> None:
    path = folder / "day02-twice.json"
    path.write_bytes(dump(record).replace("idle", "caf\xe9").encode("latin-1"))
    assert "is not UTF-8: byte" in refusal(store).message


def test_a_half_written_neighbor_is_passed_over(store: EvidenceStore, folder: Path) -> None:
    (folder / ".day02-twice.json.x7").write_text('{"schema": ')
    assert len(store.read()[0].records) == 1


def test_a_truncated_record_is_refused(store: EvidenceStore, folder: Path) -> None:
    path = folder / "day02-twice.json"
    path.write_text(path.read_text()[:200])
    assert "is not JSON" in refusal(store).message


def test_a_failing_write_leaves_the_old_file_and_nothing_else(store: EvidenceStore, folder: Path) -> None:
    path = folder / "day02-twice.json"
    before = path.read_bytes()
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "half of it \ud800")
    assert path.read_bytes() == before
    assert sorted(os.listdir(folder)) == ["day02-twice.json", "machine.json"]


def test_a_write_onto_something_that_cannot_be_replaced_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "record.json" / "inside").mkdir(parents=True)
    with pytest.raises(IsADirectoryError):
        write_atomically(tmp_path / "record.json", "text")
    assert os.listdir(tmp_path) == ["record.json"]


def test_a_written_file_has_unix_line_ends_and_is_readable_by_all(tmp_path: Path) -> None:
    path = tmp_path / "new" / "record.json"
    write_atomically(path, "one\ntwo\n")
    assert path.read_bytes() == b"one\ntwo\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
