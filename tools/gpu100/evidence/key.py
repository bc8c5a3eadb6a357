"""What a record was made from, and whether that is still what stands in the tree.

In the key: the .cu without snippet markers, the .py's code cells, local includes, declared
inputs, compile options and the harness's behaviour. Not in it: prose, Markdown cells, markers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from gpu100.errors import ContentError
from gpu100.fingerprint import digest, lf
from gpu100.includes import local_includes, without_markers
from gpu100.model.behaviour import COMPILE_OPTIONS, HARNESS_BEHAVIOUR
from gpu100.model.cells import code_only
from gpu100.model.course import Day, ProgramSpec
from gpu100.model.record import Key, Record
from gpu100.paths import Layout


def program_key(layout: Layout, day: Day, program: ProgramSpec) -> Key:
    """The key that a capture of ``program`` would have now.

    Raises:
        ContentError: a file of the program is missing.
    """
    files = cu, py, *inputs = _files(layout, day, program)
    for path in files:
        if not path.is_file():
            raise ContentError("no such file", path=layout.relative(path), hint=f"{day.tag} declares it in course.toml")
    parts = {
        layout.relative(cu): without_markers(cu.read_bytes()),
        layout.relative(py): code_only(without_markers(py.read_bytes())),
        "compile options": "\0".join(COMPILE_OPTIONS),
        "harness behaviour": str(HARNESS_BEHAVIOUR),
    }
    parts |= {layout.relative(path): without_markers(path.read_bytes()) for path in local_includes(cu)}
    digests = {name: hashlib.sha256(part.encode()).hexdigest() for name, part in parts.items()}
    digests |= {layout.relative(path): hashlib.sha256(lf(path.read_bytes())).hexdigest() for path in inputs}
    return Key(digest=parts_digest(digests), parts=digests)


def is_written(layout: Layout, day: Day, program: ProgramSpec) -> bool:
    """Whether all files that its key is made of are there."""
    return all(path.is_file() for path in _files(layout, day, program))


def _files(layout: Layout, day: Day, program: ProgramSpec) -> tuple[Path, ...]:
    """The two halves, device first, and the declared inputs."""
    source = source_of(layout, day, program)
    return (source.with_suffix(".cu"), source, *(source.parent / name for name in program.inputs))


def parts_digest(parts: Mapping[str, str]) -> str:
    """The digest of a key with these ``parts``."""
    return digest(parts)


def source_of(layout: Layout, day: Day, program: ProgramSpec) -> Path:
    """The program's host file; a program that has it has been written."""
    return layout.root / day.folder / f"{program.name}.py"


def why_stale(record: Record, now: Key) -> str | None:
    """Why ``record`` is no longer current, naming what changed, or None where it is fresh."""
    if record.key.digest == now.digest:
        return None
    then = record.key.parts
    changed = sorted(name for name in now.parts if name in then and now.parts[name] != then[name])
    added = sorted(now.parts.keys() - then.keys())
    gone = sorted(then.keys() - now.parts.keys())
    said = [
        f"{', '.join(names)} {verb}"
        for names, verb in ((changed, "changed"), (added, "came to it"), (gone, "went from it"))
        if names
    ]
    return "; ".join(said) or "its key does not match its parts"
