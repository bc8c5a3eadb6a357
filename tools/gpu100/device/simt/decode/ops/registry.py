"""Which instructions are known, and with which types and modifiers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gpu100.device.simt.decode.ops.context import Emitter
from gpu100.device.simt.faults import not_modeled
from gpu100.device.simt.ptx.ir import Instruction


@dataclass(frozen=True, slots=True)
class Rule:
    """One opcode in one type: who writes it, and the other words that may stand in its name."""

    emit: Emitter
    modifiers: frozenset[str]


EMITTERS: dict[str, dict[str, Rule]] = {}
"""By opcode, then by the last type in the name; "" where the name has none."""


def op(*opcodes: str, types: str, modifiers: str = "") -> Callable[[Emitter], Emitter]:
    """Enter an emitter for each opcode in each of the ``types``; both lists are words in a text.

    An instruction with any other word is refused, so that no modifier can be overlooked.
    """

    def enter(emit: Emitter) -> Emitter:
        rule = Rule(emit, frozenset(modifiers.split()))
        for opcode in opcodes:
            known = EMITTERS.setdefault(opcode, {})
            for type in types.split() or [""]:
                assert type not in known, f"{opcode} {type} is entered twice"
                known[type] = rule
        return emit

    return enter


def emitter(instruction: Instruction) -> Emitter:
    """Who writes ``instruction``.

    Raises:
        NotModeled: its opcode, type or one of its modifiers is not known.
    """
    rule = EMITTERS.get(instruction.opcode, {}).get(instruction.type)
    if rule is None or not others(instruction) <= rule.modifiers:
        raise not_modeled(instruction)
    return rule.emit


def others(instruction: Instruction) -> set[str]:
    """The words of its name besides opcode and type."""
    words: Iterable[str] = reversed(instruction.modifiers)
    rest = list(words)
    if instruction.type:
        rest.remove(instruction.type)
    return set(rest)
