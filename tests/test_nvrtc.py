"""CUDA C++ to cubins, through a real NVRTC, on machines without a GPU too."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from gpu100.device.interface import Source
from gpu100.device.nvrtc import compile_source, include_options, version
from gpu100.device.signature import kernels
from gpu100.errors import CompileError
from gpu100.model.behaviour import COMPILE_OPTIONS
from gpu100.model.capability import NVRTC_13_0, claimed
from gpu100.model.course import Course
from gpu100.paths import Layout

ELF = b"\x7fELF"


def source_at(path: Path, root: Path) -> Source:
    return Source(path=path, name=path.relative_to(root).as_posix(), text=path.read_text(encoding="utf-8"))


def source(folder: Path, text: str, name: str = "probe.cu") -> Source:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return Source(path=path, name=name, text=text)


def kernel(body: str = "y[0] = 1;") -> str:
    return f'extern "C" __global__ void k(int* y) {{ {body} }}\n'


def entries(cache: Path) -> list[Path]:
    """What the cache keeps, one file a cubin."""
    return [path for path in (cache / "entries").rglob("*") if path.is_file()]


def test_every_program_compiles_for_every_capability_it_claims(repository: Layout, course: Course) -> None:
    compiled = 0
    for day in course.days:
        for path in sorted((repository.root / day.folder).glob("*.cu")):
            program = source_at(path, repository.root)
            for capability in claimed(day.needs_capability):
                cubin = compile_source(program, capability.arch, COMPILE_OPTIONS)
                assert cubin.startswith(ELF)
                assert all(name.encode() in cubin for name in kernels(program.text)), (path.name, capability)
                compiled += 1
    print(f"{compiled} cubins compiled")
    assert compiled >= len(NVRTC_13_0)


def test_a_local_include_is_found(mini: Layout) -> None:
    twice = source_at(mini.root / "code/day02-twice/twice.cu", mini.root)
    assert compile_source(twice, "sm_90", COMPILE_OPTIONS).startswith(ELF)


def test_the_toolkits_headers_are_found(tmp_path: Path) -> None:
    text = "#include <cooperative_groups.h>\n#include <cuda_fp16.h>\n#include <cuda/std/array>\n" + kernel()
    assert len(include_options()) == 2
    assert compile_source(source(tmp_path, text), "sm_75", COMPILE_OPTIONS).startswith(ELF)


def test_ptx_can_be_had_instead(tmp_path: Path) -> None:
    ptx = compile_source(source(tmp_path, kernel()), "sm_90", (), target="ptx").decode()
    assert ".target sm_90" in ptx
    assert ".visible .entry k(" in ptx


def test_the_version_has_three_parts() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", version())


def test_a_source_with_an_error_has_file_and_line_in_its_log(tmp_path: Path) -> None:
    broken = source(tmp_path, "// a comment\n" + kernel("y[0] = missing;"), "broken.cu")
    with pytest.raises(CompileError) as caught:
        compile_source(broken, "sm_90", ())
    assert 'broken.cu(2): error: identifier "missing" is undefined' in caught.value.log
    assert caught.value.message.startswith("broken.cu does not compile for sm_90\n")
    assert "\0" not in caught.value.log


def test_an_error_in_an_include_names_the_include(tmp_path: Path) -> None:
    (tmp_path / "bad.cuh").write_text("\n\nint f( {\n")
    with pytest.raises(CompileError) as caught:
        compile_source(source(tmp_path, '#include "bad.cuh"\n' + kernel()), "sm_90", ())
    assert "bad.cuh(3): error" in caught.value.log


def test_an_option_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as caught:
        compile_source(source(tmp_path, kernel()), "sm_90", ("--no-such-option",))
    assert "--no-such-option" in caught.value.log


def test_what_was_compiled_once_comes_from_the_cache(tmp_path: Path) -> None:
    probe, cache = source(tmp_path, kernel()), tmp_path / "cache"
    first = compile_source(probe, "sm_90", (), cache=cache)
    (entry,) = entries(cache)
    assert entry.read_bytes() == first
    assert compile_source(probe, "sm_90", (), cache=cache) == first
    entry.write_bytes(b"planted: no compiler wrote this")
    assert compile_source(probe, "sm_90", (), cache=cache) == b"planted: no compiler wrote this"


def test_a_source_that_was_refused_is_not_cached(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(CompileError):
            compile_source(source(tmp_path, kernel("missing;")), "sm_90", (), cache=tmp_path / "cache")
    assert entries(tmp_path / "cache") == []


def test_whatever_changes_the_cubin_has_an_entry_of_its_own(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (tmp_path / "one.cuh").write_text("#define ONE 1\n")
    text = '#include "one.cuh"\n' + kernel("y[0] = ONE;")
    probe = source(tmp_path, text)

    def count() -> int:
        return len(entries(cache))

    before = compile_source(probe, "sm_90", (), cache=cache)
    assert count() == 1
    compile_source(probe, "sm_80", (), cache=cache)
    assert count() == 2
    compile_source(probe, "sm_90", ("--generate-line-info",), cache=cache)
    assert count() == 3
    compile_source(probe, "sm_90", (), target="ptx", cache=cache)
    assert count() == 4
    compile_source(source(tmp_path, text + "\n"), "sm_90", (), cache=cache)
    assert count() == 5
    (tmp_path / "one.cuh").write_text("#define ONE 11\n")
    assert compile_source(probe, "sm_90", (), cache=cache) != before
    assert count() == 6


def test_includes_of_the_same_name_in_two_folders_both_count(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "size.cuh").write_text(f"#define {folder.upper()} 1\n")
    probe = source(tmp_path, '#include "a/size.cuh"\n#include "b/size.cuh"\n' + kernel("y[0] = A + B;"))
    for folder in ("a", "b"):
        before = compile_source(probe, "sm_90", (), cache=tmp_path / "cache")
        (tmp_path / folder / "size.cuh").write_text(f"#define {folder.upper()} 1000\n")
        assert compile_source(probe, "sm_90", (), cache=tmp_path / "cache") != before, folder
