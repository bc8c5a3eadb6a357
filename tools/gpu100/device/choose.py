"""A device by what it is asked for: a GPU of this machine, or the SIMT model of one."""

from __future__ import annotations

from pathlib import Path

from gpu100.device.interface import Device
from gpu100.errors import Unsupported
from gpu100.model.device import DeviceSpec
from gpu100.model.gpus import PROFILES


def open_device(spec: DeviceSpec, index: int = 0, *, cache: Path | None = None) -> Device:
    """The device ``spec`` names; ``index`` counts on from it where a program uses several GPUs.

    Raises:
        NoDevice: a GPU is asked for, and the machine has none.
        Unsupported: the machine has fewer GPUs, or a second one is asked of the model.
    """
    # Imported where they are used: a model needs no driver, and a GPU no model.
    if spec.kind == "gpu":
        from gpu100.device.cuda import CudaDevice

        return CudaDevice(spec.index + index, cache=cache)
    if index:
        raise Unsupported("the SIMT model is one GPU: what takes several needs them for real")
    from gpu100.device.simt.device import SimtDevice

    return SimtDevice(PROFILES[spec.profile], cache=cache)
