"""How a program takes its leave of hardware: smaller sizes, and parts that need a GPU.

The SIMT model computes what a GPU computes and counts what a GPU is asked to do. It is slower by
some orders of magnitude, and it has no clock.
"""

from __future__ import annotations

from typing import TypeVar

from gpu100.lab import session

T = TypeVar("T")


class RestNeedsGpu(SystemExit):
    """Ends a program on the model where what it can tell there has been told: no error, and no failure."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.code = 0
        self.why = why

    def __str__(self) -> str:
        return self.why


def sized(full: T, *, on_model: T, under_sanitizer: T | None = None, under_profiler: T | None = None) -> T:
    """``full`` on a GPU, and the reduced size ``on_model`` on the model.

    The sanitizer, which makes a kernel slower by orders of magnitude too, gets the reduced size, or one
    of its own where the program has one. The profiler counts at the full size, unless what is sized is
    only for the clock: how often something is repeated.

    Values that depend on it name it in their ``scale``: they are then compared with a GPU's only
    where both have the same.
    """
    run = session.current()
    if run.on_model:
        return on_model
    if run.lane == "sanitizer":
        return on_model if under_sanitizer is None else under_sanitizer
    if run.lane == "counters" and under_profiler is not None:
        return under_profiler
    return full


def rest_needs_gpu(why: str) -> None:
    """From here on the program needs a GPU: on the model it ends here, and says ``why``.

    What comes after, results and predictions, counts as not evaluated there.
    """
    if session.current().on_model:
        print(f"The rest needs a GPU: {why}.")
        session.current().emit({"event": "rest-needs-gpu", "why": why})
        raise RestNeedsGpu(why)
