"""Arguments and results of device functions, which PTX passes through ``.param`` variables.

What a caller stores into one and a callee loads from another becomes a copy between registers:
``%arg0+4.32`` is the word at byte 4 of the first argument, ``%ret0+0.32`` that of the result. A
callee copies its arguments on entry into registers of its own, since a call of its own reuses
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gpu100.device.simt.faults import NotModeled
from gpu100.device.simt.ptx.ir import WIDTHS, Function, Instruction, Label, Memory, Operand, Register, Symbol, Vector

PASSED = ("%arg", "%ret")
"""How the names of registers begin that all functions share."""


@dataclass(frozen=True)
class Slots:
    """The ``.param`` variables of one function, by what they are to it."""

    own: dict[str, int]
    """Its parameters and their positions."""
    results: dict[str, int]
    arguments: dict[str, int]
    """Variables it fills for functions that it calls."""
    answers: dict[str, int]
    """Variables that take what those return."""

    @classmethod
    def of(cls, function: Function) -> Slots:
        calls = [item.call for item in function.body if isinstance(item, Instruction) and item.call]
        return cls(
            own={variable.name: number for number, variable in enumerate(function.parameters)},
            results={variable.name: number for number, variable in enumerate(function.returns)},
            arguments={name: number for call in calls for number, name in enumerate(call.arguments)},
            answers={name: number for call in calls for number, name in enumerate(call.returns)},
        )

    def register(self, place: Memory) -> str:
        """The register that stands for ``place``, without its width; empty where there is none."""
        symbol = place.base
        if not isinstance(symbol, Symbol):
            return ""
        offset = symbol.offset + place.offset
        kinds = (("%own", self.own), ("%ret", self.results), ("%arg", self.arguments), ("%ret", self.answers))
        for prefix, numbers in kinds:
            if symbol.name in numbers:
                return f"{prefix}{numbers[symbol.name]}+{offset}"
        return ""


def through_registers(function: Function) -> list[Instruction | Label]:
    """The body with loads and stores of ``.param`` variables turned into copies.

    A kernel's own parameters are left: they are memory, the same for all threads.
    """
    slots = Slots.of(function)
    body: list[Instruction | Label] = []
    for item in function.body:
        if isinstance(item, Instruction) and item.opcode in ("ld", "st") and item.has("param"):
            body += _copies(item, slots, function)
        else:
            body.append(item)
    if function.entry:
        return body
    own = sorted({name for item in body if isinstance(item, Instruction) for name in _own(item)})
    return [*(_copy("enter", name, name.replace("%own", "%arg")) for name in own), *body]


def width_of(register: str) -> str:
    """The type of a passed register, from its name: ``b32``."""
    return f"b{register.rpartition('.')[2]}"


def _own(item: Instruction) -> Iterator[str]:
    return (
        operand.name for operand in item.operands if isinstance(operand, Register) and operand.name.startswith("%own")
    )


def _copy(opcode: str, target: str, source: str) -> Instruction:
    return Instruction(opcode, (width_of(source),), (Register(target), Register(source)))


def _copies(item: Instruction, slots: Slots, function: Function) -> Iterable[Instruction]:
    load = item.opcode == "ld"
    target, source = item.operands
    place = source if load else target
    assert isinstance(place, Memory)
    stem = slots.register(place)
    if function.entry and stem.startswith("%own"):
        return [item]
    if not stem or item.predicate is not None:
        raise NotModeled(f"{item.name} of a parameter whose address is computed", item.location)
    step, values = WIDTHS[item.type] // 8, target if load else source
    name, _, offset = stem.rpartition("+")
    copies = []
    for number, value in enumerate(values.elements if isinstance(values, Vector) else (values,)):
        passed = Register(f"{name}+{int(offset) + number * step}.{step * 8}")
        operands: tuple[Operand, ...] = (value, passed) if load else (passed, value)
        copies.append(
            Instruction("copy", (item.type,), operands, location=item.location, line=item.line),
        )
    return copies
