"""Which registers each instruction reads and writes, and which are alive where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpu100.device.simt.decode.flow import Block, is_barrier
from gpu100.device.simt.decode.passing import PASSED
from gpu100.device.simt.ptx.ir import (
    Immediate,
    Instruction,
    Memory,
    Negated,
    Operand,
    Pair,
    Register,
    Special,
    Symbol,
    Vector,
)


def live_in(blocks: Sequence[Block]) -> list[frozenset[str]]:
    """For each of one function's blocks, the registers whose value may still be read from its start on."""
    first = blocks[0].index
    reads, writes = zip(*(_summary(block) for block in blocks), strict=True)
    alive: list[frozenset[str]] = [frozenset()] * len(blocks)
    changed = True
    while changed:
        changed = False
        # From the back, since what is alive at a block's end is what its successors need.
        for number in range(len(blocks) - 1, -1, -1):
            out = frozenset[str]().union(*(alive[target - first] for target in blocks[number].targets))
            into = reads[number] | (out - writes[number])
            if into != alive[number]:
                alive[number], changed = into, True
    return alive


def _summary(block: Block) -> tuple[frozenset[str], frozenset[str]]:
    """Registers read before they are written, and registers written."""
    reads: set[str] = set()
    writes: set[str] = set()
    for item in block.everything:
        reads |= {name for name in used(item) if name not in writes and not name.startswith(PASSED)}
        if item.predicate is None:
            writes |= {name for name in defined(item) if not name.startswith(PASSED)}
    # A barrier that reduces writes when it opens, which is after the block's end.
    if block.last is not None and is_barrier(block.last):
        writes -= set(defined(block.last))
    return frozenset(reads), frozenset(writes)


_UNIFORM = frozenset({f"%{name}.{axis}" for name in ("ntid", "nctaid") for axis in "xyz"} | {"%envreg1", "%envreg2"})


def launch_uniform(blocks: Sequence[Block], impure: frozenset[str]) -> list[Instruction]:
    """Instructions of a kernel whose result is the same for every thread of a launch, in order.

    They are written once, have no predicate, and depend on immediates, parameters, the launch's
    extent and each other alone. ``impure`` are opcodes that may not be run ahead of their turn.
    """
    everything = [item for block in blocks for item in block.everything]
    times: dict[str, int] = {}
    for item in everything:
        for name in defined(item):
            times[name] = times.get(name, 0) + 1
    found: list[Instruction] = []
    names: set[str] = set()
    for item in everything:
        targets = list(defined(item))
        once = bool(targets) and all(times[name] == 1 for name in targets) and "%cc" not in targets
        if once and item.predicate is None and _pure(item, impure) and _same_everywhere(item, names):
            found.append(item)
            names |= set(targets)
    return found


def _pure(item: Instruction, impure: frozenset[str]) -> bool:
    return item.opcode not in impure or (item.opcode == "ld" and item.has("param"))


def _same_everywhere(item: Instruction, uniform: set[str]) -> bool:
    specials = all(operand.name in _UNIFORM for operand in item.operands if isinstance(operand, Special))
    simple = all(isinstance(operand, _SIMPLE) for operand in item.operands)
    return simple and specials and all(name in uniform for name in used(item))


_SIMPLE = (Register, Special, Immediate, Symbol, Memory, Vector, Negated)


def used(item: Instruction) -> Iterator[str]:
    """Names of the registers an instruction reads."""
    if item.predicate is not None:
        yield item.predicate.name
        # What a lane that does not execute it keeps.
        yield from defined(item)
    for number, operand in enumerate(item.operands):
        if number > 0 or not _writes_first(item):
            yield from registers_in(operand)
        elif not isinstance(operand, Register):
            yield from _base_registers(operand)
    if item.call is not None and isinstance(item.call.target, Register):
        yield item.call.target.name
    if item.opcode in ("addc", "subc", "madc"):
        yield "%cc"


def defined(item: Instruction) -> Iterator[str]:
    """Names of the registers an instruction writes."""
    if _writes_first(item) and item.operands:
        yield from _targets(item.operands[0])
    if item.has("cc"):
        yield "%cc"


_NO_RESULT = frozenset(
    {"st", "red", "bra", "brx", "ret", "exit", "trap", "call", "membar", "fence", "prefetch", "prefetchu", "nanosleep"}
    | {"discard", "applypriority", "brkpt", "pmevent", "setmaxnreg", "griddepcontrol"}
)


def _writes_first(item: Instruction) -> bool:
    if item.opcode in ("bar", "barrier"):
        return item.has("red")
    return item.opcode not in _NO_RESULT


def _targets(operand: Operand) -> Iterator[str]:
    match operand:
        case Register(name):
            yield name
        case Vector(elements):
            for element in elements:
                yield from _targets(element)
        case Pair(first, second):
            yield from _targets(first)
            yield from _targets(second)
        case _:
            return


def _base_registers(operand: Operand) -> Iterator[str]:
    """Registers read in a destination: none, but those of an address."""
    if isinstance(operand, Memory):
        yield from registers_in(operand)


def registers_in(operand: Operand) -> Iterator[str]:
    """Names of the registers an operand is made of."""
    match operand:
        case Register(name) | Negated(Register(name)) | Memory(Register(name), _):
            yield name
        case Vector(elements):
            for element in elements:
                yield from registers_in(element)
        case Pair(first, second):
            yield from registers_in(first)
            yield from registers_in(second)
        case _:
            return
