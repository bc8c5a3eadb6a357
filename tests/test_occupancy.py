"""The occupancy calculation, against the H200's recorded answers, published ones, and NVIDIA's own header."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from cuda import pathfinder
from gpu100.content.course import load_course
from gpu100.content.facts import load_facts
from gpu100.content.sources import load_sources
from gpu100.evidence.store import EvidenceStore
from gpu100.model.capability import Capability
from gpu100.model.limits import Limits, limits_of
from gpu100.model.occupancy import blocks_per_sm, registers_of_block, residency
from gpu100.paths import Layout


def limits(capability: str) -> Limits:
    found = limits_of(Capability.parse(capability))
    assert found is not None
    return found


def test_every_answer_of_a_driver_on_record_is_the_formulas(repository: Layout) -> None:
    compared = 0
    for machine in EvidenceStore(repository.evidence).read():
        record = machine.record(2, "warp_slots")
        if record is None or record.status != "ok":
            continue
        takes, of = record.kernels["multiply_add"], limits_of(machine.machine.gpu.compute_capability)
        answers = record.values["blocks"].value
        assert isinstance(answers, dict)
        assert of is not None
        for threads, blocks in answers.items():
            assert blocks == blocks_per_sm(of, threads=int(threads), registers=takes.registers), threads
            compared += 1
        every = [t for t in range(1, 1025) if blocks_per_sm(of, threads=t, registers=12) * -(-t // 32) == 64]
        assert record.values["smallest_filling"].value == every[0]
        filling = ", ".join(str(t) for t in every if t % 32 == 0)
        assert record.values["filling"].value == filling
    print(f"{compared} answers compared")
    assert compared >= 8


def test_the_published_answers_of_a_t4_are_the_formulas(repository: Layout) -> None:
    facts = load_facts(repository, load_sources(repository), {day.number for day in load_course(repository).days})
    published = {f.id: f.value for f in facts.figure if f.id.startswith("t4.blocks-at-")}
    assert len(published) == 3
    for id, blocks in published.items():
        assert blocks_per_sm(limits("7.5"), threads=int(id.rpartition("-")[2]), registers=12) == blocks, id


def test_the_examples_of_the_facts_come_out() -> None:
    # content/facts.toml: occupancy, warps-by-registers, launch-refused
    assert blocks_per_sm(limits("8.9"), threads=256, registers=72) == 3
    assert blocks_per_sm(limits("9.0"), threads=32, registers=104) == 16
    refused = residency(limits("9.0"), threads=288, registers=176)
    assert refused.blocks == 0
    assert "registers of a block" in refused.limited_by
    assert registers_of_block(limits("9.0"), warps=9, registers=176) == 67_584


@pytest.mark.parametrize(
    ("capability", "asked", "blocks", "limited_by"),
    [
        ("9.0", {"threads": 32, "registers": 16}, 32, ("blocks",)),
        ("9.0", {"threads": 1024, "registers": 32}, 2, ("warps", "registers")),
        ("9.0", {"threads": 256, "registers": 40}, 6, ("registers",)),
        ("9.0", {"threads": 128, "registers": 16, "shared_bytes": 100 * 1024}, 2, ("shared memory",)),
        ("9.0", {"threads": 128, "registers": 16, "shared_bytes": 227 * 1024}, 1, ("shared memory",)),
        ("9.0", {"threads": 128, "registers": 16, "shared_bytes": 227 * 1024 + 1}, 0, ("shared memory",)),
        ("7.5", {"threads": 64, "registers": 16, "shared_bytes": 64 * 1024}, 1, ("shared memory",)),
        ("9.0", {"threads": 1025, "registers": 16}, 0, ("block size",)),
        ("9.0", {"threads": 0, "registers": 16}, 0, ("block size",)),
        ("9.0", {"threads": 32, "registers": 256}, 0, ("registers of a block",)),
        ("9.0", {"threads": 32, "registers": 0}, 32, ("blocks", "registers")),
    ],
)
def test_what_runs_out_first_is_named(
    capability: str, asked: dict[str, int], blocks: int, limited_by: tuple[str, ...]
) -> None:
    found = residency(limits(capability), **asked)
    assert (found.blocks, found.limited_by) == (blocks, limited_by)


HEADER_PROGRAM = r"""
#include <cstdio>
#include "cuda_occupancy.h"
int main() {
    int major, minor, perSm, reserved, threads, registers;
    long long smPerSm, fixed, dynamic;
    while (std::scanf("%d %d %d %lld %d %d %d %lld %lld", &major, &minor, &perSm, &smPerSm, &reserved, &threads,
                      &registers, &fixed, &dynamic) == 9) {
        cudaOccDeviceProp p;
        p.computeMajor = major; p.computeMinor = minor; p.maxThreadsPerBlock = 1024;
        p.maxThreadsPerMultiprocessor = perSm; p.regsPerBlock = 65536; p.regsPerMultiprocessor = 65536;
        p.warpSize = 32; p.sharedMemPerBlock = 49152; p.sharedMemPerMultiprocessor = smPerSm; p.numSms = 1;
        p.sharedMemPerBlockOptin = smPerSm - reserved; p.reservedSharedMemPerBlock = reserved;
        cudaOccFuncAttributes a;
        a.maxThreadsPerBlock = 1024; a.numRegs = registers; a.sharedSizeBytes = fixed;
        a.partitionedGCConfig = PARTITIONED_GC_OFF; a.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
        a.maxDynamicSharedSizeBytes = smPerSm - reserved - fixed; a.numBlockBarriers = 1;
        cudaOccDeviceState s;
        cudaOccResult r;
        int e = cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &a, &s, threads, dynamic);
        std::printf("%d\n", e ? -e : r.activeBlocksPerMultiprocessor);
    }
}
"""


def test_nvidias_own_header_answers_the_same(tmp_path: Path) -> None:
    compiler = shutil.which("g++") or shutil.which("clang++")
    place = pathfinder.locate_nvidia_header_directory("cudart")
    if not compiler or place is None or not (Path(place.abs_path) / "cuda_occupancy.h").is_file():
        pytest.skip("no C++ compiler, or no cuda_occupancy.h")
    (tmp_path / "ask.cpp").write_text(HEADER_PROGRAM, encoding="utf-8")
    ask = tmp_path / "ask"
    build = [compiler, "-O1", "-w", f"-I{place.abs_path}", str(tmp_path / "ask.cpp"), "-o", str(ask)]
    subprocess.run(build, check=True, capture_output=True)

    cases = []
    for of in (limits("7.5"), limits("8.0"), limits("8.6"), limits("8.9"), limits("9.0"), limits("10.0")):
        some = (1, 31, 32, 33, 96, 128, 160, 256, 288, 320, 512, 768, 1000, 1024)
        for threads, registers in itertools.product(some, (1, 8, 24, 32, 33, 40, 64, 72, 104, 128, 176, 255)):
            for fixed, dynamic in ((0, 0), (1, 0), (1024, 100), (4096, 0), (0, 40_000), (8192, of.shared_bytes_static)):
                if fixed + dynamic <= of.shared_bytes_per_block:
                    cases.append((of, threads, registers, fixed, dynamic))
    lines = [
        f"{of.capability.major} {of.capability.minor} {of.threads_per_sm} {of.shared_bytes_per_sm} "
        f"{of.shared_bytes_reserved} {threads} {registers} {fixed} {dynamic}"
        for of, threads, registers, fixed, dynamic in cases
    ]
    said = subprocess.run([str(ask)], input="\n".join(lines), capture_output=True, text=True, check=True)
    answers = [int(line) for line in said.stdout.split()]
    assert len(answers) == len(cases) > 5000
    wrong = [
        (str(of.capability), threads, registers, fixed, dynamic, answer)
        for (of, threads, registers, fixed, dynamic), answer in zip(cases, answers, strict=True)
        if answer != blocks_per_sm(of, threads=threads, registers=registers, shared_bytes=fixed + dynamic)
    ]
    assert wrong == [], json.dumps(wrong[:5])
