"""Records as text: sealed, versioned, refused when in doubt."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from gpu100.errors import EvidenceError
from gpu100.evidence.schema import dump, parse
from gpu100.evidence.store import EvidenceStore
from gpu100.fingerprint import json_digest
from gpu100.model.machine import Machine
from gpu100.model.record import SCHEMA, Record
from gpu100.paths import Layout


def refusal(text: str) -> EvidenceError:
    with pytest.raises(EvidenceError) as caught:
        parse(Record, text, "day02-twice.json")
    return caught.value


def sealed(record: Record, **changes: object) -> str:
    """A record that someone changed and sealed again."""
    data: dict[str, Any] = json.loads(dump(record)) | changes
    del data["digest"]
    return json.dumps(data | {"digest": json_digest(data)})


def edited(record: Record, *at: str | int, to: object) -> str:
    """A record that someone changed by hand."""
    data = json.loads(dump(record))
    spot = data
    for key in at[:-1]:
        spot = spot[key]
    assert spot[at[-1]] != to
    spot[at[-1]] = to
    return json.dumps(data)


def test_a_record_and_a_machine_come_back_as_they_were(record: Record, h200: Machine) -> None:
    assert parse(Record, dump(record), "here") == record
    assert parse(Machine, dump(h200), "here") == h200


def test_the_text_is_sorted_indented_and_ends_with_a_newline(record: Record) -> None:
    text = dump(record)
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def test_the_text_holds_other_alphabets_as_they_are(record: Record) -> None:
    text = dump(dataclasses.replace(record, program="größe"))
    assert "größe" in text
    assert parse(Record, text, "here").program == "größe"


def test_one_digit_edited_anywhere_is_refused(record: Record) -> None:
    text = dump(record)
    places = [i for i, letter in enumerate(text) if letter.isdigit()]
    for i in places:
        refusal(text[:i] + str((int(text[i]) + 1) % 10) + text[i + 1 :])
    print(f"{len(places)} digits edited")
    assert len(places) > 100


def test_every_digit_of_a_committed_record_is_sealed(repository: Layout) -> None:
    texts = [path.read_text(encoding="utf-8") for path in repository.evidence.glob("*/*/day*.json")]
    assert texts
    for text in texts:
        parse(Record, text, "here")
        places = [i for i, letter in enumerate(text) if letter.isdigit()]
        for i in places[:: max(1, len(places) // 100)]:
            refusal(text[:i] + str((int(text[i]) + 1) % 10) + text[i + 1 :])


def test_an_edited_value_is_refused(record: Record) -> None:
    error = refusal(edited(record, "values", "blocks", "value", "300", to=3))
    assert "day02-twice.json is not what was captured" in error.message
    assert error.hint == "evidence is never edited; capture it again, or restore it from git"


def test_a_value_of_another_type_is_an_edit(record: Record) -> None:
    refusal(edited(record, "values", "blocks", "value", "300", to="2"))
    assert ": 82.8" in dump(record)
    refusal(dump(record).replace(": 82.8", ": 82.80001"))


def test_an_edited_line_is_refused(record: Record) -> None:
    refusal(edited(record, "transcript", 1, "stdout", 0, to="12.8 % idle"))


def test_an_edited_outcome_is_refused(record: Record) -> None:
    refusal(edited(record, "predictions", "last-block-full", "outcome", to="held"))


def test_an_edited_register_count_is_refused(record: Record) -> None:
    refusal(edited(record, "kernels", "twice", "registers", to=11))


def test_a_key_taken_out_is_refused(record: Record) -> None:
    data = json.loads(dump(record))
    del data["checks"]
    refusal(json.dumps(data))


def test_a_missing_seal_is_refused(record: Record) -> None:
    data = json.loads(dump(record))
    del data["digest"]
    assert "do not match its digest" in refusal(json.dumps(data)).message


def test_a_truncated_record_is_refused_wherever_it_ends(record: Record) -> None:
    text = dump(record).rstrip()
    for end in range(0, len(text), 50):
        assert "is not JSON" in refusal(text[:end]).message


def test_a_newer_schema_is_refused_with_the_remedy(record: Record) -> None:
    error = refusal(sealed(record, schema=SCHEMA + 1))
    assert f"has schema {SCHEMA + 1}, newer than this course's {SCHEMA}" in error.message
    assert error.hint == "update the course: git pull, then make again"


def test_a_newer_schema_is_told_even_where_its_keys_are_unknown(record: Record) -> None:
    assert "newer" in refusal(json.dumps({"schema": SCHEMA + 1, "shape": "of things to come"})).message


def test_no_schema_version_is_refused(record: Record) -> None:
    for version in (None, True, "1", 1.0, 0):
        assert "does not say its schema version" in refusal(sealed(record, schema=version)).message


def test_numbers_that_are_none_are_refused(record: Record) -> None:
    text = dump(record)
    for constant in ("NaN", "Infinity", "-Infinity"):
        error = refusal(text.replace(": 82.8", f": {constant}"))
        assert error.message == f"day02-twice.json: {constant} is not a value that evidence may hold"


def test_a_number_beyond_every_float_is_refused(record: Record) -> None:
    value = {"kind": "exact", "value": float("inf")}
    text = sealed(record, values={"idle": value}).replace("Infinity", "1e999")
    assert "values.idle.value" in refusal(text).message
    assert "not a finite number" in refusal(sealed(record, seconds=10**400)).message


def test_text_that_is_not_json_is_refused() -> None:
    for text in ("", "a record", "[1, 2", "{'schema': 1}", "[" * 100_000, '{"schema": ' + "9" * 5000 + "}"):
        assert "is not JSON" in refusal(text).message


def test_json_that_is_no_object_is_refused() -> None:
    for text in ("[]", "1", "null", '"record"'):
        assert "is not a JSON object" in refusal(text).message


def test_half_a_surrogate_pair_is_refused(record: Record) -> None:
    assert "not Unicode" in refusal('{"schema": 1, "digest": "", "program": "\\ud800"}').message


def test_an_unknown_key_is_refused_even_under_a_right_seal(record: Record) -> None:
    error = refusal(sealed(record, hostname="bench-7"))
    assert error.message == "day02-twice.json: hostname: unknown key 'hostname'"


def test_a_status_and_its_reason_go_together(record: Record) -> None:
    assert "reason exactly when" in refusal(sealed(record, reason="it felt like it")).message
    assert "reason exactly when" in refusal(sealed(record, status="crash")).message
    assert parse(Record, sealed(record, status="crash", reason="ended by SIGABRT"), "here").status == "crash"


def test_all_committed_evidence_is_accepted(repository: Layout) -> None:
    records = [record for machine in EvidenceStore(repository.evidence).read() for record in machine.records]
    print(f"{len(records)} records read")
    assert records


def test_a_record_from_before_there_were_lanes_reads_as_it_was(record: Record) -> None:
    text = dump(dataclasses.replace(record, schema=1))
    read = parse(Record, text, "here")
    assert (read.schema, read.lanes) == (1, {})
    assert dump(read) == text, "its seal is what it was"
