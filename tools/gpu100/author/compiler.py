"""NVRTC for the checks, in children: a compiler that crashes takes no check down with it.

Two children share the work, since NVRTC compiles one source at a time in a process. What has
compiled is found in the course's cache, and is not compiled again.
"""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

CHILDREN = 2
FEW = 4
"""Sources for which starting a second child is not worth its while."""

_ERROR = re.compile(r"\((?P<line>\d+)\): (?:catastrophic )?error(?: #\S+)?: (?P<message>.*)")


@dataclass(frozen=True)
class Unit:
    """A source to compile for some architectures."""

    name: str
    """What the compiler's messages call it."""
    path: str
    """The file that its local includes are looked up beside."""
    texts: tuple[str, ...]
    """Ways to read it: one that compiles is enough, and the first one's errors are told."""
    archs: tuple[str, ...]


Refusals = dict[str, str]
"""By architecture, the log of a source that does not compile."""


class NoCompilerError(Exception):
    """NVRTC cannot be had here; the text says why."""


def compile_units(units: list[Unit], cache: Path) -> list[Refusals]:
    """For each of ``units``, the architectures for which it does not compile.

    Raises:
        NoCompilerError: there is no NVRTC on this machine.
    """
    places = list(range(len(units)))
    children = CHILDREN if len(units) > FEW else 1
    shares = [places[start::children] for start in range(children)]
    found: dict[int, Refusals] = {}
    with ThreadPoolExecutor(children) as pool:
        for done in pool.map(lambda share: _compile_share([(i, units[i]) for i in share], cache), shares):
            found |= done
    return [found[place] for place in places]


def first_error(log: str) -> tuple[int | None, str]:
    """The line and the message of a compiler's first complaint."""
    match = _ERROR.search(log)
    if match:
        return int(match["line"]), match["message"].strip()
    return None, (log.strip().splitlines() or ["it says nothing"])[-1]


def _compile_share(share: list[tuple[int, Unit]], cache: Path) -> dict[int, Refusals]:
    """One child's work; after a crash, another child goes on behind the source that caused it."""
    found: dict[int, Refusals] = {}
    while left := [(place, unit) for place, unit in share if place not in found]:
        asked = {"cache": str(cache), "units": [dataclasses.asdict(unit) for _, unit in left]}
        command = [sys.executable, "-m", __name__]
        child = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=False)
        answers = [json.loads(line) for line in child.stdout.splitlines() if line.endswith("}")]
        if answers and "unavailable" in answers[0]:
            raise NoCompilerError(answers[0]["unavailable"])
        found |= {place: answer["refused"] for (place, _), answer in zip(left, answers, strict=False)}
        if len(answers) < len(left):
            place, unit = left[len(answers)]
            how = (child.stderr.strip().splitlines() or [f"it ended with {child.returncode}"])[-1]
            found[place] = dict.fromkeys(unit.archs, f"NVRTC crashed: {how}")
    return found


def _main() -> None:
    try:
        from gpu100.device.nvrtc import version

        version()
    except Exception as error:  # whatever keeps NVRTC away is the reason to tell
        print(json.dumps({"unavailable": f"{type(error).__name__}: {error}".splitlines()[0]}))
        return
    asked = json.load(sys.stdin)
    for fields in asked["units"]:
        unit = Unit(**fields)
        logs = {arch: _log_of(unit, arch, Path(asked["cache"])) for arch in unit.archs}
        print(json.dumps({"refused": {arch: log for arch, log in logs.items() if log is not None}}), flush=True)


def _log_of(unit: Unit, arch: str, cache: Path) -> str | None:
    """What NVRTC says against all readings of ``unit``, or None where one of them compiles."""
    from gpu100.device.interface import Source
    from gpu100.device.nvrtc import compile_source
    from gpu100.errors import CompileError
    from gpu100.model.behaviour import COMPILE_OPTIONS

    logs = []
    for text in unit.texts:
        try:
            compile_source(Source(Path(unit.path), unit.name, text), arch, COMPILE_OPTIONS, cache=cache)
        except CompileError as error:
            logs.append(error.log)
        else:
            return None
    return logs[0]


if __name__ == "__main__":
    _main()
