"""Machines with several GPUs: one capture for each name."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from pathlib import Path

import pytest
from gpu100.capture.gpus import VISIBLE, alike, only
from gpu100.cli import capturing
from gpu100.cli.capturing import Capturing
from gpu100.evidence.store import EvidenceStore
from gpu100.model.machine import Machine
from gpu100.paths import Layout

H200, T4 = "NVIDIA H200", "Tesla T4"


def test_gpus_of_one_name_are_one_group() -> None:
    assert alike([H200, T4, H200]) == [(0, 2), (1,)]
    assert alike([H200, H200]) == [(0, 1)]
    assert alike([]) == []


@pytest.mark.parametrize(
    ("before", "gpus", "shown"),
    [(None, (0, 2), "0,2"), ("", (1,), "1"), ("3, 1", (1, 0), "1,3"), ("GPU-a,GPU-b", (1,), "GPU-b")],
)
def test_only_some_gpus_are_shown_for_a_while(
    monkeypatch: pytest.MonkeyPatch, before: str | None, gpus: tuple[int, ...], shown: str
) -> None:
    monkeypatch.delenv(VISIBLE, raising=False)
    if before is not None:
        monkeypatch.setenv(VISIBLE, before)
    seen = []
    with contextlib.suppress(KeyboardInterrupt), only(gpus):
        seen.append(os.environ[VISIBLE])
        raise KeyboardInterrupt
    assert seen == [shown]
    assert os.environ.get(VISIBLE) == before


def test_each_name_is_captured_once(
    layout: Layout, tmp_path: Path, h200: Machine, t4: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str | None] = []

    def describe(root: Path) -> Machine:
        seen.append(os.environ.get(VISIBLE))
        return {"0,2": dataclasses.replace(h200, gpus=2), "1": t4}[os.environ[VISIBLE]]

    monkeypatch.delenv(VISIBLE, raising=False)
    monkeypatch.setattr(capturing, "gpu_names", lambda: [H200, T4, H200])
    monkeypatch.setattr(capturing, "describe_machine", describe)
    asked = Capturing([], layout, EvidenceStore(tmp_path / "evidence"), ())
    asked.everywhere(dataclasses.replace(h200, gpus=3))
    assert seen == ["0,2", "1"]
    assert [folder.parent.name for folder in asked.folders] == ["h200", "tesla-t4"]


def test_gpus_of_one_name_are_all_shown(
    layout: Layout, tmp_path: Path, h200: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capturing, "gpu_names", lambda: [H200, H200])
    asked = Capturing([], layout, EvidenceStore(tmp_path / "evidence"), ())
    asked.everywhere(dataclasses.replace(h200, gpus=2))
    assert [folder.parent.name for folder in asked.folders] == ["h200"]
