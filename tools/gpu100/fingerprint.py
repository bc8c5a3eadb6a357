"""Digests that say whether something is still what it was.

A digest is taken over labelled, length-prefixed parts, so that no two different
inputs can run together into the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping


def lf(data: bytes) -> bytes:
    """``data`` without a byte-order mark and with LF line ends, as git may or may not store it."""
    return data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def digest(parts: Mapping[str, bytes | str]) -> str:
    """SHA-256, in hex, over ``parts`` in order of their labels."""
    sha = hashlib.sha256()
    for label in sorted(parts):
        part = parts[label]
        data = part.encode() if isinstance(part, str) else part
        for piece in (label.encode(), data):
            sha.update(len(piece).to_bytes(8, "big"))
            sha.update(piece)
    return sha.hexdigest()


def text_digest(text: str) -> str:
    """A short digest of a sentence; white space does not count."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:16]


def json_digest(data: object) -> str:
    """SHA-256, in hex, over the canonical JSON of ``data``."""
    canonical = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
