"""Why exact results of a machine are not those of most others of its compute capability."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Note:
    """One entry of content/differs.toml."""

    machine: str
    """Its folder, from evidence/: ``h100-pcie/580.95.05-nvrtc13.0.88``."""
    program: str
    values: tuple[str, ...]
    why: str

    def __post_init__(self) -> None:
        if not self.values or not self.why.strip():
            raise ValueError("a note names its values and says why they differ")
