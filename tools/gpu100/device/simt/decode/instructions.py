"""The list of what the model has, made from what it looks its instructions up in."""

from __future__ import annotations

from collections import defaultdict

from gpu100.device.simt.decode.calls import RUNTIME
from gpu100.device.simt.decode.flow import CONTROL
from gpu100.device.simt.decode.lane_ops import OPCODES, SPECIALS
from gpu100.device.simt.decode.ops import EMITTERS
from gpu100.device.simt.decode.ops.registry import Rule
from gpu100.model.instructions import Family, Form, Instructions, ModeledInstruction

_FAMILIES = {
    "integer": "Integers",
    "carry": "Integers with carry",
    "floating": "Floating point",
    "half": "Half precision",
    "special": "Special functions",
    "compare": "Comparison and selection",
    "convert": "Conversion",
    "logic": "Logic and shifts",
    "bits": "Bits and bytes",
    "move": "Moves",
}
"""By the module of ``ops`` that has them."""

_OWN = frozenset({"copy", "enter"})
"""What the model itself puts between a call and its function; no PTX."""

_WHAT = {
    "ld": "loads of one element or a vector",
    "ldu": "the same, of what all lanes share",
    "st": "stores of one element or a vector",
    "atom": "atomics that give back what was there",
    "red": "atomics that do not",
    "cvta": "addresses of one memory as generic ones, and back",
    "isspacep": "which memory an address is in",
    "membar": "fences",
    "fence": "fences",
    "prefetch": "does nothing: there are no caches",
    "prefetchu": "does nothing: there are no caches",
    "discard": "does nothing: there are no caches",
    "applypriority": "does nothing: there are no caches",
    "nanosleep": "does nothing: there is no clock",
    "pmevent": "does nothing",
    "shfl": "values from other lanes",
    "vote": "votes and ballots",
    "match": "lanes of the same value",
    "redux": "reductions over a warp",
    "activemask": "the lanes that are here",
    "bar": "barriers of a block or a warp, with reductions",
    "barrier": "the same",
    "bra": "branches",
    "brx": "branches through a table",
    "call": "calls, through pointers too",
    "ret": "returns",
    "exit": "a thread's end",
    "trap": "a kernel's end with an error",
}
_MEMORY = ("ld", "ldu", "st", "atom", "red", "cvta", "isspacep", "membar", "fence")
_NOTHING = ("prefetch", "prefetchu", "discard", "applypriority", "nanosleep", "pmevent")


def instructions() -> Instructions:
    """Everything that is modeled."""
    return Instructions(
        families=(*_computing(), *_others()),
        registers=" ".join(sorted(SPECIALS)),
        functions=" ".join(sorted(RUNTIME)),
    )


def _computing() -> list[Family]:
    """Instructions that compute element by element."""
    found: dict[str, dict[str, dict[int, list[tuple[str, Rule]]]]] = defaultdict(lambda: defaultdict(dict))
    for opcode, rules in EMITTERS.items():
        for type, rule in rules.items():
            family = rule.emit.__module__.rpartition(".")[2]
            found[family][opcode].setdefault(id(rule), []).append((type, rule))
    assert found.keys() <= _FAMILIES.keys(), f"families without a name: {found.keys() - _FAMILIES.keys()}"
    return [
        Family(name=title, instructions=tuple(_computes(op, found[key][op]) for op in sorted(found[key])))
        for key, title in _FAMILIES.items()
        if key in found
    ]


def _computes(opcode: str, rules: dict[int, list[tuple[str, Rule]]]) -> ModeledInstruction:
    forms = [
        Form(types=" ".join(type for type, _ in group), words=" ".join(sorted(group[0][1].modifiers)))
        for group in rules.values()
    ]
    return ModeledInstruction(opcode=opcode, forms=tuple(forms))


def _others() -> list[Family]:
    """Instructions that know lanes, or where to go on."""
    left = {*OPCODES, *CONTROL} - _OWN
    groups = {"Memory": _MEMORY, "Without effect": _NOTHING, "Branches and calls": (*CONTROL, "call")}
    groups["Lanes of a warp or a block"] = tuple(sorted(left - {name for names in groups.values() for name in names}))
    return [
        Family(
            name=title,
            instructions=tuple(
                ModeledInstruction(opcode=name, what=_WHAT.get(name, "")) for name in names if name in left
            ),
        )
        for title, names in groups.items()
    ]
