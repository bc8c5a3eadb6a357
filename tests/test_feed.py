"""The feed of new and re-verified days: made of evidence alone, and only where the site has an address."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as etree
from pathlib import Path

import pytest
from conftest import RECORD1, built, second_machine
from gpu100.errors import ContentError
from gpu100.evidence.schema import parse
from gpu100.evidence.store import EvidenceStore
from gpu100.model.machine import Driver, Machine
from gpu100.model.record import Record
from gpu100.paths import Layout
from gpu100.render.feed import Entry, entries, feed
from gpu100.render.loading import load_site

HOME = "https://course.example/gpu/"
ATOM = "{http://www.w3.org/2005/Atom}"


def found(layout: Layout) -> list[Entry]:
    site = load_site(layout)
    return entries(site, {number: f"{HOME}days/{number}/" for number in site.written})


def published(layout: Layout) -> list[int]:
    return [day.number for day in load_site(layout).course.days if day.status == "published"]


def test_every_published_day_has_an_entry_with_the_date_of_its_record(layout: Layout) -> None:
    listed = found(layout)
    assert sorted(entry.day.number for entry in listed) == published(layout) != []
    started = parse(Record, (layout.evidence / RECORD1).read_text(encoding="utf-8"), RECORD1).started
    assert next(entry for entry in listed if entry.day.number == 1).updated == started


def test_another_gpu_brings_an_entry_and_a_new_capture_changes_a_date(layout: Layout, t4: Machine) -> None:
    before = {entry.id: entry.updated for entry in found(layout)}
    second_machine(layout, t4, started="2031-01-01T00:00:00Z")
    listed = found(layout)
    assert len(listed) == len(before) + 1
    assert (listed[0].gpu, listed[0].updated) == ("Tesla T4", "2031-01-01T00:00:00Z")
    second_machine(layout, t4, started="2032-01-01T00:00:00Z")
    assert found(layout)[0].id == listed[0].id
    assert found(layout)[0].updated == "2032-01-01T00:00:00Z"


def test_a_stale_or_failed_record_is_no_news(layout: Layout, t4: Machine) -> None:
    before = [entry.id for entry in found(layout)]
    second_machine(layout, t4, status="crash", reason="it crashed")
    assert [entry.id for entry in found(layout)] == before
    path = layout.code / "day01-hello" / "hello.py"
    path.write_text(path.read_text(encoding="utf-8") + "\n# %%\nprint(1)\n", encoding="utf-8")
    assert 1 not in [entry.day.number for entry in found(layout)]


def test_an_older_driver_on_the_same_gpu_is_not_listed_beside_the_newer(layout: Layout, h200: Machine) -> None:
    newer = dataclasses.replace(h200, driver=Driver(version="590.1", cuda_raw=13100))
    second_machine(layout, newer, started="2031-01-01T00:00:00Z")
    assert [entry.driver for entry in found(layout) if entry.day.number == 1] == ["590.1"]


def test_a_record_without_a_date_stops_the_feed_and_is_named(layout: Layout, t4: Machine) -> None:
    second_machine(layout, t4, started="yesterday")
    with pytest.raises(ContentError, match="yesterday") as caught:
        found(layout)
    assert "tesla-t4" in str(caught.value)
    assert "hello" in str(caught.value)


def test_what_xml_cannot_hold_is_escaped_or_shown(layout: Layout) -> None:
    entry = found(layout)[0]
    day = dataclasses.replace(entry.day, title="a < b & c\x1b", asks="]]> é")
    text = feed([dataclasses.replace(entry, day=day)], title="T & Co", subtitle="", home=HOME)
    root = etree.fromstring(text)
    title = root.find(f"{ATOM}entry/{ATOM}title")
    assert title is not None
    assert (title.text or "").startswith(f"Day {day.number}: a < b & c␛")
    assert root.findtext(f"{ATOM}title") == "T & Co"


def test_the_newest_come_first_and_no_more_than_a_reader_wants(
    layout: Layout, t4: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    second_machine(layout, t4, started="2021-01-01T00:00:00Z")
    listed = found(layout)
    assert [entry.updated for entry in listed] == sorted((entry.updated for entry in listed), reverse=True)
    assert listed[-1].gpu == "Tesla T4"
    monkeypatch.setattr("gpu100.render.feed.MOST_ENTRIES", 1)
    assert found(layout) == listed[:1]


def test_the_same_evidence_gives_the_same_feed(layout: Layout, tmp_path: Path) -> None:
    site = built(layout, site_url=HOME)
    first = (site / "feed.xml").read_bytes()
    assert (built(layout, site_url=HOME) / "feed.xml").read_bytes() == first
    root = etree.fromstring(first)
    assert root.findtext(f"{ATOM}id") == HOME
    for link in root.findall(f"{ATOM}entry/{ATOM}link"):
        address = link.attrib["href"]
        assert address.startswith(HOME)
        assert (site / address.removeprefix(HOME) / "index.html").is_file()


def test_a_site_without_an_address_has_no_feed(layout: Layout) -> None:
    site = built(layout)
    assert not (site / "feed.xml").exists()
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert 'rel="canonical"' not in text
        assert "og:image" not in text
        assert "atom+xml" not in text


def test_without_evidence_there_is_no_feed(mini: Layout) -> None:
    assert EvidenceStore(mini.evidence).read() == ()
    course = mini.course.read_text(encoding="utf-8").replace('status = "published"', 'status = "draft"')
    mini.course.write_text(course, encoding="utf-8")
    site = built(mini, site_url=HOME)
    assert not (site / "feed.xml").exists()
    assert "atom+xml" not in (site / "index.html").read_text(encoding="utf-8")
