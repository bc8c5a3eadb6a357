"""Paths out of whatever is kept: where the course, the home and Python lie is nobody's business."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def redactor(root: Path) -> Callable[[str], str]:
    """A function that writes [ROOT], [HOME] and [PYTHON] for this machine's folders."""
    places = {str(root): "[ROOT]", sys.prefix: "[PYTHON]", sys.base_prefix: "[PYTHON]", str(Path.home()): "[HOME]"}
    # The longest first: the course usually lies inside the home, and an environment inside the course.
    ordered = sorted((place for place in places if len(place) > 1), key=len, reverse=True)

    def redact(text: str) -> str:
        for place in ordered:
            text = text.replace(place, places[place])
        return text

    return redact


def redacted(data: Any, redact: Callable[[str], str]) -> Any:
    """JSON ``data`` with every text in it redacted: a value or a verdict may hold a path as well as a line."""
    if isinstance(data, dict):
        return {key: redacted(item, redact) for key, item in data.items()}
    if isinstance(data, list):
        return [redacted(item, redact) for item in data]
    return redact(data) if isinstance(data, str) else data
