"""The site's own modules as one plain script: one request, and for pages opened as files the only way.

A browser loads no module from a file. The modules here are few and plain, so this knows only what they
use: ``import { a, b } from "./c.js"``, ``import("./c.js")``, and ``export`` before a declaration.
Anything else is refused, and never passed on to fail in a browser.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from gpu100.errors import ContentError

Read = Callable[[str], str]

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";$', re.MULTILINE)
_LATER = re.compile(r'\bimport\("(\.[^"]+)"\)')
_EXPORT = re.compile(
    r"^export (?P<default>default )?"
    r"(?P<kept>(?:async )?function\*? |class |const |let )(?P<name>[A-Za-z_$][\w$]*)",
    re.MULTILINE,
)
_LEFT = re.compile(r"^\s*(?:import|export)\b(?!\s*[:=.,)]).*|.*\bimport\s*\(.*|.*\bimport\.meta\b.*", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?: as [A-Za-z_$][\w$]*)?")
_COMMENT = re.compile(r"^[ \t]*(?:/\*(?:[^*]|\*(?!/))*\*/[ \t]*|//[^\n]*)$\n?", re.MULTILINE)

_OURS = re.compile(r"\$(?:define|exports|fetched|get)\b")
"""Names of the bundle's own, beside which a module may have any."""

_AROUND = """(() => {{
"use strict";
const modules = {{
{modules}
}};
const loaded = {{}};
const $fetched = (address) => import(address);
function $define(exports, getters) {{
  Object.defineProperties(exports, Object.getOwnPropertyDescriptors(getters));
}}
function $get(name) {{
  if (!loaded[name]) modules[name]((loaded[name] = {{}}));
  return loaded[name];
}}
$get("{entry}");
}})();
"""


def bundle(entry: str, read: Read, *, whole: bool = True) -> str:
    """The module ``entry`` with all that it imports; ``read`` gives a module's text by its path.

    Where it is not to be ``whole``, what ``import()`` asks for stays a module that is fetched.

    Raises:
        ContentError: a module imports or exports in a way that is not known here.
    """
    modules: dict[str, str] = {}
    waiting = [entry]
    while waiting:
        path = waiting.pop()
        if path not in modules:
            modules[path], wanted = _module(path, read(path), whole)
            waiting += wanted
    shown = ",\n".join(f'"{path}"($exports) {{\n{text.strip()}\n}}' for path, text in sorted(modules.items()))
    return _AROUND.format(modules=shown, entry=entry)


def _module(path: str, text: str, whole: bool) -> tuple[str, list[str]]:
    """A module as the body of a function that fills ``exports``, and the modules it asks for."""
    text = _COMMENT.sub("", text)
    if taken := _OURS.search(text):
        raise ContentError(f"{taken[0]} is a name of the offline bundle", path=path, hint="take another")
    wanted: list[str] = []

    def of(name: str) -> str:
        wanted.append(_beside(path, name))
        return wanted[-1]

    def bound(found: re.Match[str]) -> str:
        names = [name.strip() for name in found[1].split(",") if name.strip()]
        if odd := [name for name in names if not _NAME.fullmatch(name)]:
            raise ContentError(f"{odd[0]!r} cannot be imported offline", path=path)
        return f'const {{ {", ".join(name.replace(" as ", ": ") for name in names)} }} = $get("{of(found[2])}");'

    def later(found: re.Match[str]) -> str:
        if whole:
            return f'Promise.resolve().then(() => $get("{of(found[1])}"))'
        # An address is taken from where the script is, which is where `entry` was.
        return f'$fetched("./{_beside(path, found[1])}")'

    text = _LATER.sub(later, _IMPORT.sub(bound, text))
    exported = [(found["default"] and "default") or found["name"] for found in _EXPORT.finditer(text)]
    names = [found["name"] for found in _EXPORT.finditer(text)]
    text = _EXPORT.sub(lambda found: f"{found['kept']}{found['name']}", text)
    if left := _LEFT.search(text):
        hint = "use `import { a } from`, `import()` of a string, or `export` before a declaration"
        raise ContentError(f"the offline bundle does not know {left[0].strip()!r}", path=path, hint=hint)
    # Getters, so that what a module uses of one that is still being loaded is there by the time it is used.
    getters = "".join(f"get {shown}() {{ return {name}; }}, " for shown, name in zip(exported, names, strict=True))
    return f"$define($exports, {{ {getters}}});\n{text}" if names else text, wanted


def _beside(path: str, name: str) -> str:
    """The module that the one at ``path`` calls ``name``, from where the entry is."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
