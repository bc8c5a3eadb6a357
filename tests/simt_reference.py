"""Lane by lane what the model of a device does for many lanes at once: slow, and plainly right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gpu100.device.simt.memory.diagnose import Site
from gpu100.device.simt.ptx.ir import Instruction, Location

KINDS = {"ld": "load", "st": "store", "atom": "atomic"}


def site(name: str, space: str, nbytes: int, line: int = 10) -> Site:
    """An instruction such as ``ld.volatile.global.u32`` on a line of k.cu."""
    opcode, *modifiers = name.split(".")
    instruction = Instruction(opcode, tuple(modifiers), (), location=Location("k.cu", line))
    return Site(instruction, space, KINDS[opcode], nbytes)


def atomic(op: str, old: Any, operands: Sequence[Any]) -> Any:
    """What one atomic leaves in memory."""
    value = operands[0]
    if op == "inc":
        return type(old)(0) if old >= value else type(old)(old + 1)
    if op == "dec":
        return value if old == 0 or old > value else type(old)(old - 1)
    if op == "cas":
        return operands[1] if old == value else old
    plain = {
        "add": lambda: old + value,
        "min": lambda: min(old, value),
        "max": lambda: max(old, value),
        "and": lambda: old & value,
        "or": lambda: old | value,
        "xor": lambda: old ^ value,
        "exch": lambda: value,
    }
    return plain[op]()


def atomics(memory: np.ndarray, index: Sequence[int], op: str, operands: Sequence[np.ndarray]) -> list[Any]:
    """Old values, lane after lane."""
    old = []
    for lane, at in enumerate(index):
        old.append(memory[at])
        memory[at] = atomic(op, memory[at], [operand[lane] for operand in operands])
    return old


def by_warp(lanes: Iterable[int], addresses: Iterable[int], threads_per_block: int) -> dict[Any, list[tuple[int, int]]]:
    """(lane in its warp, address) by warp."""
    warps: dict[Any, list[tuple[int, int]]] = defaultdict(list)
    for lane, address in zip(lanes, addresses, strict=True):
        block, thread = divmod(lane, threads_per_block)
        warps[block, thread // 32].append((thread % 32, address))
    return warps


def sectors(warp: list[tuple[int, int]], nbytes: int) -> int:
    """Different 32-byte sectors that a warp's bytes lie in."""
    return len({byte // 32 for _, address in warp for byte in range(address, address + nbytes)})


def local_sectors(warp: list[tuple[int, int]], nbytes: int) -> int:
    """The same where each 4-byte word of the 32 lanes' memories lies side by side."""
    physical = {
        byte // 4 * 128 + lane * 4 + byte % 4 for lane, address in warp for byte in range(address, address + nbytes)
    }
    return len({byte // 32 for byte in physical})


def wavefronts(warp: list[tuple[int, int]], nbytes: int, *, load: bool) -> int:
    """Per part of the warp that is served at once: the most different words in one bank.

    Parts are halves for 8 bytes and quarters for 16. Two of them are one in a load where lanes one
    apart, or lanes two apart, ask for the same wherever both are on.
    """
    parts = {8: 2, 16: 4}.get(nbytes, 1)
    size = 32 // parts
    if not load or parts == 1:
        return sum(_fullest(_between(warp, size * part, size), nbytes) for part in range(parts))
    total = 0
    for start in range(0, 32, 2 * size):
        both = _between(warp, start, 2 * size)
        asked = dict(both)
        if any(all(asked.get(lane ^ apart, at) == at for lane, at in both) for apart in (1, 2)):
            total += _fullest(both, nbytes)
        else:
            total += sum(_fullest(_between(both, half, size), nbytes) for half in (start, start + size))
    return total


def _between(warp: list[tuple[int, int]], first: int, count: int) -> list[tuple[int, int]]:
    return [(lane, address) for lane, address in warp if first <= lane < first + count]


def _fullest(lanes: list[tuple[int, int]], nbytes: int) -> int:
    banks: dict[int, set[int]] = defaultdict(set)
    for _, address in lanes:
        for byte in range(address, address + nbytes):
            banks[byte // 4 % 32].add(byte // 4)
    return max((len(words) for words in banks.values()), default=0)


def multiplicity(warp: list[tuple[int, int]]) -> int:
    """The most lanes that name one address."""
    addresses = [address for _, address in warp]
    return max(addresses.count(address) for address in set(addresses))
