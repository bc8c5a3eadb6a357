"""First uses of the glossary's terms: linked in running text, and nowhere else."""

from __future__ import annotations

import re

import pytest
from gpu100.model.term import Term
from gpu100.render.expressions import Block, Inline
from gpu100.render.terms import PageTerms, TermIndex, uses_in
from gpu100.site.extension import CourseExtension
from markdown import Markdown

EXTENSIONS = [
    "admonition",
    "attr_list",
    "footnotes",
    "md_in_html",
    "tables",
    "toc",
    "pymdownx.details",
    "pymdownx.superfences",
    "pymdownx.tabbed",
    "pymdownx.arithmatex",
]
TERMS = (
    Term(id="warp", term="warp", aliases=("warps",), meaning='32 threads, "in step" in `code`.', day=2),
    Term(id="warp-slot", term="warp slot", aliases=("warp slots",), meaning="A place for one.", day=2),
    Term(id="grid", term="grid", meaning="All blocks.", day=1),
    Term(id="sm", term="streaming multiprocessor", aliases=("SM", "SMs"), meaning="It holds blocks.", day=2),
)
INDEX = TermIndex({term.id: term for term in TERMS})


def shown(text: str, own: int | None = None) -> str:
    def evaluate(source: str) -> Inline | Block:
        return Block("<p>a warp in a block</p>") if source == "block" else Inline("a warp in a value")

    terms = PageTerms(INDEX, lambda term: f"glossary.md#{term.id}", own)
    return Markdown(extensions=[CourseExtension(evaluate=evaluate, terms=lambda: terms), *EXTENSIONS]).convert(text)


def linked(text: str, own: int | None = None) -> list[str]:
    """What the links to the glossary say."""
    return re.findall(r'<a class="term"[^>]*>([^<]*)</a>', shown(text, own))


@pytest.mark.parametrize(
    "text",
    [
        "It holds a warp.",
        "- one\n- a warp",
        "| a | b |\n|---|---|\n| 1 | a warp |",
        "!!! note\n    In a note, a warp.",
        '??? note "Open"\n    Below it, a warp.',
        '=== "Tab"\n\n    In a tab, a warp.',
        "A footnote.[^1]\n\n[^1]: It has a warp.",
        "*emphasis of a warp*",
        "> a quotation of a warp",
        "`code`, then a warp",
        '<div markdown="1">\n\nIn HTML, a warp.\n\n</div>',
    ],
)
def test_running_text_is_linked(text: str) -> None:
    assert linked(text) == ["warp"]


@pytest.mark.parametrize(
    "text",
    [
        "`a warp` in code",
        "```\na warp\n```",
        "    a warp",
        "## A warp",
        "[a warp](there.md)",
        "<a href='there'>a warp</a> in HTML",
        "<p>a warp</p>",
        "![a warp](there.png)",
        r"\(warp\)",
        "{{ value }} shows it",
        "{{ block }}",
        '??? note "A warp"\n    Below it.',
        '!!! note "A warp"\n    Below it.',
        '=== "warp"\n\n    In a tab.',
        "| warp | b |\n|---|---|\n| 1 | 2 |",
        "warp-synchronous, half-warp, warped, my_warp",
        "sm",
    ],
)
def test_code_links_headings_expressions_and_other_words_are_not(text: str) -> None:
    assert linked(text) == []


def test_only_the_first_use_is_linked_in_the_pages_order() -> None:
    assert linked("*The* first **warp** here, a grid, another warp.\n\n- and a warp\n- and an SM") == [
        "warp",
        "grid",
        "SM",
    ]


def test_the_longest_name_wins_and_may_be_broken_over_lines() -> None:
    assert linked("Its warp\nslots are full of warps.") == ["warp\nslots", "warps"]


def test_a_sentence_may_begin_with_a_term() -> None:
    assert linked("Warps are cut from blocks.") == ["Warps"]


def test_a_page_does_not_link_what_it_explains_itself() -> None:
    assert linked("A warp of a grid.", own=2) == ["grid"]


def test_all_text_stays_what_it_was() -> None:
    text = "A warp & a *grid* of `x < y`, two warps, an SM; then {{ value }} and the SM."
    plain = re.sub(r"<[^>]+>", "", shown(text))
    assert plain == "A warp &amp; a grid of x &lt; y, two warps, an SM; then a warp in a value and the SM."


def test_a_link_carries_the_meaning_as_plain_text_and_a_place_to_come_back_to() -> None:
    html = shown("A warp.")
    assert 'href="glossary.md#warp"' in html
    assert 'title="32 threads, &quot;in step&quot; in code."' in html
    assert list(uses_in(html)) == ["warp"]


def test_without_terms_nothing_is_linked() -> None:
    assert "class" not in Markdown(extensions=[CourseExtension()]).convert("A warp.")
    empty = PageTerms(TermIndex({}), lambda term: term.id)
    assert "class" not in Markdown(extensions=[CourseExtension(terms=lambda: empty)]).convert("A warp.")
