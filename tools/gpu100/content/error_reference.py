"""content/errors.toml: the reference of CUDA's errors. (The package's own are in gpu100.errors.)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpu100.content.toml import line_of, load
from gpu100.errors import ContentError, nearest
from gpu100.model.course import Course
from gpu100.model.cuda_error import CudaError
from gpu100.model.source import Source
from gpu100.paths import Layout


@dataclass(frozen=True, kw_only=True)
class _File:
    error: tuple[CudaError, ...]


def load_error_reference(layout: Layout, course: Course, sources: Mapping[str, Source]) -> dict[str, CudaError]:
    """Every error by its id, in the file's order; none where the course has no such file.

    Raises:
        ContentError: the file does not fit, an id or a name stands twice, or an error refers to
            a day or a source that does not exist.
    """
    path = layout.content / "errors.toml"
    if not path.exists():
        return {}
    shown = layout.relative(path)
    errors = load(_File, path, shown).error
    for index, message, hint in _wrong(errors, course, sources):
        line = line_of(path.read_text(encoding="utf-8"), ("error", index))
        raise ContentError(message, path=shown, line=line, hint=hint)
    return {error.id: error for error in errors}


def _wrong(
    errors: tuple[CudaError, ...], course: Course, sources: Mapping[str, Source]
) -> Iterator[tuple[int, str, str | None]]:
    seen: set[str] = set()
    for index, error in enumerate(errors):
        for name in (error.id, *(name.name for name in error.names)):
            if name in seen:
                yield index, f"{name!r} stands twice", None
            seen.add(name)
        for day in error.days:
            if course.day(day) is None:
                yield index, f"{error.id!r} refers to day {day}, which does not exist", None
        for source in filter(None, (*error.sources, error.survives_source)):
            if source not in sources:
                yield index, f"{error.id!r} cites no source: {source!r}", nearest(source, sources)
