"""Code on a page, and its marks."""

from __future__ import annotations

import pytest
from gpu100.render.code import set_code, unmarked


@pytest.mark.parametrize(
    ("html", "left"),
    [
        ('<span class="n">a</span><span class="p">[</span><span class="n">i</span><span class="p">]</span>', "a[i]"),
        (
            '<span class="kt">int</span><span class="w"> </span><span class="n">i</span>',
            '<span class="kt">int</span> i',
        ),
        ('a <span class="o">&lt;&lt;</span> b', "a &lt;&lt; b"),
        ('<span class="ow">not</span>', '<span class="ow">not</span>'),
        ('<span class="nb">len</span>', '<span class="nb">len</span>'),
        ('<span class="n measured">8</span>', '<span class="n measured">8</span>'),
        ('<span class="n">a<em>b</em></span>', '<span class="n">a<em>b</em></span>'),
    ],
)
def test_only_marks_without_a_color_go_and_no_text(html: str, left: str) -> None:
    assert unmarked(html) == left


@pytest.mark.parametrize(
    ("inside", "lines"),
    [
        ("one", 1),
        ("one\n", 1),
        ("one\ntwo\n", 2),
        ("one\n\nthree", 3),
        ('<span class="c1">// a\n// b</span>\n', 2),
        ("", 1),
    ],
)
def test_a_block_says_how_many_lines_it_has(inside: str, lines: int) -> None:
    assert set_code(f"<p><code>a</code></p><pre><span></span><code>{inside}</code></pre>") == (
        f'<p><code>a</code></p><pre><span></span><code data-lines="{lines}">{inside}</code></pre>'
    )
