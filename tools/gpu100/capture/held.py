"""A machine's folder for one capture at a time, and without what a killed one left half-written."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from gpu100.errors import EvidenceError

HALF_WRITTEN = ".*.json.*"
"""What :func:`gpu100.evidence.store.write_beside` calls a file until it is whole."""


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep other captures out of ``folder``. The lock goes with the process, however that ends.

    Raises:
        EvidenceError: another capture is at work there.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        if _locked(handle, folder):
            for half in folder.glob(HALF_WRITTEN):
                half.unlink(missing_ok=True)
        yield
    finally:
        os.close(handle)


def _locked(handle: int, folder: Path) -> bool:
    """Whether the file system knows locks; some over a network do not."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        hint = "wait for its end: two programs at once on a GPU are measured wrong"
        raise EvidenceError(f"another capture writes to {folder.parent.name}/{folder.name}", hint=hint) from None
    except OSError:
        return False
    return True
