"""Day 8: what the model counts of each block shape is what the program works out by hand."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY

ROW = re.compile(r"(gray_\w+)\s+(\d+)\s+(\d+)\s+(\d+)")
"""A line of the program's table: kernel, requests, sectors of color and of gray."""


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """The program's table, and the model's counters in the same form."""
    into: Path = tmp_path_factory.mktemp("counters") / "counters.json"
    command = [sys.executable, "-m", "gpu100", "run", "8", "--device", "model", "--counters", "json"]
    ran = subprocess.run(
        [*command, "--out", str(into)], cwd=REPOSITORY.root, capture_output=True, text=True, check=True
    )
    by_hand = {row[1]: [int(number) for number in row.groups()[1:]] for row in ROW.finditer(ran.stdout)}
    kernels = json.loads(into.read_text(encoding="utf-8"))["kernels"]
    return by_hand, {kernel["kernel"]: _numbers(kernel) for kernel in kernels if kernel["kernel"] in by_hand}


def _numbers(kernel: dict[str, Any]) -> list[int]:
    load, store = (
        next(access for access in kernel["accesses"] if access["kind"] == kind) for kind in ("load", "store")
    )
    assert load["requests"] == store["requests"]
    return [load["requests"], load["sectors"], store["sectors"]]


def test_the_model_counts_what_the_program_works_out(
    counted: tuple[dict[str, list[int]], dict[str, list[int]]],
) -> None:
    by_hand, by_model = counted
    assert len(by_hand) == 7
    assert by_model == by_hand


def test_the_shapes_differ_as_the_predictions_say(counted: tuple[dict[str, list[int]], dict[str, list[int]]]) -> None:
    _, by_model = counted
    color = {name: numbers[1] for name, numbers in by_model.items()}
    gray = {name: numbers[2] for name, numbers in by_model.items()}
    assert color["gray_16x16"] == color["gray_32x8"] == color["gray_8x32"] == color["gray_256x1"]
    assert gray["gray_8x32"] == 2 * gray["gray_16x16"] == 4 * gray["gray_32x8"] == 4 * gray["gray_256x1"]
    assert color["gray_1x256"] == gray["gray_1x256"] == color["gray_swapped"] == gray["gray_swapped"]
    assert color["gray_packed"] > color["gray_32x8"]
