"""Measuring the suite: Nsight Compute's CSV in odd shapes, refused metrics, launches that do not match."""

# ruff: noqa: E501 - lines as a profiler writes them

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gpu100.capture import ncu, tools
from gpu100.capture.csv_pages import launches
from gpu100.decode import encode
from gpu100.errors import CheckFailed, CourseError, Unsupported
from gpu100.evidence.schema import dump, parse
from gpu100.fidelity import measure
from gpu100.fidelity.metrics import ALSO, COUNTERS, PER_OPCODE, asked
from gpu100.fidelity.ncu import profile
from gpu100.fidelity.run import restored, stored
from gpu100.fidelity.suite import CASES, case_of
from gpu100.model.fidelity import Measurement
from gpu100.model.machine import Machine

SECTORS, RATIO = (
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "smsp__thread_inst_executed_per_inst_executed.ratio",
)

WIDE = f'''==PROF== Connected to process 4242 (/usr/bin/python3.12)
==PROF== Profiling "copy_float" - 0: 0%....50%....100% - 6 passes
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","{SECTORS}","{PER_OPCODE}","{RATIO}"
"","","","","","","","","","","","sector","inst",""
"0","4242","python3.12","127.0.0.1","copy_float","1","13","(256, 1, 1)","(16, 1, 1)","0","9.0","1,024","2,304 (BAR: 0; LDG: 1,024; STG: 1,280)","32"
"1","4242","python3.12","127.0.0.1","copy_stride","1","13","(256, 1, 1)","(16, 1, 1)","0","9.0","n/a","1536 (LDG=512, STG=1024)","31.46"
==PROF== Disconnected from process 4242
'''

LONG = f'''"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"
"0","1","python","h","copy_float(const float *, float *)","1","7","(256, 1, 1)","(16, 1, 1)","0","9.0","Command line profiler metrics","{SECTORS}","sector","1,024"
"0","1","python","h","copy_float(const float *, float *)","1","7","(256, 1, 1)","(16, 1, 1)","0","9.0","Command line profiler metrics","{RATIO}","","31.5"
"1","1","python","h","gather(const float *, const int *, float *)","1","7","(256, 1, 1)","(16, 1, 1)","0","9.0","Command line profiler metrics","{SECTORS}","sector","(!) nan"
'''


def test_a_row_a_launch() -> None:
    first, second = launches(WIDE, asked())
    assert (first.kernel, second.kernel) == ("copy_float", "copy_stride")
    assert first.metrics == {SECTORS: 1024, RATIO: 32, PER_OPCODE: 2304}
    assert first.instances[PER_OPCODE] == {"BAR": 0, "LDG": 1024, "STG": 1280}
    assert second.metrics == {RATIO: 31.46, PER_OPCODE: 1536}, "n/a is no number"
    assert second.instances[PER_OPCODE] == {"LDG": 512, "STG": 1024}


def test_a_row_a_metric() -> None:
    first, second = launches(LONG, asked())
    assert first.metrics == {SECTORS: 1024, RATIO: 31.5}
    assert second.metrics == {}
    assert second.kernel.startswith("gather(")


def test_metrics_that_nobody_asked_for_are_left_out() -> None:
    assert launches(LONG, [RATIO])[0].metrics == {RATIO: 31.5}


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ("64 (16 [BAR]; 48 [LDG])", {"BAR": 16, "LDG": 48}),
        ('64 ("BAR": 16, "LDG": 48)', {"BAR": 16, "LDG": 48}),
        ("64 (BAR: 16, LDG: 47)", None),
        ("64 (16; 48)", None),
        ("64", None),
    ],
)
def test_instances_are_kept_where_they_add_up(cell: str, found: dict[str, int] | None) -> None:
    text = f'"ID","Kernel Name","{PER_OPCODE}"\n"","","inst"\n"0","k","{cell.replace(chr(34), chr(34) * 2)}"\n'
    (launch,) = launches(text, asked())
    assert launch.metrics == {PER_OPCODE: 64}
    assert launch.instances.get(PER_OPCODE) == found


def test_a_line_of_the_program_amid_the_table_is_no_row() -> None:
    lines = WIDE.splitlines(keepends=True)
    lines.insert(5, "a warning, of the program\n")
    assert [launch.kernel for launch in launches("".join(lines), asked())] == ["copy_float", "copy_stride"]


def test_windows_line_ends_and_a_mark_at_the_start() -> None:
    assert len(launches("\ufeff" + LONG.replace("\n", "\r\n"), asked())) == 2


def test_a_scaled_unit_is_refused() -> None:
    with pytest.raises(CourseError, match="scaled"):
        launches(LONG.replace('"sector","1,024"', '"Ksector","1.02"'), asked())


def test_no_table_is_told_with_ncus_last_words() -> None:
    with pytest.raises(CourseError, match="no table") as caught:
        launches("==PROF== Connected\n==WARNING== No kernels were profiled.\n", asked())
    assert caught.value.hint == "==WARNING== No kernels were profiled."


def test_a_counter_takes_the_best_metric_that_all_cases_have(measurement: Measurement) -> None:
    counter = next(counter for counter in COUNTERS if counter.name == "shared_load_wavefronts")
    (best,), (other,) = counter.metrics
    case = measurement.cases["copy_float"]
    both = _with(case, {best: 3, other: 4})
    assert counter.measured(both) == 3
    assert counter.measured(_with(case, {other: 4})) == 4
    assert counter.measured(_with(case, {})) is None
    assert counter.source((both, _with(case, {other: 4}))) == other


def _with(case: Any, metrics: dict[str, int]) -> Any:
    return type(case)(**{**vars(case), "metrics": metrics})


def test_every_metric_is_asked_for_once() -> None:
    names = asked()
    assert len(set(names)) == len(names)
    assert {*ALSO, PER_OPCODE} <= set(names)
    assert all(name.partition(".")[2] for name in names if name != PER_OPCODE), "a metric without .sum or the like"


def test_a_result_that_is_kept_comes_back() -> None:
    values = np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 4)
    kept = restored(stored(case_of("matmul_naive"), values))
    assert kept is not None
    assert kept.tobytes() == values.tobytes()
    assert kept.shape == (3, 4)
    assert stored(case_of("copy_float"), values).data is None


# A profiler that a test decides -----------------------------------------------------------------

NCU = """#!{python}
import json, pathlib, sys
state = json.loads(pathlib.Path({state!r}).read_text())
words = sys.argv[1:]
if words == ["--version"]:
    print("NVIDIA (R) Nsight Compute Command Line Profiler\\nVersion 2025.3.1.0 (build 1) (public-release)")
elif words == ["--query-metrics"]:
    print("\\n".join(f"{{name.split('.')[0]:40}} Counter  inst  what" for name in state["known"]))
elif "--import" in words:
    print(state["table"])
else:
    wanted = words[words.index("--metrics") + 1].split(",")
    unknown = [name for name in wanted if name not in state["known"]] or [""]
    if state["says"] or unknown[0]:
        named = "==ERROR== no" if state["quiet"] else "==ERROR== Failed to find metric " + unknown[0]
        print(state["says"] or named)
        sys.exit(1)
    pathlib.Path(words[words.index("-o") + 1] + ".ncu-rep").write_text("report")
"""


@pytest.fixture
def profiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the stand-in for ncu does; to be changed, then ``settle``."""
    state: dict[str, Any] = {"known": list(asked()), "says": "", "quiet": False, "table": table()}
    place, file = tmp_path / "bin", tmp_path / "state.json"
    place.mkdir()
    (place / "ncu").write_text(NCU.format(python=sys.executable, state=str(file)), encoding="utf-8")
    (place / "ncu").chmod(0o755)
    monkeypatch.setenv("PATH", f"{place}{os.pathsep}{os.environ['PATH']}")

    def settle() -> None:
        file.write_text(json.dumps(state), encoding="utf-8")

    settle()
    return {"state": state, "settle": settle}


def table(kernels: list[str] | None = None, *, without: str = "") -> str:
    """The raw page of a profile of the suite, every metric 7."""
    metrics = [name for name in asked() if name != without]
    rows = [["ID", "Kernel Name", *metrics], ["", "", *("inst" for _ in metrics)]]
    for at, kernel in enumerate(kernels or [case.kernel for case in CASES]):
        rows.append([str(at), kernel, *("7 (BAR: 7)" if name == PER_OPCODE else "7" for name in metrics)])
    return "\n".join(",".join(f'"{cell}"' for cell in row) for row in rows)


@pytest.fixture
def a_gpu(monkeypatch: pytest.MonkeyPatch, h200: Machine) -> None:
    """A GPU that computes what NumPy says."""

    def results(file: Path) -> None:
        told = {
            case.name: {"key": case.key(), "kernel": case.kernel, "right": True, "results": _right(case)}
            for case in CASES
        }
        file.write_text(json.dumps(told), encoding="utf-8")

    monkeypatch.setattr(measure, "_results", results)
    monkeypatch.setattr(measure, "describe_machine", lambda root: h200)


def _right(case: Any) -> list[Any]:
    return [encode(stored(case, argument.expected)) for argument in case.arguments() if hasattr(argument, "expected")]


@pytest.fixture
def measurement(profiler: dict[str, Any], a_gpu: None, tmp_path: Path) -> Measurement:
    measure.collect(tmp_path, tmp_path / "kept")
    return measure.assemble(tmp_path / "kept")


def test_a_measurement_is_whole_and_comes_back_from_its_file(measurement: Measurement) -> None:
    assert list(measurement.cases) == [case.name for case in CASES]
    assert measurement.missing == {}
    assert measurement.profiler == "2025.3.1.0"
    assert all(set(case.metrics) == set(asked()) and case.opcodes == {"BAR": 7} for case in measurement.cases.values())
    measure.require_right(measurement)
    assert parse(Measurement, dump(measurement), "fidelity.json") == measurement


def test_a_file_of_a_measurement_names_no_host(measurement: Measurement) -> None:
    assert "127.0.0.1" not in dump(measurement)


def test_refused_metrics_are_left_out_and_said(profiler: dict[str, Any], a_gpu: None, tmp_path: Path) -> None:
    gone = [SECTORS, "smsp__inst_executed_op_branch.sum"]
    profiler["state"]["known"] = [name for name in asked() if name not in gone]
    profiler["settle"]()
    measure.collect(tmp_path, tmp_path / "kept")
    assert sorted(measure.assemble(tmp_path / "kept").missing) == sorted(gone)


def test_refused_metrics_are_found_by_asking_where_ncu_does_not_name_them(
    profiler: dict[str, Any], tmp_path: Path
) -> None:
    profiler["state"] |= {"known": [name for name in asked() if name != SECTORS], "quiet": True}
    profiler["settle"]()
    assert list(profile(ncu.find(), tmp_path / "r.ncu-rep", asked(), tmp_path / "log")) == [SECTORS]


@pytest.mark.parametrize(
    ("says", "kind"),
    [
        ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission", Unsupported),
        ("==ERROR== Failed to initialize the profiler: LibraryNotLoaded", Unsupported),
        ("==ERROR== The application returned an error code (1).", CourseError),
    ],
)
def test_ncus_own_errors_are_told(profiler: dict[str, Any], tmp_path: Path, says: str, kind: type[Exception]) -> None:
    profiler["state"]["says"] = says
    profiler["settle"]()
    with pytest.raises(kind, match="Nsight Compute") as caught:
        profile(ncu.find(), tmp_path / "r.ncu-rep", asked(), tmp_path / "log")
    assert says in str(caught.value)
    assert says in (tmp_path / "log").read_text(encoding="utf-8")


def test_a_metric_without_values_is_said(profiler: dict[str, Any], a_gpu: None, tmp_path: Path) -> None:
    profiler["state"]["table"] = table(without=SECTORS)
    profiler["settle"]()
    measure.collect(tmp_path, tmp_path / "kept")
    missing = measure.assemble(tmp_path / "kept").missing
    assert missing == {SECTORS: f"no value in {len(CASES)} cases, such as {CASES[0].name}"}


@pytest.mark.parametrize("at", [0, 20, len(CASES) - 1])
def test_a_launch_that_is_missing_is_named(profiler: dict[str, Any], a_gpu: None, tmp_path: Path, at: int) -> None:
    kernels = [case.kernel for case in CASES]
    del kernels[at]
    profiler["state"]["table"] = table(kernels)
    profiler["settle"]()
    measure.collect(tmp_path, tmp_path / "kept")
    with pytest.raises(CourseError, match=rf"{len(CASES) - 1} kernels, the suite has {len(CASES)}: number \d+"):
        measure.assemble(tmp_path / "kept")


def test_a_wrong_result_on_the_gpu_fails_by_name(measurement: Measurement) -> None:
    case = measurement.cases["gather"]
    measurement.cases["gather"] = type(case)(**{**vars(case), "right": False})
    with pytest.raises(CheckFailed, match="1 case came out wrong on the GPU: gather"):
        measure.require_right(measurement)


def test_a_machine_without_ncu_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(tools, "TOOLKIT", ())
    with pytest.raises(Unsupported, match="Nsight Compute is not installed"):
        ncu.find()
