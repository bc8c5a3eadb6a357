"""Programs of others that lanes use: found, asked for their version, and run for a bounded time."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpu100.capture.redact import redactor
from gpu100.child import Output, environment, hear_out, tied
from gpu100.errors import Unsupported
from gpu100.model.course import Lane

TOOLKIT = ("/usr/local/cuda/bin", "/opt/nvidia/nsight-compute/*", "/opt/cuda/bin")
"""Where tools lie that are not on the PATH."""


@dataclass(frozen=True)
class ToolRun:
    """What a tool did; its text is without this machine's paths."""

    stdout: str
    stderr: str
    exit_code: int | None
    signal: str | None
    timed_out: bool
    seconds: float

    @property
    def ended_badly(self) -> str | None:
        """How it ended, if not well."""
        if self.timed_out:
            return f"was still running after {self.seconds:.0f} s"
        if self.signal:
            return f"was ended by {self.signal}"
        return f"ended with exit code {self.exit_code}" if self.exit_code else None

    @property
    def last_words(self) -> str:
        """Its last line, of errors if there is one."""
        said = [line.strip() for text in (self.stderr, self.stdout) for line in text.splitlines()[::-1] if line.strip()]
        return said[0] if said else "it said nothing"


def find_tool(name: str) -> Path | None:
    """The program ``name``, on the PATH or where toolkits are installed."""
    if found := shutil.which(name):
        return Path(found)
    there = [path for place in TOOLKIT for path in Path("/").glob(f"{place}/{name}".lstrip("/"))]
    return max(there, key=_age, default=None)


def _age(path: Path) -> list[int]:
    """By the numbers of its folder's name: 2025.10 is newer than 2025.9."""
    return [int(number) for number in re.findall(r"\d+", str(path))]


def require_tool(name: str, product: str) -> Path:
    """The program ``name`` of ``product``.

    Raises:
        Unsupported: there is none.
    """
    if found := find_tool(name):
        return found
    hint = "it comes with the CUDA toolkit; install that, or put it on the PATH"
    raise Unsupported(f"{product} is not installed: no `{name}`", hint=hint)


def version_of(tool: Path, pattern: str = r"Version (\d[\d.]*\d)") -> str:
    """What ``tool --version`` says, by the first group of ``pattern``.

    Raises:
        Unsupported: it cannot be started, as a program of another processor cannot.
    """
    try:
        said = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError as error:
        raise Unsupported(f"`{tool.name}` cannot be started: {error.strerror}") from None
    match = re.search(pattern, said)
    return match[1] if match else "unknown"


def run_tool(
    command: Sequence[str | Path], *, root: Path, seconds: float, settings: Mapping[str, str] | None = None
) -> ToolRun:
    """Run ``command`` for at most ``seconds``; it and all that it started have ended when this returns.

    ``settings`` go into its environment.
    """
    began = time.monotonic()
    child = subprocess.Popen(
        tied(command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment() | dict(settings or {}),
        start_new_session=True,
        cwd=root,
    )
    outputs = {"stdout": Output(), "stderr": Output()}
    code, timed_out = hear_out(child, outputs, began + seconds)
    redact = redactor(root)
    stdout, stderr = (redact(outputs[name].data.decode(errors="replace")) for name in ("stdout", "stderr"))
    return ToolRun(
        stdout=stdout,
        stderr=stderr,
        exit_code=code if code >= 0 else None,
        signal=signal.Signals(-code).name if code < 0 and not timed_out else None,
        timed_out=timed_out,
        seconds=time.monotonic() - began,
    )


def program_command(program: Path, *, root: Path, cache: Path, lane: Lane) -> list[str]:
    """How a tool is told to run a day's program: on a GPU, and to nobody's account."""
    command = [sys.executable, "-m", "gpu100.capture.worker", str(program), "--root", str(root)]
    return [*command, "--cache", str(cache), "--device", "gpu", "--lane", lane]
