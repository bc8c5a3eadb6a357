"""Which granules of the blocks' shared memories somebody has written."""

from __future__ import annotations

import numpy as np

from gpu100.device.simt.memory.active import Flags
from gpu100.device.simt.memory.touch import Touch


class Written:
    """A flag per granule: of one block that stands for all while all write the same ones, else of each."""

    def __init__(self, blocks: int, granules: int) -> None:
        self._blocks = blocks
        self._flags = np.zeros(granules, np.bool_)
        self._alike = True
        self._any = False
        self._full = False
        self._news = False

    def nothing(self, touch: Touch) -> bool:
        """Whether none of these granules has been written."""
        return not self._any or not (self._full or bool(self._few(touch).any()))

    def missing(self, touch: Touch) -> int | None:
        """The first lane, among all of the access, that names a granule nobody wrote; None for none."""
        if self._full:
            return None
        flags = self._few(touch)
        if not flags.all():
            return int((~flags).argmax()) // touch.each
        touch.written = True
        return None

    def of(self, touch: Touch) -> Flags:
        """The flags of the granules of all lanes."""
        flags = self._few(touch)
        return np.tile(flags, self._blocks) if self._alike and touch.active is not touch.all else flags

    def _few(self, touch: Touch) -> Flags:
        """As many as tell the whole: those of one block, where it stands for all."""
        return self._flags.take(touch.own() if self._alike else touch.spread())

    def add(self, touch: Touch) -> None:
        """These granules have been written."""
        if self._full:
            return
        self._any = self._news = True
        if self._alike and not touch.alike:
            self._flags, self._alike = np.tile(self._flags, self._blocks), False
        self._flags[touch.own() if self._alike else touch.spread()] = True

    def settle(self) -> None:
        """See whether all blocks have come to the same again; called at barriers."""
        if not self._news:
            return
        self._news = False
        if not self._alike:
            rows = self._flags.reshape(self._blocks, -1)
            if bool((rows == rows[0]).all()):
                self._flags, self._alike = rows[0].copy(), True
        self._full = bool(self._flags.all())
