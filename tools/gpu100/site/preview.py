"""`make serve`: after a change, build again only the pages whose inputs changed.

MkDocs' own ``--dirty`` compares a page's Markdown with what was built from it, and so shows stale
evidence: it does not know of programs, quizzes and records. Here a page is modified when the digest
of all that it shows has changed since the last build. What a change does not reach stays as it is,
so the search index of a preview may be behind, and labs are not built at all.
"""

from __future__ import annotations

from pathlib import Path

from mkdocs.structure.files import File, Files

from gpu100.fingerprint import digest
from gpu100.model.course import Day
from gpu100.paths import Layout
from gpu100.render.page import Site


class Preview:
    """What the pages of the last build were made from."""

    def __init__(self) -> None:
        self._built: dict[str, str] = {}

    def choose(self, files: Files, layout: Layout, site: Site) -> None:
        """Tell MkDocs which of ``files`` to build in this round."""
        common = _common(layout)
        days = {day.page.as_posix(): day for day in site.course.days}
        now: dict[str, str] = {}
        for file in files.documentation_pages():
            if file.src_uri.startswith("labs/"):
                _set_modified(file, False)
                continue
            now[file.src_uri] = _digest(file, layout, site, days.get(file.src_uri), common)
            _set_modified(file, self._built.get(file.src_uri) != now[file.src_uri])
        self._built = now


def _set_modified(file: File, modified: bool) -> None:
    file.is_modified = lambda: modified  # type: ignore[method-assign]


def _common(layout: Layout) -> str:
    """What every page depends on: the configuration, and what authors declare."""
    declared = [layout.root / "mkdocs.yml", *sorted(layout.content.glob("*.toml"))]
    return digest({path.name: path.read_bytes() for path in declared})


def _digest(file: File, layout: Layout, site: Site, day: Day | None, common: str) -> str:
    parts: dict[str, bytes | str] = {"page": file.content_bytes, "common": common}
    if day is None:  # the map, a reference page: where every day stands
        parts["days"] = repr([site.view(other) for other in site.course.days if other.number in site.written])
        if file.src_uri.startswith("evidence/"):
            parts["records"] = repr(site.recorded)
        return digest(parts)
    keys = [(day.number, program.name) for program in day.programs]
    parts["evidence"] = repr([(site.standings.get(key), site.recorded.drifts.get(key)) for key in keys])
    inputs = _files(layout.root / day.folder) + _files(layout.quiz(day.number))
    parts |= {layout.relative(path): path.read_bytes() for path in inputs}
    return digest(parts)


def _files(place: Path) -> list[Path]:
    """The file at ``place``, or those below it."""
    if place.is_file():
        return [place]
    return sorted(path for path in place.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
