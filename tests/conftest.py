"""What tests share: a course of two days, the real one, and machines that nobody has to own."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from gpu100.capture.plan import jobs_of
from gpu100.capture.run import capture
from gpu100.content.course import load_course
from gpu100.evidence.key import parts_digest
from gpu100.evidence.schema import parse
from gpu100.evidence.store import EvidenceStore
from gpu100.fingerprint import text_digest
from gpu100.model.course import Course
from gpu100.model.machine import Driver, Gpu, Harness, Machine, Software
from gpu100.model.record import (
    SCHEMA,
    CellOutput,
    Check,
    Compiler,
    Exact,
    Judgement,
    Kernel,
    Key,
    Record,
)
from gpu100.paths import Layout
from mkdocs.commands.build import build
from mkdocs.config import load_config

REPOSITORY = Layout(Path(__file__).resolve().parent.parent)
MINI = Path(__file__).resolve().parent / "mini"
RECORD1 = "h200/580.159.04-nvrtc13.0.88/day01-hello.json"
"""The first day's, in the evidence of ``captured_mini``."""


@pytest.fixture(scope="session")
def repository() -> Layout:
    """The real course's tree, to be read only."""
    return REPOSITORY


@pytest.fixture(scope="session")
def course() -> Course:
    """The real course."""
    return load_course(REPOSITORY)


@pytest.fixture
def mini(tmp_path: Path) -> Layout:
    """A course of two days, to be changed at will; its programs run without a GPU."""
    root = tmp_path / "mini"
    shutil.copytree(MINI, root, ignore=shutil.ignore_patterns("__pycache__"))
    return Layout(root)


@pytest.fixture(scope="session")
def captured_mini(tmp_path_factory: pytest.TempPathFactory, h200: Machine) -> Path:
    """The miniature course with evidence from a machine called an H200; to be read only."""
    root = tmp_path_factory.mktemp("captured") / "mini"
    shutil.copytree(MINI, root, ignore=shutil.ignore_patterns("__pycache__"))
    layout = Layout(root)
    store = EvidenceStore(layout.evidence)
    jobs = jobs_of(load_course(layout).days, layout)
    done = list(capture(jobs, layout, h200, store, store.write_machine(h200)))
    assert [step.record.status for step in done] == ["ok", "ok"]
    return root


@pytest.fixture
def layout(captured_mini: Path, tmp_path: Path) -> Layout:
    """A copy of it, to be changed at will."""
    return Layout(Path(shutil.copytree(captured_mini, tmp_path / "mini")))


def second_machine(layout: Layout, machine: Machine, *, record: str = RECORD1, **changes: object) -> None:
    """A copy of a record, the first day's by default, from another machine and with other results."""
    store = EvidenceStore(layout.evidence)
    path = layout.evidence / record
    first = parse(Record, path.read_text(encoding="utf-8"), path.name)
    store.write(store.write_machine(machine), dataclasses.replace(first, **changes))  # type: ignore[arg-type]


def built(layout: Layout, *, strict: bool = False, **settings: object) -> Path:
    """The site, built, with some of mkdocs.yml's settings replaced; warnings are errors where ``strict``."""
    # mkdocs-jupyter keeps its cache in the working directory, and a strict build leaves its handler behind.
    with contextlib.chdir(layout.root), pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_MKDOCS_2_WARNING", "1")
        try:
            build(load_config("mkdocs.yml", site_dir="site", strict=strict, **settings))
        finally:
            logging.getLogger("mkdocs").handlers.clear()
    return layout.root / "site"


@pytest.fixture
def edit() -> Callable[[Path, str, str], None]:
    """Replace the one place in a file where a text stands; fails where there is none, or more."""

    def replace(path: Path, old: str, new: str) -> None:
        data = path.read_bytes().decode()
        assert data.count(old) == 1, f"{old!r} stands {data.count(old)} times in {path.name}"
        path.write_bytes(data.replace(old, new).encode())

    return replace


@pytest.fixture(scope="session")
def h200() -> Machine:
    """A machine with an H200."""
    return Machine(
        schema=SCHEMA,
        gpu=Gpu(
            name="NVIDIA H200",
            capability="9.0",
            sms=132,
            warp_size=32,
            threads_per_block=1024,
            threads_per_sm=2048,
            blocks_per_sm=32,
            registers_per_sm=65536,
            shared_bytes_per_sm=233472,
            shared_bytes_per_block=232448,
            memory_bytes=150109880320,
            l2_bytes=62914560,
            sm_clock_khz=1980000,
            memory_clock_khz=3201000,
            ecc=True,
            power_limit_watts=700.0,
            mig=False,
        ),
        driver=Driver(version="580.159.04", cuda_raw=13000),
        software=Software(
            nvrtc="13.0.88",
            cuda_core="1.2.0",
            cuda_bindings="13.3.1",
            numpy="2.5.2",
            python="3.12.3",
            os="Linux x86_64",
        ),
        harness=Harness(version="0.1.0", behaviour=1, tree="clean"),
    )


@pytest.fixture(scope="session")
def t4(h200: Machine) -> Machine:
    """A machine with a T4: an older GPU, under another driver."""
    gpu = dataclasses.replace(
        h200.gpu,
        name="Tesla T4",
        capability="7.5",
        sms=40,
        threads_per_sm=1024,
        blocks_per_sm=16,
        shared_bytes_per_sm=65536,
        shared_bytes_per_block=65536,
        memory_bytes=15843721216,
        l2_bytes=4194304,
        sm_clock_khz=1590000,
        memory_clock_khz=5001000,
        power_limit_watts=70.0,
        mig=None,
    )
    return dataclasses.replace(h200, gpu=gpu, driver=Driver(version="580.95.05", cuda_raw=13000))


@pytest.fixture(scope="session")
def record() -> Record:
    """A record with something in every field that a good run fills."""
    parts = {"code/day02-twice/twice.cu": "a7" * 32}
    return Record(
        schema=SCHEMA,
        day=2,
        program="twice",
        key=Key(digest=parts_digest(parts), parts=parts),
        status="ok",
        started="2026-03-04T05:06:07Z",
        seconds=1.25,
        attempts=2,
        exit_code=0,
        compiler=Compiler(nvrtc="13.0.88", arch="sm_90", options=("--std=c++17",)),
        kernels={"twice": Kernel(registers=12, shared_bytes=1024, local_bytes=8)},
        transcript=(
            CellOutput(cell=2, stdout=("elements  blocks", "     300       2")),
            CellOutput(cell=4, stdout=("82.8 % idle",), stderr=("a warning of line 7",)),
        ),
        values={
            "blocks": Exact(kind="exact", unit="blocks", value={"1": 1, "300": 2}),
            "idle": Exact(kind="exact", unit="%", value=82.8, scale={"elements": 300}),
            "widest": Exact(kind="exact", value="float4"),
            "guarded": Exact(kind="exact", value=True),
        },
        checks=(Check(what="twice is the sum with itself", compared=300),),
        predictions={
            "last-block-full": Judgement(outcome="failed", claim=text_digest("It is full."), saw="212 idle"),
            "needs-two": Judgement(outcome="held", claim=text_digest("Two."), saw="2 blocks", condition="n > 256"),
        },
    )
