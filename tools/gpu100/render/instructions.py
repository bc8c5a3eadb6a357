"""What of PTX the SIMT model has: the list of its page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gpu100.content.instructions import WRITTEN_BY
from gpu100.model.instructions import Instructions
from gpu100.render.env import render
from gpu100.render.expressions import Block, ExpressionError, Inline
from gpu100.units import number


@dataclass(frozen=True)
class InstructionNames:
    """The functions that a page's expressions call to show the list."""

    known: Instructions | None

    def names(self) -> dict[str, Callable[..., Inline | Block]]:
        """By the name that a page uses."""
        return {
            "instruction_count": lambda: Inline(number(self._known.count)),
            "instructions": lambda: Block(render("instructions.html", known=self._known)),
        }

    @property
    def _known(self) -> Instructions:
        if self.known is None:
            raise ExpressionError("the course has no content/instructions.json", hint=WRITTEN_BY)
        return self.known
