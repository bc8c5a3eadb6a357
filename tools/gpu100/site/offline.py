"""The site as one archive that is read from the file system: ``OFFLINE=true mkdocs build``, or ``make site``.

Material's offline plugin gives every page a file's address and the search its index as a script. What is
left is the course's own: all modules in one plain script, a worker's stand-in that is carried along, no
address of a server, and the archive.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

from gpu100.paths import Layout

NAME = "100-days-of-gpu"
ARCHIVE = f"{NAME}.zip"
"""What the archive is called, in build/ and on the site; it holds one folder of the same name."""

WORKER = "assets/javascripts/iframe-worker.js"

_LEFT_OUT = ("*.map", "404.html", "sitemap.xml*", "search_index.json", "lunr/*.js", "lunr/min/*.js")
"""Of use to a server, or to nobody: 404.html has a server's addresses, and lunr/ what other languages need."""

_SINCE = (1980, 1, 1, 0, 0, 0)
"""The date of every file in the archive, which is the same where the files are the same."""


def is_offline(config: MkDocsConfig) -> bool:
    """Whether this build is to be read from the file system."""
    plugin = config.plugins.get("material/offline")
    return bool(plugin and plugin.config.get("enabled"))


def prepare(config: MkDocsConfig) -> None:
    """Have pages need no server; ahead of Material's plugin."""
    config.site_url = ""
    config.extra["polyfills"] = [WORKER]


def archived(layout: Layout) -> Path:
    """Where the archive is kept for the site to carry."""
    return layout.root / "build" / ARCHIVE


def write_archive(layout: Layout, site: Path) -> Path:
    """Pack the built ``site``; equal sites give equal archives."""
    path = archived(layout)
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_suffix(".part")
    with zipfile.ZipFile(scratch, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in sorted(site.rglob("*")):
            if file.is_file() and not any(file.match(pattern) for pattern in _LEFT_OUT):
                entry = zipfile.ZipInfo(f"{NAME}/{file.relative_to(site).as_posix()}", _SINCE)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, file.read_bytes())
    scratch.replace(path)
    return path
