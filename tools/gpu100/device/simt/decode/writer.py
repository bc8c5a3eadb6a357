"""One basic block as the text of a Python function."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpu100.device.simt.decode import lane_ops, ops
from gpu100.device.simt.decode.elements import DTYPES, code_of, kept_as
from gpu100.device.simt.decode.flow import Block
from gpu100.device.simt.decode.layout import address_of
from gpu100.device.simt.decode.liveness import defined
from gpu100.device.simt.decode.passing import PASSED, width_of
from gpu100.device.simt.faults import NotModeled, not_modeled
from gpu100.device.simt.ptx.ir import (
    WIDTHS,
    Function,
    Immediate,
    Instruction,
    Negated,
    Operand,
    Register,
    Sink,
    Special,
    Symbol,
)

if TYPE_CHECKING:
    from gpu100.device.simt.decode.emit import Emitter


class _Local:
    """A register's current value in the block: a Python name and what is known of it."""

    __slots__ = ("code", "fresh", "full", "name", "views")

    def __init__(self, name: str, code: str, *, full: bool, fresh: bool) -> None:
        self.name = name
        self.code = code
        self.full = full
        """Whether it surely has one element for each lane."""
        self.fresh = fresh
        """Whether no other register can share its memory."""
        self.views: dict[str, str] = {}


class BlockWriter:
    """Writes one block; implements the ops' Context."""

    def __init__(self, emitter: Emitter, function: Function, live_out: frozenset[str]) -> None:
        self.emitter = emitter
        self.function = function
        self.reduction: int | None = None
        self.instruction: Instruction = Instruction("nop", (), ())
        self._live_out = live_out
        self._lines: list[str] = []
        self._loads: dict[str, int] = {}
        self._locals: dict[str, _Local] = {}
        self._written: set[str] = set()
        self._specials: dict[str, str] = {}
        self._names = 0
        self._full = False
        self._prologue = False

    # What instructions are written with

    def read(self, operand: Operand, type: str) -> str:
        """An expression for ``operand`` as ``type``."""
        code = code_of(type)
        match operand:
            case Immediate():
                return self._immediate(operand, type)
            case Register(name):
                return self._as(self._local(name), code)
            case Negated(Register(name)):
                return f"~{self._as(self._local(name), 'b1')}"
            case Special(name):
                return self._special(name, code)
            case Symbol():
                return self._symbol(operand, code)
            case _:
                raise not_modeled(self.instruction)

    def write(self, operand: Operand, expression: str, type: str) -> None:
        """Assign ``expression`` of ``type`` to a register."""
        self._assign(operand, expression, type, full=self._full, fresh=True)

    def alias(self, operand: Operand, expression: str, type: str) -> None:
        """The same, where ``expression`` may be another register's very array."""
        self._assign(operand, expression, type, full=self._full, fresh=False)

    def write_lanes(self, operand: Operand, expression: str, type: str) -> None:
        """The same, where ``expression`` surely has an element for each lane."""
        self._assign(operand, expression, type, full=True, fresh=True)

    def temp(self, expression: str) -> str:
        """A new name for ``expression``."""
        self._names += 1
        self.line(f"t{self._names} = {expression}")
        return f"t{self._names}"

    def declared(self, operand: Operand) -> str:
        """The declared type of a register."""
        if isinstance(operand, Register):
            return self._declared(operand.name)
        return self.instruction.type

    def line(self, text: str) -> None:
        """A statement."""
        self._lines.append(text)

    def mask(self) -> str:
        """The current instruction's predicate, or ``None``."""
        predicate = self.instruction.predicate
        if predicate is None:
            return "None"
        return self.read(Negated(predicate) if self.instruction.negated else predicate, "pred")

    def wanted(self, operand: Operand) -> bool:
        """Whether any instruction reads the register ``operand``."""
        read = self.emitter.read_somewhere[self.function.name]
        return isinstance(operand, Register) and (operand.name in read or operand.name.startswith(PASSED))

    # Whole functions

    def block(self, block: Block) -> str:
        """``def blockN(X)``, and ``def gateN(X)`` where lanes must meet first."""
        gate = self._gate(block) if block.gate else ""
        for item in block.instructions:
            self._one(item)
        returned = self._ending(block)
        self._flush(block)
        body = [*self._gathered(), *self._lines, *self._stores(block), *([f"return {returned}"] if returned else [])]
        return f"def block{block.index}(X):\n" + _indent(body or ["pass"]) + gate

    def prologue(self, items: list[Instruction]) -> str:
        """``def uniform()``, which leaves each result in a global name."""
        self._prologue = True
        for item in items:
            self._one(item)
        names = []
        for item in items:
            for register in defined(item):
                name = uniform_name(register)
                local = self._locals[register]
                self.line(f"{name} = np.atleast_1d({self._as(local, code_of(kept_as(self._declared(register))))})")
                names.append(name)
        declared = [f"global {', '.join(names)}"] if names else []
        return "def uniform():\n" + _indent([*declared, *self._lines] or ["pass"])

    def _gate(self, block: Block) -> str:
        writer = BlockWriter(self.emitter, self.function, frozenset())
        writer.instruction = block.instructions[0]
        mask = writer.read(lane_ops.member_mask(block.instructions[0]), "b32")
        return f"def gate{block.index}(X):\n" + _indent([*writer._gathered(), *writer._lines, f"return {mask}"])

    def _one(self, item: Instruction) -> None:
        if not self._prologue and _hoisted(item, self.emitter.uniform, self.function):
            return
        self.instruction = item
        self._full = False
        lane_op = lane_ops.find(item)
        if lane_op is not None:
            lane_op(item, self)
        else:
            ops.emitter(item)(item, self)

    def _ending(self, block: Block) -> str | None:
        """What the function returns, as the scheduler expects it for this kind of ending."""
        last = block.last
        if last is None or block.end in ("next", "exit", "return", "trap"):
            return None
        self.instruction = last
        if block.end == "branch":
            return self.temp(self.mask())
        if block.end == "table":
            return self.temp(self.read(last.operands[0], "u32"))
        if block.end == "call":
            assert last.call is not None
            target = last.call.target
            return self.temp(self.read(target, "u64")) if isinstance(target, Register) else None
        return lane_ops.barrier(last, self)

    def _flush(self, block: Block) -> None:
        if block.last is not None and block.end == "barrier" and block.last.has("red"):
            (register,) = defined(block.last)
            self.reduction = self._slot(register)

    # Registers

    def _declared(self, register: str) -> str:
        if register.startswith(("%own", *PASSED)):
            return width_of(register)
        if register == "%cc":
            return "b32"
        try:
            return self.function.registers[register]
        except KeyError:
            raise NotModeled(f"the register {register}", self.instruction.location) from None

    def _slot(self, register: str) -> int:
        dtype = DTYPES[code_of(kept_as(self._declared(register)))]
        return self.emitter.slot(self.function.name, register, dtype)

    def _local(self, register: str) -> _Local:
        """The register's value, taken from ``R`` where the block has not written it."""
        local = self._locals.get(register)
        if local is None:
            code = code_of(kept_as(self._declared(register)))
            if self.function.entry and register in self.emitter.uniform:
                local = _Local(uniform_name(register), code, full=False, fresh=False)
            else:
                slot = self._slot(register)
                self._loads[register] = slot
                local = _Local(f"r{slot}", code, full=True, fresh=False)
            self._locals[register] = local
        return local

    def _as(self, local: _Local, code: str) -> str:
        """``local`` seen as another element type."""
        self._full |= local.full
        if code == local.code:
            return local.name
        if code in local.views:
            return local.views[code]
        have, want = DTYPES[local.code].itemsize, DTYPES[code].itemsize
        if "b1" in (local.code, code) or want > have:
            raise NotModeled(f"{self.instruction.name} on a register of another width", self.instruction.location)
        if want == have:
            name = self.temp(f"{local.name}.view({code})")
        else:
            name = self.temp(f"{local.name}.view(u{have}).astype(u{want}).view({code})")
        local.views[code] = name
        return name

    def _assign(self, operand: Operand, expression: str, type: str, *, full: bool, fresh: bool) -> None:
        if isinstance(operand, Sink):
            return
        if not isinstance(operand, Register):
            raise not_modeled(self.instruction)
        register, code = operand.name, code_of(type)
        declared = self._declared(register)
        have, want = WIDTHS[type], WIDTHS[declared]
        if have < want and "pred" not in (type, declared):
            wider = f"{'i' if code[0] == 'i' else 'u'}{want // 8}"
            bits = expression if code[0] in "iu" else f"({expression}).view(u{have // 8})"
            expression, code, fresh = f"({bits}).astype({wider})", wider, True
        elif have != want:
            raise NotModeled(f"{self.instruction.name} into a register of another width", self.instruction.location)
        if self.instruction.predicate is not None:
            expression, full, fresh = self._merged(register, expression, code), True, True
        self._names += 1
        name = f"v{self._names}"
        self.line(f"{name} = {expression}")
        self._locals[register] = _Local(name, code, full=full, fresh=fresh)
        self._written.add(register)

    def _merged(self, register: str, expression: str, code: str) -> str:
        """Lanes whose predicate does not hold keep what they had."""
        return f"np.where({self.mask()}, {expression}, {self._as(self._local(register), code)})"

    # Other operands

    def _immediate(self, operand: Immediate, type: str) -> str:
        code = code_of(type)
        if code == "b1":
            return self.emitter.constant(np.bool_(operand.value))
        size = DTYPES[code].itemsize
        if code[0] == "f" and not operand.float_bits:
            return self.emitter.constant(DTYPES[code].type(operand.value))
        if operand.float_bits and operand.float_bits != 8 * size:
            raise not_modeled(self.instruction)
        bits = np.array(operand.value & ((1 << 8 * size) - 1), f"u{size}")
        return self.emitter.constant(DTYPES[code].type(bits.view(DTYPES[code])))

    def _special(self, name: str, code: str) -> str:
        if name not in self._specials:
            method = lane_ops.special(name, self.instruction)
            call = f"S.{method}()" if method in lane_ops.LAUNCH_WIDE else f"S.{method}(X)"
            # Launch-wide ones are not kept: the same text serves the prologue, which has no lanes.
            self._specials[name] = self.temp(call)
        self._full |= lane_ops.special(name, self.instruction) not in lane_ops.LAUNCH_WIDE
        have = lane_ops.special_code(name)
        value = self._specials[name]
        return value if have == code else f"{value}.astype({code})"

    def _symbol(self, operand: Symbol, code: str) -> str:
        space, address = address_of(self.emitter.layout, self.function, operand.name)
        if space == "param":
            return f"S.parameter_address({address + operand.offset}, {code})"
        if space == "local" and self.emitter.program.recursive and not self.function.entry:
            self._full = True
            return f"S.frame(X, {address + operand.offset}, {code})"
        return self.emitter.constant_object(np.array([address + operand.offset], DTYPES[code]))

    # The function's first and last lines

    def _gathered(self) -> list[str]:
        if not self._loads:
            return []
        slots = sorted(self._loads.values())
        every = [f"    r{slot} = R[{slot}]" for slot in slots]
        some = [f"    r{slot} = R[{slot}].take(X)" for slot in slots]
        return ["if X is None:", *every, "else:", *some]

    def _stores(self, block: Block) -> list[str]:
        every, some = [], []
        for register in sorted(self._written):
            passed = register.startswith(PASSED)
            if not passed and register not in self._live_out:
                continue
            if not passed and self.function.entry and register in self.emitter.uniform:
                continue
            local, slot = self._locals[register], self._slot(register)
            stored = code_of(kept_as(self._declared(register)))
            value = local.name if local.code == stored else f"{local.name}.view({stored})"
            every.append(f"    R[{slot}] = {value if local.full and local.fresh else f'S.own({value})'}")
            some.append(f"    S.put({slot}, X, {value})")
        return ["if X is None:", *every, "else:", *some] if every else []


def uniform_name(register: str) -> str:
    """The global name of a launch-uniform register."""
    return "u_" + register.removeprefix("%").replace("$", "_").replace(".", "_").replace("%", "_")


def _hoisted(item: Instruction, uniform: set[str], function: Function) -> bool:
    names = list(defined(item))
    return function.entry and bool(names) and all(name in uniform for name in names)


def _indent(lines: list[str]) -> str:
    return "".join(f"    {line}\n" for line in lines)
