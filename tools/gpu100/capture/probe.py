"""What the doctor asks of a GPU, in a child of its own: ``python -m gpu100.capture.probe``.

One JSON object: what could be found out, and under "error" what kept the rest away.
"""

from __future__ import annotations

import json
import time
from typing import Any

from gpu100.decode import encode
from gpu100.errors import CourseError

BUSY_SECONDS = 0.3
"""Long enough for a clock to rise from where it idles."""


def look() -> dict[str, Any]:
    """The GPU, its driver, its compiler, and how it feels under load."""
    found: dict[str, Any] = {}
    try:
        from gpu100.device import nvrtc
        from gpu100.device.cuda import CudaDevice, software

        found["software"] = software()
        found["headers"] = len(nvrtc.include_options())
        found["architectures"] = nvrtc.architectures()
        found["gpus"] = CudaDevice.names() if CudaDevice.count() else []
        found["processes"] = CudaDevice.processes() if found["gpus"] else None
        device = CudaDevice()
        found["gpu"] = encode(device.gpu)
        found["driver"] = encode(device.driver)
        found["cuda"] = device.driver.cuda
        found["free_bytes"] = device.free_bytes()
        found["clock"] = _under_load(device)
    except ImportError as error:
        found |= {"error": f"{error.name or error} is not installed", "missing": error.name}
    except CourseError as error:
        found |= {"error": error.message, "hint": error.hint}
    except Exception as error:  # whatever else keeps a library away is what the doctor is asked for
        found["error"] = f"{type(error).__name__}: {error}".splitlines()[0]
    return found


def _under_load(device: Any) -> dict[str, Any] | None:
    """The SM clock while the GPU has work, and what holds it down."""
    until = time.monotonic() + BUSY_SECONDS
    while time.monotonic() < until:
        for _ in range(50):
            device.flush_l2()
        reading = device.sm_clock()
        device.synchronize()
    return {"mhz": reading.mhz, "reasons": reading.reasons} if reading else None


if __name__ == "__main__":
    print(json.dumps(look()), flush=True)
