"""A client of the driver while a capture runs."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from gpu100.capture.driver_client import driver_client
from gpu100.child import environment


@pytest.fixture(autouse=True)
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A driver that tells when it is opened and by whom; the file that it tells it in."""
    told = tmp_path / "opened"
    bindings = tmp_path / "cuda" / "bindings"
    bindings.mkdir(parents=True)
    (bindings / "__init__.py").touch()
    text = f"import os\ndef cuInit(flags):\n    open({str(told)!r}, 'w').write(str(os.getpid()))\n"
    (bindings / "driver.py").write_text(text, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return told


def opened(told: Path) -> int:
    """Who opened the driver."""
    for _ in range(1000):
        if told.is_file() and (text := told.read_text()):
            return int(text)
        time.sleep(0.02)
    raise AssertionError("nobody opened the driver")


def gone(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.mark.parametrize("interrupted", [False, True])
def test_the_driver_is_open_until_the_end(driver: Path, interrupted: bool) -> None:
    holder = 0
    try:
        with driver_client():
            holder = opened(driver)
            assert not gone(holder)
            if interrupted:
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    assert holder
    assert gone(holder)


def test_it_ends_when_the_capture_is_killed(driver: Path) -> None:
    program = (
        "from gpu100.capture.driver_client import driver_client\nimport time\nwith driver_client(): time.sleep(60)"
    )
    capture = subprocess.Popen([sys.executable, "-c", program], env=environment())
    holder = opened(driver)
    capture.kill()
    capture.wait()
    for _ in range(500):
        if gone(holder):
            return
        time.sleep(0.02)
    raise AssertionError("it is still there ten seconds later")


def test_without_a_driver_nothing_happens(driver: Path) -> None:
    (driver.parent / "cuda" / "bindings" / "driver.py").write_text("raise ImportError", encoding="utf-8")
    with driver_client():
        pass
