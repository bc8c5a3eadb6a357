"""Runs one instruction over lanes and holds every lane against a reference in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from types import CodeType
from typing import Any

import numpy as np
from gpu100.device.simt.decode import arithmetic
from gpu100.device.simt.decode.ops import emitter
from gpu100.device.simt.ptx.ir import WIDTHS, Immediate, Instruction, Negated, Operand, Pair, Register, Sink, Vector

from simt.exact import FORMATS

Lanes = np.ndarray[Any, Any]
Reference = Callable[..., Any]
CARRY = "cc"


def dtype(type: str) -> Any:
    if type == "pred":
        return np.dtype(np.bool_)
    bits = WIDTHS[type]
    if type in ("f16", "f32", "f64"):
        return np.dtype(f"f{bits // 8}")
    return np.dtype(f"{'i' if type in ('s8', 's16', 's32', 's64') else 'u'}{bits // 8}")


@dataclass(frozen=True)
class Case:
    """An instruction and what it means. Values are bits, as Python integers without a sign."""

    name: str
    sources: tuple[str, ...]
    results: tuple[str, ...]
    reference: Reference
    """From one lane's sources to its result, or results; a callable result judges the bits itself."""
    shape: str = "plain"
    """``pair``: ``%d0|%d1``; ``pack`` and ``unpack``: braces around sources or destinations; ``negated``: ``!%s2``."""
    constants: tuple[int, ...] = ()
    """Operands after the sources that are always immediates."""

    @property
    def instruction(self) -> Instruction:
        return self.written(None)

    def written(self, constant: int | None) -> Instruction:
        """With the last source as an immediate, if ``constant`` is given."""
        operands: list[Operand] = [Register(f"s{k}") for k, type in enumerate(self.sources) if type != CARRY]
        if constant is not None:
            operands[-1] = immediate(constant, self.sources[-1])
        targets: list[Operand] = [Register(f"d{k}") for k, type in enumerate(self.results) if type != CARRY]
        if self.shape == "pair":
            targets = [Pair(targets[0], targets[1])]
        elif self.shape == "unpack":
            targets = [Vector(tuple(targets))]
        if self.shape == "negated":
            operands[-1] = Negated(Register(f"s{len(operands) - 1}"))
        if self.shape == "pack":
            operands = [Vector(tuple(operands))]
        opcode, *modifiers = self.name.split(".")
        return Instruction(opcode, tuple(modifiers), (*targets, *operands, *map(Immediate, self.constants)))


def immediate(bits: int, type: str) -> Immediate:
    if type in ("f32", "f64"):
        return Immediate(bits, WIDTHS[type])
    width = WIDTHS.get(type, 32)
    negative = type[0] == "s" and bits >> width - 1
    return Immediate(bits - (1 << width) if negative else bits)


class Text:
    """A context that keeps the lines an emitter writes, to be run as they are."""

    def __init__(self, types: dict[str, str]) -> None:
        self.types = types
        self.lines: list[str] = []
        self.written = False

    def read(self, operand: Operand, type: str) -> str:
        assert not self.written, "a source is read after a destination was written"
        if isinstance(operand, Immediate):
            return _constant(operand, type)
        assert isinstance(operand, Register)
        return f"V({operand.name!r}, {type!r})"

    def write(self, operand: Operand, expression: str, type: str) -> None:
        self.written = True
        if not isinstance(operand, Sink):
            assert isinstance(operand, Register)
            self.lines.append(f"W({operand.name!r}, {expression}, {type!r})")

    alias = write

    def temp(self, expression: str) -> str:
        name = f"t{len(self.lines)}"
        self.lines.append(f"{name} = {expression}")
        return name

    def declared(self, operand: Operand) -> str:
        assert isinstance(operand, Register)
        return self.types[operand.name]


def _constant(operand: Immediate, type: str) -> str:
    if type == "pred":
        return f"np.bool_({bool(operand.value)})"
    bits = WIDTHS[type]
    plain = f"np.uint{bits}({operand.value % 2**bits})"
    return plain if dtype(type).kind == "u" else f"{plain}.view('{dtype(type).str}')"


@cache
def compiled(instruction: Instruction, types: tuple[tuple[str, str], ...]) -> CodeType:
    context = Text(dict(types))
    emitter(instruction)(instruction, context)
    return compile("\n".join(context.lines), instruction.name, "exec")


def run(case: Case, lanes: dict[str, Lanes], constant: int | None = None) -> list[list[int]]:
    """The results as bits, lane by lane."""
    names = {f"s{k}" if type != CARRY else "%cc": type for k, type in enumerate(case.sources)}
    results = {f"d{k}" if type != CARRY else "%cc": type for k, type in enumerate(case.results)}
    written: dict[str, Lanes] = {}

    def read(name: str, type: str) -> Lanes:
        value = lanes[name]
        if type == "pred":
            return value.view(np.bool_)
        assert value.dtype.itemsize * 8 == WIDTHS[type], f"{name} is read as {type}"
        return value.view(dtype(type))

    def write(name: str, value: Lanes, type: str) -> None:
        expected = dtype(type)
        assert isinstance(value, np.ndarray), f"{case.name} gives a {type_name(value)}"
        assert value.ndim == 1, f"{case.name} gives {value.ndim} dimensions"
        assert value.dtype == expected, f"{case.name} gives {value.dtype} as {type}"
        assert name in results, f"{case.name} writes {name}"
        width = WIDTHS["b32" if results[name] == CARRY else results[name]]
        assert WIDTHS[type] == width, f"{case.name} writes {type} to {results[name]}"
        written[name] = np.ascontiguousarray(value).view(f"u{expected.itemsize}")

    code = compiled(case.written(constant), tuple((names | results).items()))
    with np.errstate(all="ignore"):
        exec(code, {"np": np, "A": arithmetic, "V": read, "W": write})
    assert set(written) == set(results), f"{case.name} leaves a destination out"
    count = max(len(values) for values in (*lanes.values(), *written.values()))
    return [np.broadcast_to(written[name], count).tolist() for name in results]


def type_name(value: object) -> str:
    return type(value).__name__


def storage(type: str) -> str:
    """The dtype that holds a register's bits."""
    return "u1" if type == "pred" else f"u{WIDTHS.get(type, 32) // 8}"


def arrays(case: Case, rows: Sequence[Sequence[int]], uniform: int | None = None) -> dict[str, Lanes]:
    """Lanes that nobody may write to and that do not lie side by side; one source may be uniform."""
    result = {}
    for index, type in enumerate(case.sources):
        column = [rows[0][index]] if index == uniform else [row[index] for row in rows]
        values = np.repeat(np.array(column, storage(type)), 2)[::2]
        values.flags.writeable = False
        result["%cc" if type == CARRY else f"s{index}"] = values
    return result


def check(case: Case, rows: Sequence[tuple[int, ...]], form: str = "lanes") -> None:
    """Every lane is what the reference says.

    ``form``: ``lanes``; ``first`` or ``last`` for one source alike in all lanes; ``constant`` for a last
    source that is an immediate.
    """
    last = len(case.sources) - 1
    fixed = {"lanes": None, "first": 0, "last": last, "constant": last}[form]
    if fixed is not None:
        rows = [(*row[:fixed], rows[0][fixed], *row[fixed + 1 :]) for row in rows]
    constant = rows[0][last] if form == "constant" else None
    found = run(case, arrays(case, rows, fixed), constant)
    for lane, row in enumerate(rows):
        expected = case.reference(*row)
        expected = expected if isinstance(expected, tuple) else (expected,)
        for type, bits, wanted in zip(case.results, found, expected, strict=True):
            bits_here = bits[0] if len(bits) == 1 else bits[lane]
            assert agrees(type, bits_here, wanted), report(case, row, type, bits_here, wanted)


def agrees(type: str, found: int, wanted: Any) -> bool:
    if callable(wanted):
        return bool(wanted(found))
    if found == wanted:
        return True
    # Which NaN it is, is modelled for 16 bits only.
    if type in ("f32", "f64"):
        return FORMATS[type].decode(found).nan and FORMATS[type].decode(wanted).nan
    return False


def report(case: Case, row: Sequence[int], type: str, found: int, wanted: Any) -> str:
    sources = ", ".join(f"{value:#x}" for value in row)
    shown = wanted if callable(wanted) else f"{wanted:#x}"
    return f"{case.name} of {sources} as {type}: {found:#x}, not {shown}"
