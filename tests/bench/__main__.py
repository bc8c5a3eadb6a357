"""``python -m bench``: one table; exit code 1 where a limit is missed."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from bench.capture import capture_figure
from bench.figures import table
from bench.kills import kill_figures
from bench.pages import page_figures
from bench.reader import reader_figures
from bench.records import record_figures
from bench.simt import simt_figures
from bench.sites import site_figures
from bench.synthetic import allow_longer_courses


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is timed (default: 5)")
    rounds = parser.parse_args().rounds
    allow_longer_courses()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        scratch = Path(folder)
        figures = [
            *simt_figures(scratch, rounds),
            *site_figures(scratch, rounds),
            *page_figures(scratch),
            *reader_figures(scratch, rounds),
            *record_figures(scratch, rounds),
            capture_figure(scratch, rounds),
            *kill_figures(scratch, rounds),
        ]
    print(table(figures))
    return 0 if all(figure.met for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
