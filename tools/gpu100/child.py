"""A process of ours that may hang, crash or talk without end: read with a cap, and ended whole.

``python -m gpu100.child PARENT COMMAND ...`` becomes the command, and ends when its parent does.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

_KEPT_BYTES = 256 << 10
"""Of each output; what comes after is counted and thrown away."""

_C_LIBRARY = ctypes.CDLL(None)

ONE_CONNECTION = {"CUDA_DEVICE_MAX_CONNECTIONS": "1"}
"""In the environment of a process whose streams need not run beside each other.

The driver makes one context at a time on the whole machine, and one with a single connection to the
GPU instead of eight took it a third of the time (ten at once on an H200).
"""


@dataclass
class Output:
    """One of the child's outputs, capped."""

    most: int = _KEPT_BYTES
    data: bytearray = field(default_factory=bytearray)
    dropped: int = 0

    def add(self, chunk: bytes) -> None:
        room = max(self.most - len(self.data), 0)
        self.data += chunk[:room]
        self.dropped += len(chunk[room:])

    def text(self, mark: str) -> str:
        """The text, without a last mark that the cap cut short."""
        text = self.data.decode(errors="replace")
        before, start, last = text.rpartition(mark[0])
        cut = start + last
        is_mark = mark.startswith(cut) or (cut.startswith(mark) and "\n" not in cut)
        return before if self.dropped and start and is_mark else text


def environment() -> dict[str, str]:
    """The child's environment: ours, with what changes output held still."""
    package = str(Path(__file__).parent.parent)
    fixed = {"COLUMNS": "100", "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}
    search = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH", ""))))
    return {**os.environ, **fixed, "PYTHONPATH": search}


@contextlib.contextmanager
def settings(variables: Mapping[str, str]) -> Iterator[None]:
    """Within, this process and all that it starts have these environment variables."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextlib.contextmanager
def bytecode_kept(folder: Path) -> Iterator[None]:
    """Let children keep in ``folder`` what Python compiles, where this process is told to keep nothing.

    Images of containers often say so. Every one of many children would compile all that it imports.
    """
    if not sys.dont_write_bytecode:
        yield
        return
    with settings({"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder)}):
        yield


def processors() -> int:
    """How many processors this process, and so its children, may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def end_with_parent(parent: int | None = None) -> None:
    """End this process when its parent ends, so that nothing of a killed capture stays on the GPU.

    ``parent`` is whose child it was started as: where that one is gone already, this process ends at once.
    Linux's prctl does it, by its option 1; elsewhere nothing happens.
    """
    with contextlib.suppress(AttributeError, OSError):
        _C_LIBRARY.prctl(1, signal.SIGKILL)
    if parent is not None and os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def end_group(child: subprocess.Popen[bytes]) -> None:
    """End the child's whole process group, whatever of it is left."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)


def hear_out(
    child: subprocess.Popen[bytes], outputs: dict[str, Output], deadline: float, *, events: IO[bytes] | None = None
) -> tuple[int, bool]:
    """Read the child into ``outputs`` until it ends; its exit code, and whether ``deadline`` came first.

    Then its whole process group is ended, and every pipe closed, ``events`` too.
    """
    pipes = {"stdout": child.stdout, "stderr": child.stderr, "events": events}
    open_ones = {name: pipe for name, pipe in pipes.items() if pipe}
    try:
        late = not read_until(open_ones, outputs, deadline)
        # All pipes closed is not yet the end: the driver tears its context down after that.
        child.wait(max(deadline - time.monotonic(), 0.0))
    except subprocess.TimeoutExpired:
        late = True
    finally:
        end_group(child)
        for pipe in open_ones.values():
            pipe.close()
        code = child.wait()
    return code, late


def read_until(pipes: dict[str, IO[bytes]], outputs: dict[str, Output], deadline: float) -> bool:
    """Read every pipe to its end; False if ``deadline`` came first."""
    with selectors.DefaultSelector() as selector:
        for name, pipe in pipes.items():
            os.set_blocking(pipe.fileno(), False)
            selector.register(pipe, selectors.EVENT_READ, name)
        while selector.get_map():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            for key, _ in selector.select(left):
                chunk = os.read(key.fd, 1 << 16)
                if chunk:
                    outputs[key.data].add(chunk)
                else:
                    selector.unregister(key.fileobj)
    return True


def tied(command: Sequence[str | Path]) -> list[str]:
    """``command`` as it is started so that it ends with this process, whatever threads that has."""
    return [sys.executable, "-m", "gpu100.child", str(os.getpid()), *map(str, command)]


if __name__ == "__main__":
    end_with_parent(int(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606 - becoming the command is what this process is for
