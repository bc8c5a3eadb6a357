"""A page for every machine that sent evidence, and all of it once more for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File

from gpu100.evidence.store import MachineEvidence
from gpu100.render.evidence_json import evidence_json
from gpu100.render.evidence_pages import JSON_FILE, machine_page, machine_title
from gpu100.render.page import Site

MACHINES = "machines"
"""In mkdocs.yml's nav, the entry that the machines' pages take the place of."""


def with_machines(nav: list[Any], machines: tuple[MachineEvidence, ...]) -> tuple[list[Any], bool]:
    """``nav`` with its ``machines`` entry, wherever it stands, replaced, and whether it had one."""
    pages = [{machine_title(at): machine_page(at.folder)} for at in machines]
    found: list[Any] = []
    had = False
    for entry in nav:
        if entry == MACHINES:
            found, had = found + pages, True
        elif isinstance(entry, dict):
            inner: dict[Any, Any] = {}
            for title, value in entry.items():
                inner[title], has = with_machines(value, machines) if isinstance(value, list) else (value, False)
                had = had or has
            found.append(inner)
        else:
            found.append(entry)
    return found, had


def evidence_files(site: Site, config: MkDocsConfig, *, pages: bool) -> Iterator[File]:
    """The machines' pages, where the navigation has a place for them, and evidence.json."""
    yield File.generated(config, JSON_FILE, content=evidence_json(site))
    for at in site.recorded.machines if pages else ():
        yield File.generated(config, machine_page(at.folder), content=_page(at))


def _page(at: MachineEvidence) -> str:
    # GPU names and folders are plain letters; the store refuses others. Out of the search: a machine's
    # page names what every day does, and would stand before the days themselves.
    description = f"What {at.machine.gpu.name} found, under driver {at.machine.driver.version}."
    return (
        f'---\ntitle: "{machine_title(at)}"\ndescription: "{description}"\nsearch:\n  exclude: true\n---\n\n'
        f'# {at.machine.gpu.name}\n\n{{{{ evidence_machine("{at.folder}") }}}}\n'
    )
