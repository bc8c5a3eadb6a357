"""Records and machine.json as text: versioned, sealed with a digest, and refused when in doubt."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from gpu100.decode import DecodeError, decode, dotted, encode
from gpu100.errors import EvidenceError
from gpu100.fingerprint import json_digest
from gpu100.model.fidelity import FidelityTable, Measurement
from gpu100.model.machine import Machine
from gpu100.model.record import SCHEMA, Record

T = TypeVar("T", Record, Machine, Measurement, FidelityTable)


def _as_it_is(data: dict[str, Any]) -> dict[str, Any]:
    """Schema 2 brought the record's lanes and schema 3 one more, which an older file lacks.

    It keeps its version, and so its seal.
    """
    return data


MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {1: _as_it_is, 2: _as_it_is}
"""By schema version: what turns a file of that version into one of the next. The file keeps its
seal, which is checked first, over what was captured."""


def dump(item: Record | Machine | Measurement | FidelityTable) -> str:
    """``item`` as JSON: sorted keys, indented, with its seal and a newline at the end."""
    data = encode(item)
    data["digest"] = seal(item)
    return json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def seal(item: Record | Machine | Measurement | FidelityTable) -> str:
    """The digest that ``item`` is sealed with."""
    return json_digest(encode(item))


def parse(kind: type[T], text: str, where: str) -> T:
    """What ``text`` holds, a record or another ``kind`` of evidence; ``where`` is what messages call it.

    Raises:
        EvidenceError: not JSON, of a newer schema, edited since it was captured, or not fitting.
    """
    data = _json(text, where)
    version = _version(data, where)
    seal = data.pop("digest", None)
    try:
        sealed = seal == json_digest(data)
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can spell and no file can hold
        raise EvidenceError(f"{where} holds text that is not Unicode") from None
    except RecursionError:  # deeper than JSON is written, though not than it is read
        raise EvidenceError(f"{where} is nested more deeply than evidence is") from None
    if not sealed:
        raise EvidenceError(
            f"{where} is not what was captured: its contents do not match its digest",
            hint="evidence is never edited; capture it again, or restore it from git",
        )
    for older in range(version, SCHEMA):
        data = MIGRATIONS[older](data)
    try:
        return decode(kind, data)
    except DecodeError as error:
        raise EvidenceError(f"{where}: {dotted(error.at)}: {error.message}", hint=error.hint) from None
    except RecursionError:
        raise EvidenceError(f"{where} is nested more deeply than evidence is") from None


def _json(text: str, where: str) -> dict[str, Any]:
    def refuse(constant: str) -> object:
        raise EvidenceError(f"{where}: {constant} is not a value that evidence may hold")

    try:
        data = json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError) as error:  # ValueError: not JSON, or an integer of thousands of digits
        raise EvidenceError(f"{where} is not JSON: {error}", hint="a truncated file? restore it from git") from None
    if not isinstance(data, dict):
        raise EvidenceError(f"{where} is not a JSON object")
    return data


def _version(data: dict[str, Any], where: str) -> int:
    version = data.get("schema")
    if type(version) is not int or version < 1:
        raise EvidenceError(f"{where} does not say its schema version")
    if version > SCHEMA:
        raise EvidenceError(
            f"{where} has schema {version}, newer than this course's {SCHEMA}",
            hint="update the course: git pull, then make again",
        )
    return version
