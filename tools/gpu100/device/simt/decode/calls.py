"""Which functions a kernel may call, and in which order they are laid out."""

from __future__ import annotations

from collections.abc import Iterator

from gpu100.device.simt.faults import NotModeled
from gpu100.device.simt.ptx.ir import Function, Instruction, Module, Register, Symbol

RUNTIME = ("vprintf", "__assertfail", "malloc", "free")
"""Functions without a body, which the model itself provides."""


def is_call(item: Instruction) -> bool:
    """Whether it calls a function that has a body, which is to run next."""
    return item.call is not None and not (isinstance(item.call.target, Symbol) and item.call.target.name in RUNTIME)


def calls_of(module: Module, function: Function) -> set[str]:
    """Functions with a body that ``function`` may call; through a pointer, any whose address is taken."""
    names: set[str] = set()
    for item in function.body:
        if not isinstance(item, Instruction) or item.call is None:
            continue
        target = item.call.target
        if isinstance(target, Register):
            names |= set(item.call.candidates or _addressed(module))
        elif target.name not in RUNTIME:
            callee = module.functions.get(target.name)
            if callee is None or callee.extern:
                raise NotModeled(f"call of {target.name}", item.location)
            names.add(target.name)
    return names


def _addressed(module: Module) -> set[str]:
    """Functions whose address some instruction or variable holds."""
    held = {symbol for variable in module.variables.values() for _, symbol, _ in variable.addresses}
    for function in module.functions.values():
        for item in function.body:
            if isinstance(item, Instruction):
                held |= {operand.name for operand in item.operands if isinstance(operand, Symbol)}
    return {name for name in held if name in module.functions and not module.functions[name].extern}


def reachable(module: Module, function: Function) -> set[str]:
    """All functions that ``function`` may come to call."""
    found: set[str] = set()
    left = list(calls_of(module, function))
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += calls_of(module, module.functions[name])
    return found


def callees_first(module: Module, kernel: str) -> list[Function]:
    """The kernel and all it may call, each behind those that it calls where they do not call it."""
    order: list[Function] = []
    seen: set[str] = set()
    # An explicit stack, since a chain of calls may be longer than Python's own.
    stack: list[tuple[str, Iterator[str]]] = [(kernel, iter(sorted(calls_of(module, module.functions[kernel]))))]
    seen.add(kernel)
    while stack:
        name, callees = stack[-1]
        callee = next((callee for callee in callees if callee not in seen), None)
        if callee is None:
            stack.pop()
            order.append(module.functions[name])
        else:
            seen.add(callee)
            stack.append((callee, iter(sorted(calls_of(module, module.functions[callee])))))
    return order
