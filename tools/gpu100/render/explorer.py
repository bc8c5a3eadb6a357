"""A program in Compiler Explorer: a link that holds its source, made when the site is built.

Its documentation (docs/API.md in compiler-explorer/compiler-explorer, looked up on 2026-11-30) has
``GET /clientstate/<base64>``, which opens the site in a state given as JSON: sessions with a language,
a source, and compilers by id with their options. The ids of nvcc are in etc/config/cuda.amazon.properties
there: ``nvcc130u2`` is CUDA 13.0.2, whose NVRTC is the one of the committed evidence.
"""

from __future__ import annotations

import base64
import json
import re
from urllib.parse import quote

MOST_LINES = 60
"""Lines of source: a link of more would be longer than what lies between allows."""

MOST_CHARACTERS = 8000
"""Of an address; its host's front refuses one of 8 KB and more."""

COMPILER = "nvcc130u2"

_HOST_BEGINS = re.compile(r"\s*#\s*ifndef\s+__CUDACC_RTC__\b")
_IF = re.compile(r"\s*#\s*if")
_ENDIF = re.compile(r"\s*#\s*endif\b")
_OWN_INCLUDE = re.compile(r'^\s*#\s*include\s*"', re.MULTILINE)


def explorer_link(cu: str, arch: str) -> tuple[str, str] | None:
    """What of the program fits ("the program", or "its kernels"), and the link; None where neither does.

    Most days' host half alone is longer than fits, and what one looks at there is a kernel's
    instructions: then the half that NVRTC compiles is linked. A file that includes one of ours
    cannot be compiled alone.
    """
    if _OWN_INCLUDE.search(cu):
        return None
    for what, source in (("the program", cu), ("its kernels", _kernels(cu))):
        if len(source.splitlines()) <= MOST_LINES and len(link := _link(source, arch)) <= MOST_CHARACTERS:
            return what, link
    return None


def _kernels(cu: str) -> str:
    """The file without what NVRTC does not see: from the host's ``#ifndef`` to the ``#endif`` that ends it."""
    kept: list[str] = []
    depth = 0
    for line in cu.splitlines():
        if depth:
            depth += bool(_IF.match(line)) - bool(_ENDIF.match(line))
        elif _HOST_BEGINS.match(line):
            depth = 1
        else:
            kept.append(line)
    return "\n".join(kept).rstrip("\n") + "\n"


def _link(source: str, arch: str) -> str:
    compiler = {"id": COMPILER, "options": f"-std=c++17 -arch={arch}"}
    session = {"id": 1, "language": "cuda", "source": source, "compilers": [compiler]}
    state = json.dumps({"sessions": [session]}, separators=(",", ":"), ensure_ascii=False)
    return "https://godbolt.org/clientstate/" + quote(base64.b64encode(state.encode()), safe="")
