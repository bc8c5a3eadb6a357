"""What the course's own part of a build costs, as ratios to MkDocs without it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from gpu100.content.course import load_course
from gpu100.paths import Layout
from gpu100.site.nav import navigation

from bench.build import build
from bench.figures import Figure, in_turn, ratio
from bench.plain import write_plain
from bench.synthetic import REPOSITORY, write_course

DAYS = 100


def site_figures(scratch: Path, rounds: int) -> Iterator[Figure]:
    """Build a synthetic course in every way that is compared."""
    configurations = configured(scratch, DAYS)
    build(configurations["with labs"])  # fills mkdocs-jupyter's cache
    times = in_turn(build, configurations, rounds)
    yield ratio(f"{DAYS} days to plain MkDocs", times, "days", "plain", 1.15)
    yield ratio(f"{DAYS} days with labs, warm, to plain", times, "with labs", "plain with labs", 1.3)
    yield ratio(f"{3 * DAYS} days to {DAYS}", times, "longer", "days", 3.2)


def configured(scratch: Path, days: int) -> dict[str, Path]:
    """Configurations of a course of ``days`` days and of one three times as long, below ``scratch``."""
    course, longer = write_course(scratch / "course", days), write_course(scratch / "longer", 3 * days)
    _configure(course)
    _configure(longer)
    _configure_plain(course)
    return {
        "days": course.root / "days.yml",
        "plain": course.root / "plain.yml",
        "with labs": course.root / "mkdocs.yml",
        "plain with labs": course.root / "plain-with-labs.yml",
        "longer": longer.root / "days.yml",
    }


def _configure(layout: Layout) -> None:
    """The real site's configuration, once as it is and once without labs."""
    _write(layout, "mkdocs", f"INHERIT: {REPOSITORY.root / 'mkdocs.yml'}\nnav: [index.md, days]")
    _write(layout, "days", "INHERIT: mkdocs.yml\nplugins: [search, gpu100]")


def _configure_plain(layout: Layout) -> None:
    """The same pages in the same order for MkDocs alone, once with a page for each lab."""
    course = load_course(layout)
    nav = json.dumps(navigation(course, frozenset(day.number for day in course.days), ["index.md", "days"]))
    for name in ("plain", "plain-with-labs"):
        write_plain(layout, layout.root / name, labs=name != "plain")
        _write(layout, name, f"INHERIT: mkdocs.yml\nplugins: [search]\ndocs_dir: {name}\nnav: {nav}")


def _write(layout: Layout, name: str, text: str) -> None:
    (layout.root / f"{name}.yml").write_text(f"{text}\nsite_dir: build/{name}\n", encoding="utf-8")
