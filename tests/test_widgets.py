"""Figures to play with: their Python against evidence and facts, their scripts against their Python, in a browser."""

from __future__ import annotations

import dataclasses
import functools
import gzip
import html
import itertools
import json
import math
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from browsing import browsing, looks, opening, serving
from conftest import REPOSITORY, built
from gpu100.content.facts import load_facts
from gpu100.content.sources import load_sources
from gpu100.evidence.schema import parse
from gpu100.evidence.status import Standing
from gpu100.evidence.store import EvidenceStore
from gpu100.model.capability import Capability
from gpu100.model.limits import LIMITS, limits_of
from gpu100.model.machine import Machine
from gpu100.model.occupancy import residency
from gpu100.model.record import Measured, Point, Record, Series
from gpu100.paths import Layout
from gpu100.render.expressions import Block, ExpressionError, evaluate
from gpu100.render.loading import load_site, site_of
from gpu100.render.page import PageNames, Site
from gpu100.render.widgets import WIDGETS, WidgetNames
from gpu100.render.widgets.evidence import REQUESTS, KnownGpu, known_gpus
from gpu100.render.widgets.models import (
    FORMULAS,
    Rates,
    coverage,
    even_at,
    kernels_needed,
    request,
    tiles,
    times,
    waves,
)
from playwright.sync_api import Browser, Locator, Page, Route, expect

SCRIPTS = REPOSITORY.docs / "assets" / "javascripts"
STYLES = REPOSITORY.docs / "assets" / "stylesheets"
ONE, TWO = "1-D, an array", "2-D, an image"


@pytest.fixture(scope="session")
def site() -> Site:
    """The real course."""
    return load_site(REPOSITORY)


def widget_of(site: Site, source: str) -> str:
    found = evaluate(source, PageNames(site, "page.md").names())
    assert isinstance(found, Block)
    return found.html


def known(site: Site, slug: str) -> KnownGpu:
    return next(gpu for gpu in site.gpus if gpu.slug == slug)


# What a page writes


def test_a_widget_is_complete_without_its_script(site: Site) -> None:
    for name, kind in WIDGETS.items():
        shown = widget_of(site, f'widget("{name}")')
        assert f"<gpu100-{name} " in shown
        assert html.escape(kind.title, quote=False) in shown
        assert shown.count("<li>") == len(kind.limits) >= 5
        assert shown.count("<tr>") > 4
        for field in kind.fields:
            assert f'name="{field.name}"' in shown


def test_an_undeclared_widget_names_the_nearest(site: Site) -> None:
    with pytest.raises(ExpressionError, match="no widget is called 'coalesing'") as caught:
        widget_of(site, 'widget("coalesing")')
    assert caught.value.hint == "did you mean 'coalescing'?"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ('widget("coalescing", strid=2)', "has no 'strid'"),
        ('widget("coalescing", stride=33)', "stride goes from 0 to 32"),
        ('widget("coalescing", stride=-1)', "stride goes from 0 to 32"),
        ('widget("coalescing", stride="2")', "whole number"),
        ('widget("coalescing", stride=true)', "whole number"),
        ('widget("coalescing", size="3")', "has no choice '3'"),
        ('widget("grid-index", guard=1)', "true or false"),
        ('widget("sm-residency", threads=0)', "threads"),
        ('widget("sm-residency", threads=2048)', "threads goes from 1 to 1,024"),
        ('widget("grid-index", thread=4)', "thread is not below 4"),
        ('widget("grid-index", shape="2-D, an image", block_x=64, block_y=32)', "1,024"),
        ("widget()", "argument"),
    ],
)
def test_a_setting_that_makes_no_sense_stops_the_build(site: Site, source: str, said: str) -> None:
    with pytest.raises(ExpressionError, match=re.escape(said)):
        widget_of(site, source)


def test_two_of_a_kind_on_a_page_have_ids_of_their_own_and_one_style_sheet(site: Site) -> None:
    names = WidgetNames(site.gpus, lambda path: f"../{path}")
    shown = names.widget("coalescing").html + names.widget("coalescing", stride=2).html + names.widget("waves").html
    ids = re.findall(r'\bid="([^"]+)"', shown)
    assert len(ids) == len(set(ids))
    assert shown.count('<link rel="stylesheet" href="../assets/stylesheets/widgets.css">') == 1


def test_every_number_of_the_table_is_the_models(site: Site) -> None:
    gpus = (known(site, "h200"),)
    at = {"size": "4", "stride": 3, "offset": 1}
    rows = WIDGETS["coalescing"].table(at, gpus).rows
    found = request(4, 3, 1)
    assert rows[0][:6] == ["4", "3", "1", str(found.sectors), str(found.fetched), str(found.used)]
    table = WIDGETS["sm-residency"].table({"threads": 96, "registers": None, "shared_kib": 0}, gpus)
    assert [row[0] for row in table.rows].count("96") == 1


# What is known of GPUs


def test_recorded_gpus_come_first_then_published_ones_and_capabilities(site: Site) -> None:
    slugs = [gpu.slug for gpu in site.gpus]
    assert slugs[0] == site.course.reference_gpu
    published = [gpu.published for gpu in site.gpus]
    assert published == sorted(published)
    assert len(set(slugs)) == len(slugs)
    assert {gpu.limits.capability for gpu in site.gpus} == {limits.capability for limits in LIMITS}


def test_a_gpu_that_has_evidence_is_no_longer_a_published_one(t4: Machine) -> None:
    store = EvidenceStore(REPOSITORY.evidence).read()
    other = dataclasses.replace(store[0], machine=t4, records=(), fidelity=None)
    site = site_of(REPOSITORY, load_site(REPOSITORY).course, (*store, other))
    assert [(gpu.slug, gpu.published) for gpu in site.gpus][:3] == [
        ("h200", False),
        ("tesla-t4", False),
        ("geforce-rtx-4060-laptop-gpu", True),
    ]
    assert known(site, "tesla-t4").limits == limits_of(Capability.parse("7.5"))


def test_a_limit_that_a_machine_reports_itself_is_what_counts(t4: Machine) -> None:
    store = EvidenceStore(REPOSITORY.evidence).read()
    odd = dataclasses.replace(t4, gpu=dataclasses.replace(t4.gpu, blocks_per_sm=17))
    site = site_of(REPOSITORY, load_site(REPOSITORY).course, (dataclasses.replace(store[0], machine=odd),))
    assert known(site, "tesla-t4").limits.blocks_per_sm == 17


# The models in Python, against evidence and facts


def test_sectors_are_what_the_hardware_counted(site: Site) -> None:
    compared = 0
    for gpu in site.gpus:
        for (size, stride, offset), counted in gpu.requests.items():
            assert request(size, stride, offset).sectors == counted, (gpu.name, size, stride, offset)
            compared += 1
    print(f"{compared} loads compared")
    assert compared >= len(REQUESTS)


def test_residency_is_what_the_driver_answered(site: Site) -> None:
    compared = 0
    for gpu in site.gpus:
        if gpu.answers:
            for threads in range(1, gpu.limits.threads_per_block + 1):
                if (blocks := gpu.answers.at(threads)) is not None:
                    found = residency(gpu.limits, threads=threads, registers=gpu.answers.registers)
                    assert found.blocks == blocks, (gpu.name, threads)
                    compared += 1
    print(f"{compared} answers compared")
    assert compared >= 1024


def test_waves_are_those_of_day_10(site: Site) -> None:
    """One block per SM: a full wave is as fast as the first, and a tail adds at most another block's time."""
    compared = 0
    for at in site.standings.get((10, "grid_stride"), ()):
        record = at.record
        if record is None or "tail_time" not in record.series:
            continue
        sms = at.machine.gpu.sms
        times = {int(point.x): point.y for point in record.series["tail_time"].points}
        for blocks in (blocks for blocks in times if blocks >= sms):
            found = waves(blocks, sms, 1)
            least, most = found.full * sms / blocks, found.steps * sms / blocks
            assert 0.95 * least <= times[blocks] / times[sms] <= 1.1 * most, (at.machine.gpu.name, blocks)
            compared += 1
    if not compared:
        pytest.skip("no GPU has recorded day 10 yet")


def test_waves_begin_with_one_block_too_many(site: Site) -> None:
    def starts(source: str) -> dict[str, Any]:
        told = re.search(r"<template[^>]*>(.*?)</template>", widget_of(site, source), re.DOTALL)
        assert told
        return {gpu["slug"]: gpu["start"] for gpu in json.loads(html.unescape(told[1]))}

    one = starts('widget("waves", per_sm=1)')
    assert (one["h200"], one["tesla-t4"]) == ({"blocks": 133}, {"blocks": 41})
    assert starts('widget("waves")')["h200"] == {"per_sm": 8, "blocks": 1057}


def test_the_facts_come_out() -> None:
    assert [request(4, stride, 0).sectors for stride in (1, 2, 4, 8, 16, 32)] == [4, 8, 16, 32, 32, 32]
    assert request(4, 1, 1).sectors == 5
    found = waves(65_536, 108, 8)  # content/facts.toml: waves
    assert round(found.full + found.tail / found.capacity, 2) == 75.85
    assert (found.steps, waves(864, 108, 8).steps, waves(865, 108, 8).steps) == (76, 1, 2)
    # Day 1's practice, and the plans of days 4 and 8.
    wrong = coverage(12, 3, 4, "blockIdx.x * threadIdx.x")
    assert (wrong.once + wrong.more, wrong.never(12)) == (6, 6)
    down = coverage(1_000_000, 3906, 256, next(iter(FORMULAS)))
    assert (down.once, down.never(1_000_000), down.beyond) == (999_936, 64, 0)
    assert coverage(1_000_000, 3907, 256, next(iter(FORMULAS))).beyond == 192
    shapes = ((16, 16), (32, 8), (8, 32), (256, 1), (1, 256))
    assert [tiles(640, 480, x, y).warp_rows for x, y in shapes] == [2, 1, 4, 1, 32]


def test_the_gpu_wins_where_both_take_as_long_and_not_before() -> None:
    rates = Rates(copy_in=12, copy_out=12, gpu=300, cpu=20, launch=5)
    assert even_at(1, rates) is None
    even = even_at(10, rates)
    assert even is not None
    assert times(even, 10, rates).cpu == pytest.approx(times(even, 10, rates).gpu)
    needed = kernels_needed(1 << 20, rates)
    assert needed is not None
    assert times(1 << 20, needed, rates).gpu < times(1 << 20, needed, rates).cpu
    assert times(1 << 20, needed - 1, rates).gpu >= times(1 << 20, needed - 1, rates).cpu
    assert kernels_needed(100, rates) is None  # a launch takes longer than the CPU does


def test_rates_are_those_of_day_9_where_it_is_recorded_and_of_day_5_where_not(site: Site) -> None:
    five = _without_day_9(site)
    assert (five.rates_day, set(five.rates)) == (5, {"copy_in", "copy_out", "gpu"})
    nine = _with_day_9(site, _crossover(five))
    assert (nine.rates_day, set(nine.rates)) == (9, {"copy_in", "copy_out", "gpu", "cpu", "launch"})
    assert (nine.rates["cpu"], nine.rates["launch"]) == (8.0, 12.0)
    table = WIDGETS["crossover"].table({"kernels": 1, **dict.fromkeys(nine.rates)}, (nine,))
    million = next(row for row in table.rows if row[:2] == ("1", "1,000,000"))
    assert million[2] == "1,500"  # 12 bytes of a million elements at 8 GB/s, in µs
    nothing = dataclasses.replace(_crossover(five), values={})
    assert _with_day_9(site, nothing).rates_day == 5


def test_the_crossover_is_what_day_9_measured(site: Site) -> None:
    """The model and the record of every GPU that has one; where none has, one that is made of the model."""
    recorded = [(gpu, record) for gpu in site.gpus if (record := _recorded_day_9(site, gpu.slug))]
    day = site.course.day(9)
    assert recorded or (day and day.status != "published")
    made = _crossover(_without_day_9(site))
    for gpu, record in recorded or [(_with_day_9(site, made), made)]:
        compared, off = _against_record(Rates(**gpu.rates), record)
        print(f"{compared} times of the {gpu.name} compared")
        assert compared >= 20
        assert off == [], gpu.name


def test_a_record_that_the_model_does_not_fit_is_found(site: Site) -> None:
    """The planted fault: one point of each line, three times as long as it was."""
    record = _crossover(_without_day_9(site))
    rates = Rates(**_with_day_9(site, record).rates)
    for line in ("cpu", "gpu", "gpu_with_copies"):
        series = record.series[line]
        points = (*series.points[:-1], dataclasses.replace(series.points[-1], y=3 * series.points[-1].y))
        wrong = dataclasses.replace(series, points=points)
        damaged = dataclasses.replace(record, series={**record.series, line: wrong})
        assert _against_record(rates, damaged)[1] == [(line, 1 << 26)]


LARGE = 1 << 22
"""From here on a rate is one: below it, short copies and the CPU's caches have their say."""


def _against_record(rates: Rates, record: Record) -> tuple[int, list[tuple[str, float]]]:
    """How many times of day 9 were held against the model with that GPU's rates, and which are off twofold."""
    compared, off = 0, []
    for line, least in (("cpu", LARGE), ("gpu", 0), ("gpu_with_copies", LARGE)):
        for point in record.series[line].points:
            if point.x >= least:
                took = times(point.x, 1, rates)
                model = {"cpu": took.cpu, "gpu": took.kernels, "gpu_with_copies": took.gpu}[line]
                compared += 1
                if not 0.5 <= model / point.y <= 2:
                    off.append((line, point.x))
    return compared, off


def _recorded_day_9(site: Site, slug: str) -> Record | None:
    found = (at for at in site.standings.get((9, "crossover"), ()) if at.machine.gpu.slug == slug)
    return next((at.record for at in found if at.record and at.record.status == "ok"), None)


def _crossover(gpu: KnownGpu) -> Record:
    """A record of day 9 as the model would have measured it, in the form of day 5's."""
    path = next(REPOSITORY.evidence.glob(f"{gpu.slug}/*/day05-vector_add.json"))
    five = parse(Record, path.read_text(encoding="utf-8"), path.name)
    rates = Rates(copy_in=7.5, copy_out=13.0, gpu=3300.0, cpu=8.0, launch=12.0)
    form = five.values["kernel_rate"]
    assert isinstance(form, Measured)
    named = {"copy_in_rate": 7.5, "copy_out_rate": 13.0, "kernel_rate": 3300.0, "cpu_rate": 8.0, "waited_small": 12.0}
    took = {1 << power: times(1 << power, 1, rates) for power in range(8, 27)}
    lines = {
        "cpu": {n: one.cpu for n, one in took.items()},
        "gpu": {n: one.kernels for n, one in took.items()},
        "gpu_with_copies": {n: one.gpu for n, one in took.items()},
    }
    return dataclasses.replace(
        five,
        day=9,
        program="crossover",
        values={name: dataclasses.replace(form, value=value) for name, value in named.items()},
        series={
            name: Series(
                kind="exact", x_unit="floats", y_unit="µs", points=tuple(Point(x=n, y=y) for n, y in line.items())
            )
            for name, line in lines.items()
        },
    )


def _with_day_9(site: Site, record: Record) -> KnownGpu:
    """The reference GPU, had it that record of day 9."""
    at = next(at for at in site.standings[(5, "vector_add")] if at.machine.gpu.slug == site.course.reference_gpu)
    standings = {**site.standings, (9, "crossover"): (dataclasses.replace(at, record=record),)}
    return _known_with(site, standings)


def _without_day_9(site: Site) -> KnownGpu:
    return _known_with(site, {**site.standings, (9, "crossover"): ()})


def _known_with(site: Site, standings: Mapping[tuple[int, str], tuple[Standing, ...]]) -> KnownGpu:
    store = EvidenceStore(REPOSITORY.evidence).read()
    days = {day.number for day in site.course.days}
    facts = load_facts(REPOSITORY, load_sources(REPOSITORY), days)
    gpus = known_gpus(store, standings, site.course.reference_gpu, facts)
    return next(gpu for gpu in gpus if gpu.slug == site.course.reference_gpu)


# A page with all of them, served


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(browser: Browser, tmp_path_factory: pytest.TempPathFactory, site: Site) -> Iterator[str]:
    """Where a page with every widget is served, as the real course fills them; two GPUs have evidence."""
    folder = tmp_path_factory.mktemp("widgets")
    shutil.copytree(REPOSITORY.docs / "assets", folder / "assets")
    (folder / "favicon.ico").write_bytes(b"")
    gpus = tuple(_recorded(gpu) if gpu.slug == "tesla-t4" else gpu for gpu in site.gpus)
    gpus = tuple(sorted(gpus, key=lambda gpu: gpu.published))
    names = WidgetNames(gpus, lambda path: f"/{path}")
    figures = {name: names.widget(name).html for name in WIDGETS}
    everything = "".join(figures.values()) + names.widget("grid-index", shape=TWO).html
    pages = {
        "page": ("", everything),
        "chosen": (' data-gpu="tesla-t4"', everything),
        "sold": (' data-gpu="none"', everything),
        "waves": ("", figures["waves"] + '<div data-widget="constructor"></div>'),
        "none": ("", "<p>Nothing to play with.</p>"),
    }
    for name, (chosen, shown) in pages.items():
        page = (
            f"<!doctype html><html lang=en{chosen}><meta charset=utf-8><title>Widgets</title>"
            '<meta name=viewport content="width=device-width">'
            '<link rel=stylesheet href="/assets/stylesheets/course.css">'
            f'<body data-md-color-scheme="default"><main class="md-typeset" style="margin: 0 1rem">{shown}</main>'
            '<script type=module>import { mountWidgets } from "/assets/javascripts/widgets.js";'
            "mountWidgets(document); window.mountWidgets = mountWidgets;</script></body></html>"
        )
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    with serving(folder) as address:
        yield address


def _recorded(gpu: KnownGpu) -> KnownGpu:
    """The same GPU as if somebody had sent evidence of it, without any program's."""
    return dataclasses.replace(gpu, published=False)


Open = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser, address: str) -> Iterator[Open]:
    """Opens the page in a browser of its own, and with planted faults in a script where there are any."""
    with opening(browser, address) as opened:

        def alive(name: str = "page", *, fault: tuple[str, str, str] | None = None, **how: Any) -> Page:
            page = opened(f"{name}.html", **how)
            if fault:
                page.route(f"**/widgets/{fault[0]}", functools.partial(_answer, body=_damaged(*fault)))
                page.reload()
            if how.get("script", True):
                for place in page.locator("[data-widget]").all():  # which is when its script is fetched
                    place.scroll_into_view_if_needed()
                page.evaluate("scrollTo(0, 0)")
                expect(page.locator("[data-widget][data-live]")).to_have_count(len(WIDGETS) + 1)
            return page

        yield alive


def _damaged(file: str, old: str, new: str) -> str:
    text = (SCRIPTS / "widgets" / file).read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
    return text.replace(old, new)


def _answer(route: Route, *, body: str) -> None:
    route.fulfill(body=body, content_type="text/javascript")


# The models in the scripts, against those in Python


def _request_cases() -> Iterator[tuple[list[Any], Any]]:
    for size, stride, offset in itertools.product((1, 2, 4, 8, 16), range(33), range(33)):
        found = request(size, stride, offset)
        yield [size, stride, offset], [found.sectors, found.fetched, found.used]


def _waves_cases() -> Iterator[tuple[list[Any], Any]]:
    for sms, per_sm in itertools.product((1, 24, 40, 132), (1, 2, 7, 32)):
        holds = sms * per_sm
        for blocks in {1, 2, holds - 1 or 1, holds, holds + 1, 2 * holds, 3 * holds - 1, 65_536, 1 << 20}:
            found = waves(blocks, sms, per_sm)
            yield [blocks, sms, per_sm], [found.capacity, found.full, found.tail, found.steps, found.used]


def _residency_cases() -> Iterator[tuple[list[Any], Any]]:
    threads = (0, 1, 32, 33, 96, 160, 256, 288, 544, 768, 1024, 1025)
    registers = (0, 1, 12, 33, 40, 72, 104, 176, 255, 256)
    for limits in LIMITS:
        told = dataclasses.asdict(limits)
        del told["capability"]
        for t, r, kib in itertools.product(threads, registers, (0, 1, 20, 99, 227, 228)):
            found = residency(limits, threads=t, registers=r, shared_bytes=kib * 1024)
            yield [told, t, r, kib * 1024], [found.blocks, found.allows, list(found.limited_by)]


def _crossover_cases() -> Iterator[tuple[list[Any], Any]]:
    for n, kernels, link, gpu, cpu in itertools.product(
        (100, 10**4, 1 << 20, 10**9), (1, 3, 100), (0.5, 6.137, 63), (200, 1919.7), (5, 20, 400)
    ):
        rates = Rates(copy_in=link, copy_out=link / 2, gpu=gpu, cpu=cpu, launch=5)
        found = times(n, kernels, rates)
        parts = [found.cpu, found.copy_in, found.kernels, found.copy_out, found.gpu]
        answer = [*parts, even_at(kernels, rates), kernels_needed(n, rates)]
        yield [n, kernels, dataclasses.asdict(rates)], answer


def _coverage_cases() -> Iterator[tuple[list[Any], Any]]:
    for n, blocks, threads in itertools.product((1, 7, 10, 12, 255, 1000), (1, 3, 4, 9), (1, 4, 32, 96, 256)):
        for formula in FORMULAS:
            found = coverage(n, blocks, threads, formula)
            yield [n, blocks, threads, formula], [found.never(n), found.once, found.more, found.beyond]


def _tiles_cases() -> Iterator[tuple[list[Any], Any]]:
    for width, height, x, y in itertools.product((1, 7, 20, 128), (1, 9, 64), (1, 4, 8, 16, 32, 33), (1, 4, 8, 31)):
        found = tiles(width, height, x, y)
        yield [width, height, x, y], [found.across, found.down, found.threads, found.idle, found.warp_rows]


MODELS: dict[str, tuple[str, str, Callable[[], Iterator[tuple[list[Any], Any]]]]] = {
    "request": (
        "coalescing.js",
        "(m, a) => { const f = m.request(...a); return [f.sectors.length, f.fetched, f.used]; }",
        _request_cases,
    ),
    "waves": (
        "waves.js",
        "(m, a) => { const f = m.waves(...a); return [f.capacity, f.full, f.tail, f.steps, f.used]; }",
        _waves_cases,
    ),
    "residency": (
        "sm-residency.js",
        "(m, a) => { const f = m.residency(...a); return [f.blocks, f.allows, f.limitedBy]; }",
        _residency_cases,
    ),
    "crossover": (
        "crossover.js",
        """(m, [n, kernels, rates]) => {
          const f = m.times(n, kernels, rates);
          const even = [m.evenAt(kernels, rates), m.kernelsNeeded(n, rates)];
          return [f.cpu, f.copyIn, f.kernels, f.copyOut, f.gpu, ...even];
        }""",
        _crossover_cases,
    ),
    "coverage": (
        "grid-index.js",
        "(m, a) => { const f = m.coverage(...a); return [f.never, f.once, f.more, f.beyond]; }",
        _coverage_cases,
    ),
    "tiles": (
        "grid-index.js",
        """(m, a) => {
          const f = m.tiles(...a);
          return [f.across, f.down, f.threads, f.idle, m.warpAt(0, 0, a[2], a[3]).length];
        }""",
        _tiles_cases,
    ),
}


def differences(page: Page, address: str, name: str) -> tuple[int, list[Any]]:
    """How many answers of a script were compared with Python's, and those that differ."""
    file, ask, cases_of = MODELS[name]
    cases = _cases(cases_of)
    script = f"""async ([address, asked]) => {{
      const m = await import(`${{address}}assets/javascripts/widgets/{file}`);
      const ask = {ask};
      return JSON.stringify(JSON.parse(asked).map((one) => ask(m, one)));
    }}"""
    answers = json.loads(page.evaluate(script, [address, json.dumps([asked for asked, _ in cases])]))
    wrong = [
        (asked, theirs, ours) for (asked, ours), theirs in zip(cases, answers, strict=True) if not _equal(theirs, ours)
    ]
    return len(cases), wrong


@functools.cache
def _cases(cases_of: Callable[[], Iterator[tuple[list[Any], Any]]]) -> list[tuple[list[Any], Any]]:
    return list(cases_of())


def _equal(one: Any, other: Any) -> bool:
    if isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(other, float):
        return one is not None and math.isclose(one, other, rel_tol=1e-12)
    return bool(one == other)


@pytest.mark.parametrize("name", MODELS)
def test_a_script_answers_as_python_does(open_page: Open, address: str, name: str) -> None:
    compared, wrong = differences(open_page(), address, name)
    print(f"{compared} answers compared")
    assert compared > 100
    assert wrong == [], json.dumps(wrong[:3])


@pytest.mark.parametrize(
    ("name", "file", "old", "new"),
    [
        ("request", "coalescing.js", "const SECTOR = 32;", "const SECTOR = 64;"),
        ("request", "coalescing.js", "(offset + stride * lane) * size", "offset + stride * lane * size"),
        ("waves", "waves.js", "full + (tail > 0 ? 1 : 0)", "full + 1"),
        (
            "residency",
            "sm-residency.js",
            "Math.floor((inPart * parts) / warps)",
            "Math.floor(Math.floor(all / ofWarp) / warps)",
        ),
        ("residency", "sm-residency.js", "ofWarp * up(warps, parts)", "ofWarp * warps"),
        ("residency", "sm-residency.js", "up(shared + limits.shared_bytes_reserved,", "up(shared,"),
        ("crossover", "crossover.js", "kernels * (launch + per(12, gpu))", "launch + kernels * per(12, gpu)"),
        ("crossover", "crossover.js", "(cpu - kernels)) + 1 : null", "(cpu - kernels)) : null"),
        ("coverage", "grid-index.js", "if (i >= n) beyond++;", "if (i > n) beyond++;"),
        ("tiles", "grid-index.js", "own - (own % WARP) + WARP", "own - (own % WARP) + WARP + 1"),
    ],
)
def test_a_planted_fault_is_found(open_page: Open, address: str, name: str, file: str, old: str, new: str) -> None:
    compared, wrong = differences(open_page(fault=(file, old, new)), address, name)
    assert 0 < len(wrong) <= compared


def test_the_warp_of_a_thread_is_its_own_32_threads(open_page: Open, address: str) -> None:
    script = """async (address) => {
      const { warpAt } = await import(`${address}assets/javascripts/widgets/grid-index.js`);
      const found = [];
      for (const [bx, by] of [[1, 1], [4, 4], [8, 4], [5, 7], [33, 3], [256, 1]])
        for (let y = 0; y < 2 * by; y++)
          for (let x = 0; x < 2 * bx; x++) found.push([x, y, bx, by, warpAt(x, y, bx, by)]);
      return found;
    }"""
    compared = 0
    for x, y, bx, by, runs in open_page().evaluate(script, address):
        left, top = x - x % bx, y - y % by
        own = y % by * bx + x % bx
        first = own // 32 * 32
        expected = {(left + at % bx, top + at // bx) for at in range(first, min(first + 32, bx * by))}
        assert {(run["x"] + k, run["y"]) for run in runs for k in range(run["length"])} == expected
        compared += 1
    assert compared > 500


def test_what_is_left_out_of_a_long_row_keeps_its_ends_and_what_is_looked_at(open_page: Open, address: str) -> None:
    script = """async (address) => {
      const { pick } = await import(`${address}assets/javascripts/widgets/grid-index.js`);
      const found = [];
      for (let total = 1; total < 15; total++)
        for (let room = 5; room < 10; room++)
          for (let look = 0; look < total; look++) found.push([total, room, look, pick(total, room, look)]);
      return found;
    }"""
    for total, room, look, picked in open_page().evaluate(script, address):
        kept = [at for at in picked if at >= 0]
        assert len(picked) <= max(room, total if total <= room else room)
        assert {0, look, total - 1} <= set(kept)
        assert kept == sorted(set(kept))
        for before, gap, after in zip(picked, picked[1:], picked[2:], strict=False):
            if gap < 0:
                assert after - before > 1, (total, room, look, picked)


def test_a_slider_by_factors_reaches_its_ends_and_every_power_of_two(open_page: Open, address: str) -> None:
    script = """async ([address, low, high, decimals]) => {
      const { stops } = await import(`${address}assets/javascripts/widgets/pieces.js`);
      return stops(low, high, decimals);
    }"""
    page = open_page()
    for low, high, decimals in ((1, 1, False), (1, 1024, False), (100, 10**9, False), (0.1, 20_000, True)):
        found = page.evaluate(script, [address, low, high, decimals])
        assert found == sorted(set(found))
        assert (found[0], found[-1]) == (low, high)
        assert {2**k for k in range(31) if low <= 2**k <= high} <= set(found) or decimals
        assert len(found) < 260


# In the page


def figure(page: Page, name: str) -> Locator:
    return page.locator(f"#widget-{name}")


def field(at: Locator, name: str) -> Locator:
    return at.locator(f'[name="{name}"]')


def said(at: Locator) -> Locator:
    return at.locator(".widget-said")


@pytest.mark.parametrize("wide", [360, 1000])
def test_every_widget_draws_and_says_what_it_draws(open_page: Open, wide: int) -> None:
    page = open_page(wide=wide)
    assert page.evaluate("document.documentElement.scrollWidth") <= wide
    for at in page.locator("figure.widget").all():
        picture = at.get_by_role("img")
        expect(picture).to_be_visible()
        assert picture.get_attribute("aria-label")
        box, room = picture.bounding_box(), at.bounding_box()
        assert box
        assert room
        assert box["x"] + box["width"] <= room["x"] + room["width"] + 1
        cut = "(svg) => { const b = svg.getBBox(); return b.x < -3 || b.x + b.width > svg.clientWidth + 3; }"
        assert picture.evaluate(cut) is False, at.get_attribute("id")
        assert "NaN" not in picture.inner_html() + said(at).inner_text()
        assert "undefined" not in picture.inner_html() + said(at).inner_text()
        expect(at.locator(".widget-table table")).to_be_hidden()
        expect(at.locator(".widget-fault")).to_be_empty()
        at.get_by_text("What this does not show").click()
        expect(at.locator(".widget-limits li").first).to_be_visible()


def test_every_field_has_a_name_and_every_picture_is_in_words(open_page: Open) -> None:
    page = open_page()
    for at in page.locator("figure.widget").all():
        assert at.evaluate("(figure) => document.getElementById(figure.getAttribute('aria-labelledby')).textContent")
        for control in at.locator(".widget-live :is(input, select):visible").all():
            unnamed = "(one) => !(one.labels[0]?.textContent || one.getAttribute('aria-label'))"
            assert control.evaluate(unnamed) is False
        expect(said(at)).to_have_attribute("role", "status")
        assert len(said(at).inner_text()) > 60


def test_the_widgets_say_the_models_numbers(open_page: Open, site: Site) -> None:
    page = open_page()
    at = figure(page, "coalescing")
    for size, stride, offset in ((4, 2, 0), (4, 1, 1), (16, 32, 5), (1, 0, 3)):
        field(at, "size").select_option(str(size))
        field(at, "stride").fill(str(stride))
        field(at, "offset").fill(str(offset))
        found = request(size, stride, offset)
        noun = "sector" if found.sectors == 1 else "sectors"
        expect(said(at)).to_contain_text(f"{found.sectors} {noun} for one request: {found.fetched:,} bytes come")
    at = figure(page, "waves")
    field(at, "per_sm").fill("1")
    field(at, "blocks").fill("133")
    expect(said(at)).to_contain_text("132 SMs with 1 block each hold 132 blocks at once")
    expect(said(at)).to_contain_text("1 full wave and a tail of 1 block, as long as 2 blocks one after another")
    at = figure(page, "grid-index")
    expect(said(at)).to_contain_text("Thread 3 of block 1: i = 1 × 4 + 3 = 7.")
    expect(said(at)).to_contain_text("12 threads for 10 elements")
    expect(said(at)).to_contain_text("2 threads without an element do nothing")
    at = figure(page, "crossover")
    rates = known(site, "h200").rates
    assert rates
    field(at, "kernels").fill("1")
    field(at, "cpu").fill("20")
    expect(said(at)).to_contain_text("1,048,576 elements: the CPU takes 629 µs")


def test_the_recorded_answers_are_said_and_are_the_widgets_own(open_page: Open, site: Site) -> None:
    gpu = known(site, "h200")
    assert gpu.answers
    at = figure(open_page(), "sm-residency")
    expect(field(at, "registers")).to_have_value(str(gpu.answers.registers))
    for threads in (1, 31, 32, 33, 48, 96, 128, 320, 512, 544, 768, 1023, 1024):
        blocks = gpu.answers.at(threads)
        assert blocks
        field(at, "threads").fill(str(threads))
        expect(said(at)).to_contain_text(f"The driver of the {gpu.name} answers {blocks} blocks.")
        expect(said(at)).to_contain_text(f"An SM holds {blocks} blocks: ")
        expect(at.locator("rect.warp")).to_have_count(blocks * -(-threads // 32))
    field(at, "registers").fill("40")
    expect(said(at)).to_contain_text("not recorded")


def test_a_wrong_answer_of_a_driver_would_show(open_page: Open) -> None:
    """The planted fault: with one pool of registers, the widget's own number is not what the model says."""
    fault = ("sm-residency.js", "Math.floor((inPart * parts) / warps)", "Math.floor(Math.floor(all / ofWarp) / warps)")
    right, wrong = open_page(), open_page(fault=fault)
    for page, blocks in ((right, 16), (wrong, 19)):
        at = figure(page, "sm-residency")
        field(at, "threads").fill("32")
        field(at, "registers").fill("104")
        expect(said(at)).to_contain_text(f"An SM holds {blocks} blocks")


def test_the_keyboard_does_all_of_it(open_page: Open) -> None:
    page = open_page()
    at = figure(page, "sm-residency")
    at.get_by_label("GPU").focus()
    page.keyboard.press("Tab")
    slider = at.get_by_role("slider", name="Threads per block, slider")
    expect(slider).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(field(at, "threads")).to_have_value("129")
    expect(slider).to_have_attribute("aria-valuetext", "129")
    expect(said(at)).to_contain_text("129 threads make 5 warps with 31 lanes idle")
    page.keyboard.press("Tab")
    expect(field(at, "threads")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(said(at)).to_contain_text("128 threads make 4 warps.")
    at = figure(page, "grid-index")
    field(at, "guard").focus()
    page.keyboard.press("Space")
    expect(said(at)).to_contain_text("2 threads reach past the end")
    field(at, "formula").focus()
    page.keyboard.press("ArrowDown")
    expect(said(at)).to_contain_text("4 have several; 6 have none")
    at.get_by_text("The same in numbers").focus()
    page.keyboard.press("Enter")
    expect(at.locator(".widget-table table")).to_be_visible()


def test_every_step_of_a_slider_moves_its_number(open_page: Open) -> None:
    page = open_page()
    at = figure(page, "grid-index")
    at.get_by_role("slider", name="Threads per block, slider").focus()
    seen = ["4"]
    for _ in range(12):
        page.keyboard.press("ArrowRight")
        seen.append(field(at, "threads").input_value())
    assert seen == ["4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "15", "16", "17"]


@pytest.mark.parametrize(
    ("name", "input", "typed", "words"),
    [
        ("sm-residency", "threads", "0", "Threads per block: 0 is too little. It goes from 1 to 1,024."),
        ("sm-residency", "threads", "2048", "2,048 is too much. It goes from 1 to 1,024; a block has no more."),
        ("sm-residency", "threads", "", "a whole number from 1 to 1,024 belongs here."),
        ("sm-residency", "threads", "e", "a whole number from 1 to 1,024 belongs here."),
        ("sm-residency", "threads", "12.5", "a whole number from 1 to 1,024 belongs here."),
        ("sm-residency", "registers", "256", "It goes from 1 to 255; a thread has no more."),
        ("sm-residency", "shared_kib", "228", "It goes from 0 to 227; a block gets no more on this GPU."),
        ("waves", "blocks", "-1", "Blocks of the grid: -1 is too little."),
        ("waves", "per_sm", "33", "It goes from 1 to 32; an SM of this GPU has no more places for blocks."),
        ("coalescing", "stride", "-1", "Stride, in elements: -1 is too little. It goes from 0 to 32."),
        ("coalescing", "stride", "1e9", "1,000,000,000 is too much."),
        ("crossover", "cpu", "0", "0 is too little. It goes from 0.1 to 20,000."),
        ("crossover", "cpu", "-", "a number from 0.1 to 20,000 belongs here."),
        ("grid-index", "threads", "2048", "a block has at most 1,024 threads"),
        ("grid-index", "thread", "4", "4 is too much. It goes from 0 to 3."),
        ("grid-index-2", "block_x", "512", "A block of 512 × 4 has 2,048 threads, and a block has at most 1,024."),
    ],
)
def test_nonsense_is_explained_and_the_last_good_picture_stays(
    open_page: Open, name: str, input: str, typed: str, words: str
) -> None:
    page = open_page()
    at = figure(page, name)
    number, fault = field(at, input), at.locator(".widget-fault")
    before = at.locator(".widget-stage").inner_html(), said(at).inner_text()
    good = number.input_value()
    if typed in ("e", "-"):
        number.fill("")
        number.press_sequentially(typed)
    else:
        number.fill(typed)
    expect(fault).to_contain_text(words)
    expect(fault).to_contain_text("Not drawn.")
    expect(number).to_have_attribute("aria-invalid", "true")
    expect(number).to_have_attribute("aria-describedby", str(fault.get_attribute("id")))
    assert (at.locator(".widget-stage").inner_html(), said(at).inner_text()) == before
    number.fill(good)
    expect(fault).to_be_empty()
    expect(number).to_have_attribute("aria-invalid", "false")
    assert (at.locator(".widget-stage").inner_html(), said(at).inner_text()) == before


# The reader's GPU


def choose(page: Page, slug: str) -> None:
    page.evaluate("(slug) => document.dispatchEvent(new CustomEvent('gpu100:gpu', { detail: { slug } }))", slug)


def test_a_widget_begins_with_the_readers_gpu_and_follows_it(open_page: Open) -> None:
    page = open_page("chosen")
    waves_at, at = figure(page, "waves"), figure(page, "sm-residency")
    expect(waves_at.get_by_label("GPU")).to_have_value("tesla-t4")
    expect(field(waves_at, "per_sm")).to_have_value("4")
    expect(said(waves_at)).to_contain_text("40 SMs with 4 blocks each hold 160 blocks")
    expect(said(at)).to_contain_text("Limits of the Tesla T4, compute capability 7.5")
    choose(page, "h200")
    expect(field(waves_at, "per_sm")).to_have_value("8")
    expect(said(waves_at)).to_contain_text("132 SMs with 8 blocks each hold 1,056 blocks")
    expect(said(at)).to_contain_text("Limits of the NVIDIA H200, compute capability 9.0, as its driver reports them.")


@pytest.mark.parametrize("gone", ["none", "a GPU that was sold", "__proto__", ""])
def test_no_gpu_and_one_that_is_gone_mean_the_first(open_page: Open, gone: str) -> None:
    page = open_page("sold")
    at = figure(page, "sm-residency")
    expect(at.get_by_label("GPU")).to_have_value("h200")
    choose(page, "tesla-t4")
    expect(at.get_by_label("GPU")).to_have_value("tesla-t4")
    choose(page, gone)
    expect(at.get_by_label("GPU")).to_have_value("h200")


def test_published_limits_are_called_so(open_page: Open) -> None:
    at = figure(open_page(), "sm-residency")
    groups = at.locator("optgroup").evaluate_all("all => all.map((one) => one.label)")
    assert groups == ["Recorded here", "Published limits"]
    at.get_by_label("GPU").select_option("capability-8.6")
    field(at, "threads").fill("320")
    expect(said(at)).to_contain_text("An SM holds 4 blocks: 40 of 48 warps")  # day 2's practice
    expect(said(at)).to_contain_text("Limits of compute capability 8.6 (RTX 3080), as published.")
    expect(said(at)).not_to_contain_text("recorded")


def test_what_the_reader_has_set_stays_unless_the_other_gpu_does_not_allow_it(open_page: Open) -> None:
    page = open_page()
    at = figure(page, "waves")
    field(at, "per_sm").fill("2")
    choose(page, "tesla-t4")
    expect(field(at, "per_sm")).to_have_value("2")
    choose(page, "h200")
    field(at, "per_sm").fill("32")
    choose(page, "tesla-t4")
    expect(field(at, "per_sm")).to_have_value("16")
    expect(at.locator(".widget-fault")).to_be_empty()
    expect(said(at)).to_contain_text("40 SMs with 16 blocks each")


def test_what_is_looked_at_moves_with_a_smaller_launch_and_comes_back(open_page: Open) -> None:
    at = figure(open_page(), "grid-index")
    field(at, "threads").fill("2")
    expect(field(at, "thread")).to_have_value("1")
    expect(said(at)).to_contain_text("Thread 1 of block 1: i = 1 × 2 + 1 = 3.")
    field(at, "threads").fill("256")
    expect(said(at)).to_contain_text("Thread 3 of block 1: i = 1 × 256 + 3 = 259.")
    field(at, "shape").select_option(TWO)
    expect(field(at, "n")).to_be_hidden()
    expect(field(at, "width")).to_be_visible()
    expect(said(at)).to_contain_text("Thread (1, 1) of block (1, 1): x = 9, y = 5, i = y × 20 + x = 109.")


# Mounting


def test_mounting_again_and_moving_an_element_change_nothing(open_page: Open) -> None:
    page = open_page()
    at = figure(page, "coalescing")
    field(at, "stride").fill("7")
    words = said(at).inner_text()
    page.evaluate("""() => {
      window.mountWidgets(document);
      const moved = document.querySelector('#widget-coalescing');
      document.querySelector('main').append(moved);
      moved.remove();
      document.querySelector('main').append(moved);
    }""")
    expect(field(at, "stride")).to_have_value("7")
    expect(said(at)).to_have_text(words.replace("\n", ""))
    expect(at.locator("svg")).to_have_count(1)
    field(at, "stride").fill("1")
    expect(said(at)).to_contain_text("4 sectors for one request")


def test_a_widget_that_left_the_page_no_longer_listens(open_page: Open) -> None:
    page = open_page()
    page.evaluate("window.left = document.querySelector('gpu100-waves'); window.left.remove()")
    choose(page, "tesla-t4")
    assert page.evaluate("window.left.gpu.slug") == "h200"


@pytest.mark.parametrize(
    ("name", "fetched"),
    [("none", []), ("waves", ["widgets/figure.js", "widgets/pieces.js", "widgets/waves.js"])],
)
def test_only_the_scripts_of_the_widgets_that_a_page_has_are_fetched(
    browser: Browser, address: str, name: str, fetched: list[str]
) -> None:
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}{name}.html", wait_until="networkidle")
    scripts = f"{address}assets/javascripts/"
    assert sorted(url.removeprefix(scripts) for url in asked if url.endswith(".js")) == sorted(["widgets.js", *fetched])
    expect(page.locator("[data-live]")).to_have_count(len(fetched) and 1)
    page.close()


def test_a_widgets_script_waits_until_it_is_about_to_be_seen(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 1000, "height": 500})
    page.goto(f"{address}page.html", wait_until="networkidle")
    first, last = page.locator("[data-widget]").first, page.locator("[data-widget]").last
    expect(first).to_have_attribute("data-live", "")
    assert last.get_attribute("data-live") is None
    last.scroll_into_view_if_needed()
    expect(last).to_have_attribute("data-live", "")
    page.close()


def test_without_script_the_table_and_the_limits_are_there(open_page: Open) -> None:
    page = open_page(script=False)
    for at in page.locator("figure.widget").all():
        expect(at.locator(".widget-table table")).to_be_visible()
        expect(at.locator(".widget-live")).to_be_hidden()
        at.get_by_text("What this does not show").click()
        expect(at.locator(".widget-limits li").first).to_be_visible()


def test_instant_navigation_brings_a_widget_to_life(
    browser: Browser, captured_mini: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    layout = Layout(Path(shutil.copytree(captured_mini, tmp_path_factory.mktemp("instant") / "mini")))
    shutil.copytree(REPOSITORY.docs / "assets", layout.docs / "assets", dirs_exist_ok=True)
    (layout.docs / "one.md").write_text('# One\n\n[Two](two.md)\n\n{{ widget("coalescing") }}\n', encoding="utf-8")
    (layout.docs / "two.md").write_text(
        '# Two\n\n[One](one.md)\n\n{{ widget("waves") }}\n\n{{ widget("coalescing", stride=8) }}\n', encoding="utf-8"
    )
    complaints: list[str] = []
    with serving(layout.root / "site") as address:
        built(layout, **looks(address))
        page = browser.new_page()
        page.set_default_timeout(5000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.goto(f"{address}one/")
        expect(said(figure(page, "coalescing"))).to_contain_text("4 sectors")
        page.evaluate("window.sameDocument = true")
        for _ in range(2):
            page.get_by_role("link", name="Two", exact=True).click()
            expect(said(figure(page, "waves"))).to_contain_text("132 SMs")
            expect(said(figure(page, "coalescing"))).to_contain_text("32 sectors")
            assert figure(page, "waves").evaluate("(one) => getComputedStyle(one).borderTopWidth") == "2px"
            page.get_by_role("link", name="One", exact=True).click()
            expect(said(figure(page, "coalescing"))).to_contain_text("4 sectors")
        assert page.evaluate("window.sameDocument") is True, "the browser loaded the page anew"
        page.close()
    assert complaints == []


# What it costs


def test_scripts_and_styles_stay_small_and_still() -> None:
    def weight(path: Path) -> int:
        return len(gzip.compress(path.read_bytes(), 9))

    files = sorted((SCRIPTS / "widgets").glob("*.js"))
    assert len(files) == len(WIDGETS) + 2
    assert sum(map(weight, [*files, SCRIPTS / "widgets.js"])) < 16_500
    styles = STYLES / "widgets.css"
    assert weight(styles) < 2_500
    assert not re.search(r"\b(animation|transition)\b", styles.read_text(encoding="utf-8")), "nothing moves by itself"
    shown = "".join(path.read_text(encoding="utf-8") for path in files)
    assert not re.search(r"fetch\(|XMLHttpRequest|https?://|setInterval|requestAnimationFrame", shown)
