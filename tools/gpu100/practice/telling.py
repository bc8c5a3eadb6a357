"""A case that failed, in words: who, where, what was expected and what there was."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpu100.practice.buffers import Flags
from gpu100.practice.looks import Look, Seen

DRIVER = {
    "CUDA_ERROR_ILLEGAL_ADDRESS": "the kernel accessed memory that is not there",
    "CUDA_ERROR_MISALIGNED_ADDRESS": "an access is wider than its address allows",
    "CUDA_ERROR_LAUNCH_FAILED": "the kernel stopped itself, or the GPU stopped it",
    "CUDA_ERROR_ASSERT": "an assertion in the kernel does not hold",
    "CUDA_ERROR_INVALID_VALUE": "the driver refused the launch",
    "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES": "a block of this size needs more registers than there are",
}
"""What a driver's error says; a GPU does not tell which line."""

FOLDED = 1000
"""Characters of one line at most."""


def lines_of(look: Look) -> tuple[str, ...]:
    """What is wrong with the case, a line for each thing, the most telling first."""
    return tuple(line[:FOLDED] for line in _lines(look))


def _lines(look: Look) -> Iterator[str]:
    if fell := look.fell:
        if fell.kind.startswith("CUDA_ERROR"):
            yield f"{fell.kind}: {DRIVER.get(fell.kind, fell.message)}"
            yield "A GPU does not say on which line; --device model does."
            return
        yield fell.message
        if fell.hint:
            yield f"({fell.hint})"
        return
    for seen in look.seen:
        yield from _outside(seen)
    for seen in look.seen:
        if seen.wrong.any():
            yield from _different(seen)


def _outside(seen: Seen) -> Iterator[str]:
    size = seen.buffer.elements
    for count, where in ((seen.guard_after, "past its end"), (seen.guard_before, "before its start")):
        if count:
            yield f"{_elements(count)} {where} of {seen.name}, which has {size:,}, {_was(count)} changed"
    if seen.between:
        yield f"{_elements(seen.between)} between the rows of {seen.name} {_was(seen.between)} changed"


def _different(seen: Seen) -> Iterator[str]:
    wrong = seen.wrong
    at = _first(wrong)
    name = f"{seen.name}[{_index(seen, at)}]"
    count = int(np.count_nonzero(wrong))
    if not seen.output:
        yield f"{name} is {_value(seen.got[at])}, and was {_value(seen.before[at])}: the kernel may only read it"
    elif seen.untouched[at]:
        was = f"still {_value(seen.before[at])}" if seen.buffer.before is not None else "not written"
        yield f"{name} is {was}; expected {_value(_expected(seen)[at])}"
    else:
        yield f"{name} is {_value(seen.got[at])}; expected {_value(_expected(seen)[at])}"
    of = f"{count:,} of {wrong.size:,} elements of {seen.name}"
    missing = int(np.count_nonzero(seen.untouched))
    if count > 1 or wrong.size > 1:
        how = "" if not missing or missing == count else f", {missing:,} of them not written"
        yield f"{of} {'is' if count == 1 else 'are'} wrong{how}"
    if seen.moved:
        yield f"The same launch once more gave other values in {seen.name}"
    if seen.leaked:
        yield f"The values in {seen.name} depend on what the memory held before"


def _expected(seen: Seen) -> np.ndarray:
    assert seen.buffer.expected is not None
    return seen.buffer.expected.astype(seen.buffer.dtype)


def _first(wrong: Flags) -> tuple[int, ...]:
    return tuple(int(axis) for axis in np.unravel_index(int(wrong.argmax()), wrong.shape))


def _index(seen: Seen, at: tuple[int, ...]) -> str:
    """As the kernel counts, in one dimension; row and column in two."""
    if len(at) == 1:
        return str(at[0] + seen.buffer.start)
    return ", ".join(f"{word} {axis}" for word, axis in zip(("row", "column"), at[-2:], strict=True))


def _value(value: np.generic) -> str:
    return str(value)


def _elements(count: int) -> str:
    return "1 element" if count == 1 else f"{count:,} elements"


def _was(count: int) -> str:
    return "was" if count == 1 else "were"
