"""A kernel and what it calls as one list of basic blocks, in the order in which they are to run.

A basic block ends where lanes may part or must wait: at branches, calls, returns and barriers.
It begins where lanes must have met: at labels, and before every instruction that speaks to
other lanes of a warp. The scheduler always runs the lowest block that lanes wait at, so the order
decides where they meet again: functions come before those that call them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from gpu100.device.simt.decode.calls import callees_first, is_call, reachable
from gpu100.device.simt.decode.passing import through_registers
from gpu100.device.simt.ptx.ir import Function, Instruction, Label, Module, Symbol

WARP = frozenset({"shfl", "vote", "match", "redux"})
"""Instructions that wait for the lanes of their mask."""

CONTROL = ("bra", "brx", "ret", "exit", "trap")
"""Instructions after which lanes go on elsewhere, besides calls and barriers."""

Ending = Literal["next", "branch", "table", "call", "return", "exit", "barrier", "trap"]


@dataclass
class Block:
    """Instructions that run one after the other for all lanes that are here."""

    index: int
    function: str
    instructions: list[Instruction] = field(default_factory=list)
    end: Ending = "next"
    """What the lanes do after the last instruction."""
    last: Instruction | None = None
    """The instruction that says so, where it is more than falling through."""
    targets: tuple[int, ...] = ()
    """Where they go: of a branch (taken, not taken); of a call or a barrier, where they go on."""
    gate: bool = False
    """Whether the first instruction waits for the lanes of its mask."""
    loop: int = 0
    """The number of the loop it is in that may spin: one that waits for what other lanes write."""

    @property
    def everything(self) -> list[Instruction]:
        """All instructions in order, with those that stand for no instruction of PTX."""
        return [*self.instructions, *([self.last] if self.last else [])]

    @property
    def counted(self) -> list[Instruction]:
        """Every instruction of PTX that a warp issues here."""
        return [item for item in self.everything if item.opcode != "enter" and not item.has("skip")]


@dataclass(frozen=True)
class Program:
    """Everything a launch of one kernel may run."""

    module: Module
    kernel: Function
    functions: tuple[Function, ...]
    """Those it may call, and itself last."""
    blocks: tuple[Block, ...]
    entries: dict[str, int]
    """Each function's first block."""
    recursive: frozenset[str]
    """Functions that may be on a thread's stack more than once."""

    def function_of(self, block: Block) -> Function:
        return self.module.functions[block.function]


def build(module: Module, kernel: str) -> Program:
    """The program of ``kernel``.

    Raises:
        NotModeled: it calls a function that has no body.
    """
    order = callees_first(module, kernel)
    blocks: list[Block] = []
    entries: dict[str, int] = {}
    for function in order:
        entries[function.name] = len(blocks)
        blocks += _blocks(function, len(blocks))
    _mark_spinning(blocks)
    return Program(
        module=module,
        kernel=module.functions[kernel],
        functions=tuple(order),
        blocks=tuple(blocks),
        entries=entries,
        recursive=frozenset(f.name for f in order if f.name in reachable(module, f)),
    )


def _blocks(function: Function, first: int) -> list[Block]:
    """The function's blocks, numbered from ``first``."""
    pieces, labels = _cut(through_registers(function))
    blocks = [Block(index=first + number, function=function.name, instructions=piece) for number, piece in pieces]
    # Where the body ends without a word, a return is meant.
    blocks.append(Block(index=first + len(blocks), function=function.name, end="return"))
    places = {label: first + number for label, number in labels.items()}
    for block in blocks[:-1]:
        _finish(block, block.index + 1, blocks[-1].index, places, function)
    return blocks


def _cut(body: Iterable[Instruction | Label]) -> tuple[list[tuple[int, list[Instruction]]], dict[str, int]]:
    """Pieces between the points where blocks begin, and the piece each label stands before."""
    pieces: list[list[Instruction]] = [[]]
    labels: dict[str, int] = {}
    for item in body:
        if isinstance(item, Label):
            if pieces[-1]:
                pieces.append([])
            labels[item.name] = len(pieces) - 1
            continue
        if pieces[-1] and (is_gate(item) or _needs_branch(item)):
            pieces.append([])
        if _needs_branch(item):
            # A jump over the instruction, for the lanes that do not execute it.
            pieces[-1].append(replace(item, opcode="bra", modifiers=("skip",), operands=(), call=None))
            pieces.append([replace(item, predicate=None, negated=False)])
            pieces.append([])
        else:
            pieces[-1].append(item)
            if _ends(item):
                pieces.append([])
    return list(enumerate(pieces)), labels


def is_gate(item: Instruction) -> bool:
    """Whether it waits for other lanes of its warp."""
    return item.opcode in WARP or item.name.startswith(("bar.warp.sync", "elect.sync"))


def is_barrier(item: Instruction) -> bool:
    """Whether it waits for (or counts towards) other warps of its block."""
    return item.opcode in ("bar", "barrier") and not item.has("warp") and not item.has("cluster")


def _needs_branch(item: Instruction) -> bool:
    """Whether a predicate on it has to become a branch around it."""
    special = is_gate(item) or is_barrier(item) or item.call is not None or item.opcode in ("trap", "activemask")
    return item.predicate is not None and special


def _ends(item: Instruction) -> bool:
    return item.opcode in CONTROL or is_call(item) or is_barrier(item)


def _finish(block: Block, following: int, returns: int, places: dict[str, int], function: Function) -> None:
    """Decide what the lanes do at the end of ``block``."""
    block.gate = bool(block.instructions) and is_gate(block.instructions[0])
    block.targets = (following,)
    if not block.instructions or not _ends(block.instructions[-1]):
        return
    last = block.last = block.instructions.pop()
    if last.opcode == "bra":
        _finish_branch(block, last, following, places)
    elif last.opcode == "brx":
        block.end = "table"
        table = last.operands[1]
        assert isinstance(table, Label | Symbol)
        block.targets = tuple(places[label] for label in function.tables[table.name])
    elif last.opcode in ("ret", "exit"):
        ending: Ending = "return" if last.opcode == "ret" and not function.entry else "exit"
        if last.predicate is None:
            block.end, block.targets = ending, ()
        else:  # a branch to the function's last block, which returns
            block.end, block.targets = "branch", (returns, following)
    else:
        block.end = "trap" if last.opcode == "trap" else "call" if is_call(last) else "barrier"


def _finish_branch(block: Block, last: Instruction, following: int, places: dict[str, int]) -> None:
    if last.has("skip"):
        block.end, block.targets = "branch", (following, following + 1)
        return
    label = last.operands[0]
    assert isinstance(label, Label | Symbol)
    if last.predicate is None:
        block.targets = (places[label.name],)
    else:
        block.end, block.targets = "branch", (places[label.name], following)


def _mark_spinning(blocks: list[Block]) -> None:
    """Number the loops in which lanes may wait for what other lanes write.

    Such a loop holds an atomic or a volatile or synchronizing load. All others run until they
    end by themselves, and are never interrupted for the sake of fairness.
    """
    for number, loop in enumerate(_loops(blocks), start=1):
        if any(may_wait(item) for block in loop for item in block.instructions):
            for block in loop:
                block.loop = block.loop or number


def may_wait(item: Instruction) -> bool:
    """Whether another lane's write may be what this instruction looks out for."""
    watching = {"volatile", "acquire", "relaxed", "mmio"}
    return item.opcode in ("atom", "nanosleep") or (item.opcode == "ld" and bool(watching & set(item.modifiers)))


def _loops(blocks: list[Block]) -> list[list[Block]]:
    """Blocks between a backward jump and its target, smallest first."""
    spans = {(target, block.index) for block in blocks for target in block.targets if target <= block.index}
    return [blocks[begin : end + 1] for begin, end in sorted(spans, key=lambda span: span[1] - span[0])]
