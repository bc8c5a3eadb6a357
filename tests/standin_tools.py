"""Tools that a test decides: nvcc, ncu and compute-sanitizer as scripts on a PATH with nothing else."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from gpu100.capture import tools

_HEAD = """#!{python}
import json, os, pathlib, subprocess, sys
state = json.loads(pathlib.Path({state!r}).read_text())
words = sys.argv[1:]
"""

_BODY = {
    "nvcc": """
if words == ["--version"]:
    print("Cuda compilation tools, release 13.0, V13.0.88")
    sys.exit(0)
sys.stderr.write(state["nvcc_says"])
if state["nvcc_says"]:
    sys.exit(1)
binary = pathlib.Path(words[words.index("-o") + 1])
binary.write_text("#!" + sys.executable + "\\n" + state["native"])
binary.chmod(0o755)
""",
    "ncu": """
if words == ["--version"]:
    print("NVIDIA (R) Nsight Compute Command Line Profiler\\nVersion 2025.3.1.0 (build 1)")
elif words == ["--query-metrics"]:
    print("")
elif "--import" in words:
    print(state["table"])
else:
    pathlib.Path(state["asked"]).write_text(json.dumps(words))
    unknown = [m for m in words[words.index("--metrics") + 1].split(",") if m in state["unknown"]]
    says = state["ncu_says"] or ("==ERROR== Failed to find metric " + unknown[0] if unknown else "")
    print(says)
    if says:
        sys.exit(1)
    pathlib.Path(words[words.index("-o") + 1] + ".ncu-rep").write_text("report")
""",
    "compute-sanitizer": """
if words == ["--version"]:
    print("NVIDIA (R) Compute Sanitizer\\nVersion 2025.3.1")
    sys.exit(0)
tool = words[words.index("--tool") + 1]
print(state["prints"])
log = words[words.index("--log-file") + 1].replace("%p", str(os.getpid()))
pathlib.Path(log).write_text(state["logs"].get(tool, state["clean"]))
sys.exit(state["exits"].get(tool, 0))
""",
}

CLEAN = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"


@dataclass
class Tools:
    """What the stand-ins do; change it, then ``settle``."""

    place: Path
    state: dict[str, Any] = field(default_factory=dict)

    def settle(self, **changes: Any) -> None:
        self.state |= changes
        (self.place / "state.json").write_text(json.dumps(self.state), encoding="utf-8")

    def remove(self, name: str) -> None:
        (self.place / "bin" / name).unlink()

    @property
    def asked(self) -> list[str]:
        """The words that ncu was last called with."""
        return [str(word) for word in json.loads((self.place / "asked.json").read_text())]


def put_on_path(place: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    """The three tools, and no others; and a name for a host compiler."""
    folder = place / "bin"
    folder.mkdir(parents=True)
    for name, body in _BODY.items():
        text = _HEAD.format(python=sys.executable, state=str(place / "state.json")) + body
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o755)
    (folder / "g++").symlink_to("/bin/true")
    monkeypatch.setenv("PATH", os.pathsep.join((str(folder), "/usr/bin", "/bin")))
    monkeypatch.delenv("NVCC_CCBIN", raising=False)
    monkeypatch.setattr(tools, "TOOLKIT", ())
    made = Tools(place)
    made.settle(
        nvcc_says="",
        native="print('one')",
        ncu_says="",
        table="",
        unknown=[],
        asked=str(place / "asked.json"),
        logs={},
        exits={},
        clean=CLEAN,
        prints="",
    )
    return made
