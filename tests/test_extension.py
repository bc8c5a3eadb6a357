"""Expressions in Markdown: found in prose, and nowhere else."""

from __future__ import annotations

import pytest
from gpu100.render.expressions import Block, ExpressionError, Inline
from gpu100.site.extension import CourseExtension
from markdown import Markdown

EXTENSIONS = ["admonition", "footnotes", "tables", "pymdownx.superfences", "pymdownx.tabbed", "pymdownx.arithmatex"]


def shown(text: str) -> str:
    """``text`` as HTML, where every expression shows its own source in brackets."""

    def evaluate(source: str) -> Inline | Block:
        return Block(f"<hr id='{source}'>") if source.startswith("block") else Inline(f"[{source}]")

    return Markdown(extensions=[CourseExtension(evaluate=evaluate), *EXTENSIONS]).convert(text)


@pytest.mark.parametrize(
    "text",
    [
        "A sentence with {{ x }} in it.",
        "- a list\n- with {{ x }} in it",
        "| a | b |\n|---|---|\n| 1 | {{ x }} |",
        "!!! note\n    An admonition with {{ x }}.",
        '=== "Tab"\n    A tab with {{ x }}.',
        "A footnote.[^1]\n\n[^1]: It has {{ x }}.",
        "*emphasis of {{ x }}*",
        "> a quotation of {{ x }}",
        "{{ x }}",
    ],
)
def test_an_expression_in_prose_is_evaluated(text: str) -> None:
    html = shown(text)
    assert "[x]" in html
    assert "{{" not in html


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ x }} takes guards away.", "Day 6 takes"),
        ("It is needed. {{ x }} takes it away.", "needed. Day 6 takes"),
        ("It is needed (see there). {{ x }} takes it away.", "there). Day 6 takes"),
        ("**Needed.** {{ x }} takes it away.", "</strong> Day 6 takes"),
        ("- {{ x }}: guards", "<li>Day 6: guards"),
        ("See {{ x }}.", "See day 6."),
        ("Guards ({{ x }}), and more.", "(day 6)"),
        ("On 9.0, {{ x }} takes them away.", "9.0, day 6"),
    ],
)
def test_a_day_that_begins_a_sentence_takes_a_capital(text: str, expected: str) -> None:
    extension = CourseExtension(evaluate=lambda source: Inline("day 6", capital=True))
    html = Markdown(extensions=[extension, *EXTENSIONS]).convert(text)
    assert expected in html.replace("<span>", "").replace("</span>", "")


def test_a_value_and_its_quotes_reach_the_evaluator_as_written() -> None:
    assert '[value("a.b", 32, unit=False)]' in shown('It is {{ value("a.b", 32, unit=False) }}.').replace("&quot;", '"')


@pytest.mark.parametrize(
    "text",
    [
        "A span `int m[2][2] = {{1, 2}, {3, 4}};` stays.",
        "```cuda\nint m[2][2] = {{1, 2}, {3, 4}};\n{{ x }}\n```",
        "    {{ x }}",
        "The `{{ x }}` of a template.",
        r"Math: \({{x}}^2\) stays.",
    ],
)
def test_code_and_math_are_never_touched(text: str) -> None:
    html = shown(text)
    assert "[x]" not in html
    assert "{{" in html


def test_a_block_stands_alone_between_blank_lines() -> None:
    assert "<hr id='block'>" in shown("Before.\n\n{{ block }}\n\nAfter.")


def test_a_block_inside_a_tab_is_a_block() -> None:
    assert "<hr id='block'>" in shown('=== "Tab"\n\n    {{ block }}\n')


def test_a_block_inside_a_sentence_is_refused() -> None:
    with pytest.raises(ExpressionError, match="is a block"):
        shown("A sentence with {{ block }} in it.")


def test_an_expression_in_a_heading_is_refused() -> None:
    with pytest.raises(ExpressionError, match="stands in a heading"):
        shown("## Takes {{ x }}")


def test_an_expression_in_a_link_target_is_refused() -> None:
    with pytest.raises(ExpressionError, match="link's target"):
        shown("See [there]({{ x }}).")


def test_a_link_text_may_hold_an_expression() -> None:
    assert ">see [x]</a>" in shown("[see {{ x }}](there.md)").replace("<span>", "").replace("</span>", "")


def test_without_a_host_an_expression_is_refused_by_name() -> None:
    with pytest.raises(ExpressionError, match="evaluate"):
        Markdown(extensions=[CourseExtension()]).convert("{{ x }}")
