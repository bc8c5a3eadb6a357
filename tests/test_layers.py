"""The arrows of the layers, as CONTRIBUTING.md draws them: a module imports only from lower ones."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "tools" / "gpu100"

# What the bottom modules may import of the package, each spelled out.
BOTTOM: dict[str, set[str]] = {
    "errors": set(),
    "fingerprint": set(),
    "stats": set(),
    "units": set(),
    "paths": {"errors"},
    "decode": {"errors"},
    "includes": {"fingerprint"},
    "child": set(),
}
# From the lowest to the highest; layers of one row do not know each other.
ROWS: tuple[set[str], ...] = (
    {"model"},
    {"device"},
    {"content", "evidence", "lab"},
    {"render", "practice"},
    {"capture"},
    {"site", "author", "fidelity"},
    {"cli"},
    {"__main__"},
)
ONLY_IN = {
    "cuda": "device",
    "jinja2": "render",
    "markdown": "site",
    "matplotlib": "render",
    "mkdocs": "site",
    "pymdownx": "site",
    "typer": "cli",
}
NEVER_REACHED_BY_SITE = {"capture", "device", "fidelity", "lab", "practice"}


@dataclass(frozen=True)
class Import:
    """One import: who, of what, where."""

    importer: str
    target: str
    line: int

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.target}"


def imports(importer: str, source: str, *, is_package: bool = False) -> Iterator[Import]:
    """Every import of a module, those inside functions too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(importer, alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = importer.split(".")
                parents = parents[: len(parents) - node.level + is_package]
                base = ".".join(filter(None, (*parents, base)))
            # `from gpu100 import lab` names a layer only after the import.
            for alias in node.names:
                yield Import(importer, f"{base}.{alias.name}" if base == "gpu100" else base, node.lineno)


def layer(module: str) -> str | None:
    """``capture`` of ``gpu100.capture.run``; None for the package itself and what is not ours."""
    first, *rest = module.split(".")
    return rest[0] if first == "gpu100" and rest and rest[0] != "__version__" else None


def row(name: str) -> int:
    """A layer's height; -1 at the bottom."""
    if name in BOTTOM:
        return -1
    return next(i for i, names in enumerate(ROWS) if name in names)


def objection(one: Import) -> str | None:
    """Why this import goes against the arrows, or None."""
    here, there = layer(one.importer), layer(one.target)
    owner = ONLY_IN.get(one.target.split(".")[0])
    if owner and here != owner:
        return f"{one}, which only {owner} may"
    if here is None or there is None or here == there:
        return None
    if here in BOTTOM:
        return None if there in BOTTOM[here] else f"{one} from the bottom"
    if here == "site" and there in NEVER_REACHED_BY_SITE:
        return f"{one}, which the site never does"
    return None if row(there) < row(here) else f"{one}, which is not below it"


def package_imports() -> list[Import]:
    """Every import of every module of the package."""
    found: list[Import] = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = ("gpu100", *path.relative_to(PACKAGE).with_suffix("").parts)
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        found += imports(name, path.read_text(encoding="utf-8"), is_package=is_package)
    return found


def objections_to(importer: str, source: str) -> list[str]:
    return [why for one in imports(importer, source) if (why := objection(one))]


def test_every_import_points_down() -> None:
    found = package_imports()
    ours = [one for one in found if layer(one.target)]
    print(f"{len(found)} imports looked at, {len(ours)} of them the package's own")
    assert ours, "nothing was compared"
    assert [why for one in found if (why := objection(one))] == []


def test_the_site_reaches_no_layer_of_cuda_by_any_way() -> None:
    edges: dict[str, set[str]] = {}
    for one in package_imports():
        if (here := layer(one.importer)) and (there := layer(one.target)):
            edges.setdefault(here, set()).add(there)
    reached, waiting = set[str](), ["site", "render"]
    while waiting:
        for name in edges.get(waiting.pop(), set()) - reached:
            reached.add(name)
            waiting.append(name)
    assert {"content", "evidence", "model"} <= reached
    assert reached & NEVER_REACHED_BY_SITE == set()


def test_a_layer_that_nobody_drew_is_found() -> None:
    drawn = set(BOTTOM).union(*ROWS)
    there = {path.stem if path.is_file() else path.name for path in PACKAGE.iterdir() if path.name[0] not in "._"}
    assert there - drawn - {"py"} == set()


def test_an_import_from_above_is_found() -> None:
    assert objections_to("gpu100.model.day", "from gpu100.content.course import load_course")
    assert objections_to("gpu100.lab.start", "import gpu100.capture.run")


def test_an_import_from_the_same_row_is_found() -> None:
    assert objections_to("gpu100.evidence.store", "from gpu100.content.toml import load")
    assert not objections_to("gpu100.evidence.store", "from gpu100.evidence.schema import dump")


def test_an_import_of_a_layer_by_its_name_is_found() -> None:
    assert objections_to("gpu100.device.cuda", "from gpu100 import lab")
    assert not objections_to("gpu100.cli", "from gpu100 import __version__")


def test_a_relative_import_is_found() -> None:
    assert objections_to("gpu100.model.day", "from ..content import course")
    assert objections_to("gpu100.device.cuda", "from .. import lab")


def test_an_import_inside_a_function_is_found() -> None:
    assert objections_to("gpu100.site.plugin", "def late():\n    from gpu100.device import nvrtc\n")


def test_the_site_importing_the_programs_library_is_found() -> None:
    for name in sorted(NEVER_REACHED_BY_SITE):
        assert objections_to("gpu100.site.plugin", f"import gpu100.{name}"), name


def test_a_package_that_another_layer_owns_is_found() -> None:
    assert objections_to("gpu100.lab.start", "import cuda.core as cc")
    assert objections_to("gpu100.evidence.store", "from cuda import pathfinder")
    assert objections_to("gpu100.site.plugin", "from jinja2 import Environment")
    assert objections_to("gpu100.render.page", "from markdown import Markdown")
    assert objections_to("gpu100.render.page", "import mkdocs.plugins")
    assert not objections_to("gpu100.device.cuda", "import cuda.core as cc")


def test_a_bottom_module_that_imports_the_package_is_found() -> None:
    assert objections_to("gpu100.errors", "from gpu100.paths import Layout")
    assert not objections_to("gpu100.paths", "from gpu100.errors import UsageError")


def test_the_command_line_and_the_site_import_without_numpy_and_cuda() -> None:
    program = """
import importlib, pkgutil, sys
sys.modules |= dict.fromkeys(("numpy", "cuda"))  # None there makes an import fail
import gpu100.cli, gpu100.site
names = [m.name for m in pkgutil.walk_packages(gpu100.site.__path__, "gpu100.site.")]
for name in names:
    importlib.import_module(name)
assert names
"""
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert child.returncode == 0, child.stderr
