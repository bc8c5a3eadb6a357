"""Three mistakes that a GPU lets pass: one command each says what is wrong, and on which line."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from gpu100.paths import Layout


def run(repository: Layout, name: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gpu100", "run", f"code/mistakes/{name}.py", "--device", "model", *options]
    return subprocess.run(command, cwd=repository.root, capture_output=True, text=True, check=False)


def line(repository: Layout, name: str, words: str) -> str:
    """``file:line`` of the kernel's line with these words."""
    text = Path(repository.root / "code" / "mistakes" / f"{name}.cu").read_text()
    return f"code/mistakes/{name}.cu:{text[: text.index(words)].count(chr(10)) + 1}"


def test_off_by_one(repository: Layout) -> None:
    ended = run(repository, "off_by_one")
    assert ended.returncode == 1
    assert line(repository, "off_by_one", "if (i <= n)") in ended.stderr
    assert re.search(r'"[ab]" \+ 4000, which is 0 bytes past its end', ended.stderr)
    assert "block (3, 0, 0), thread (232, 0, 0)" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_missing_barrier(repository: Layout) -> None:
    ended = run(repository, "missing_barrier")
    assert ended.returncode == 1
    assert line(repository, "missing_barrier", "tile[threadIdx.x] = in[i]") in ended.stderr
    assert line(repository, "missing_barrier", "out[i] = tile") in ended.stderr
    assert "no __syncthreads() between" in ended.stderr


def test_column_walk(repository: Layout) -> None:
    ended = run(repository, "column_walk", "--counters", "listing")
    assert ended.returncode == 0
    walk = next(text for text in ended.stdout.splitlines() if "= tile[x][y];" in text)
    assert "32.00" in walk
    assert "32-way banks" in walk
    fine = next(text for text in ended.stdout.splitlines() if "tile[y][x] = " in text)
    assert "banks" not in fine
