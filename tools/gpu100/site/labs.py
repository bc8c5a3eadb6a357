"""Labs: each program's notebook as a page, through mkdocs-jupyter, and as a file to take along.

mkdocs-jupyter turns a notebook into a page that carries 600 KB of JupyterLab's own style sheet and
loads a script from a third party. Only the cells' own content is kept.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

import gpu100
from gpu100.evidence.key import source_of
from gpu100.evidence.status import Standing
from gpu100.evidence.store import write_atomically
from gpu100.model.course import Day, ProgramSpec
from gpu100.paths import Layout
from gpu100.render.lab import LabLinks, lab_body
from gpu100.render.notebook import notebook
from gpu100.render.page import Site
from gpu100.render.run import lab_file, lab_page
from gpu100.site.cells import cells_of

WHEEL = f"notebooks/gpu100-{gpu100.__version__}-py3-none-any.whl"
"""What `make site` builds, and a notebook installs."""

STYLE = "assets/stylesheets/lab.css"


def lab_files(layout: Layout, site: Site, config: MkDocsConfig) -> Iterator[File]:
    """Every written program's page and download, and the wheel they install from.

    The files are written to build/ and handed to MkDocs as plain files: mkdocs-jupyter's wrapper
    loses the path of generated ones.
    """
    name = posixpath.basename(WHEEL)
    wheel = layout.root / "build" / "wheel" / name
    if wheel.is_file():
        yield File.generated(config, WHEEL, abs_src_path=str(wheel))
    # Never by its bare name, under which a registry may hold something else.
    address = f"{config.site_url}{WHEEL}" if config.site_url else f"./{name}"
    for day in site.course.days:
        for program in day.programs:
            if day.number in site.written and source_of(layout, day, program).is_file():
                yield from _lab(layout, site, config, day, program, address)


def lab_html(site: Site, html: str, page: Page, files: Files) -> str:
    """The page of a lab, from the ``html`` that mkdocs-jupyter made of its notebook."""
    day, program = next(
        (day, program)
        for day in site.course.days
        for program in day.programs
        if lab_page(day, program) == page.file.src_uri
    )

    def link(path: str) -> str:
        file = files.get_file_from_path(path)
        return get_relative_url(file.url if file else path, page.url)

    links = LabLinks(style=link(STYLE), day=link(day.page.as_posix()), download=link(lab_file(day, program)))
    return lab_body(day, program, _fresh(site, day, program), cells_of(html), links)


def _fresh(site: Site, day: Day, program: ProgramSpec) -> Standing | None:
    """Whose output a notebook holds: the reference GPU's where it is fresh."""
    return next((s for s in site.standings.get((day.number, program.name), ()) if s.state == "fresh"), None)


def _lab(
    layout: Layout, site: Site, config: MkDocsConfig, day: Day, program: ProgramSpec, wheel: str
) -> Iterator[File]:
    py = source_of(layout, day, program)
    fresh = _fresh(site, day, program)
    record = fresh.record if fresh else None
    text = notebook(program.name, py.with_suffix(".cu").read_bytes(), py.read_bytes(), record, wheel)
    folder = layout.root / "build"
    page = lab_page(day, program)
    if not (folder / page).is_file() or (folder / page).read_text(encoding="utf-8") != text:
        write_atomically(folder / page, text)
    yield File(page, str(folder), config.site_dir, config.use_directory_urls)
    yield File.generated(config, lab_file(day, program), content=text)
