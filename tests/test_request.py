"""`evidence compare`, `evidence pr` and the text of a request."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from conftest import RECORD1, second_machine
from gpu100.content.course import load_course
from gpu100.decode import encode
from gpu100.evidence.normalize import Normalizer
from gpu100.evidence.request import SECTIONS, Context, Request, request, template
from gpu100.evidence.schema import parse
from gpu100.evidence.store import EvidenceStore
from gpu100.model.lanes import NativeLane
from gpu100.model.machine import Driver, Machine
from gpu100.model.record import Exact, Judgement, Kernel, Measured, Record
from gpu100.paths import Layout
from test_cli import gpu100

OLD, NEW = "h200/580.159.04-nvrtc13.0.88", "h200/590.1-nvrtc13.0.88"


@pytest.fixture
def newer(h200: Machine) -> Machine:
    return dataclasses.replace(h200, driver=Driver(version="590.1", cuda_raw=13010))


def first_record(layout: Layout) -> Record:
    return parse(Record, (layout.evidence / RECORD1).read_text(encoding="utf-8"), RECORD1)


def asked(layout: Layout, folder: str, words: frozenset[str] = frozenset()) -> Request:
    machines = EvidenceStore(layout.evidence).read()
    context = Context(load_course(layout), layout, machines, (), Normalizer(), words)
    return request(next(at for at in machines if at.folder == folder), context)


def section(text: str, name: str) -> str:
    return re.split(rf"^## {name}\n", text, flags=re.M)[1].split("\n## ")[0]


# --- the text ---


def test_the_text_has_every_part_and_every_field_of_the_machine(layout: Layout, h200: Machine) -> None:
    made = asked(layout, OLD)
    assert made.problems == ()
    assert made.text.startswith("# Evidence: NVIDIA H200, driver 580.159.04, NVRTC 13.0.88\n")
    assert re.findall(r"^## (.*)$", made.text, re.M) == list(SECTIONS)
    machine = section(made.text, "Machine")
    for part in ("gpu", "driver", "software", "harness"):
        for name, value in encode(getattr(h200, part)).items():
            assert f"| {part}.{name} | {value} |" in machine
    assert "2 records in `evidence/h200/580.159.04-nvrtc13.0.88/`: 2 fresh." in section(made.text, "Records")
    assert "no other record of this GPU" in section(made.text, "Drift")
    assert section(made.text, "Warnings").strip() == "None."
    assert section(made.text, "Check").strip() == "No problem."


def test_failed_predictions_are_listed(layout: Layout) -> None:
    records = section(asked(layout, OLD).text, "Records")
    failed = [
        name for at in EvidenceStore(layout.evidence).read() for record in at.records
        for name, one in record.predictions.items() if one.outcome == "failed"
    ]  # fmt: skip
    assert failed
    assert all(f": {name} (" in records for name in failed)


def test_drift_against_the_other_driver_is_in_it(layout: Layout, newer: Machine) -> None:
    kernels = {"hello": Kernel(registers=99, shared_bytes=0, local_bytes=0)}
    second_machine(layout, newer, kernels=kernels)
    drift = section(asked(layout, NEW).text, "Drift")
    assert f"`{OLD}` against `{NEW}`: 1 codegen." in drift
    assert "99 registers" in drift


SLOW = Measured(
    kind="measured", value=1.0, unit="ms", better="lower", p20=1.0, p80=1.0, samples=(1.0,), throttled=("hot",)
)


def test_what_a_reviewer_should_look_at_is_a_warning(layout: Layout, h200: Machine) -> None:
    record = first_record(layout)
    dirty = dataclasses.replace(
        h200,
        harness=dataclasses.replace(h200.harness, tree="dirty"),
        gpu=dataclasses.replace(h200.gpu, mig=True, power_limit_watts=1.0),
    )
    changes = {"values": {**record.values, "slow": SLOW}, "key": dataclasses.replace(record.key, digest="0" * 64)}
    second_machine(layout, dirty, **changes)
    said = section(asked(layout, f"{OLD}-2", frozenset({"hello"})).text, "Warnings")
    for expected in ("the working tree was dirty", "MIG is on", "is stale", "held back while measuring slow",
                     "may be your user's or host's name"):  # fmt: skip
        assert expected in said
    assert "word" in said
    assert "'hello'" not in said


def test_what_ci_would_refuse_is_in_it_and_fails_the_command(layout: Layout, newer: Machine) -> None:
    second_machine(layout, newer, started="2999-01-01T00:00:00Z")
    made = asked(layout, NEW)
    assert "yet to come" in section(made.text, "Check")
    ran = gpu100("evidence", "pr", within=layout.root)  # the last captured is the one from the future
    assert ran.returncode == 1
    assert ran.stdout == made.text
    assert "1 problem; CI will refuse it" in ran.stderr


def test_markup_in_a_value_does_not_break_the_table(layout: Layout, newer: Machine) -> None:
    record = first_record(layout)
    name = next(iter(record.values))
    second_machine(layout, newer, values={**record.values, name: Exact(kind="exact", value="a|b<script>\nc")})
    line = next(line for line in asked(layout, NEW).text.splitlines() if "script" in line)
    assert "a\\|b&lt;script> c" in line


def test_a_name_makes_no_heading_and_no_picture(layout: Layout, newer: Machine) -> None:
    name = "x\n## Check\n\nNo problem. ![p](https://example.org/p.png)"
    judged = {name: Judgement(outcome="failed", claim="0" * 16, saw="y")}
    second_machine(layout, newer, predictions=judged, values={name: SLOW})
    made = asked(layout, NEW)
    assert re.findall(r"^## (.*)$", made.text, re.M) == list(SECTIONS)
    assert "![" not in made.text
    assert "is no name of a prediction" in section(made.text, "Check")


def test_a_lane_that_failed_is_a_warning(layout: Layout, newer: Machine) -> None:
    lane = NativeLane(kind="native", status="failed", reason="line 1 of 8", started="2026-03-04T05:06:07Z")
    second_machine(layout, newer, lanes={"native": lane})
    assert "day 1 hello: native failed: line 1 of 8" in section(asked(layout, NEW).text, "Warnings")


def test_the_template_is_the_one_that_github_is_given(repository: Layout) -> None:
    path = repository.root / ".github" / "PULL_REQUEST_TEMPLATE" / "evidence.md"
    assert path.read_text(encoding="utf-8") == template(), "gpu100 evidence pr --template writes it"
    assert "| gpu.power_limit_watts | |" in template()


def test_the_workflow_takes_evidence_programs_and_contents_and_not_the_package(
    layout: Layout, repository: Layout, newer: Machine, tmp_path: Path
) -> None:
    """The steps that CI runs before the check, on a request that brings a forged record and its own checker."""
    workflow = yaml.safe_load((repository.root / ".github" / "workflows" / "evidence.yml").read_text("utf-8"))
    steps = {step.get("name"): step for step in workflow["jobs"]["check"]["steps"]}
    theirs = Layout(Path(shutil.copytree(layout.root, tmp_path / "theirs")))
    second_machine(theirs, newer, started="2999-01-01T00:00:00Z")
    for root in (layout.root, theirs.root):
        (root / "tools").mkdir()
        (root / "tools" / "check.py").write_text(root.name)
    shutil.move(theirs.root, layout.root / "build" / "request")
    take = steps["Take the request's evidence, and the programs and contents that it is of"]["run"]
    subprocess.run(["bash", "-e", "-c", take], cwd=layout.root, check=True)
    assert (layout.root / "tools" / "check.py").read_text() == layout.root.name
    ran = gpu100("evidence", "check", within=layout.root)
    assert (ran.returncode, "which is yet to come" in ran.stderr) == (1, True), ran.stderr
    assert workflow["permissions"] == {"contents": "read"}
    assert "pull_request_target" not in workflow[True], "a stranger's request gets no token that writes"


def test_the_text_goes_to_a_file(layout: Layout, tmp_path: Path) -> None:
    assert gpu100("evidence", "pr", OLD, "--out", tmp_path / "r.md", within=layout.root).returncode == 0
    assert (tmp_path / "r.md").read_text(encoding="utf-8") == asked(layout, OLD).text
    assert gpu100("evidence", "pr", "h200/580", within=layout.root).returncode == 2


# --- the command that compares ---


def test_without_a_pair_there_is_nothing_to_compare(layout: Layout) -> None:
    ran = gpu100("evidence", "compare", within=layout.root)
    assert ran.returncode == 1
    assert "no GPU has two folders to compare" in ran.stderr


def test_the_same_under_a_newer_driver_ends_with_0(layout: Layout, newer: Machine) -> None:
    second_machine(layout, newer)
    ran = gpu100("evidence", "compare", within=layout.root)
    assert ran.returncode == 0
    assert f"{OLD} -> {NEW}" in ran.stdout
    assert "only one has day02-twice" in ran.stdout
    assert re.search(r"1 program, \d+ items compared: 1 same", ran.stdout)


def test_a_record_gives_no_order_to_a_terminal(layout: Layout, newer: Machine) -> None:
    """What hides a line, colors it or moves it: such characters are shown, and markup is text."""
    record = first_record(layout)
    (first, *rest) = record.transcript
    odd = dataclasses.replace(first, stdout=("\x1b[2K\x1b[1Afine", "[bold]one[/bold]\x9b2J\x7f\r"))
    second_machine(layout, newer, transcript=(odd, *rest), status="ok")
    ran = gpu100("evidence", "compare", within=layout.root)
    assert ran.returncode == 3
    assert not set("\x1b\x9b\x7f\r") & set(ran.stdout)
    assert "␛" in ran.stdout
    assert "[bold]" in ran.stdout.replace("\n", "")
    second_machine(layout, newer, status="crash", reason="\x1b[2K\x1b]0;x\x07gone")
    for command in (("check",), ("status",), ("compare",)):
        ran = gpu100("evidence", *command, within=layout.root)
        assert not set("\x1b\x9b\x07") & set(ran.stdout + ran.stderr), command


def test_drift_ends_with_3_and_names_what_moved(layout: Layout, newer: Machine) -> None:
    record = first_record(layout)
    name, value = next((name, value) for name, value in record.values.items() if isinstance(value, Exact))
    second_machine(layout, newer, values={**record.values, name: dataclasses.replace(value, value=777)})
    for sides in ((), (OLD, NEW), (f"evidence/{OLD}", f"evidence/{NEW}/"),
                  (f"evidence/{OLD}/day01-hello.json", f"{NEW}/day01-hello.json")):  # fmt: skip
        ran = gpu100("evidence", "compare", *sides, within=layout.root)
        assert ran.returncode == 3, ran.stderr
        assert "777" in ran.stdout
        assert "1 value" in ran.stdout


def test_what_cannot_be_compared_ends_with_1_and_what_is_not_there_with_2(layout: Layout, t4: Machine) -> None:
    second_machine(layout, t4)
    other = "tesla-t4/580.95.05-nvrtc13.0.88"
    ran = gpu100("evidence", "compare", OLD, other, within=layout.root)
    assert ran.returncode == 1
    assert "nothing was compared: one is of NVIDIA H200, the other of Tesla T4" in ran.stderr
    for sides in ((OLD,), (OLD, OLD), (OLD, "h200/nothing"), (OLD, f"{other}/day01-hello.json")):
        assert gpu100("evidence", "compare", *sides, within=layout.root).returncode == 2
