"""Loads, stores, atomics, fences, and addresses of the memory spaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu100.device.simt.decode.elements import code_of
from gpu100.device.simt.decode.lane_ops.registry import op
from gpu100.device.simt.faults import not_modeled
from gpu100.device.simt.memory.device_memory import LOCAL_WINDOW, SHARED_WINDOW
from gpu100.device.simt.ptx.ir import (
    WIDTHS,
    Immediate,
    Instruction,
    Memory,
    Operand,
    Sink,
    Symbol,
    Vector,
)

if TYPE_CHECKING:
    from gpu100.device.simt.decode.writer import BlockWriter


_CACHING = frozenset(
    {"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "L1::evict_last", "L1::evict_first", "L1::no_allocate"}
    | {"L1::evict_normal", "L1::evict_unchanged", "L2::64B", "L2::128B", "L2::256B", "L2::evict_last"}
    | {"L2::evict_first", "L2::evict_normal"}
)
"""Hints to the caches, which the model does not have."""

_ORDER = frozenset({"weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "mmio", "cta", "gpu", "sys"})
"""Memory order and scope: lanes of the model see every write at once, in the order of the blocks they run."""

_SPACES = {"global": "global", "shared": "shared", "shared::cta": "shared", "local": "local", "const": "const"}
_COUNTS = {"v2": 2, "v4": 4, "v8": 8}


class _Access:
    """A load or store, taken apart."""

    def __init__(self, item: Instruction, extra: frozenset[str] = frozenset()) -> None:
        known = _CACHING | _ORDER | extra | _SPACES.keys() | _COUNTS.keys() | {item.type, "param", "param::entry"}
        if not item.type or set(item.modifiers) - known:
            raise not_modeled(item)
        self.space = next((_SPACES[word] for word in item.modifiers if word in _SPACES), "generic")
        if item.has("param") or item.has("param::entry"):
            self.space = "param"
        self.count = next((_COUNTS[word] for word in item.modifiers if word in _COUNTS), 1)
        self.type = item.type


def _address(operand: Operand, c: BlockWriter) -> str:
    if not isinstance(operand, Memory):
        raise not_modeled(c.instruction)
    base = operand.base
    if isinstance(base, Symbol):
        return c.read(Symbol(base.name, base.offset + operand.offset), "u64")
    if isinstance(base, Immediate):
        return c.read(Immediate(base.value + operand.offset), "u64")
    wide = WIDTHS[c.declared(base)]
    text = c.read(base, f"u{wide}")
    if not operand.offset:
        return text
    return f"{text} + {c.read(Immediate(operand.offset), f'u{wide}')}"


def _elements(operand: Operand, count: int, c: BlockWriter) -> tuple[Operand, ...]:
    elements = operand.elements if isinstance(operand, Vector) else (operand,)
    if len(elements) != count:
        raise not_modeled(c.instruction)
    return elements


@op("ld", "ldu")
def _load(i: Instruction, c: BlockWriter) -> None:
    access = _Access(i)
    targets = _elements(i.operands[0], access.count, c)
    code = code_of(access.type)
    if access.space == "param":
        _load_parameter(i, c, targets, code)
        return
    address = _address(i.operands[1], c)
    site = c.emitter.site(i, access.space, "load", access.count * WIDTHS[access.type] // 8)
    loaded = c.temp(f'M.load({site}, "{access.space}", {address}, X, {c.mask()}, {code}, {access.count})')
    for number, target in enumerate(targets):
        c.write_lanes(target, f"{loaded}[{number}]", access.type)


def _load_parameter(i: Instruction, c: BlockWriter, targets: tuple[Operand, ...], code: str) -> None:
    place = i.operands[1]
    assert isinstance(place, Memory)
    if isinstance(place.base, Symbol):
        offset = c.emitter.layout.parameters.get(place.base.name)
        if offset is None:
            raise not_modeled(i)
        offset += place.base.offset + place.offset
        for number, target in enumerate(targets):
            c.alias(target, f"S.parameter({offset + number * WIDTHS[i.type] // 8}, {code})", i.type)
        return
    site = c.emitter.site(i, "const", "load", len(targets) * WIDTHS[i.type] // 8)
    loaded = c.temp(f'M.load({site}, "const", {_address(place, c)}, X, {c.mask()}, {code}, {len(targets)})')
    for number, target in enumerate(targets):
        c.write_lanes(target, f"{loaded}[{number}]", i.type)


@op("st")
def _store(i: Instruction, c: BlockWriter) -> None:
    access = _Access(i)
    if access.space in ("param", "const"):
        raise not_modeled(i)
    address = _address(i.operands[0], c)
    values = [c.read(value, access.type) for value in _elements(i.operands[1], access.count, c)]
    site = c.emitter.site(i, access.space, "store", access.count * WIDTHS[access.type] // 8)
    listed = ", ".join(_as_array(value) for value in values)
    c.line(f'M.store({site}, "{access.space}", {address}, X, {c.mask()}, ({listed},))')


_ATOMIC = frozenset({"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas", "noftz"})


@op("atom", "red")
def _atomic(i: Instruction, c: BlockWriter) -> None:
    access = _Access(i, _ATOMIC)
    operations = [word for word in i.modifiers if word in _ATOMIC - {"noftz"}]
    if len(operations) != 1 or access.count != 1:
        raise not_modeled(i)
    target, place, *sources = i.operands if i.opcode == "atom" else (Sink(), *i.operands)
    # A float is added as one; whatever is exchanged or compared is bits.
    values = ", ".join(_as_array(c.read(source, access.type)) for source in sources)
    want = c.wanted(target)
    site = c.emitter.site(i, access.space, "atomic", WIDTHS[access.type] // 8)
    call = (
        f'M.atomic({site}, "{access.space}", "{operations[0]}", {_address(place, c)}, X, {c.mask()}, '
        f"{code_of(access.type)}, ({values},), {want})"
    )
    if want:
        c.write_lanes(target, call, access.type)
    else:
        c.line(call)


def _as_array(value: str) -> str:
    return f"np.atleast_1d({value})" if value.startswith("K_") else value


@op("membar", "fence")
def _fence(i: Instruction, c: BlockWriter) -> None:
    c.line("M.fence(X)")


@op("prefetch", "prefetchu", "nanosleep", "discard", "applypriority", "pmevent")
def _nothing(i: Instruction, c: BlockWriter) -> None:
    """It changes when something happens, not what."""


@op("cvta")
def _convert_address(i: Instruction, c: BlockWriter) -> None:
    space = next((word for word in i.modifiers if word.split("::")[0] in ("shared", "local")), "")
    target, source = i.operands
    value = c.read(source, i.type)
    if not space:  # global, constant and parameter memory lie where generic addresses say
        c.alias(target, value, i.type)
        return
    window = c.read(Immediate(SHARED_WINDOW if space.startswith("shared") else LOCAL_WINDOW), i.type)
    c.write(target, f"{value} - {window}" if i.has("to") else f"{value} + {window}", i.type)


@op("isspacep")
def _is_space(i: Instruction, c: BlockWriter) -> None:
    address = c.read(i.operands[1], "u64")
    shared, local = (c.read(Immediate(window), "u64") for window in (SHARED_WINDOW, LOCAL_WINDOW))
    tests = {
        "shared": f"({address} >= {shared}) & ({address} < {local})",
        "shared::cta": f"({address} >= {shared}) & ({address} < {local})",
        "local": f"{address} >= {local}",
        "global": f"{address} < {shared}",
    }
    if i.modifiers[-1] not in tests:
        raise not_modeled(i)
    c.write(i.operands[0], tests[i.modifiers[-1]], "pred")
