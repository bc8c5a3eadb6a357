"""A notebook's cells, taken out of nbconvert's page."""

from __future__ import annotations

from gpu100.render.lab import LabCell
from gpu100.site.cells import cells_of

CODE = """
<div class="jp-Cell jp-CodeCell"><div class="jp-InputPrompt">In&nbsp;[&nbsp;]:</div>
<clipboard-copy for="cell-1"><span hidden>Copied!</span></clipboard-copy>
<div class="highlight-ipynb hl-python"><pre><span></span><span class="n">a</span> <span class="o">&lt;</span> b
</pre></div><div class="clipboard-copy-txt" id="cell-1">a &lt; b &amp;&amp; &quot;&amp;lt;&quot;
</div></div>
"""
PRINTED = '<div class="jp-RenderedText jp-OutputArea-output"><pre>1 &lt; 2 &#x27;a&#39;\n\n  b\n</pre></div>'


def test_code_is_taken_as_text_and_once() -> None:
    assert cells_of(CODE) == [LabCell(code='a < b && "&lt;"\n')]


def test_what_a_cell_printed_belongs_to_it_and_stays_escaped() -> None:
    first, last = cells_of(CODE + PRINTED + CODE)
    assert first.printed == ("1 &lt; 2 &#x27;a&#39;\n\n  b",)
    assert last.printed == ()


def test_two_outputs_of_a_cell_stay_apart() -> None:
    (cell,) = cells_of(CODE + PRINTED + PRINTED)
    assert len(cell.printed) == 2


def test_prose_keeps_its_markup_to_the_last_nested_element() -> None:
    prose = '<h2 id="a">A</h2><div class="x"><div>one<br/>&mdash;</div></div><p>two <img src="x.png"></p>'
    (cell,) = cells_of(f'<div class="jp-Cell"><div class="jp-RenderedHTML jp-MarkdownOutput">\n{prose}\n</div></div>')
    assert cell == LabCell(prose=prose)


def test_the_sign_behind_a_heading_is_that_of_other_pages() -> None:
    (cell,) = cells_of('<div class="jp-MarkdownOutput"><h2>A<a class="anchor-link" href="#a">¶</a></h2></div>')
    assert cell.prose == '<h2>A<a class="headerlink" href="#a">¶</a></h2>'


def test_styles_and_scripts_are_left_out_wherever_they_stand() -> None:
    foreign = "<style>div { color: red }</style><script>if (a < b) { alert('</div>') }</script>"
    (cell,) = cells_of(f'{foreign}<div class="jp-MarkdownOutput">one {foreign}two</div>{foreign}')
    assert cell.prose == "one two"
