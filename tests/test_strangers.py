"""Whatever a stranger can send: a message and exit 1, and nothing brought in."""

from __future__ import annotations

import copy
import dataclasses
import io
import json
import os
import random
import shutil
import string
import tarfile
import tempfile
import time
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from gpu100.content.course import load_course
from gpu100.decode import encode
from gpu100.errors import EvidenceError
from gpu100.evidence import bundle
from gpu100.evidence.bundle import pack, unpack
from gpu100.evidence.check import check_evidence, objections
from gpu100.evidence.schema import dump
from gpu100.evidence.store import EvidenceStore
from gpu100.fingerprint import json_digest
from gpu100.model.course import Course
from gpu100.model.machine import Machine
from gpu100.model.record import CellOutput, Record
from gpu100.paths import Layout
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_cli import gpu100

FOLDER = "h200/580.159.04-nvrtc13.0.88"
MINI = Path(__file__).parent / "mini"
Files = dict[str, bytes]


def sealed(data: Any) -> bytes:
    """``data`` with the digest that a stranger can work out as well as anybody."""
    data = {name: item for name, item in data.items() if name != "digest"}
    return json.dumps(data | {"digest": json_digest(data)}, ensure_ascii=False).encode()


def packed(path: Path, files: Files) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


@pytest.fixture(scope="module")
def mini_course() -> Course:
    return load_course(Layout(MINI))


@pytest.fixture(scope="module")
def good(h200: Machine, record: Record) -> Files:
    """An archive's files to which nobody objects."""
    return {f"{FOLDER}/machine.json": dump(h200).encode(), f"{FOLDER}/day02-twice.json": dump(record).encode()}


def changed(good: Files, **changes: object) -> Files:
    """The same with the record's fields changed, and sealed anew."""
    name = f"{FOLDER}/day02-twice.json"
    return good | {name: sealed(json.loads(good[name]) | changes)}


def described(good: Files, change: Callable[[dict[str, Any]], object]) -> Files:
    """The same with another machine.json, sealed anew."""
    name = f"{FOLDER}/machine.json"
    data = json.loads(good[name])
    change(data)
    return good | {name: sealed(data)}


def nested(depth: int) -> bytes:
    return b'{"schema": 1, "a": ' + b"[" * depth + b"]" * depth + b"}"


def moved(good: Files, folder: str) -> Files:
    return {f"{folder}/{name.rsplit('/', 1)[1]}": data for name, data in good.items()}


RECORD = f"{FOLDER}/day02-twice.json"
LONG = [{"cell": 1, "stdout": ["x" * 1000] * 50_000}]
BAD: dict[str, Callable[[Files], Files]] = {
    "another GPU in the folder's name": lambda good: moved(good, "h100/580.159.04-nvrtc13.0.88"),
    "another driver in the folder's name": lambda good: moved(good, "h200/590.1-nvrtc13.0.88"),
    "the folder in capitals": lambda good: moved(good, "H200/580.159.04-nvrtc13.0.88"),
    "the record in capitals": lambda good: {name.replace("twice", "Twice"): data for name, data in good.items()},
    "the record twice, in two cases": lambda good: good | {RECORD.replace("twice", "TWICE"): good[RECORD]},
    "a name in another Unicode form": lambda good: good
    | {unicodedata.normalize("NFD", RECORD.replace("twice", "größe")): good[RECORD]},
    "a name in full-width digits": lambda good: good | {RECORD.replace("02", "０２"): good[RECORD]},
    "a day that does not exist": lambda good: good
    | {RECORD.replace("02", "99"): sealed(json.loads(good[RECORD]) | {"day": 99})},
    "a program that does not exist": lambda good: good
    | {RECORD.replace("twice", "thrice"): sealed(json.loads(good[RECORD]) | {"program": "thrice"})},
    "a record of another architecture": lambda good: changed(
        good, compiler={"arch": "sm_75", "nvrtc": "13.0.88", "options": []}
    ),
    "a record that ran elsewhere": lambda good: changed(
        good, transcript=[{"cell": 1, "stdout": ["Tesla T4, compute capability 7.5"]}]
    ),
    "a value edited": lambda good: good | {RECORD: good[RECORD].replace(b"82.8", b"99.9", 1)},
    "a time to come": lambda good: changed(good, started="2999-01-01T00:00:00Z"),
    "a transcript of 50 MB": lambda good: changed(good, transcript=LONG),
    "a number that is none": lambda good: good | {RECORD: good[RECORD].replace(b"82.8", b"NaN", 1)},
    "an infinity": lambda good: good | {RECORD: good[RECORD].replace(b"82.8", b"-Infinity", 1)},
    "an infinity by another name": lambda good: good
    | {RECORD: sealed(json.loads(good[RECORD]) | {"seconds": float("inf")}).replace(b"Infinity", b"1e999")},
    "nesting without end": lambda good: good | {RECORD: nested(100_000)},
    "nesting near the limit": lambda good: good | {RECORD: nested(900)},
    "an unknown field": lambda good: changed(good, hostname="bench-7"),
    "a home folder in a line": lambda good: changed(
        good, transcript=[{"cell": 1, "stdout": ["read /home/maria/data.bin"]}]
    ),
    "a lane of a time to come": lambda good: changed(
        good, lanes={"native": {"kind": "native", "status": "ok", "started": "2999-01-01T00:00:00Z"}}
    ),
    "a name that is a heading": lambda good: changed(
        good, predictions={"x\n## Check\n": {"outcome": "held", "claim": "0" * 16}}
    ),
    "another key than its parts make": lambda good: changed(good, key={"digest": "0" * 64, "parts": {}}),
    "a GPU called like an element": lambda good: described(good, lambda m: m["gpu"].update(name="NVIDIA <b>H200</b>")),
    "a driver called like a path": lambda good: described(good, lambda m: m["driver"].update(version="../../x")),
    "a capability that is none": lambda good: described(good, lambda m: m["gpu"].update(capability="nine")),
    "more memory than there is": lambda good: described(good, lambda m: m["gpu"].update(memory_bytes=10**300)),
    "a model of a GPU": lambda good: described(good, lambda m: m["gpu"].update(name="NVIDIA H200 (SIMT model)")),
    "text that is not UTF-8": lambda good: good | {RECORD: good[RECORD].replace(b"idle", b"caf\xe9", 1)},
    "half a surrogate pair": lambda good: good | {RECORD: good[RECORD].replace(b"idle", b"\\ud800", 1)},
    "an empty file": lambda good: good | {RECORD: b""},
    "a NUL in a name": lambda good: good | {f"{FOLDER}/day02-x\0.json": good[RECORD]},
}  # fmt: skip


def refusal(files: Files, course: Course) -> str:
    """The refusal of an archive, once it is sure that nothing was written."""
    with tempfile.TemporaryDirectory() as scratch:
        ours = Path(scratch) / "evidence"
        with pytest.raises(EvidenceError) as caught:
            unpack(packed(Path(scratch) / "a.tar.gz", files), ours, against=partial(objections, course, Layout(MINI)))
        assert caught.value.exit_code == 1
        assert os.listdir(scratch) == ["a.tar.gz"]
        return str(caught.value)


def test_the_good_archive_is_accepted(good: Files, mini_course: Course, tmp_path: Path) -> None:
    archive = packed(tmp_path / "a.tar.gz", good)
    assert len(unpack(archive, tmp_path / "evidence", against=partial(objections, mini_course, Layout(MINI)))) == 2


@pytest.mark.parametrize("what", BAD)
def test_a_bad_archive_is_refused_whole(good: Files, mini_course: Course, what: str) -> None:
    said = refusal(BAD[what](good), mini_course)
    assert len(said) < 2000, "a message, not a copy of what was sent"


@pytest.mark.parametrize("what", [what for what in BAD if "NUL" not in what])
def test_the_same_in_a_request_fails_the_check(good: Files, what: str, layout: Layout) -> None:
    shutil.rmtree(layout.evidence)
    for name, data in BAD[what](good).items():
        path = layout.evidence / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    report = check_evidence(load_course(layout), layout)
    here = [said for said in report.problems if "is published, and" not in said]
    assert here, "nothing was found"


def test_links_in_a_request_are_found(layout: Layout, tmp_path: Path) -> None:
    folder = next(layout.evidence.glob("h200/*"))
    outside = tmp_path / "outside"
    shutil.move(folder, outside)
    folder.symlink_to(outside)
    assert any("is a link" in said for said in check_evidence(load_course(layout), layout).problems)


def test_the_command_tells_and_ends_with_1(layout: Layout, good: Files, tmp_path: Path) -> None:
    before = sorted(layout.evidence.rglob("*"))
    archive = packed(tmp_path / "bad.tar.gz", BAD["a time to come"](good))
    ran = gpu100("evidence", "import", archive, "--replace", within=layout.root)
    assert ran.returncode == 1
    assert "which is yet to come" in ran.stderr
    assert sorted(layout.evidence.rglob("*")) == before


# --- what is here already ---


def test_records_that_are_here_are_not_replaced_unasked(
    tmp_path: Path, h200: Machine, record: Record, good: Files
) -> None:
    ours = EvidenceStore(tmp_path / "ours")
    newer = dataclasses.replace(record, started="2026-09-09T00:00:00Z")
    ours.write(ours.write_machine(h200), newer)
    archive = packed(tmp_path / "a.tar.gz", good)
    with pytest.raises(EvidenceError) as caught:
        unpack(archive, ours.root)
    assert "1 file of it is here already, with other contents; 0 would be new" in caught.value.message
    assert "here from 2026-09-09T00:00:00Z, in the archive from 2026-03-04T05:06:07Z, which is older" in str(
        caught.value
    )
    assert "--replace" in (caught.value.hint or "")
    assert ours.read()[0].records == (newer,)
    assert unpack(archive, ours.root, replace=True) == [ours.root / RECORD]
    assert ours.read()[0].records == (record,)
    assert unpack(archive, ours.root) == []  # byte for byte the same: nothing to ask


def test_what_differs_between_two_descriptions_of_a_machine_is_told(tmp_path: Path, h200: Machine, good: Files) -> None:
    ours = EvidenceStore(tmp_path / "ours")
    ours.write_machine(dataclasses.replace(h200, software=dataclasses.replace(h200.software, python="3.11.2")))
    with pytest.raises(EvidenceError) as caught:
        unpack(packed(tmp_path / "a.tar.gz", good), ours.root)
    assert caught.value.message.splitlines() == [
        "1 file of it is here already, with other contents; 1 would be new",
        f"{FOLDER}/machine.json: software.python 3.11.2 here and {h200.software.python} there",
    ]


def test_another_machine_of_the_kind_does_not_meet_it(
    tmp_path: Path, h200: Machine, record: Record, good: Files
) -> None:
    ours = EvidenceStore(tmp_path / "ours")
    other = dataclasses.replace(h200, gpu=dataclasses.replace(h200.gpu, power_limit_watts=500.0))
    ours.write(ours.write_machine(other), dataclasses.replace(record, seconds=9.0))
    written = unpack(packed(tmp_path / "a.tar.gz", good), ours.root)
    assert {path.parent.name for path in written} == {"580.159.04-nvrtc13.0.88-2"}


def test_a_bomb_is_not_unpacked(tmp_path: Path, good: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "_MOST_TOTAL", 100_000)
    files = good | {f"{FOLDER}/day{day:02d}-x.json": b" " * 5_000 for day in range(3, 30)}
    with pytest.raises(EvidenceError, match="larger than evidence may be"):
        unpack(packed(tmp_path / "a.tar.gz", files), tmp_path / "ours")


# --- by chance ---

ODD = [None, True, -1, 10**400, 1e308, "", "x" * 1000, "<script>alert(1)</script>", "../../etc/passwd", [], {}, [[[]]],
       {"kind": "measured"}, "\u202egnp", "０", "a\0b", -0.0, ["x"], {"a": {"b": []}}]  # fmt: skip


def spots(data: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place in JSON data."""
    yield at
    if isinstance(data, dict | list):
        for key, item in data.items() if isinstance(data, dict) else enumerate(data):
            yield from spots(item, (*at, key))


def put(data: Any, at: tuple[str | int, ...], item: Any) -> Any:
    if not at:
        return item
    spot = data
    for key in at[:-1]:
        spot = spot[key]
    spot[at[-1]] = item
    return data


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from(ODD),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(data=st.data())
def test_any_edit_is_refused_or_leaves_evidence_that_reads(
    data: st.DataObject, good: Files, mini_course: Course
) -> None:
    name = data.draw(st.sampled_from(sorted(good)))
    content = json.loads(good[name])
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.sampled_from(list(spots(content))))
        content = put(copy.deepcopy(content), at, data.draw(JSON))
    try:
        text = (
            sealed(content) if isinstance(content, dict) and data.draw(st.booleans()) else json.dumps(content).encode()
        )
    except (UnicodeEncodeError, ValueError):
        text = json.dumps(content).encode()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "evidence"
        try:
            unpack(
                packed(Path(scratch) / "a.tar.gz", good | {name: text}),
                root,
                against=partial(objections, mini_course, Layout(MINI)),
            )
        except EvidenceError as error:
            assert error.message and not root.exists()  # noqa: PT017, PT018 - most are refused, and some are not
        else:
            assert EvidenceStore(root).read()


@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(data=st.data())
def test_any_tree_is_checked_without_a_crash(data: st.DataObject, good: Files, mini_course: Course) -> None:
    names = st.text(string.ascii_letters + string.digits + "-_. é０", min_size=1, max_size=12).filter(
        lambda name: name.strip(".") != ""
    )
    with tempfile.TemporaryDirectory() as scratch:
        layout = Layout(Path(scratch))
        shutil.copytree(MINI, layout.root, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        for _ in range(data.draw(st.integers(1, 5))):
            parts = data.draw(
                st.lists(names, min_size=1, max_size=4) | st.sampled_from([name.split("/") for name in good])
            )
            path = layout.evidence.joinpath(*parts)
            content = data.draw(
                st.sampled_from(sorted(good.values())) | st.binary(max_size=200) | JSON.map(repr).map(str.encode)
            )
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            except OSError:  # a file where a folder would have to be
                continue
        report = check_evidence(mini_course, layout)
        assert report.problems  # a published day lacks its record, at the least


# --- many ---


def test_a_thousand_records_are_checked_compared_and_packed(
    h200: Machine, tmp_path: Path, record: Record, mini_course: Course
) -> None:
    """Ten machines with a hundred records each, a tenth of them with something wrong."""
    choose = random.Random(7)
    store = EvidenceStore(tmp_path / "evidence")
    days = [dataclasses.replace(mini_course.days[1], number=number) for number in range(1, 101)]
    course = dataclasses.replace(mini_course, days=tuple(dataclasses.replace(d, status="draft") for d in days))
    wrong = 0
    for watts in range(10):
        machine = dataclasses.replace(h200, gpu=dataclasses.replace(h200.gpu, power_limit_watts=500.0 + watts))
        folder = store.write_machine(machine)
        for day in days:
            bad = choose.random() < 0.1
            wrong += bad
            changes: dict[str, Any] = {"started": "2999-01-01T00:00:00Z"} if bad else {}
            store.write(folder, dataclasses.replace(record, day=day.number, **changes))
    before = time.monotonic()
    report = check_evidence(course, Layout(tmp_path))
    spent = time.monotonic() - before
    assert (report.machines, report.records, report.compared) == (10, 1000, 4000)
    assert sum("yet to come" in said for said in report.problems) == wrong > 50
    assert len(report.problems) == wrong
    print(f"1,000 records checked in {spent:.1f} s")
    folders = [path.parent for path in store.root.glob("*/*/machine.json")]
    assert pack(store.root, tmp_path / "all.tar.gz", folders) == 1010
    assert len(unpack(tmp_path / "all.tar.gz", tmp_path / "theirs")) == 1010


def test_a_record_of_the_most_lines_is_still_read(tmp_path: Path, h200: Machine, record: Record) -> None:
    store = EvidenceStore(tmp_path)
    many = CellOutput(cell=1, stdout=("x" * 60,) * 6_000)
    folder = store.write_machine(h200)
    store.write(folder, dataclasses.replace(record, transcript=(many,)))
    assert encode(store.read()[0].records[0])["transcript"][0]["stdout"][5_999] == "x" * 60
