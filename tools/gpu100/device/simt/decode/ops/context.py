"""What an emitter may ask of the code generator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from gpu100.device.simt.ptx.ir import Instruction, Operand


class Context(Protocol):
    """The generated function an instruction is written into.

    Expressions are Python text. They may use ``np`` and ``A`` (:mod:`gpu100.device.simt.decode.arithmetic`).
    All reads come before the first write: a destination may be a source too.
    """

    def read(self, operand: Operand, type: str) -> str:
        """An array, or for an immediate a NumPy scalar, of exactly the dtype of the PTX type."""

    def write(self, operand: Operand, expression: str, type: str) -> None:
        """Assign to a destination; a value narrower than the register is extended as its type says."""

    def alias(self, operand: Operand, expression: str, type: str) -> None:
        """Like :meth:`write`, where the expression may be the very array of a source."""

    def temp(self, expression: str) -> str:
        """A fresh name that holds the expression's value."""

    def declared(self, operand: Operand) -> str:
        """The type a register is declared with."""


Emitter = Callable[[Instruction, Context], None]
