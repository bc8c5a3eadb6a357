"""Code on a page: marked where it has a color of its own, and nowhere else."""

from __future__ import annotations

import re

_INK = re.compile(r'<span class="(?:n|nf|nn|nc|ne|na|nv|vc|vg|vi|o|p|w)">([^<]*)</span>')
"""Pygments' marks of names, operators, punctuation and spaces, all of which course.css leaves as they are."""
_BLOCK = re.compile(r"(<pre\b[^>]*>(?:<span></span>)?<code\b[^>]*)>(.*?)</code>", re.DOTALL)


def set_code(html: str) -> str:
    """``html`` with its code as a page shows it: without marks in vain, and each block with its height in lines.

    By that height course.css keeps room for a block that is not laid out yet.
    """
    return _BLOCK.sub(_with_lines, unmarked(html))


def _with_lines(block: re.Match[str]) -> str:
    lines = block[2].removesuffix("\n").count("\n") + 1
    return f'{block[1]} data-lines="{lines}">{block[2]}</code>'


def unmarked(html: str) -> str:
    """``html`` without the marks that no color follows.

    They are three of four: a browser styles and lays out every one, and a day's page has thousands.
    """
    return _INK.sub(r"\1", html)
