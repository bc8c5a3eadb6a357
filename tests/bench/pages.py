"""What a reader's browser has to fetch: the largest pages of the real site."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

from bench.build import build
from bench.figures import Figure
from bench.synthetic import REPOSITORY


def page_figures(scratch: Path) -> Iterator[Figure]:
    """Build the repository's site, and weigh its pages as a server would send them."""
    site = scratch / "site"
    build(REPOSITORY.root / "mkdocs.yml", site)
    for kind, limit in (("days", 60.0), ("labs", 24.0)):
        sizes = {path: len(gzip.compress(path.read_bytes())) / 1000 for path in site.glob(f"{kind}/*/index.html")}
        largest = max(sizes, key=sizes.__getitem__)
        how = f"{largest.parent.name}, of {len(sizes)}"
        yield Figure(
            f"largest page of {kind}, gzipped", sizes[largest], limit, "KB", (min(sizes.values()), sizes[largest]), how
        )
