"""The reader's file before it is compiled: whether it can be, and whether its kernel is the one asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from gpu100.device.interface import Source
from gpu100.device.signature import Parameter, kernels
from gpu100.errors import CourseError, nearest
from gpu100.practice.cases import Exercise

MOST_BYTES = 1 << 18
"""Of one file: more than anybody writes by hand."""
MOST_FILES = 32

_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t]*(?:#|%:)[ \t]*(?:include|include_next|import|embed)\b[ \t]*(.*)$", re.MULTILINE)
_QUOTED = re.compile(r'"([^"\n]+)"')
_ANGLED = re.compile(r"<([^>\n]+)>")


class Refused(CourseError):
    """The reader's file cannot be taken; ``found`` says as what."""

    def __init__(self, message: str, *, hint: str | None = None, found: str = "source") -> None:
        super().__init__(message, hint=hint)
        self.found = found


def read_source(path: Path, shown: str) -> Source:
    """The file, named ``shown`` in messages, with all that it includes looked at.

    Raises:
        Refused: there is no such file, it is not text, too long, or includes what it must not.
    """
    source = Source(path=path.resolve(), name=shown, text=_text(path, shown))
    for _ in _includes(source):
        pass
    return source


def require_kernel(source: Source, exercise: Exercise) -> None:
    """Raise unless the file has the kernel that the exercise calls, with its parameters.

    Raises:
        Refused: it has not, and what is there instead.
    """
    found = kernels(source.text)
    wanted = f'extern "C" __global__ {exercise.declaration}'
    if exercise.kernel not in found:
        there = f"its kernels are {', '.join(found)}" if found else "it has none"
        near = nearest(exercise.kernel, found)
        hint = f"the task asks for {wanted}" + (f"; {near}" if near else "")
        if re.search(rf"__global__\s+void\s+{exercise.kernel}\b", source.text):
            hint = f'extern "C" keeps the name as it is written: {wanted}'
        raise Refused(f"{source.name} has no kernel {exercise.kernel}: {there}", hint=hint, found="signature")
    own = found[exercise.kernel]
    if [_kind(parameter) for parameter in own] != [_kind(parameter) for parameter in exercise.parameters]:
        takes = ", ".join(map(str, own)) or "nothing"
        raise Refused(
            f"{exercise.kernel} takes ({takes}), and is called as {exercise.declaration}",
            hint="the order and the types of the parameters have to be those; their names are yours",
            found="signature",
        )


def _kind(parameter: Parameter) -> tuple[bool, str]:
    return parameter.pointer, str(parameter.dtype) if parameter.dtype is not None else parameter.ctype


def _includes(source: Source) -> Iterator[Path]:
    """Every file of the reader's that the source pulls in, each looked at once."""
    folder = source.path.parent
    waiting, known = [source.path], {source.path}
    while waiting:
        current = waiting.pop()
        text = source.text if current == source.path else _text(current, current.name)
        for line, target in _targets(text):
            where = f"{source.name if current == source.path else current.name}:{line}"
            path = _resolved(current.parent, folder, target, where)
            if path and path not in known:
                known.add(path)
                waiting.append(path)
                yield path
        if len(known) > MOST_FILES:
            raise Refused(f"{source.name} includes more than {MOST_FILES} files")


def _targets(text: str) -> Iterator[tuple[int, str]]:
    """What is included, with its line; comments do not count, a line may go on behind a backslash."""
    joined = re.sub(r"\\[ \t]*\n", "", text)
    plain = _COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else _blank(found[0]), joined)
    for match in _DIRECTIVE.finditer(plain):
        yield plain.count("\n", 0, match.start()) + 1, match[1].strip()


def _blank(comment: str) -> str:
    return "\n" * comment.count("\n") or " "


def _resolved(beside: Path, folder: Path, target: str, where: str) -> Path | None:
    """The reader's file that is meant; None for one of the toolkit's.

    Raises:
        Refused: it lies outside of ``folder``, or cannot be told.
    """
    match = _QUOTED.match(target) or _ANGLED.match(target)
    if match is None:
        raise Refused(f"{where}: an include by a macro cannot be followed", hint="write the file's name out")
    name = Path(match[1])
    path = beside / name
    outside = name.is_absolute() or ".." in name.parts or not path.resolve().is_relative_to(folder)
    if outside:
        hint = "a solution may have several files, all of them beside the first"
        raise Refused(f"{where} includes {match[1]!r}, which is outside of the exercise's folder", hint=hint)
    return path.resolve() if path.is_file() else None


def _text(path: Path, shown: str) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise Refused(f"{shown} has {path.stat().st_size:,} bytes, where {MOST_BYTES:,} are plenty")
        if not path.is_file():
            raise Refused(f"{shown} is not a file")
        data = path.read_bytes()
    except OSError as error:
        raise Refused(f"{shown} cannot be read: {error.strerror}") from None
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise Refused(f"{shown} is not UTF-8: byte {error.start} cannot be read") from None
    if "\0" in text:
        raise Refused(f"{shown} is not text: it has a zero byte")
    return text.removeprefix("\ufeff").replace("\r\n", "\n")
