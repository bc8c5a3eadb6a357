"""Where everything with an address lies: module variables, shared and local memory, parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gpu100.device.simt.decode.calls import calls_of
from gpu100.device.simt.decode.flow import Program
from gpu100.device.simt.faults import NotModeled
from gpu100.device.simt.ptx.ir import Function, Module, Variable

FRAME_ALIGN = 16
STACK_BYTES = 1024
"""What a thread has for calls whose depth the compiler does not know: CUDA's default."""

FUNCTION_ADDRESS = 1 << 60
"""Function ``i`` of a module has the address FUNCTION_ADDRESS + 16 * i."""


def function_addresses(module: Module) -> dict[str, int]:
    """The addresses of a module's functions, for pointers to them."""
    return {name: FUNCTION_ADDRESS + 16 * number for number, name in enumerate(module.functions)}


def function_at(module: Module, address: int) -> str | None:
    """The function that has an address; None where none does."""
    number, offset = divmod(address - FUNCTION_ADDRESS, 16)
    names = list(module.functions)
    return names[number] if offset == 0 and 0 <= number < len(names) else None


@dataclass(frozen=True)
class Layout:
    """The addresses one kernel's instructions may name."""

    absolute: Mapping[str, int]
    """Global and constant variables, and functions."""
    shared: Mapping[str, int]
    """Offsets in a block's shared memory."""
    static_bytes: int
    """Shared memory whose size the source states."""
    local: Mapping[tuple[str, str], int]
    """Offsets of a function's local variables in its frame."""
    frames: Mapping[str, int]
    """Bytes of each function's frame."""
    bases: Mapping[str, int]
    """Where a function's frame begins, where that is known: in programs that do not recurse."""
    local_bytes: int
    """What each thread has of local memory."""
    parameters: Mapping[str, int]
    """Offsets of the kernel's parameters."""
    parameter_bytes: int


def lay_out(program: Program, variables: Mapping[str, int]) -> Layout:
    """The layout of ``program``, whose module variables lie at the addresses ``variables``."""
    shared, static_bytes = _shared(program)
    local: dict[tuple[str, str], int] = {}
    frames: dict[str, int] = {}
    for function in program.functions:
        own = (variable for variable in function.variables.values() if variable.space == "local")
        offsets, end = _pack(own)
        local |= {(function.name, name): offset for name, offset in offsets.items()}
        frames[function.name] = _round_up(end, FRAME_ALIGN)
    bases = {} if program.recursive else _bases(program, frames)
    deepest = max((bases[name] + frames[name] for name in bases), default=0)
    parameters, parameter_bytes = _pack(program.kernel.parameters)
    return Layout(
        absolute={**variables, **function_addresses(program.module)},
        shared=shared,
        static_bytes=static_bytes,
        local=local,
        frames=frames,
        bases=bases,
        local_bytes=frames[program.kernel.name] + STACK_BYTES if program.recursive else deepest,
        parameters=parameters,
        parameter_bytes=parameter_bytes,
    )


def _shared(program: Program) -> tuple[dict[str, int], int]:
    """Static variables one after the other; behind them, all dynamic ones at one address."""
    names = {name: variable for name, variable in program.module.variables.items() if variable.space == "shared"}
    for function in program.functions:
        names |= {name: v for name, v in function.variables.items() if v.space == "shared"}
    dynamic = {name for name, variable in names.items() if variable.nbytes == 0}
    offsets, end = _pack(variable for name, variable in names.items() if name not in dynamic)
    align = max((names[name].align for name in dynamic), default=1)
    return offsets | dict.fromkeys(dynamic, _round_up(end, max(align, 16))), end


def _bases(program: Program, frames: Mapping[str, int]) -> dict[str, int]:
    """A function's frame lies behind the deepest of those that may be on the stack below it."""
    bases = {function.name: 0 for function in program.functions}
    for function in reversed(program.functions):  # callers before those they call
        end = bases[function.name] + frames[function.name]
        for callee in calls_of(program.module, function):
            bases[callee] = max(bases[callee], end)
    return bases


def _pack(variables: Iterable[Variable]) -> tuple[dict[str, int], int]:
    offsets: dict[str, int] = {}
    end = 0
    for variable in variables:
        offsets[variable.name] = _round_up(end, variable.align)
        end = offsets[variable.name] + variable.nbytes
    return offsets, end


def _round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


def address_of(layout: Layout, function: Function, name: str) -> tuple[str, int]:
    """The space and the address, in that space, of the symbol ``name`` as ``function`` sees it.

    Raises:
        NotModeled: it has none.
    """
    if (function.name, name) in layout.local:
        return "local", layout.local[function.name, name] + layout.bases.get(function.name, 0)
    if name in layout.shared:
        return "shared", layout.shared[name]
    if name in layout.parameters and function.entry:
        return "param", layout.parameters[name]
    if name in layout.absolute:
        return "global", layout.absolute[name]
    raise NotModeled(f"the address of {name}")
