"""How plots look: colors by role, what tells GPUs apart, and the two sizes."""

from __future__ import annotations

from dataclasses import dataclass

COLORS = {
    "ink": "#1f1c18",
    "soft": "#5d564c",
    "edge": "#8c8375",
    "rule": "#e2dacd",
    "paper": "#faf7f1",
    "line": "#98481a",
}
"""By role, as a page without style sheet shows them; plots.css has both themes'. ``line`` is a series' own."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
DASHES = (None, (5, 2), (1.5, 1.8), (7, 2, 1.5, 2), (9, 3), (3, 1.5), (1.5, 1.5, 5, 1.5), (2, 4))
"""A GPU's, by its place among all; lengths are in widths of the line."""


@dataclass(frozen=True)
class Size:
    """A picture's natural width and what goes with it; all in its units."""

    name: str
    width: int
    panel: int
    """How high a panel is where there is one."""
    panels: int
    """And where there are several, each."""
    font: float
    x_ticks: int
    y_ticks: int
    marker: float


WIDE = Size(name="wide", width=640, panel=250, panels=150, font=13, x_ticks=8, y_ticks=5, marker=5)
NARROW = Size(name="narrow", width=340, panel=190, panels=130, font=12, x_ticks=4, y_ticks=5, marker=3.6)
SIZES = (WIDE, NARROW)
