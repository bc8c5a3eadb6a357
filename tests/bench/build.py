"""One build in a process of its own, and its seconds.

They are the processor's rather than the clock's: a build is one thread, and what else runs on a
shared machine is no cost of it. They count from reading the configuration, plugins and all, to the
last file; the interpreter's start and the import of MkDocs, which every build pays alike, do not.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path


def build(config: Path, site: Path | None = None, **environment: str) -> float:
    """Seconds of a strict build of ``config``, into ``site`` if not where it says itself."""
    search = os.pathsep.join(filter(None, (str(Path(__file__).resolve().parents[1]), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, "-m", "bench.build", config, *filter(None, [site])],
        cwd=config.parent,  # where mkdocs-jupyter keeps its cache
        env={**os.environ, "PYTHONPATH": search, "NO_MKDOCS_2_WARNING": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{config} does not build:\n{done.stdout}{done.stderr}")
    return float(done.stdout.split()[-1])


def _main(config: str, *site: str) -> None:
    from mkdocs.commands.build import build as build_mkdocs
    from mkdocs.config import load_config

    from bench.synthetic import allow_longer_courses

    allow_longer_courses()
    began = time.process_time()
    build_mkdocs(load_config(config, strict=True, **({"site_dir": site[0]} if site else {})))
    print(time.process_time() - began)


if __name__ == "__main__":
    _main(*sys.argv[1:])
