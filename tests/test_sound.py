"""What speaks against a record that is sealed and in its place: a fault planted for each question."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from gpu100.content.course import load_course
from gpu100.content.differs import load_notes
from gpu100.content.facts import load_facts
from gpu100.content.sources import load_sources
from gpu100.decode import encode
from gpu100.errors import ContentError
from gpu100.evidence.check import check_evidence, objections
from gpu100.evidence.key import parts_digest
from gpu100.evidence.majority import odd_ones, unexplained
from gpu100.evidence.privacy import KINDS, identifying, kinds_in, words_in
from gpu100.evidence.schema import parse
from gpu100.evidence.store import EvidenceStore, MachineEvidence
from gpu100.model.ceilings import BUS_BITS, bytes_per_second, memory_ceiling, sm_ceiling
from gpu100.model.course import Course
from gpu100.model.differs import Note
from gpu100.model.gpus import RTX4060, T4, as_real
from gpu100.model.machine import Machine
from gpu100.model.record import CellOutput, Exact, Key, Measured, Point, Record, Series
from gpu100.paths import Layout

NOW = datetime(2026, 12, 1, tzinfo=UTC)
Objected = Callable[..., list[str]]


@pytest.fixture(scope="module")
def vector_add(repository: Layout) -> Record:
    """The committed record of day 5, which has timed values."""
    path = next(repository.evidence.glob("h200/*/day05-vector_add.json"))
    return parse(Record, path.read_text(encoding="utf-8"), path.name)


@pytest.fixture
def objected(course: Course, h200: Machine, vector_add: Record, repository: Layout) -> Objected:
    """What is said of it where something is changed."""

    def ask(machine: Machine = h200, **changes: object) -> list[str]:
        record = dataclasses.replace(vector_add, **changes)  # type: ignore[arg-type]
        evidence = MachineEvidence("h200/a", machine, (record,))
        return [said.removeprefix("h200/a: ") for said in objections(course, repository, evidence, NOW)]

    return ask


def test_a_good_record_meets_no_objection(objected: Objected) -> None:
    assert objected() == []


def test_a_time_that_is_none_or_yet_to_come_is_found(objected: Objected) -> None:
    for started in ("2027-01-01T00:00:00Z", "9999-12-31T23:59:59Z"):
        (said,) = objected(started=started)
        assert said == f"vector_add of day 5: it started on {started[:10]}, which is yet to come"
    for started in (
        "",
        "yesterday",
        "2026-13-01T00:00:00Z",
        "2026-11-30",
        "２０２６-11-30T00:00:00Z",
        "2026-11-30T00:00:00Z\n",
    ):
        (said,) = objected(started=started)
        assert "is no time such as" in said
    assert objected(started="2026-12-01T12:00:00Z") == []  # another machine's clock may be ahead
    assert "ended before it began" in objected(seconds=-1.0)[0]


def test_a_key_that_is_not_the_digest_of_its_parts_is_found(objected: Objected, vector_add: Record) -> None:
    parts = {**vector_add.key.parts, "compile options": "0" * 64}
    assert objected(key=dataclasses.replace(vector_add.key, parts=parts)) == [
        "vector_add of day 5: its key is not the digest of its parts"
    ]


def test_a_record_without_checks_or_with_one_run_is_found(objected: Objected, vector_add: Record) -> None:
    assert "without a check and two runs" in objected(checks=())[0]
    assert "without a check and two runs" in objected(attempts=1)[0]
    empty = tuple(dataclasses.replace(check, compared=0) for check in vector_add.checks)
    assert "made 0 comparisons" in objected(checks=empty)[0]


@pytest.mark.parametrize("name", ["value", "p20", "p80"])
def test_a_summary_that_is_not_its_samples_is_found(objected: Objected, vector_add: Record, name: str) -> None:
    kernel = vector_add.values["kernel"]
    edited = dataclasses.replace(kernel, **{name: getattr(kernel, name) * 0.99})  # type: ignore[arg-type]
    (said,) = objected(values={**vector_add.values, "kernel": edited})
    assert "kernel is said to have a" in said


def test_every_sample_of_the_committed_evidence_fits_its_summary(repository: Layout, course: Course) -> None:
    records = [record for at in EvidenceStore(repository.evidence).read() for record in at.records]
    measured = [value for record in records for value in record.values.values() if isinstance(value, Measured)]
    assert len(measured) >= 7
    assert not any(list(objections(course, repository, at)) for at in EvidenceStore(repository.evidence).read())


def faster(vector_add: Record, factor: float) -> dict[str, object]:
    """The record's values with a kernel that moves ``factor`` times as many bytes a second."""
    rate = vector_add.values["kernel_rate"]
    assert isinstance(rate, Measured)
    more = {name: getattr(rate, name) * factor for name in ("value", "p20", "p80")}
    samples = tuple(sample * factor for sample in rate.samples)
    return {**vector_add.values, "kernel_rate": dataclasses.replace(rate, samples=samples, **more)}


def test_a_rate_above_what_memory_delivers_voids_the_run(objected: Objected, vector_add: Record) -> None:
    assert objected(values=faster(vector_add, 1.5)) == []
    (said,) = objected(values=faster(vector_add, 3))
    assert "above the 4,917\u00a0GB/s that its memory can deliver: this run is void" in said


def test_a_gpu_without_a_known_memory_is_held_to_its_sms(
    objected: Objected, vector_add: Record, h200: Machine, course: Course
) -> None:
    unknown = dataclasses.replace(h200, gpu=dataclasses.replace(h200.gpu, name="NVIDIA H9000"))
    stdout = CellOutput(cell=1, stdout=("hello",))
    assert objected(machine=unknown, values=faster(vector_add, 3), transcript=(stdout,)) == []
    (said,) = objected(machine=unknown, values=faster(vector_add, 30), transcript=(stdout,))
    assert "all its SMs can load: this run is void" in said


def test_a_series_above_what_all_sms_can_load_voids_the_run(objected: Objected, vector_add: Record) -> None:
    points = (Point(x=1, y=10), Point(x=2, y=90_000))
    rates = Series(kind="measured", x_unit="bytes", y_unit="GB/s", points=points)
    said = objected(series={"rates": rates})
    assert any("series rates is 90,000 GB/s, above the" in one and "this run is void" in one for one in said)
    believed = dataclasses.replace(rates, points=(points[0], Point(x=2, y=4000)))
    assert not any("void" in one for one in objected(series={"rates": believed}))


def test_a_lanes_time_is_asked_too(objected: Objected, vector_add: Record) -> None:
    later = dataclasses.replace(vector_add.lanes["native"], started="2999-01-01T00:00:00Z")
    (said,) = objected(lanes={**vector_add.lanes, "native": later})
    assert said == "vector_add of day 5: lane native: it started on 2999-01-01, which is yet to come"


@pytest.mark.parametrize("name", ["x\n## Check\n\nNo problem.", "<b>", "", "a" * 81, "[x](y)", "größe"])
def test_a_name_that_no_program_gives_is_found(objected: Objected, vector_add: Record, name: str) -> None:
    for field in ("values", "predictions"):
        held = getattr(vector_add, field)
        said = objected(**{field: {**held, name: next(iter(held.values()))}})
        assert any(f"{name[:80]!r} is no name of a" in one for one in said)


def test_what_a_fresh_record_reports_is_what_course_toml_declares(objected: Objected, vector_add: Record) -> None:
    values, kernel = vector_add.values, vector_add.values["kernel"]
    judged = vector_add.predictions
    planted: list[tuple[dict[str, object], str]] = [
        ({"values": {**values, "more": kernel}}, "value 'more' is not declared in course.toml"),
        (
            {"values": {**values, "kernel": Exact(kind="exact", value=1)}},
            "value 'kernel' is exact, declared as measured",
        ),
        (
            {"values": {**values, "kernel": dataclasses.replace(kernel, unit="s")}},
            "value 'kernel' is in 's', declared in 'ms'",
        ),
        ({"predictions": {**judged, "more": judged["bitwise"]}}, "prediction 'more' is not declared in course.toml"),
    ]
    for changes, expected in planted:
        assert objected(**changes) == [f"vector_add of day 5: {expected}"]
        key = Key(digest=parts_digest({"older": "x"}), parts={"older": "x"})
        assert objected(key=key, **changes) == [], "of an older program nobody knows what it declared"


def test_ceilings_are_the_rated_bandwidths(repository: Layout, course: Course, h200: Machine) -> None:
    facts = load_facts(repository, load_sources(repository), {day.number for day in course.days})
    rated = next(figure.value for figure in facts.figure if figure.id == "a100.bandwidth")
    a100 = dataclasses.replace(h200.gpu, name="NVIDIA A100-SXM4-40GB", memory_clock_khz=1_215_000)
    known = [(a100, rated), (as_real(T4), 320), (as_real(RTX4060), 256), (h200.gpu, 4917)]
    for gpu, gigabytes in known:
        assert gpu.slug in BUS_BITS
        assert (memory_ceiling(gpu) or 0) / 1e9 == pytest.approx(gigabytes, rel=0.001)
        assert sm_ceiling(gpu) > (memory_ceiling(gpu) or 0)
    assert bytes_per_second(2.0, "GB/s") == 2e9
    assert bytes_per_second(2.0, "GiB/s") == 2 * 2**30
    assert bytes_per_second(2.0, "ms") is None


def test_a_record_that_names_another_gpu_is_found(objected: Objected, vector_add: Record, h200: Machine) -> None:
    h100 = dataclasses.replace(h200, gpu=dataclasses.replace(h200.gpu, name="NVIDIA H100 PCIe"))
    assert objected(machine=h100) == [
        "vector_add of day 5: it printed that it ran on an 'NVIDIA H200', and lies with an NVIDIA H100 PCIe"
    ]


def test_a_machine_that_cannot_be_is_found(objected: Objected, h200: Machine) -> None:
    for name, number in (("sms", 0), ("memory_bytes", 10**400), ("sm_clock_khz", -5), ("l2_bytes", 1 << 60)):
        odd = dataclasses.replace(h200, gpu=dataclasses.replace(h200.gpu, **{name: number}))  # type: ignore[arg-type]
        assert any(f"{name} is not between" in said for said in objected(machine=odd))
    wrong = dataclasses.replace(h200, gpu=dataclasses.replace(h200.gpu, blocks_per_sm=16))
    assert any("blocks_per_sm is 16" in said for said in objected(machine=wrong))
    assert any("without a GPU" in said for said in objected(machine=dataclasses.replace(h200, gpus=0)))


def test_a_gpu_newer_than_the_course_is_welcome(objected: Objected, h200: Machine, vector_add: Record) -> None:
    newer = dataclasses.replace(h200, gpu=dataclasses.replace(h200.gpu, capability="14.0", blocks_per_sm=48))
    assert objected(machine=newer, transcript=(CellOutput(cell=1, stdout=("x",)),)) == []


# --- privacy ---

FOUND = {
    "a home folder": ["/home/maria/x.py", "/Users/bob", r"C:\Users\bob\x", "/root/.cache/x"],
    "the UUID of a device": [
        "GPU-1a2b3c4d-1234-abcd-9876-0123456789ab", "1A2B3C4D-1234-ABCD-9876-0123456789AB",
    ],
    "a PCI address": ["00000000:3B:00.0", "0000:3b:00.0", "PCI bus 3b:00.0"],
    "a network card's address": ["de:ad:be:ef:00:01"],
    "an IP address": ["10.0.0.17", "at 192.168.1.20:8888"],
    "a user or mail address": ["maria@gpu-box", "someone@example.org"],
    "a host name": ["node7.cluster.internal", "hostname: bigbox", "Node name=x1"],
    "a serial number": ["Serial Number : 1323019001234", "serial: 0A12"],
    "an environment variable": ["PATH=/usr/bin", "x\nHF_TOKEN=abc", "LD_LIBRARY_PATH=/opt/x"],
}  # fmt: skip
LEFT = [
    "driver 580.159.04", "NVRTC 13.0.88", "cuda-core 1.2.0.1rc", "ld.local.u32", "st.shared.f32", "0x7f0012345678",
    "12:34.5", "a[3] = 5", "n=4096", "grid 2 @ 4", "[ROOT]/code/x.py", "[HOME]/y", "home/x", "N_PATHS=5",
    "bus width 6144", "serial sum = 5", "2026-11-30T01:02:03Z", "3:14:15", "a warp of 32", "9.0a",
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in FOUND.items() for text in texts])
def test_identifying_text_is_found_wherever_it_stands(
    objected: Objected, vector_add: Record, kind: str, text: str
) -> None:
    assert kind in kinds_in(text)
    said = objected(transcript=(CellOutput(cell=1, stdout=("fine", f"see {text} there")),))
    assert f"vector_add of day 5: transcript[0].stdout[1] holds {kind}" in said
    assert not any(text in one for one in said)  # a message is public too


def test_every_kind_has_a_case() -> None:
    assert FOUND.keys() == KINDS.keys()


@pytest.mark.parametrize("text", LEFT)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert kinds_in(text) == []


def test_names_of_values_and_errors_are_looked_at_too(record: Record) -> None:
    odd = dataclasses.replace(record, values={"of-/home/maria": Exact(kind="exact", value=1)})
    assert list(identifying(encode(odd))) == ["a name in values holds a home folder"]
    odd = dataclasses.replace(record, status="crash", reason="killed in /home/maria/x")
    assert "reason holds a home folder" in list(identifying(encode(odd)))


def test_a_users_name_is_found_as_a_word_only() -> None:
    data = {"a": ["maria was here", "mariana"], "b": {"c": "x-maria/y"}}
    assert words_in(data, frozenset({"maria", "bigbox"})) == {"maria"}
    assert words_in(["mariana"], frozenset({"maria"})) == set()


# --- the majority of a capability ---


def with_blocks(record: Record, blocks: int, started: str = "2026-03-04T05:06:07Z") -> Record:
    value = Exact(kind="exact", value=blocks, unit="blocks")
    return dataclasses.replace(record, values={"blocks": value}, started=started)


def on(machine: Machine, name: str, *records: Record) -> MachineEvidence:
    return MachineEvidence(name, machine, records)


def test_the_odd_one_out_is_found_and_named(h200: Machine, record: Record) -> None:
    machines = [on(h200, name, with_blocks(record, blocks)) for name, blocks in (("a", 2), ("b", 3), ("c", 2))]
    (odd,), compared = odd_ones(machines)
    assert compared == 3
    assert str(odd) == "b: blocks of twice is 3, and 2 on most machines of this compute capability"


def test_of_two_that_differ_the_first_stands(h200: Machine, record: Record) -> None:
    machines = [
        on(h200, "a", with_blocks(record, 3, "2026-05-01T00:00:00Z")),
        on(h200, "b", with_blocks(record, 2, "2026-04-01T00:00:00Z")),
    ]
    assert [odd.machine for odd in odd_ones(machines)[0]] == ["a"]


def test_other_capabilities_keys_and_sizes_are_not_compared(h200: Machine, t4: Machine, record: Record) -> None:
    stale = dataclasses.replace(with_blocks(record, 3), key=dataclasses.replace(record.key, digest="0" * 64))
    sized = dataclasses.replace(with_blocks(record, 4))
    sized.values["blocks"] = dataclasses.replace(sized.values["blocks"], scale={"n": 1})  # type: ignore[call-arg]
    found = odd_ones([on(h200, "a", with_blocks(record, 2)), on(t4, "b", with_blocks(record, 9)),
                      on(h200, "c", stale), on(h200, "d", sized)])  # fmt: skip
    assert found == ([], 0)


def test_a_note_explains_and_an_idle_note_is_a_fault(h200: Machine, record: Record) -> None:
    odd, _ = odd_ones([on(h200, name, with_blocks(record, blocks)) for name, blocks in (("a", 2), ("b", 3), ("c", 2))])
    note = Note(machine="b", program="twice", values=("blocks",), why="Fewer SMs.")
    assert list(unexplained(odd, [note])) == []
    assert list(unexplained(odd, [])) == [f"{odd[0]}: content/differs.toml has to say why"]
    assert "does not differ (any more)" in next(unexplained([], [note]))


def test_a_difference_fails_the_check_until_it_is_explained(layout: Layout, h200: Machine) -> None:
    store = EvidenceStore(layout.evidence)
    (first,) = store.read()
    for power in (600.0, 500.0):
        other = dataclasses.replace(h200, gpu=dataclasses.replace(h200.gpu, power_limit_watts=power))
        folder = store.write_machine(other)
        for record in first.records:
            store.write(folder, record)
    odd = store.read()[-1]
    changed = next(record for record in odd.records if any(isinstance(v, Exact) for v in record.values.values()))
    name, value = next((name, value) for name, value in changed.values.items() if isinstance(value, Exact))
    store.write(
        store.root / odd.folder,
        dataclasses.replace(changed, values={**changed.values, name: dataclasses.replace(value, value=12345)}),
    )
    course = load_course(layout)
    report = check_evidence(course, layout, load_notes(layout))
    assert len(report.problems) == 1
    assert report.compared >= 3
    text = (
        f'[[note]]\nmachine = "{odd.folder}"\nprogram = "{changed.program}"\nvalues = ["{name}"]\nwhy = "It is so."\n'
    )
    (layout.content / "differs.toml").write_text(text, encoding="utf-8")
    assert check_evidence(course, layout, load_notes(layout)).problems == []
    (layout.content / "differs.toml").write_text(text.replace("It is so.", " "), encoding="utf-8")
    with pytest.raises(ContentError, match="says why"):
        load_notes(layout)


def test_the_committed_notes_and_rules_load(repository: Layout) -> None:
    from gpu100.content.normalize import load_rules

    assert [rule.id for rule in load_rules(repository)] == ["driver", "nvrtc", "cuda"]
    assert isinstance(load_notes(repository), tuple)


def test_a_rule_that_does_not_hold_is_told_with_its_line(tmp_path: Path) -> None:
    from gpu100.content.normalize import load_rules

    layout = Layout(tmp_path)
    layout.content.mkdir()
    rule = "[[rule]]\nid = 'x'\npattern = 'a(?P<differs>b)'\nshown = '[B]'\nwhy = 'x'\nmatch = ['ab']\nmiss = ['b']\n"
    path = layout.content / "normalize.toml"
    path.write_text(rule, encoding="utf-8")
    assert load_rules(layout)[0].apply("ab ab") == ("a[B] a[B]", 2)
    path.write_text(f"# first\n\n{rule.replace(chr(39) + 'ab' + chr(39), chr(39) + 'xb' + chr(39))}", encoding="utf-8")
    with pytest.raises(ContentError, match=r"normalize\.toml:3.*does not match 'xb'"):
        load_rules(layout)
    path.write_text(rule + rule, encoding="utf-8")
    with pytest.raises(ContentError, match="stands twice"):
        load_rules(layout)
