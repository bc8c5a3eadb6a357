"""What of PTX the SIMT model has, as a page lists it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Form:
    """Types of an instruction that go with the same other words."""

    types: str
    words: str = ""
    """What else may stand in its name. Both are words with a space between."""


@dataclass(frozen=True, kw_only=True)
class ModeledInstruction:
    """One opcode."""

    opcode: str
    forms: tuple[Form, ...] = ()
    what: str = ""
    """In words, where forms would not say it."""


@dataclass(frozen=True, kw_only=True)
class Family:
    """Instructions of a kind."""

    name: str
    instructions: tuple[ModeledInstruction, ...]


@dataclass(frozen=True, kw_only=True)
class Instructions:
    """instructions.json: every other instruction, register or function is answered with "not modeled"."""

    families: tuple[Family, ...] = ()
    registers: str = ""
    """Those that hardware fills, with a space between."""
    functions: str = ""
    """Of the device's runtime library, likewise."""

    @property
    def count(self) -> int:
        """How many opcodes there are."""
        return len({one.opcode for family in self.families for one in family.instructions})
