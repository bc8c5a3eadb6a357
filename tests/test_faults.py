"""What a capture or an import meets on a bad day: nothing that was whole is lost, and it is said."""

from __future__ import annotations

import dataclasses
import errno
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from gpu100.capture.plan import jobs_of
from gpu100.capture.run import capture
from gpu100.content.course import load_course
from gpu100.errors import EvidenceError
from gpu100.evidence import store as stores
from gpu100.evidence.bundle import pack, unpack
from gpu100.evidence.schema import dump
from gpu100.evidence.store import EvidenceStore
from gpu100.model.machine import Machine
from gpu100.model.record import Record
from gpu100.paths import Layout
from killing import workers


@pytest.fixture
def store(tmp_path: Path) -> EvidenceStore:
    return EvidenceStore(tmp_path / "evidence")


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def fails(code: int, after: int) -> object:
    """``os.fsync`` on a disk that takes ``after`` more files."""
    left = [after]

    def fsync(handle: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(code, os.strerror(code))

    return fsync


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EIO])
def test_a_disk_that_takes_no_record_is_told_and_keeps_the_old_one(
    store: EvidenceStore, h200: Machine, record: Record, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    folder = store.write_machine(h200)
    store.write(folder, record)
    before = files(store.root)
    monkeypatch.setattr(stores.os, "fsync", fails(code, 0))
    with pytest.raises(EvidenceError) as caught:
        store.write(folder, dataclasses.replace(record, seconds=9.0))
    assert caught.value.message == f"day02-twice.json cannot be written: {os.strerror(code)}"
    assert "goes on from there" in (caught.value.hint or "")
    with pytest.raises(EvidenceError, match=r"machine\.json cannot be written"):
        store.write_machine(h200)
    assert files(store.root) == before


def test_a_folder_that_may_not_be_written_to_is_told(store: EvidenceStore, h200: Machine, record: Record) -> None:
    # A file where the folder would be: a root user may write to a read-only folder.
    store.root.parent.mkdir(parents=True, exist_ok=True)
    store.root.write_text("")
    with pytest.raises(EvidenceError, match="cannot be written"):
        store.write_machine(h200)


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_told(store: EvidenceStore, h200: Machine, record: Record) -> None:
    folder = store.write_machine(h200)
    folder.chmod(0o500)
    try:
        with pytest.raises(EvidenceError, match="Permission denied"):
            store.write(folder, record)
    finally:
        folder.chmod(0o700)


def test_a_disk_that_fills_up_in_an_import_leaves_nothing_of_it(
    tmp_path: Path, h200: Machine, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs, ours = EvidenceStore(tmp_path / "theirs"), EvidenceStore(tmp_path / "ours")
    folder = theirs.write_machine(h200)
    for day in range(1, 21):
        theirs.write(folder, dataclasses.replace(record, day=day))
    pack(theirs.root, tmp_path / "a.tar.gz", [folder])
    ours.write(ours.write_machine(h200), dataclasses.replace(record, day=3, seconds=9.0))
    before = files(ours.root)
    for after in (0, 1, 12):
        with monkeypatch.context() as patch:
            patch.setattr(stores.os, "fsync", fails(errno.ENOSPC, after))
            for root in (ours.root, tmp_path / "new" / "evidence"):
                with pytest.raises(EvidenceError, match="No space left on device; nothing was imported"):
                    unpack(tmp_path / "a.tar.gz", root, replace=True)
    assert files(ours.root) == before
    assert not (tmp_path / "new").exists()


def test_a_real_limit_of_the_system_is_told_by_the_command(
    layout: Layout, h200: Machine, record: Record, tmp_path: Path
) -> None:
    theirs = EvidenceStore(tmp_path / "theirs")
    folder = theirs.write_machine(dataclasses.replace(h200, gpus=2))
    theirs.write(folder, dataclasses.replace(record, day=2, program="twice"))
    pack(theirs.root, tmp_path / "a.tar.gz", [folder])
    program = (
        "import resource, signal, sys, gpu100.evidence.bundle as b, gpu100.evidence.store as s\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "real = b._write_all\n"
        "def small(*args):\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "    real(*args)\n"
        "b._write_all = small\n"
        "from gpu100.cli import main\n"
        "sys.argv = ['gpu100', 'evidence', 'import', sys.argv[1]]\n"
        "main()\n"
    )
    before = files(layout.evidence)
    command = [sys.executable, "-c", program, str(tmp_path / "a.tar.gz")]
    ran = subprocess.run(command, cwd=layout.root, capture_output=True, text=True, check=False)
    assert ran.returncode == 1, ran.stderr
    assert "nothing was imported" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert files(layout.evidence) == before


# --- a GPU that is gone ---

GONE = """

# %%
from pathlib import Path
from gpu100.errors import DeviceError, NoDevice
if Path("gone").exists():
    raise {error}
Path("gone").touch()
"""


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ('NoDevice("the driver finds no GPU here")', "the driver finds no GPU here"),
        ('DeviceError("CUDA_ERROR_DEVICE_UNAVAILABLE: synchronize")', "CUDA_ERROR_DEVICE_UNAVAILABLE: synchronize"),
    ],
)
def test_a_gpu_that_disappears_between_two_runs_fails_the_rest_and_nothing_else(
    mini: Layout, h200: Machine, error: str, reason: str
) -> None:
    """The first program runs twice; the GPU is gone in the second run of the second."""
    path = mini.code / "day02-twice" / "twice.py"
    path.write_text(path.read_text(encoding="utf-8") + GONE.format(error=error), encoding="utf-8")
    store = EvidenceStore(mini.evidence)
    jobs = jobs_of(load_course(mini).days, mini)
    done = [step.record for step in capture(jobs, mini, h200, store, store.write_machine(h200))]
    assert [(record.program, record.status, record.reason) for record in done] == [
        ("hello", "ok", None), ("twice", "cuda-error", reason),
    ]  # fmt: skip
    assert [record.status for record in store.read()[0].records] == ["ok", "cuda-error"]


# --- Ctrl-C, twice ---

CHILD = """
import signal
import sys
from pathlib import Path
import gpu100.cli.capture as command
from gpu100.evidence.schema import parse
from gpu100.model.machine import Machine

machine = parse(Machine, Path(sys.argv[1]).read_text(), "machine")
command.describe_machine = lambda root: machine
# Where tests run in the background, children are born deaf to it.
signal.signal(signal.SIGINT, signal.default_int_handler)
from gpu100.cli import main
sys.argv = ["gpu100", "evidence", "capture", "--force", "--lanes", "run"]
main()
"""
ROUNDS = 6


def test_ctrl_c_twice_ends_a_capture_and_loses_no_finished_record(mini: Layout, h200: Machine, tmp_path: Path) -> None:
    described = tmp_path / "machine.json"
    described.write_text(dump(h200), encoding="utf-8")
    path = mini.code / "day02-twice" / "twice.py"
    path.write_text("# %%\nimport time\ntime.sleep(60)\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    choose = random.Random(5)
    for _ in range(ROUNDS):
        child = subprocess.Popen(
            [sys.executable, "-u", "-c", CHILD, str(described)],
            cwd=mini.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert child.stdout is not None
        told = ""
        while "hello: ok" not in told:  # the first program is done, the second will sleep
            line = child.stdout.readline()
            assert line, (told, child.communicate()[1])
            told += line
        child.send_signal(signal.SIGINT)
        time.sleep(choose.choice([0.0, 0.005, 0.02, 0.1]))
        if child.poll() is None:
            child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=20)
        assert child.returncode in (130, 1, -signal.SIGINT), out
        (evidence,) = EvidenceStore(mini.evidence).read()
        assert [(record.program, record.status) for record in evidence.records] == [("hello", "ok")]
        patience = time.monotonic() + 10
        while workers(mini.root) and time.monotonic() < patience:
            time.sleep(0.05)
        assert workers(mini.root) == [], "an interrupted capture left its program running"
