"""The course's style sheets and modules, each kind as one file: what a phone waits for is the number of requests.

Under ``make serve`` they stay as they are written, so that the browser's tools show them so.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File

from gpu100.site.bundle import bundle

_STYLE = "assets/stylesheets/bundle.css"
_COMMENT = re.compile(r"/\*.*?\*/\s*", re.DOTALL)


@dataclass(frozen=True)
class Assets:
    """What pages load in place of the files that mkdocs.yml lists."""

    docs: Path
    styles: tuple[str, ...]
    modules: tuple[str, ...]
    whole: bool
    """Whether a script holds the modules too that are fetched where they are used."""

    def files(self, config: MkDocsConfig) -> Iterator[File]:
        """The files made of them.

        Raises:
            ContentError: a module is not as a bundle needs it.
        """
        if self.styles:
            yield File.generated(config, _STYLE, content="".join(map(self._style, self.styles)))
        for module in self.modules:
            folder, name = posixpath.split(module)
            text = bundle(name, partial(self._read, folder), whole=self.whole)
            yield File.generated(config, _bundled(module), content=text)

    def _style(self, path: str) -> str:
        return _COMMENT.sub("", self._read("", path)).strip() + "\n"

    def _read(self, folder: str, path: str) -> str:
        return (self.docs / folder / path).read_text(encoding="utf-8")


def gather(config: MkDocsConfig, *, whole: bool) -> Assets:
    """Have pages load the gathered files; a style sheet's addresses hold, as all are of one folder."""
    docs = Path(config.docs_dir)
    folder = posixpath.dirname(_STYLE)
    styles = tuple(path for path in config.extra_css if posixpath.dirname(path) == folder and (docs / path).is_file())
    if styles:
        config.extra_css = [_STYLE, *(path for path in config.extra_css if path not in styles)]
    modules = tuple(str(script) for script in config.extra_javascript if getattr(script, "type", "") == "module")
    config.extra_javascript = [
        _bundled(str(script)) if str(script) in modules else script for script in config.extra_javascript
    ]
    return Assets(docs, styles, modules, whole)


def _bundled(path: str) -> str:
    return path.removesuffix(".js") + ".bundle.js"
