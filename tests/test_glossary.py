"""content/glossary.toml: what it has to hold, and what its loader refuses."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from gpu100.content.course import load_course
from gpu100.content.glossary import load_glossary
from gpu100.content.sources import load_sources
from gpu100.errors import ContentError
from gpu100.model.term import Term
from gpu100.paths import Layout
from gpu100.render.lookup import FIGURE_COLORS

Edit = Callable[[Path, str, str], None]

WANTED = """
kernel, thread, block, grid, warp, lane, SM, occupancy, warp slot, block slot, host, device, launch, synchronize,
stream, register, shared memory, global memory, L1, L2, DRAM, sector, coalescing, bank conflict, divergence, barrier,
atomic, PTX, SASS, cubin, NVRTC, nvcc, driver API, runtime API, compute capability, pageable memory, pinned memory,
PCIe, guard, grid-stride loop, poison, canary, event, warm-up, throttling, throughput, latency, bandwidth, percentile
"""


def glossary_of(layout: Layout) -> dict[str, Term]:
    return load_glossary(layout, load_course(layout), load_sources(layout))


def test_the_glossary_has_the_words_of_the_first_module(repository: Layout) -> None:
    names = {name for term in glossary_of(repository).values() for name in term.names}
    wanted = [" ".join(word.split()) for word in WANTED.split(",")]
    assert len(wanted) >= 45
    assert [word for word in wanted if word not in names] == []


def test_it_is_in_the_alphabets_order_and_says_each_thing_shortly(repository: Layout) -> None:
    terms = list(glossary_of(repository).values())
    assert [term.term for term in terms] == sorted((term.term for term in terms), key=str.casefold)
    assert [term.id for term in terms if term.meaning.count(". ") > 1 or not term.meaning.endswith((".", ")"))] == []


def test_a_course_may_have_none(mini: Layout) -> None:
    (mini.content / "glossary.toml").unlink()
    assert glossary_of(mini) == {}


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ('see = ["element"]', 'see = ["elemnt"]', 1, "did you mean 'element'?"),
        ('see = ["element"]', 'see = ["thread"]', 1, "no other term"),
        ("day = 2", "day = 3", 10, "explained on day 3, which does not exist"),
        ('"guide.hardware"', '"guide.hardwear"', 1, "did you mean 'guide.hardware'?"),
        ('id = "element"', 'id = "thread"', 10, "stands twice"),
        ('aliases = ["elements"]', 'aliases = ["Threads"]', 10, "'Threads' is a name of 'element' and of 'thread'"),
        ('id = "element"', 'id = "An element"', 11, "is no id"),
    ],
)
def test_a_term_that_leads_nowhere_is_refused_at_its_line(
    mini: Layout, edit: Edit, old: str, new: str, line: int, said: str
) -> None:
    edit(mini.content / "glossary.toml", old, new)
    with pytest.raises(ContentError) as caught:
        glossary_of(mini)
    assert said in str(caught.value)
    assert str(caught.value).startswith("content/glossary.toml:")
    assert abs((caught.value.line or 0) - line) <= 1


# The colors of what figures show


def luminance(color: str) -> float:
    """Relative luminance, as WCAG has it: what is left of a color in gray."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def told_apart(css: str) -> list[float]:
    """The contrast of each color with the next darker one, of every place where they are set."""
    found = re.findall(r"--figure-([a-z0-9-]+): (#[0-9a-f]{6});", css)
    assert len(found) == 2 * len(FIGURE_COLORS), "light and dark"
    assert [name for name, _ in found] == [*FIGURE_COLORS, *FIGURE_COLORS]
    shades = [luminance(color) for _, color in found]
    pairs = [*itertools.pairwise(shades[:8]), *itertools.pairwise(shades[8:])]
    return [(lighter + 0.05) / (darker + 0.05) for lighter, darker in pairs]


def test_the_figures_colors_are_told_apart_in_gray(repository: Layout) -> None:
    css = (repository.docs / "assets" / "stylesheets" / "course.css").read_text(encoding="utf-8")
    ratios = told_apart(css)
    assert len(ratios) == 14
    assert min(ratios) >= 1.2
    for name in FIGURE_COLORS:
        assert f".swatch.{name} {{ background: var(--figure-{name}); }}" in css


def test_two_colors_of_one_gray_are_found(repository: Layout) -> None:
    css = (repository.docs / "assets" / "stylesheets" / "course.css").read_text(encoding="utf-8")
    same = re.search(r"--figure-thread: (#[0-9a-f]{6})", css)
    assert same is not None
    assert min(told_apart(re.sub(r"(--figure-register: )#[0-9a-f]{6}", rf"\g<1>{same[1]}", css))) < 1.2


def test_every_color_is_a_terms(repository: Layout) -> None:
    assert set(FIGURE_COLORS) <= set(glossary_of(repository))
