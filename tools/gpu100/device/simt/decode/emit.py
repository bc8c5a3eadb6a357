"""A program's basic blocks as Python functions over many lanes at once.

Each block becomes one function ``block(X)``: ``X`` holds the numbers of the lanes that are here,
or None where it is all of a chunk's. Registers that stay inside a block are its local variables;
only what other blocks read is kept in ``R``, one array over all lanes for each register. What is
the same for every thread of a launch is computed once, by the function ``uniform``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType
from typing import Any

import numpy as np

from gpu100.device.simt.decode import arithmetic
from gpu100.device.simt.decode.elements import DTYPES
from gpu100.device.simt.decode.flow import Block, Program, is_barrier
from gpu100.device.simt.decode.layout import Layout
from gpu100.device.simt.decode.liveness import defined, launch_uniform, live_in, used
from gpu100.device.simt.decode.passing import PASSED
from gpu100.device.simt.decode.writer import BlockWriter
from gpu100.device.simt.faults import NotModeled
from gpu100.device.simt.memory.access import Site
from gpu100.device.simt.memory.shapes import Shapes
from gpu100.device.simt.ptx.ir import Function, Instruction, Location


@dataclass(slots=True)
class Share:
    """What a basic block has of one line of the source."""

    instructions: int = 0
    barriers: int = 0
    branch: bool = False
    """Whether the branch at its end is of that line."""


@dataclass
class Code:
    """A decoded kernel."""

    program: Program
    layout: Layout
    sites: list[Site]
    """Every load, store and atomic, as the counters number them."""
    text: str
    """The generated source, for those who want to look."""
    compiled: CodeType
    constants: dict[str, Any]
    slots: dict[tuple[str, str], int]
    """Where in ``R`` a function's register is kept."""
    dtypes: list[np.dtype[Any]]
    """By slot."""
    saved: dict[int, tuple[int, ...]]
    """Slots that a recursive call in this block may overwrite, and that are kept on the stack."""
    reductions: dict[int, int]
    """For barriers that reduce: the slot of the result, by block."""
    shapes: Shapes
    """What its launches have found out about their lanes."""
    zeroed: tuple[int, ...]
    """Slots that something may read before anything has written them."""

    @cached_property
    def lines(self) -> list[tuple[Location | None, list[tuple[int, Share]]]]:
        """By line of the source: the blocks that have instructions of it, and how many."""
        found: dict[Location | None, dict[int, Share]] = {}
        for block in self.program.blocks:
            for item in block.counted:
                share = found.setdefault(item.location, {}).setdefault(block.index, Share())
                share.instructions += 1
                share.barriers += is_barrier(item)
            if block.last is not None and block.end == "branch":
                found.setdefault(block.last.location, {}).setdefault(block.index, Share()).branch = True
        return [(location, list(shares.items())) for location, shares in found.items()]

    def bind(self, state: Any) -> dict[str, Any]:
        """The functions, bound to one launch's ``state``: ``block0`` ..., ``gate3`` ..., ``uniform``."""
        names = {
            "np": np,
            "A": arithmetic,
            "S": state,
            "M": state.access,
            "R": state.registers,
            **DTYPES,
            **self.constants,
        }
        exec(self.compiled, names)  # noqa: S102  (our own text, from a parsed program)
        return names


@dataclass
class Emitter:
    """What the writers of a program's blocks share."""

    program: Program
    layout: Layout
    sites: list[Site] = field(default_factory=list)
    constants: dict[str, Any] = field(default_factory=dict)
    slots: dict[tuple[str, str], int] = field(default_factory=dict)
    dtypes: list[np.dtype[Any]] = field(default_factory=list)
    uniform: set[str] = field(default_factory=set)
    """The kernel's registers that are the same for every thread of a launch."""
    read_somewhere: dict[str, frozenset[str]] = field(default_factory=dict)
    """By function: registers that some instruction reads."""

    def slot(self, function: str, register: str, dtype: np.dtype[Any]) -> int:
        """Where ``register`` is kept; those that pass arguments are one for all functions."""
        key = ("" if register.startswith(PASSED) else function, register)
        if key not in self.slots:
            self.slots[key] = len(self.dtypes)
            self.dtypes.append(dtype)
        return self.slots[key]

    def constant(self, value: np.generic) -> str:
        """The name of a constant of exactly ``value``'s type and bits."""
        name = f"K_{value.dtype.str[1:]}_{value.tobytes().hex()}".replace("?", "p")
        self.constants[name] = value
        return name

    def constant_object(self, value: object) -> str:
        """The name of any other constant."""
        name = f"K_object{len(self.constants)}"
        self.constants[name] = value
        return name

    def site(self, instruction: Instruction, space: str, kind: str, nbytes: int) -> int:
        """The number of a load, store or atomic."""
        self.sites.append(Site(instruction=instruction, space=space, kind=kind, nbytes=nbytes))
        return len(self.sites) - 1


_AHEAD = frozenset(
    {"ld", "ldu", "atom", "red", "st", "shfl", "vote", "match", "redux", "activemask", "bar", "barrier", "call"}
    | {"copy", "enter", "elect", "isspacep"}
)
"""Opcodes that must not run ahead of their turn, or that know lanes."""


def emit(program: Program, layout: Layout) -> Code:
    """The program's blocks as functions.

    Raises:
        NotModeled: it holds an instruction that the model does not have; the first one is named.
    """
    emitter = Emitter(program, layout)
    saved: dict[int, tuple[int, ...]] = {}
    reductions: dict[int, int] = {}
    parts: list[str] = []
    zeroed: list[int] = []
    for function in program.functions:
        blocks = [block for block in program.blocks if block.function == function.name]
        emitter.read_somewhere[function.name] = frozenset(
            name for block in blocks for item in block.everything for name in used(item)
        )
        if function.entry:
            parts.append(_uniform(emitter, function, blocks))
        alive = live_in(blocks)
        for block in blocks:
            live_out = _live_out(block, alive, blocks[0].index)
            writer = BlockWriter(emitter, function, live_out)
            parts.append(writer.block(block))
            if writer.reduction is not None:
                reductions[block.index] = writer.reduction
            if block.end == "call" and function.name in program.recursive:
                saved[block.index] = tuple(_slots(emitter, function, live_out))
        zeroed += _slots(emitter, function, alive[0])
    text = "\n".join(parts)
    return Code(
        program=program,
        layout=layout,
        sites=emitter.sites,
        text=text,
        compiled=compile(text, f"<{program.kernel.name}>", "exec"),
        constants=emitter.constants,
        slots=emitter.slots,
        dtypes=emitter.dtypes,
        saved=saved,
        reductions=reductions,
        shapes=Shapes(),
        zeroed=tuple(zeroed),
    )


def _live_out(block: Block, alive: list[frozenset[str]], first: int) -> frozenset[str]:
    return frozenset[str]().union(*(alive[target - first] for target in block.targets))


def _slots(emitter: Emitter, function: Function, registers: frozenset[str]) -> Iterator[int]:
    for register in sorted(registers - emitter.uniform):
        key = (function.name, register)
        if key in emitter.slots:
            yield emitter.slots[key]


def _uniform(emitter: Emitter, function: Function, blocks: list[Block]) -> str:
    """The function that computes what is the same for every thread."""
    writer = BlockWriter(emitter, function, frozenset())
    hoisted = launch_uniform(blocks, _AHEAD)
    try:
        text = writer.prologue(hoisted)
    except NotModeled:
        # An instruction the model does not have is named where it stands, in its block.
        return "def uniform():\n    pass\n"
    emitter.uniform |= {name for item in hoisted for name in defined(item)}
    return text
