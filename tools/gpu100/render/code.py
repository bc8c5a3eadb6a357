"""Code on a page: marked where it has a color of its own, and nowhere else."""

from __future__ import annotations

import re

_INK = re.compile(r'<span class="(?:n|nf|nn|nc|ne|na|nv|vc|vg|vi|o|p|w)">([^<]*)</span>')
"""Pygments' marks of names, operators, punctuation and spaces, all of which course.css leaves as they are."""


def unmarked(html: str) -> str:
    """``html`` without the marks that no color follows.

    They are four of five: a browser styles and lays out every one, and a day's page has thousands.
    """
    return _INK.sub(r"\1", html)
