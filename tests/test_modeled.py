"""`make evidence` without a GPU: every program on the model, and what it did held against evidence.

The small course's programs compute with NumPy, so here it is the comparison that is tested; the
course's own programs run on the model in test_programs_on_model.py.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from gpu100.capture.modeled import Modeled, reference, run_modeled
from gpu100.capture.plan import jobs_of
from gpu100.content.course import load_course
from gpu100.evidence.key import program_key
from gpu100.evidence.schema import parse
from gpu100.evidence.store import EvidenceStore
from gpu100.model.device import MODEL, DeviceSpec
from gpu100.model.machine import Machine
from gpu100.model.record import Compiler, Exact, Judgement, Record
from gpu100.paths import Layout

Ran = subprocess.CompletedProcess[str]
Edit = Callable[[Path, str, str], None]


def modeled(layout: Layout, spec: DeviceSpec = MODEL) -> dict[str, Modeled]:
    jobs = jobs_of(load_course(layout).days, layout)
    machines = EvidenceStore(layout.evidence).read()
    return {ran.job.program.name: ran for ran in run_modeled(jobs, layout, spec, machines)}


def capture(layout: Layout, *words: str, device: str | None = "model") -> Ran:
    """``gpu100 evidence capture`` as a person types it, told not to look for a GPU unless ``device`` is None."""
    environment = {name: value for name, value in os.environ.items() if name != "GPU100_DEVICE"}
    command = [sys.executable, "-m", "gpu100", "evidence", "capture", *words]
    command += ["--device", device] if device else []
    ran = subprocess.run(command, cwd=layout.root, env=environment, capture_output=True, text=True, check=False)
    assert "Traceback" not in ran.stderr, ran.stderr
    return ran


def rewrite(layout: Layout, program: str, **changes: object) -> None:
    """Another record of ``program`` in place of the captured one, sealed and for today's sources."""
    course, store = load_course(layout), EvidenceStore(layout.evidence)
    for machine in store.read():
        for record in machine.records:
            day = course.day(record.day)
            assert day is not None
            spec = day.program(record.program)
            if spec and spec.name == program:
                key = program_key(layout, day, spec)
                store.write(store.root / machine.folder, dataclasses.replace(record, key=key, **changes))  # type: ignore[arg-type]


def test_a_course_agrees_with_its_evidence(layout: Layout) -> None:
    ran = capture(layout)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[0] == "NVIDIA H200 (SIMT model): 2 programs to run and to compare with evidence"
    assert "day01 hello: ok in " in ran.stdout
    assert ran.stdout.splitlines()[-1] == "6 results compared, 0 differ, 0 left out"


def test_runs_of_the_model_are_kept_apart_from_evidence(layout: Layout) -> None:
    before = sorted(layout.evidence.rglob("*"))
    modeled(layout, DeviceSpec.parse("model:h200"))
    assert sorted(layout.evidence.rglob("*")) == before
    kept = sorted(layout.model_runs.rglob("*.json"))
    assert [path.relative_to(layout.model_runs).as_posix() for path in kept] == [
        "h200/day01-hello.json",
        "h200/day02-twice.json",
    ]
    record = parse(Record, kept[1].read_text(encoding="utf-8"), "kept")
    assert (record.status, record.attempts, record.program) == ("ok", 1, "twice")


def test_an_altered_value_in_the_evidence_is_found(layout: Layout) -> None:
    rewrite(layout, "hello", values={"threads": Exact(kind="exact", unit="threads", value=9)})
    ran = capture(layout)
    assert ran.returncode == 1
    assert "  wrong: value 'threads': 8 on the model, 9 on the GPU" in ran.stdout
    assert ran.stdout.splitlines()[-1] == "6 results compared, 1 differ, 0 left out"


def test_an_altered_prediction_in_the_evidence_is_found(layout: Layout) -> None:
    claim = next(p.claim for p in [modeled(layout)["hello"].record.predictions["all-speak"]])
    rewrite(layout, "hello", predictions={"all-speak": Judgement(outcome="failed", claim=claim)})
    assert modeled(layout)["hello"].problems == ["prediction 'all-speak': held on the model, failed on the GPU"]


def test_a_program_that_fails_on_the_model_fails(layout: Layout, edit: Edit) -> None:
    edit(layout.root / "code/day01-hello/hello.py", "lab.exact(", 'lab.check("planted", False)\nlab.exact(')
    rewrite(layout, "hello")
    ran = capture(layout)
    assert ran.returncode == 1
    assert "  wrong: failed: planted: 1 of 1 wrong" in ran.stdout
    assert "day02 twice: ok" in ran.stdout  # the others run all the same


def test_a_program_that_ends_early_is_compared_as_far_as_it_went(
    layout: Layout, edit: Edit, monkeypatch: pytest.MonkeyPatch
) -> None:
    early = """
from gpu100.lab import session
from gpu100.model.gpus import H200
from types import SimpleNamespace
session.current().devices.append(SimpleNamespace(is_model=True))
lab.rest_needs_gpu("it is about time")
lab.predict("""
    edit(layout.root / "code/day01-hello/hello.py", "lab.predict(", early.lstrip("\n"))
    rewrite(layout, "hello")
    ran = modeled(layout)["hello"]
    assert (ran.record.status, ran.problems) == ("ok", [])
    assert ran.comparison is not None
    assert ran.comparison.left_out == {"not reported by the model": ["prediction 'all-speak'"]}
    assert ran.record.transcript[-1].stdout[-1] == "The rest needs a GPU: it is about time."


def test_a_program_that_needs_more_than_the_model_has_is_said_and_no_failure(layout: Layout, edit: Edit) -> None:
    raised = 'from gpu100.errors import Unsupported\nraise Unsupported("not modeled: wgmma")\nlab.exact('
    edit(layout.root / "code/day01-hello/hello.py", "lab.exact(", raised)
    ran = capture(layout)
    assert ran.returncode == 0
    assert "  nothing compared: not modeled: wgmma" in ran.stdout


def test_a_result_that_the_course_does_not_declare_fails(layout: Layout, edit: Edit) -> None:
    edit(layout.root / "code/day01-hello/hello.py", "lab.exact(", 'lab.exact("other", 1)\nlab.exact(')
    assert modeled(layout)["hello"].problems == ["failed: value 'other' is not declared in course.toml"]


def test_a_capability_that_the_gpu_has_not_is_not_tried(layout: Layout) -> None:
    text = layout.course.read_text(encoding="utf-8")
    layout.course.write_text(text.replace('capability = "7.5"', 'capability = "9.0"', 1), encoding="utf-8")
    ran = modeled(layout, DeviceSpec.parse("model:t4"))["hello"]
    assert (ran.record.status, ran.record.attempts) == ("unsupported", 0)
    assert ran.record.reason == "day01 needs compute capability 9.0; this GPU has 7.5"


def test_a_stale_record_is_not_compared(layout: Layout, edit: Edit) -> None:
    edit(layout.root / "code/day01-hello/hello.py", "BLOCKS, THREADS = 2, 4", "BLOCKS, THREADS = 4, 2")
    ran = modeled(layout)
    assert ran["hello"].comparison is None
    assert ran["hello"].why_not == "its record is stale: code/day01-hello/hello.py changed"
    assert ran["twice"].comparison is not None


def test_nothing_compared_at_all_fails(mini: Layout) -> None:
    ran = capture(mini)
    assert ran.returncode == 1
    assert "  nothing compared: there is no record of it from NVIDIA H200" in ran.stdout
    assert ran.stderr == "error: nothing was compared\n  evidence of these programs is captured on a GPU\n"


def test_a_fresh_record_of_which_nothing_is_compared_fails(layout: Layout) -> None:
    rewrite(layout, "hello", values={}, predictions={}, kernels={})
    assert modeled(layout)["hello"].problems == ["nothing of its record could be compared"]


def test_each_gpus_model_is_held_against_its_own_evidence(layout: Layout, t4: Machine) -> None:
    store = EvidenceStore(layout.evidence)
    hello = next(record for record in store.read()[0].records if record.program == "hello")
    store.write(store.write_machine(t4), hello)
    ran = modeled(layout, DeviceSpec.parse("model:t4"))
    assert ran["hello"].comparison is not None
    assert ran["twice"].why_not == "there is no record of it from Tesla T4"


def test_the_record_of_the_same_compiler_comes_before_a_newer_one(layout: Layout, h200: Machine) -> None:
    """Registers can be compared with that one alone; a failed or stale one is no use for it."""
    store, mine = EvidenceStore(layout.evidence), Compiler(nvrtc="13.0.88", arch="sm_90", options=("-x",))
    hello = next(record for record in store.read()[0].records if record.program == "hello")
    hello = dataclasses.replace(hello, compiler=mine)
    store.write(store.root / store.read()[0].folder, hello)
    newer = dataclasses.replace(h200, software=dataclasses.replace(h200.software, nvrtc="13.5.37"))
    later = dataclasses.replace(hello, compiler=dataclasses.replace(mine, nvrtc="13.5.37"))
    store.write(store.write_machine(newer), later)
    job = jobs_of(load_course(layout).days, layout)[0]

    def nvrtc(compiler: Compiler | None) -> str:
        at = reference(job, layout, MODEL, store.read(), compiler)
        return at.machine.software.nvrtc if at else ""

    assert nvrtc(mine) == "13.0.88"
    assert nvrtc(later.compiler) == nvrtc(dataclasses.replace(mine, nvrtc="12.9.86")) == nvrtc(None) == "13.5.37"
    store.write(store.root / store.read()[0].folder, dataclasses.replace(hello, status="crash", reason="SIGSEGV"))
    assert nvrtc(mine) == "13.5.37"


def test_evidence_itself_cannot_be_had_from_the_model(layout: Layout) -> None:
    ran = capture(layout, device="gpu:1")
    assert ran.returncode == 2
    assert ran.stderr == "error: evidence comes from GPU 0, not gpu:1\n  CUDA_VISIBLE_DEVICES chooses which that is\n"
    assert capture(layout, device="modle").returncode == 2


def test_a_kept_run_is_plain_json(layout: Layout) -> None:
    modeled(layout)
    data = json.loads((layout.model_runs / "h200/day01-hello.json").read_text(encoding="utf-8"))
    assert data["status"] == "ok"
