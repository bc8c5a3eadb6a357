"""The run that a program is part of: where its files are, and who listens to its results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpu100.device.interface import Device
from gpu100.errors import ContentError, CourseError
from gpu100.model.course import Lane
from gpu100.model.device import DeviceSpec

Event = dict[str, Any]
"""One declared result as plain JSON data: its ``event``, and the fields of the record's part."""


def _nobody(event: Event) -> None:
    """A plain script declares its results to no one."""


def _no_border(text: str) -> None:
    """A plain script's output is not cut."""


@dataclass
class Session:
    """One run of one program."""

    emit: Callable[[Event], None] = _nobody
    folder: Path | None = None
    """Where the program's own files are; the script's folder, or the working directory, by default."""
    root: Path | None = None
    """The course's root, which compiler messages count from."""
    cache: Path | None = None
    """Where compiled cubins are kept between runs."""
    device: DeviceSpec | None = None
    """What ``lab.device`` is to find; None leaves it to the environment and to what there is."""
    devices: list[Device] = field(default_factory=list)
    """What it has found."""
    marks: bool = False
    """Whether measured text is marked as such in what is printed."""
    lane: Lane = "run"
    """Which lane runs it: one that slows it down runs it small."""
    border: Callable[[str], None] = _no_border
    """Writes a border into both outputs, which the listener cuts them at."""

    @property
    def on_model(self) -> bool:
        """Whether the program runs on the SIMT model.

        Raises:
            CourseError: it has not asked for a device yet.
        """
        if not self.devices:
            raise CourseError("no device has been found yet", hint="lab.device() comes first")
        return any(device.is_model for device in self.devices)

    def find(self, name: str) -> Path:
        """The program's own file ``name``.

        Raises:
            ContentError: it is in none of the folders looked in.
        """
        folders = [self.folder] if self.folder else [_script_folder(), Path.cwd()]
        for folder in folders:
            if folder and (folder / name).is_file():
                return (folder / name).resolve()
        looked = ", ".join(str(folder) for folder in folders if folder)
        raise ContentError("no such file", path=name, hint=f"looked in {looked}")


def current() -> Session:
    """The session that ``lab``'s functions speak to."""
    return _current


def begin(session: Session) -> None:
    """Make ``session`` the current one: what capture does before it runs a program."""
    global _current
    _current = session


def _script_folder() -> Path | None:
    import __main__

    script = getattr(__main__, "__file__", None)
    return Path(script).parent if script else None


_current = Session()
