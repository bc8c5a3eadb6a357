"""The feed of new and re-verified days, from evidence alone: the same evidence gives the same feed.

An entry is a published day on a GPU, driver and NVRTC where all its programs are fresh. A new day
brings one, a new GPU or driver another; a new capture changes the date of the one that is there.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as etree
from collections.abc import Iterator
from dataclasses import dataclass

from gpu100.errors import ContentError
from gpu100.evidence.status import Standing
from gpu100.model.course import Day
from gpu100.render.page import Site
from gpu100.render.words import visible

FEED = "feed.xml"
MOST_ENTRIES = 50

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_ATOM = "http://www.w3.org/2005/Atom"


@dataclass(frozen=True)
class Entry:
    """A day, verified on a GPU."""

    day: Day
    address: str
    updated: str
    """When the last of its programs was recorded there."""
    gpu: str
    driver: str
    nvrtc: str
    folder: str

    @property
    def id(self) -> str:
        """Stays the same when the day is recorded anew on the same GPU, driver and NVRTC."""
        return f"{self.address}#verified-{self.folder.replace('/', '-')}"


def entries(site: Site, pages: dict[int, str]) -> list[Entry]:
    """The newest first; ``pages`` has the written days' addresses, by number."""
    found = [
        entry
        for day in site.course.days
        if day.status == "published" and day.number in pages
        for entry in _of_day(site, day, pages[day.number])
    ]
    found.sort(key=lambda entry: (entry.day.number, entry.folder))
    return sorted(found, key=lambda entry: entry.updated, reverse=True)[:MOST_ENTRIES]


def _of_day(site: Site, day: Day, address: str) -> Iterator[Entry]:
    programs = [_fresh(site.standings.get((day.number, program.name), ())) for program in day.programs]
    for folder in programs[0] if programs else ():
        if all(folder in others for others in programs):
            at = programs[0][folder]
            yield Entry(
                day=day,
                address=address,
                updated=max(_started(others[folder]) for others in programs),
                gpu=at.machine.gpu.name,
                driver=at.machine.driver.version,
                nvrtc=at.machine.software.nvrtc,
                folder=folder,
            )


def _started(at: Standing) -> str:
    """When it was recorded, in the one form whose order is that of time."""
    if at.record is None or not _TIME.fullmatch(at.record.started):
        said = at.record.started if at.record else "nothing"
        path = f"evidence/{at.folder}/{at.record.program if at.record else ''}"
        raise ContentError(f"{said!r} is no time as 2026-11-30T12:00:00Z is, and the feed needs one", path=path)
    return at.record.started


def _fresh(standings: tuple[Standing, ...]) -> dict[str, Standing]:
    return {at.folder: at for at in standings if at.state == "fresh"}


def feed(found: list[Entry], *, title: str, subtitle: str, home: str) -> str:
    """Atom, as text; ``home`` is the site's address. There is no feed without an entry."""
    etree.register_namespace("", _ATOM)
    root = etree.Element(f"{{{_ATOM}}}feed")
    _put(root, "id", home)
    _put(root, "title", title)
    _put(root, "subtitle", subtitle)
    _put(root, "link", rel="alternate", href=home)
    _put(root, "link", rel="self", type="application/atom+xml", href=home + FEED)
    _put(root, "updated", max(entry.updated for entry in found))
    _put(_put(root, "author"), "name", title)
    for entry in found:
        _entry(_put(root, "entry"), entry)
    etree.indent(root)
    return etree.tostring(root, encoding="unicode", xml_declaration=True).replace("us-ascii", "utf-8") + "\n"


def _entry(node: etree.Element, entry: Entry) -> None:
    _put(node, "id", entry.id)
    _put(node, "title", f"Day {entry.day.number}: {entry.day.title} (verified on {entry.gpu})")
    _put(node, "link", rel="alternate", href=entry.address)
    _put(node, "updated", entry.updated)
    _put(node, "summary", f"{entry.day.asks} Recorded on {entry.gpu}, driver {entry.driver}, NVRTC {entry.nvrtc}.")


def _put(parent: etree.Element, tag: str, text: str = "", **attributes: str) -> etree.Element:
    node = etree.SubElement(parent, f"{{{_ATOM}}}{tag}", attributes)
    node.text = visible(text) or None  # XML has no place for control characters
    return node
