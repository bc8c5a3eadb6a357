"""What only the management library knows: power limit and MIG mode.

A GPU without NVML (WSL2 lacks parts of it, some containers all of it) is still a GPU, so every
answer here may be None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Management:
    """NVML's facts about one GPU."""

    driver: str | None = None
    power_limit_watts: float | None = None
    mig: bool | None = None


def management(pci_bus_id: str) -> Management:
    """NVML's facts about the GPU at ``pci_bus_id``; empty where NVML cannot be loaded."""
    try:
        from cuda.bindings import nvml
    except ImportError:
        return Management()

    def ask(name: str, *args: object) -> Any:
        try:
            return getattr(nvml, name)(*args)
        except Exception:  # every refusal of NVML is its own class, and all mean "not known"
            return None

    ask("init_v2")
    handle = ask("device_get_handle_by_pci_bus_id_v2", pci_bus_id)
    milliwatts = ask("device_get_power_management_limit", handle)
    mode = ask("device_get_mig_mode", handle)
    return Management(
        driver=ask("system_get_driver_version"),
        power_limit_watts=milliwatts / 1000 if isinstance(milliwatts, int) else None,
        mig=bool(mode[0]) if isinstance(mode, tuple) else None,
    )
