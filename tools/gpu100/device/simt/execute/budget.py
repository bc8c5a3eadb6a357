"""How much a launch may do before it is taken to run for ever."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gpu100.device.simt.decode.flow import Block
from gpu100.device.simt.faults import Fault
from gpu100.device.simt.memory.lanes import Lanes

Active = npt.NDArray[np.int64] | None


class Budget:
    """How much a launch may do before it is taken to run for ever."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self._left = steps

    def spend(self, block: Block, lanes: Lanes, X: Active) -> None:  # noqa: N803
        """One block was run.

        Raises:
            Fault: the budget is used up.
        """
        self._left -= 1
        if self._left < 0:
            items = block.counted
            where = items[-1].location if items else None
            raise Fault.at(
                lanes.place(0 if X is None else int(X[0]), where),
                "endless-loop",
                f"still here after {self.steps:,} steps of the model",
                hint="a loop whose condition never changes, or that waits for a block that has not begun",
            )
