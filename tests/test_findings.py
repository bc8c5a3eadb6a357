"""What Compute Sanitizer writes, in its several ways."""

from __future__ import annotations

import pytest
from gpu100.capture.findings import read_log
from gpu100.errors import CourseError
from gpu100.model.lanes import FirstFound

RACE = """========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at sum_up(float const *, float *)+0x130 in /home/x/sum.cu:9
=========     and Read access at sum_up(float const *, float *)+0x190 in /home/x/sum.cu:12 [34 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""
UNINITIALIZED = """========= COMPUTE-SANITIZER
========= Uninitialized __global__ memory read of size 4 bytes
=========     at 0x88 in gather(const float *)
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x7f3c7ec000fc
=========
========= Uninitialized __global__ memory read of size 4 bytes
=========     at gather+0x88 in gather.cu:3
=========     by thread (1,0,0) in block (0,0,0)
=========
========= ERROR SUMMARY: 257 errors
========= ERROR SUMMARY: 157 errors were not printed. Use --print-limit option to adjust
"""
OUT_OF_BOUNDS = """========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at one_too_far(int *, int)+0xb0 in off_by_one.cu:21
=========     by thread (64,0,0) in block (3906,0,0)
=========     Access to 0x7f4bd83d0900 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f4bd8000000 of size 4,000,000 bytes
=========
========= ERROR SUMMARY: 1 error
"""
IN_FRONT = """========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at backward(int *, int)+0x90
=========        in /home/x/k.cu:9
=========     by thread (1,2,0) in block (3,0,5)
=========     Address 0x7f4bd7fffffc is out of bounds
=========     and is 4 bytes before the nearest allocation at 0x7f4bd8000000
=========        of size 12 bytes
========= ERROR SUMMARY: 1 error
"""
BARRIER = """========= COMPUTE-SANITIZER
========= Barrier error detected. Divergent thread(s) in warp
=========     at __syncwarp(unsigned int)+0xe0 in sm_30_intrinsics.hpp:110
=========         Device Frame: helper(float *)+0x10 in k.cu:3
=========         Device Frame: broken_sync(float *, unsigned long)+0xb0 in /input/k.cu:12
========= ERROR SUMMARY: 1 error
"""


@pytest.mark.parametrize(
    ("log", "found"),
    [
        (RACE, [("Error: Race reported between Write access and Read access", "sum_up", 1)]),
        (UNINITIALIZED, [("Uninitialized __global__ memory read of size 4 bytes", "gather", 2)]),
        (BARRIER, [("Barrier error detected. Divergent thread(s) in warp", "broken_sync", 1)]),
        (OUT_OF_BOUNDS, [("Invalid __global__ write of size 4 bytes", "one_too_far", 1)]),
        ("========= COMPUTE-SANITIZER\n========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n", []),
        ("the program's own line\n========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n", []),
    ],
)
def test_findings_by_kind_and_kernel(log: str, found: list[tuple[str, str, int]]) -> None:
    assert [(f.what, f.kernel, f.count) for f in read_log(log)] == found


def test_logs_of_several_processes_are_one() -> None:
    assert [f.kernel for f in read_log(RACE + UNINITIALIZED)] == ["sum_up", "gather"]


def test_what_nobody_has_seen_before_is_a_finding() -> None:
    log = "========= COMPUTE-SANITIZER\n========= Something new in town (0x7f3c)\n========= ERROR SUMMARY: 1 error\n"
    assert [f.what for f in read_log(log)] == ["Something new in town (...)"]


def test_no_address_and_no_path_is_kept() -> None:
    said = repr([read_log(log) for log in (RACE, UNINITIALIZED, BARRIER, OUT_OF_BOUNDS, IN_FRONT)])
    assert not [word for word in ("0x", "/home", "/input", "7f4b") if word in said]


def test_where_the_first_was() -> None:
    (found,) = read_log(OUT_OF_BOUNDS + OUT_OF_BOUNDS.replace("(64,0,0)", "(65,0,0)"))
    assert (found.count, found.first) == (
        2,
        FirstFound(
            file="off_by_one.cu",
            line=21,
            block=(3906, 0, 0),
            thread=(64, 0, 0),
            away=1,
            side="after",
            allocation=4_000_000,
        ),
    )


def test_where_in_another_of_the_tools_ways() -> None:
    (found,) = read_log(IN_FRONT)
    assert found.first == FirstFound(
        file="k.cu", line=9, block=(3, 0, 5), thread=(1, 2, 0), away=4, side="before", allocation=12
    )


def test_an_address_is_nobodys_kernel() -> None:
    (found,) = read_log(IN_FRONT.replace("at backward(int *, int)+0x90", "somewhere"))
    assert found.kernel == ""


def test_a_tool_that_does_not_say_where() -> None:
    log = "========= COMPUTE-SANITIZER\n========= Something new\n========= ERROR SUMMARY: 1 error\n"
    assert [found.first for found in read_log(log)] == [None]


@pytest.mark.parametrize(
    "log",
    [
        "",
        "no log at all\n",
        RACE.replace("RACECHECK SUMMARY", "and"),
        "========= Internal Sanitizer Error: oh\n========= ERROR SUMMARY: 0 errors\n",
        "========= Error: No attachable process found. compute-sanitizer timed-out.\n",
    ],
)
def test_a_tool_that_broke_off_is_told(log: str) -> None:
    with pytest.raises(CourseError):
        read_log(log)
