"""Plots of recorded series: what they show, where it is drawn, and what a page says to have one."""

from gpu100.render.plots.names import PlotNames

__all__ = ["PlotNames"]
