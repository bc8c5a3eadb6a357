"""This machine, described in a process of its own so that the parent never holds a CUDA context."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from pathlib import Path

import gpu100
from gpu100.child import environment
from gpu100.decode import decode, encode
from gpu100.errors import CourseError, NoDevice, Unsupported
from gpu100.model.behaviour import HARNESS_BEHAVIOUR
from gpu100.model.machine import Harness, Machine, Software
from gpu100.model.record import SCHEMA


def describe_machine(root: Path) -> Machine:
    """The machine that programs run on.

    Raises:
        NoDevice: it has no GPU.
        Unsupported: cuda-python is not installed.
    """
    command = [sys.executable, "-m", "gpu100.capture.machine", str(root)]
    child = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
    try:
        answer = json.loads(child.stdout)
    except json.JSONDecodeError:
        last = (child.stderr.strip().splitlines() or ["no output"])[-1]
        raise CourseError(f"the GPU could not be described: {last}") from None
    for kind in (NoDevice, Unsupported):
        if kind.__name__ in answer:
            raise kind(answer[kind.__name__], hint=answer["hint"])
    return decode(Machine, answer)


def tree_state(root: Path) -> str:
    """clean, dirty or unknown: whether ``root`` is what git has committed."""
    git = ["git", "-C", str(root)]
    try:
        # A copy of the tree may have a repository without any commit.
        subprocess.run([*git, "rev-parse", "--verify", "HEAD"], capture_output=True, check=True)
        command = [*git, "status", "--porcelain", "--", ".", ":!evidence"]
        status = subprocess.run(command, capture_output=True, text=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return "unknown"
    return "dirty" if status.stdout.strip() else "clean"


def _describe(root: Path) -> Machine:
    from gpu100.device.cuda import CudaDevice, software

    device = CudaDevice()
    gpus = CudaDevice.count()
    return Machine(
        schema=SCHEMA,
        gpus=gpus,
        gpu=device.gpu,
        driver=device.driver,
        software=Software(
            **software(), python=platform.python_version(), os=f"{platform.system()} {platform.machine()}"
        ),
        harness=Harness(version=gpu100.__version__, behaviour=HARNESS_BEHAVIOUR, tree=tree_state(root)),
    )


def _main() -> None:
    try:
        answer = encode(_describe(Path(sys.argv[1])))
    except ImportError as error:
        answer = {"Unsupported": f"cuda-python is not installed ({error.name})", "hint": "make evidence installs it"}
    except Unsupported as error:
        answer = {type(error).__name__: error.message, "hint": error.hint}
    print(json.dumps(answer))


if __name__ == "__main__":
    _main()
