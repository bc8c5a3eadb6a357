"""Plots: what is drawn of a series, what stands behind it, and what is refused."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as etree
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Open, browsing, looks, opening, serving
from bs4 import BeautifulSoup, Tag
from conftest import REPOSITORY, built, second_machine
from gpu100.author.checks import expressions
from gpu100.author.context import Context
from gpu100.author.report import Finding
from gpu100.content.course import load_course
from gpu100.errors import CourseError
from gpu100.evidence.schema import parse
from gpu100.evidence.store import EvidenceStore
from gpu100.fingerprint import json_digest
from gpu100.model.machine import Machine
from gpu100.model.record import Exact, Point, Record, Series
from gpu100.paths import Layout
from gpu100.render.expressions import Block, ExpressionError, evaluate
from gpu100.render.loading import load_site, shortfalls
from gpu100.render.page import PageNames
from gpu100.render.plots import drawing, kept
from gpu100.render.plots.axes import linear_ticks, log_ticks, tick_text
from gpu100.render.plots.behind import description, table_of
from gpu100.render.plots.drawing import apart, draw
from gpu100.render.plots.look import NARROW, SIZES, WIDE, Size
from gpu100.render.plots.parts import LimitLine, Line, Panel, Plot, with_unit
from gpu100.render.plots.svg import ID, tidy
from mkdocs.exceptions import Abort
from playwright.sync_api import Browser, expect

RECORD2 = "h200/580.159.04-nvrtc13.0.88/day02-twice.json"
XLINK = "{http://www.w3.org/1999/xlink}href"


def exact(*ys: float, x_unit: str = "threads", y_unit: str = "warps") -> Series:
    points = tuple(Point(x=32.0 * place, y=y) for place, y in enumerate(ys, 1))
    return Series(kind="exact", x_unit=x_unit, y_unit=y_unit, points=points)


def measured(*ys: float, x_unit: str = "bytes", y_unit: str = "GB/s") -> Series:
    points = tuple(Point(x=1024.0 * 2**place, y=y, p20=0.9 * y, p80=1.2 * y) for place, y in enumerate(ys))
    return Series(kind="measured", x_unit=x_unit, y_unit=y_unit, points=points)


def line(gpu: str, series: Series, *, place: int = 0, tone: int = 0) -> Line:
    return Line(
        gpu=gpu, gpu_name=gpu.upper(), place=place, tone=tone, label=gpu.upper(), what="Warps on an SM", series=series
    )


def plot_of(*lines: Line, limits: tuple[LimitLine, ...] = (), **how: bool) -> Plot:
    unit = lines[0].series.x_unit
    panel = Panel("Warps on an SM", lines, limits)
    return Plot(panels=(panel,), x_label="threads per block", x_unit=unit, chosen="h200", **how)


TWO = plot_of(
    line("h200", exact(32, 64, 63)),
    line("t4", exact(16, 32, 30), place=1),
    limits=(LimitLine(64, "warp slots: 64 (H200)", "h200"), LimitLine(32, "warp slots: 32 (T4)", "t4")),
)
RATES = plot_of(line("h200", measured(10, 100, 1000, 2000)), line("t4", measured(9, 80, 200, 250), place=1), log_x=True)


def drawn(plot: Plot, size: Size = WIDE) -> etree.Element:
    """The picture, as a browser reads it."""
    inner = draw(plot, size).inner
    return etree.fromstring(f'<svg xmlns:xlink="http://www.w3.org/1999/xlink">{inner}</svg>')


def texts(root: etree.Element) -> list[str]:
    return [element.text or "" for element in root.iter("text")]


def parts(root: etree.Element, gpu: str, kind: str = "series") -> list[etree.Element]:
    of_gpu = (element for element in root.iter() if element.get("data-gpu") == gpu)
    return [element for element in of_gpu if kind in element.get("class", "").split()]


# What a picture is made of


@pytest.mark.parametrize("size", SIZES, ids=lambda size: size.name)
@pytest.mark.parametrize("plot", [TWO, RATES], ids=["exact", "measured"])
def test_a_picture_has_classes_and_attributes_and_no_style(plot: Plot, size: Size) -> None:
    root = drawn(plot, size)
    elements = list(root.iter())
    assert {element.tag for element in elements} <= {"svg", "g", "path", "defs", "use", "text"}
    assert not [element for element in elements if element.get("style") or element.get("clip-path")]
    colored = [e for e in elements if e.get("stroke", "none") != "none" or e.get("fill", "none") != "none"]
    assert len(colored) > 20
    assert not [e for e in colored if not re.search(r"(stroke|fill)-\w+", e.get("class", ""))]


def test_ids_are_prefixed_and_used_ones_exist() -> None:
    for plot in (TWO, RATES):
        root = drawn(plot)
        ids = [id for element in root.iter() if (id := element.get("id"))]
        used = {element.get(XLINK, "") for element in root.iter("use")}
        assert len(ids) == len(set(ids)) == len(used)
        assert all(id.startswith(ID) for id in ids)
        assert used == {f"#{id}" for id in ids}


@pytest.mark.parametrize("size", SIZES, ids=lambda size: size.name)
def test_text_stays_text(size: Size) -> None:
    said = texts(drawn(TWO, size))
    assert {"H200", "T4", "Warps on an SM", "threads per block", "16", "64", "warp slots: 64 (H200)"} <= set(said)


def test_numbers_below_an_axis_do_not_touch() -> None:
    long = plot_of(line("gpu with copies", measured(*[7.0] * 17, x_unit="elements")), log_x=True)
    assert {"1,048,576", "8,388,608", "67,108,864"} <= set(texts(drawn(long)))
    narrow = texts(drawn(long, NARROW))
    assert "67,108,864" in narrow
    assert "2,097,152" not in narrow


def test_every_gpu_has_its_own_marker_and_dashes() -> None:
    looks = set()
    for gpu in ("h200", "t4"):
        (group,) = (part for part in parts(drawn(TWO), gpu) if part.find(".//use") is not None)
        marker, stroke = group.find(".//defs/path"), group.find("path")
        assert marker is not None
        assert stroke is not None
        looks.add((marker.get("d"), stroke.get("stroke-dasharray")))
        assert len(group.findall(".//use")) == 3
    assert len({marker for marker, _ in looks}) == len({dashes for _, dashes in looks}) == 2


def test_a_gpus_parts_stand_out_together() -> None:
    root = drawn(TWO)
    assert all("chosen" in part.get("class", "") for part in parts(root, "h200") + parts(root, "h200", "limit"))
    assert not any("chosen" in part.get("class", "") for part in parts(root, "t4") + parts(root, "t4", "limit"))
    assert len(parts(root, "t4", "name")) == 1
    assert len(parts(root, "t4", "limit")) == 2  # the line and its words


def test_measured_series_show_their_spread() -> None:
    root = drawn(RATES)
    for gpu in ("h200", "t4"):
        assert len(parts(root, gpu, "band")) == 1
        (whiskers,) = parts(root, gpu, "whiskers")
        assert len(whiskers.findall(".//path")) == 4
    assert not parts(drawn(TWO), "h200", "band")
    many = plot_of(line("h200", measured(*range(1, 40))))
    assert parts(drawn(many), "h200", "band")
    assert not parts(drawn(many), "h200", "whiskers")


def test_a_limit_lies_above_every_point_that_reaches_it() -> None:
    root = drawn(TWO)
    heights = [float(y) for part in parts(root, "h200", "limit") for y in re.findall(r" (\S+)", _path(part))[0:1]]
    highest = min(float(use.get("y", "")) for use in root.iter("use"))
    assert heights == [pytest.approx(highest, abs=0.1)]


def _path(part: etree.Element) -> str:
    path = part.find("path")
    return "" if path is None else path.get("d", "").removeprefix("M ")


def test_drawing_twice_gives_the_same_bytes() -> None:
    assert draw(RATES, NARROW) == draw(RATES, NARROW)
    assert "20" + "26" not in draw(RATES, NARROW).inner


def test_steps_hold_from_behind_a_point_up_to_the_next() -> None:
    root = drawn(dataclasses.replace(plot_of(line("h200", exact(32, 64, 63))), steps=True))
    (group,) = (part for part in parts(root, "h200") if part.find(".//use") is not None)
    corners = re.findall(r"([\d.]+) ([\d.]+)", _path(group))
    assert len(corners) == 7
    assert len(group.findall(".//use")) == 3  # what leads to the first point is none
    assert all(a[0] == b[0] or a[1] == b[1] for a, b in itertools.pairwise(corners))


def test_words_in_a_picture_are_escaped() -> None:
    strange = dataclasses.replace(line("h200", exact(1, 2)), label="<b>&$x_1$")
    assert "<b>&$x_1$" in texts(drawn(plot_of(strange)))
    assert "<b>" not in draw(plot_of(strange), WIDE).inner


def test_a_style_attribute_becomes_attributes_and_a_class() -> None:
    svg = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
    <metadata>x</metadata><defs><style>*{}</style><path id="m1" style="stroke: #111111" d="M 0.123456 -0.0001"/></defs>
    <g id="line_1"><g id="series t4 chosen">
    <use xlink:href="#m1" x="1.999999" style="fill: #111111; opacity: 0.5"/></g></g></svg>"""
    assert tidy(svg, {"#111111": "ink"}) == (
        f'<defs><path d="M 0.12 0" id="{ID}0"/></defs>\n'
        '<g class="series chosen" data-gpu="t4">'
        f'<use class="fill-ink" fill="#111111" opacity="0.5" x="2" xlink:href="#{ID}0"/></g>'
    )


# Axes


@pytest.mark.parametrize(
    ("values", "most", "ticks"),
    [
        ([32, 63, 64], 5, [0, 16, 32, 48, 64]),
        ([24, 1], 5, [0, 8, 16, 24]),
        ([32, 1024], 8, [0, 128, 256, 384, 512, 640, 768, 896, 1024]),
        ([0.3, 808.5], 5, [0, 200, 400, 600, 800]),
        ([0.012], 5, [0, 0.0025, 0.005, 0.0075, 0.01]),
        ([-3, 5], 5, [-2, 0, 2, 4]),
        ([0, 0], 5, [0]),
    ],
)
def test_numbers_on_a_linear_axis(values: list[float], most: int, ticks: list[float]) -> None:
    assert linear_ticks(values, most) == pytest.approx(ticks)


@pytest.mark.parametrize(
    ("values", "most", "ticks"),
    [
        ([1024, 4096, 65536], 4, [1024, 4096, 16384, 65536]),
        ([3, 47], 5, [5, 10, 20]),
        ([3, 47000], 5, [10, 100, 1000, 10000]),
        ([1, 2, 4], 5, [1, 2, 4]),
    ],
)
def test_numbers_on_a_logarithmic_axis(values: list[float], most: int, ticks: list[float]) -> None:
    assert log_ticks(values, most) == pytest.approx(ticks)


def test_words_and_numbers_of_an_axis() -> None:
    assert tick_text(16384.0, "bytes") == "16\N{NO-BREAK SPACE}KiB"
    assert tick_text(1024.0, "threads") == "1,024"
    assert with_unit("Warps resident on one SM", "warps") == "Warps resident on one SM"
    assert with_unit("Copy rate", "GB/s") == "Copy rate, GB/s"
    assert with_unit("", "threads") == "threads"


def test_names_make_room_for_each_other() -> None:
    assert apart([10, 50], least=12, floor=0) == [10, 50]
    assert apart([50, 50, 50], least=12, floor=0) == [38, 50, 62]
    assert apart([21, 20, 1], least=10, floor=5) == [25.5, 15.5, 5]
    assert apart([1, 2], least=10, floor=5) == [5, 15]


# What stands behind it


def test_the_table_holds_the_records_numbers() -> None:
    table = table_of(TWO)
    assert table.xs == ("32", "64", "96")
    assert [(column.gpu, column.heading, column.cells) for column in table.columns] == [
        ("h200", "H200", ("32", "64", "63")),
        ("t4", "T4", ("16", "32", "30")),
    ]
    spread = table_of(RATES).columns
    assert [column.heading for column in spread[:2]] == ["H200, median", "20th to 80th percentile"]
    assert spread[0].cells == ("10", "100", "1,000", "2,000")
    assert spread[1].cells[0] == "9 to 12"


def test_a_row_where_one_gpu_has_no_point_is_left_empty() -> None:
    plot = plot_of(line("h200", exact(1, 2, 3)), line("t4", exact(1, 2), place=1))
    assert table_of(plot).columns[1].cells == ("1", "2", "")


def test_the_description_says_where_each_line_goes() -> None:
    said = description(TWO)
    assert "T4: Warps on an SM: 16 at 32 threads, highest 32 at 64, 30 at 96." in said
    assert "Limit: warp slots: 64 (H200)." in said


# Series that make no line


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"points": (Point(x=1, y=1),)}, "needs two points"),
        ({"points": ()}, "needs two points"),
        ({"points": (Point(x=1, y=1), Point(x=2, y=float("nan")))}, "not finite"),
        ({"points": (Point(x=1, y=1), Point(x=2, y=1, p80=float("inf")))}, "not finite"),
        ({"points": (Point(x=2, y=1), Point(x=1, y=1))}, "has to rise"),
        ({"x_unit": ""}, "needs a unit"),
        ({"y_unit": " "}, "needs a unit"),
    ],
)
def test_a_series_that_makes_no_line_is_refused(changes: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        dataclasses.replace(exact(1, 2), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("plant", "said"),
    [
        ({"points": [{"x": 32.0, "y": 32.0}, {"x": 64.0, "y": float("nan")}]}, "NaN is not a value"),
        ({"points": [{"x": 32.0, "y": 32.0}]}, "series.resident: .* needs two points"),
        ({"y_unit": ""}, "series.resident: .* needs a unit"),
    ],
)
def test_a_record_with_such_a_series_stops_the_build_and_is_named(
    plotted: Layout, caplog: pytest.LogCaptureFixture, plant: dict[str, object], said: str
) -> None:
    path = plotted.evidence / RECORD2
    data = json.loads(path.read_text())
    del data["digest"]
    data["series"]["resident"] |= plant
    path.write_text(json.dumps(data | {"digest": json_digest(data)}))
    with pytest.raises(Abort):
        built(plotted)
    assert re.search(rf"day02-twice\.json.*{said}", caplog.text)


# On a page

ASKED = 'plot("twice.resident", caption="Look."'


@pytest.fixture
def plotted(layout: Layout, t4: Machine) -> Layout:
    """The miniature course, whose second day has series: on two GPUs, and on one, of counts and of rates."""
    text = layout.course.read_text()
    declared = """inputs = ["numbers.txt"]
series = [
  { name = "resident", what = "Warps resident on one SM", by = "threads per block" },
  { name = "blocks_held", what = "Blocks resident on one SM", by = "threads per block" },
  { name = "copy", what = "Rate", by = "size of an array" },
  { name = "later", what = "Cycles per load" },
]
"""
    layout.course.write_text(text.replace('inputs = ["numbers.txt"]\n', declared))
    slots = {"blocks": Exact(kind="exact", unit="blocks", value={"1": 1, "300": 2})}
    idle = {"idle": Exact(kind="exact", unit="%", value=50)}
    series = {"resident": exact(32, 64, 63), "blocks_held": exact(32, 32, 21, y_unit="blocks")}
    second_machine(layout, t4, record=RECORD2, series={"resident": exact(16, 32, 30)}, values=slots | idle)
    rewrite(layout, series=series | {"copy": measured(10, 100, 1000)})
    return layout


def rewrite(layout: Layout, **changes: object) -> None:
    """The second day's record on the H200, changed."""
    path = layout.evidence / RECORD2
    first = parse(Record, path.read_text(encoding="utf-8"), path.name)
    EvidenceStore(layout.evidence).write(path.parent, dataclasses.replace(first, **changes))  # type: ignore[arg-type]


def shown(layout: Layout, expression: str) -> Tag:
    """What an expression on the second day's page becomes."""
    site = load_site(layout)
    result = evaluate(expression, PageNames(site, "days/day02-twice.md", site.course.day(2)).names())
    assert isinstance(result, Block)
    figure = BeautifulSoup(result.html, "html.parser").figure
    assert figure is not None
    return figure


def put(layout: Layout, expression: str) -> None:
    page = layout.docs / "days/day02-twice.md"
    page.write_text(page.read_text().replace('{{ evidence("twice") }}', f"{{{{ {expression} }}}}"))


def test_a_page_shows_picture_caption_and_table(plotted: Layout) -> None:
    put(plotted, ASKED + ', title="Residency")')
    page = BeautifulSoup((built(plotted) / "days/day02-twice/index.html").read_text(), "html.parser")
    figure = page.find("figure", class_="plot")
    assert isinstance(figure, Tag)
    assert figure["data-gpus"] == "h200 tesla-t4"
    assert [svg["class"] for svg in figure.find_all("svg")] == [["wide"], ["narrow"]]
    for svg in figure.find_all("svg"):
        assert (svg["role"], svg["aria-label"]) == ("img", "Residency")
        about = page.find(id=svg["aria-describedby"])
        assert isinstance(about, Tag)
        assert "H200: Warps resident on one SM: 32 at 32 threads" in about.text
    assert not figure.find_all(style=True)
    ids = [element["id"] for element in page.find_all(id=True)]
    assert len([id for id in ids if id.startswith("plot-")]) > 4
    assert len(ids) == len(set(ids))
    caption = figure.figcaption
    assert caption is not None
    assert caption.text == "Residency. Look."
    rows = [[cell.text for cell in row.find_all(["th", "td"])] for row in figure.find_all("tr")]
    assert rows == [
        ["threads per block", "Warps resident on one SM"],
        ["H200", "T4"],
        ["32", "32", "16"],
        ["64", "64", "32"],
        ["96", "63", "30"],
    ]


def test_series_of_two_units_stand_in_two_panels(plotted: Layout) -> None:
    figure = shown(plotted, 'plot("twice.resident", "twice.blocks_held", caption="Look.")')
    headings = [element.text for element in figure.svg.find_all(class_="heading")]  # type: ignore[union-attr]
    assert headings == ["Warps resident on one SM", "Blocks resident on one SM"]


def test_series_of_one_unit_are_told_apart_in_one_panel(plotted: Layout) -> None:
    figure = shown(plotted, 'plot("twice.resident", "twice.resident", caption="Look.")')
    names = [element.text.strip() for element in figure.svg.find_all(class_="name")]  # type: ignore[union-attr]
    assert sorted(names) == sorted(["resident, H200", "resident, T4"] * 2)


def test_a_gpu_without_the_series_is_named_for_its_reader(plotted: Layout) -> None:
    figure = shown(plotted, 'plot("twice.copy", log="xy", caption="Look.")')
    note = figure.find(attrs={"data-absent": "tesla-t4"})
    assert isinstance(note, Tag)
    assert note.has_attr("hidden")
    assert "Tesla T4 has no record of this." in note.text
    assert "from the 20th to the 80th percentile" in figure.figcaption.text  # type: ignore[union-attr]


def test_a_declared_series_that_nobody_recorded_says_so(plotted: Layout) -> None:
    figure = shown(plotted, 'plot("twice.later", caption="Look.")')
    assert "not measured yet" in figure.text
    assert figure.svg is None


def test_a_stale_series_is_shown_with_its_mark(plotted: Layout) -> None:
    program = plotted.code / "day02-twice/twice.cu"
    program.write_text(program.read_text() + "\n__device__ int more;\n")
    assert [mark.text for mark in shown(plotted, ASKED + ")").select(".mark.stale")] == ["stale", "stale"]


def test_limits_are_values_and_facts(plotted: Layout) -> None:
    text = plotted.course.read_text().replace(
        'values = [\n  { name = "blocks", kind',
        'values = [\n  { name = "slots", kind = "exact", unit = "warps", what = "W" },\n  { name = "blocks", kind',
    )
    plotted.course.write_text(text)
    rewrite(plotted, values={"slots": Exact(kind="exact", unit="warps", value=64)})
    facts = (REPOSITORY.content / "facts.toml").read_text()
    limit = facts[facts.index('[[limit]]\nid = "warps_per_sm"') :].split("\n\n")[0]
    limit = re.sub(r"sources = .*", 'sources = ["guide.hardware"]', limit)
    (plotted.content / "facts.toml").write_text(limit)
    figure = shown(plotted, ASKED + ', limits=["twice.slots", "warps_per_sm"])')
    words = [text.text for text in figure.svg.select(".limit text")]  # type: ignore[union-attr]
    assert words == ["slots: 64 (H200)", "warps per SM: 64 (H200)", "warps per SM: 32 (T4)"]


REFUSED = [
    ('plot("twice.residnet", caption="Look.")', "'twice.residnet' is no series", "did you mean 'twice.resident'?"),
    ('plot("twcie.resident", caption="Look.")', "'twcie.resident' is no series", "did you mean 'twice.resident'?"),
    ('plot("twice.idle", caption="Look.")', "'twice.idle' is a value", None),
    ('plot("twice.resident")', "caption", None),
    ('plot(caption="Look.")', "names no series", 'plot("program.series", caption="...")'),
    (ASKED + ', log="z")', "names no axis", None),
    (ASKED + ', limits="twice.blcks")', "no value declared", "did you mean 'twice.blocks'?"),
    (ASKED + ', limits="twice.blocks")', "not one number", None),
    (ASKED + ', limits="twice.idle")', "limit 'twice.idle' is in %, and the series in warps", None),
    (ASKED + ', limits="warps_per_sm")', "neither a value nor in facts.toml", None),
    ('plot("twice.resident", "twice.copy", caption="Look.")', "they share no axis", None),
    ("plot(" + '"twice.resident", ' * 4 + 'caption="Look.")', "4 series in one panel", None),
]


@pytest.mark.parametrize(("expression", "said", "hint"), REFUSED)
def test_what_cannot_be_plotted_is_refused(plotted: Layout, expression: str, said: str, hint: str | None) -> None:
    with pytest.raises(ExpressionError) as caught:
        shown(plotted, expression)
    assert said in caught.value.message
    if hint:
        assert caught.value.hint == hint


def test_a_logarithmic_axis_refuses_zero_and_names_program_and_gpu(plotted: Layout) -> None:
    rewrite(plotted, series={"resident": exact(0, 64, 63)})
    with pytest.raises(ExpressionError, match=r"twice\.resident on NVIDIA H200 has y of 0 or less"):
        shown(plotted, ASKED + ', log="y")')


def test_units_that_differ_between_gpus_are_refused(plotted: Layout) -> None:
    rewrite(plotted, series={"resident": exact(32, 64, y_unit="%")})
    with pytest.raises(ExpressionError, match=r"twice\.resident on NVIDIA H200 is in %, .* Tesla T4 in warps"):
        shown(plotted, ASKED + ")")


def test_an_undeclared_series_stops_the_build_and_the_check(plotted: Layout, caplog: pytest.LogCaptureFixture) -> None:
    put(plotted, 'plot("twice.residnet", caption="Look.")')
    with pytest.raises(Abort):
        built(plotted)
    assert re.search(r"day02-twice\.md:\d+: 'twice\.residnet' is no series", caplog.text)
    course = load_course(plotted)
    found = [f for f in expressions.check(Context(plotted, course, course.days)) if isinstance(f, Finding)]
    assert [(f.hint, f.day) for f in found] == [("did you mean 'twice.resident'?", 2)]


def test_a_series_declared_twice_is_refused(plotted: Layout) -> None:
    text = plotted.course.read_text()
    plotted.course.write_text(text.replace('name = "copy", what', 'name = "resident", what'))
    with pytest.raises(CourseError, match="declares series 'resident' twice"):
        load_course(plotted)


def test_a_published_day_whose_fresh_record_lacks_a_series_is_told(layout: Layout) -> None:
    assert list(shortfalls(load_site(layout))) == []
    values = 'values = [\n  { name = "threads", kind'
    text = layout.course.read_text()
    layout.course.write_text(text.replace(values, 'series = [{ name = "curve", what = "Rate" }]\n' + values))
    assert [(found.message, found.fatal) for found in shortfalls(load_site(layout))] == [
        (
            "day01 is published, and hello on the h200 is recorded without series 'curve', which course.toml declares",
            True,
        )
    ]


# What is kept


def test_what_was_drawn_is_not_drawn_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = kept.pictures(TWO, tmp_path)
    monkeypatch.setattr(drawing, "draw", lambda *_: pytest.fail("drawn again"))
    assert kept.pictures(TWO, tmp_path) == first
    monkeypatch.undo()
    other = plot_of(line("h200", exact(32, 64, 62)))
    assert kept.pictures(other, tmp_path) != first
    assert len(list(tmp_path.iterdir())) == 2


def test_a_damaged_picture_is_drawn_anew(tmp_path: Path) -> None:
    first = kept.pictures(TWO, tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_text(path.read_text()[:100])
    assert kept.pictures(TWO, tmp_path) == first


def test_another_hand_draws_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.pictures(TWO, tmp_path)
    monkeypatch.setattr(kept, "_hand", lambda: "another")
    kept.pictures(TWO, tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_matplotlib_is_loaded_where_something_is_drawn(plotted: Layout) -> None:
    program = f"""
import sys
from pathlib import Path
from gpu100.paths import Layout
from gpu100.render.expressions import evaluate
from gpu100.render.loading import load_site, shortfalls
from gpu100.render.page import PageNames
site = load_site(Layout(Path({str(plotted.root)!r})))
for expected in sys.argv[1:]:
    evaluate('plot("twice.resident", caption="Look.")', PageNames(site, "days/x.md", site.course.day(2)).names())
    assert str("matplotlib" in sys.modules) == expected, expected
assert sys.argv[1:] or "matplotlib" not in sys.modules
"""
    for expected in ([], ["True"], ["False"]):  # none asked for; drawn; kept
        child = subprocess.run([sys.executable, "-c", program, *expected], capture_output=True, text=True, check=False)
        assert child.returncode == 0, child.stderr


# In a browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as browser:
        yield browser


@pytest.fixture
def open_page(browser: Browser, plotted: Layout) -> Iterator[Open]:
    """Opens pages of the miniature course with two plots, with the real course's looks and scripts."""
    shutil.copytree(REPOSITORY.docs / "assets", plotted.docs / "assets", dirs_exist_ok=True)
    (plotted.docs / "setup").mkdir()
    (plotted.docs / "setup" / "no-gpu.md").write_text("# Without a GPU\n", encoding="utf-8")
    put(plotted, ASKED + ") }}\n\n{{ " + ASKED.replace("resident", "copy") + ")")
    with serving(plotted.root / "site") as address:
        built(plotted, **looks(address))
        with opening(browser, address) as opened:
            yield opened


STYLE = "([part, property]) => getComputedStyle(document.querySelector(part)).getPropertyValue(property)"


def test_a_browser_follows_theme_choice_and_width(open_page: Open) -> None:
    day = "days/day02-twice/"
    seen = {}
    for scheme in ("light", "dark"):
        page = open_page(day, scheme=scheme)
        seen[scheme] = [
            page.evaluate(STYLE, [f".plot .wide {part}", name])
            for part, name in (
                ("[data-gpu=h200] path", "stroke"),
                ("[data-gpu=tesla-t4] path", "stroke"),
                (".heading text", "fill"),
                (".stroke-rule", "stroke"),
            )
        ]
    assert all(light != dark for light, dark in zip(*seen.values(), strict=True)), seen

    page = open_page(day)
    colors = [[f".plot .wide [data-gpu={gpu}] path", "stroke"] for gpu in ("h200", "tesla-t4")]
    before = [page.evaluate(STYLE, part) for part in colors]
    assert before[0] != before[1]
    absent = page.locator("[data-absent]")
    for slug, after, missing in (("tesla-t4", before[::-1], True), ("none", before, False)):
        page.locator("#gpu-choice").select_option(slug)
        assert [page.evaluate(STYLE, part) for part in colors] == after
        expect(absent).to_be_visible(visible=missing)
    page.locator("#gpu-choice").select_option("tesla-t4")
    top = "[...document.querySelectorAll('.plot .wide .series:not(.name)')].filter(e => e.querySelector('use'))"
    assert page.evaluate(f"{top}.slice(0, 2).at(-1).dataset.gpu") == "tesla-t4"

    phone = open_page(day, wide=360)
    expect(phone.locator(".plot svg.narrow").first).to_be_visible()
    expect(phone.locator(".plot svg.wide").first).to_be_hidden()
    size = phone.evaluate(
        """() => {
            const text = document.querySelector(".plot .narrow text"), svg = text.ownerSVGElement;
            return text.getAttribute("font-size") * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        }"""
    )
    assert size >= 11
    assert phone.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_without_a_script_the_reference_gpu_stands_out(open_page: Open) -> None:
    page = open_page("days/day02-twice/", script=False)
    expect(page.locator(".plot .wide .name.chosen").first).to_have_text("H200")
    page.get_by_text("The numbers as a table").first.click()
    expect(page.locator(".plot table").first).to_be_visible()
