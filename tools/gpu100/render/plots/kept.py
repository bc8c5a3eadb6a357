"""Drawn plots, kept between builds by what they show: to draw one takes as long as a page."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import json
from importlib.metadata import version
from pathlib import Path

from gpu100.decode import DecodeError, decode
from gpu100.evidence.store import write_atomically
from gpu100.render.plots import axes, drawing, look, parts, svg
from gpu100.render.plots.drawing import Picture
from gpu100.render.plots.look import SIZES
from gpu100.render.plots.parts import Plot


def pictures(plot: Plot, folder: Path | None) -> tuple[Picture, ...]:
    """``plot`` at every size: from ``folder`` where it has been drawn before, else drawn and put there."""
    if folder is None:
        return tuple(drawing.draw(plot, size) for size in SIZES)
    path = folder / f"{_digest(plot)}.json"
    if path.is_file():
        with contextlib.suppress(ValueError, DecodeError):  # a damaged one is drawn again
            return decode(tuple[Picture, ...], json.loads(path.read_text(encoding="utf-8")))
    drawn = tuple(drawing.draw(plot, size) for size in SIZES)
    write_atomically(path, json.dumps([dataclasses.asdict(picture) for picture in drawn], indent=1))
    return drawn


def _digest(plot: Plot) -> str:
    shown = json.dumps(dataclasses.asdict(plot), sort_keys=True)
    return hashlib.sha256(f"{_hand()}\n{shown}".encode()).hexdigest()[:32]


@functools.cache
def _hand() -> str:
    """What draws: a change of it draws everything anew."""
    sources = (Path(str(module.__file__)).read_bytes() for module in (axes, drawing, look, parts, svg))
    return hashlib.sha256(b"".join(sources)).hexdigest() + version("matplotlib")
