"""The picture that a link to the site shows elsewhere: the hundred cells, and what this is.

It is committed, since it changes when its words do and never with the evidence:
``python -m gpu100.render.card docs/assets/card.png`` draws it again.
"""

from __future__ import annotations

import sys
from pathlib import Path

WIDTH, HEIGHT = 1200, 630
"""What the services that show such pictures ask for."""

ALT = "100 Days of GPU: a grid of ten rows of ten cells, forty-five of them filled"

_DPI = 100
_PAPER, _INK, _SOFT, _EDGE, _ACCENT = "#faf7f1", "#1f1c18", "#5d564c", "#d3cabc", "#98481a"
_FILLED = 45  # as in the logo
_CELL, _STEP, _LEFT, _TOP = 32, 43, 90, 105


def draw(path: Path) -> None:
    """Write the card as PNG."""
    from matplotlib.figure import Figure  # here, since a build only wants to know the card's size
    from matplotlib.patches import Rectangle

    figure = Figure(figsize=(WIDTH / _DPI, HEIGHT / _DPI), dpi=_DPI, facecolor=_PAPER)
    for day in range(100):
        x, y = _LEFT + day % 10 * _STEP, HEIGHT - _TOP - day // 10 * _STEP - _CELL
        color = _ACCENT if day < _FILLED else _EDGE
        figure.add_artist(
            Rectangle((x / WIDTH, y / HEIGHT), _CELL / WIDTH, _CELL / HEIGHT, color=color, transform=figure.transFigure)
        )
    serif, sans = "DejaVu Serif", "DejaVu Sans"  # matplotlib brings both
    for top, text, size, family, color in (
        (165, "100 Days", 56, serif, _INK),
        (260, "of GPU", 56, serif, _INK),
        (392, "A CUDA course in which", 21, sans, _SOFT),
        (432, "nothing has to be taken on trust", 21, sans, _SOFT),
    ):
        figure.text(
            590 / WIDTH, 1 - top / HEIGHT, text, fontsize=size, family=family, color=color, va="center", ha="left"
        )
    figure.savefig(path, metadata={"Software": None})


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
