"""`make serve`: a change of page, program, quiz or record shows without a restart."""

from __future__ import annotations

import dataclasses
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gpu100.capture.plan import jobs_of
from gpu100.capture.run import capture
from gpu100.content.course import load_course
from gpu100.evidence.store import EvidenceStore
from gpu100.model.machine import Machine
from gpu100.paths import Layout

Edit = Callable[[Path, str, str], None]
PATIENCE = 60.0


@pytest.fixture
def captured(mini: Layout, h200: Machine) -> Layout:
    store = EvidenceStore(mini.evidence)
    list(capture(jobs_of(load_course(mini).days, mini), mini, h200, store, store.write_machine(h200)))
    return mini


@pytest.fixture
def address(captured: Layout) -> Iterator[str]:
    """Where the small course is being served."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "mkdocs", "serve", "--dirty", "--livereload", "-q", "-a", f"127.0.0.1:{port}"]
    server = subprocess.Popen(command, cwd=captured.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    yield f"http://127.0.0.1:{port}/days/day01-hello/"
    server.terminate()
    server.wait(10)


def wait_for(address: str, pattern: str) -> None:
    """Poll the page until it matches."""
    text, end = "", time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            text = urllib.request.urlopen(address, timeout=5).read().decode()
        except OSError:
            text = ""
        if re.search(pattern, text):
            return
        time.sleep(0.1)
    raise AssertionError(f"after {PATIENCE} s the page does not show {pattern!r}")


def test_every_kind_of_change_shows(captured: Layout, address: str, edit: Edit) -> None:
    wait_for(address, "8\u00a0threads")
    edit(captured.docs / "days/day01-hello.md", "All of", "Every one of")
    wait_for(address, "Every one of")
    edit(captured.quiz(1), "Every block has a thread 0.", "There is one in every block.")
    wait_for(address, "There is one in every block")
    store = EvidenceStore(captured.evidence)
    (evidence,) = store.read()
    record = evidence.record(1, "hello")
    assert record is not None
    store.write(store.root / evidence.folder, dataclasses.replace(record, started="2027-01-02T03:04:05Z"))
    wait_for(address, "2027-01-02")
    edit(captured.code / "day01-hello/hello.py", "BLOCKS, THREADS = 2, 4", "BLOCKS, THREADS = 4, 2")
    wait_for(address, 'class="value stale"')


def test_a_mistake_does_not_end_the_server(captured: Layout, address: str, edit: Edit) -> None:
    wait_for(address, "8\u00a0threads")
    page = captured.docs / "days/day01-hello.md"
    edit(page, 'value("hello.threads")', 'value("hello.thraeds")')
    time.sleep(1.5)  # MkDocs answers no request until a build succeeds again
    edit(page, 'All of {{ value("hello.thraeds") }}', 'Mended: {{ value("hello.threads") }}')
    wait_for(address, "Mended")
