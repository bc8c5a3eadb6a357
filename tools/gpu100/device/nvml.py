"""What only the management library knows: power limit, MIG mode, and the clock as it runs.

A GPU without NVML (WSL2 lacks parts of it, some containers all of it) is still a GPU, so every
answer here may be None.
"""

from __future__ import annotations

from typing import Any

from gpu100.device.interface import ClockReading

_REASONS = {
    0x2: "clocks set by an application",
    0x4: "power limit",
    0x8: "hardware slowdown",
    0x10: "sync boost",
    0x20: "temperature",
    0x40: "hardware temperature",
    0x80: "hardware power brake",
    0x100: "display clocks",
}
"""NVML's clock event reasons by bit (nvmlClocksEventReasons in nvml.h), but for idleness."""


class Management:
    """NVML's view of one GPU."""

    def __init__(self, pci_bus_id: str) -> None:
        try:
            from cuda.bindings import nvml
        except ImportError:
            nvml = None
        self._nvml: Any = nvml
        self._ask("init_v2")
        self._handle = self._ask("device_get_handle_by_pci_bus_id_v2", pci_bus_id)

    @property
    def driver(self) -> str | None:
        """The driver's version as it is displayed."""
        return self._ask("system_get_driver_version")  # type: ignore[no-any-return]

    @property
    def power_limit_watts(self) -> float | None:
        milliwatts = self._ask("device_get_power_management_limit", self._handle)
        return milliwatts / 1000 if isinstance(milliwatts, int) else None

    @property
    def mig(self) -> bool | None:
        """Whether the GPU is cut into instances."""
        mode = self._ask("device_get_mig_mode", self._handle)
        return bool(mode[0]) if isinstance(mode, tuple) else None

    def sm_clock(self) -> ClockReading | None:
        """The SM clock as it runs now."""
        mhz = self._ask("device_get_clock_info", self._handle, 1)  # NVML_CLOCK_SM
        if mhz is None:
            return None
        bits = self._ask("device_get_current_clocks_event_reasons", self._handle) or 0
        reasons = tuple(text for bit, text in _REASONS.items() if bits & bit)
        return ClockReading(mhz=float(mhz), reasons=reasons)

    def processes(self) -> int | None:
        """How many processes use the GPU, for computing or drawing; who they are is nobody's business."""
        verbs = ("device_get_compute_running_processes_v3", "device_get_graphics_running_processes_v3")
        found = [self._ask(verb, self._handle) for verb in verbs]
        if all(processes is None for processes in found):
            return None
        return len({int(process.pid) for processes in found for process in processes or ()})

    def _ask(self, name: str, *args: object) -> Any:
        try:
            return getattr(self._nvml, name)(*args)
        except Exception:  # every refusal of NVML is its own class, and all mean "not known"
            return None
