"""Names and operands of one function's PTX."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass

from gpu100.device.simt.faults import NotModeled
from gpu100.device.simt.ptx.ir import (
    WIDTHS,
    Immediate,
    Label,
    Memory,
    Negated,
    Operand,
    Pair,
    Register,
    Sink,
    Special,
    Symbol,
    Vector,
)
from gpu100.device.simt.ptx.lexical import NAME, Malformed, excerpt, immediate, integer

WARP_SIZE = 32

_SPECIAL = re.compile(
    r"%(?:(?:n?tid|n?ctaid|n?clusterid|cluster_n?ctaid)(?:\.[xyzw])?|laneid|n?warpid|n?smid|gridid"
    r"|cluster_n?ctarank|is_explicit_cluster|clock(?:_hi|64)?|globaltimer(?:_lo|_hi)?|lanemask_(?:eq|le|lt|ge|gt)"
    r"|(?:dynamic|total|aggr)_smem_size|reserved_smem_offset_\w+|current_graph_exec|envreg\d+|pm\d(?:_64)?)",
    re.A,
)
_DECLARED = re.compile(rf"\s*({NAME})\s*(?:<\s*(\d{{1,9}})\s*>)?\s*", re.A)
_MEMORY = re.compile(r"\[\s*([^\s+\[\]{},-]+)\s*(?:([+-])\s*(-?\s*\w+)\s*)?\]", re.A)
_ADDRESS = re.compile(rf"({NAME}(?:\.\w+)?)\s*(?:([+-])\s*(-?\s*\w+))?", re.A)
_NEGATED = re.compile(rf"!\s*({NAME})", re.A)
_OPERANDS = re.compile(r"(?:[^,{}\[\]]++|\{[^{}]*+\}|\[(?:[^\[\]{}]++|\{[^{}]*+\})*+\])+")
_MOST_DIGITS = 9
_MOST_RANGES = 64
"""How many ranges of one name inside another are looked at: nothing but text that was made for it has more."""


@dataclass(frozen=True, slots=True)
class _Meaning:
    depth: int
    """How many braces it was declared in: the innermost counts."""
    operand: Operand
    """A whole range of registers is one by the name before their numbers."""
    type: str = ""
    count: int = 0
    """Of a range, such as the 78 of ``%r<78>``."""
    suffix: str = ""


@dataclass(slots=True)
class _Scope:
    suffix: str
    """What names declared here get behind them."""
    cache: dict[str, Operand]
    """That of the braces around it."""
    names: list[str]


class Names:
    """What names mean at one point of a function, and operands made of them.

    A register, label or variable that is declared in braces of its own, as inline assembly and calls
    do, gets a name of its own: ``param0`` in the function's third pair of braces is ``param0.3``.
    """

    def __init__(self, known: Container[str]) -> None:
        """``known`` are the variables and functions of the module."""
        self.registers: dict[str, str] = {}
        """The type of every register that an instruction uses."""
        self._known = known
        self._cache: dict[str, Operand] = {}
        self._meanings: dict[str, list[_Meaning]] = {}
        self._scopes = [_Scope("", self._cache, [])]
        self._opened = 0

    def open(self, labels: Iterable[str]) -> None:
        """A brace opens; ``labels`` are those that stand between it and its other one."""
        self._opened += 1
        self._scopes.append(_Scope(f".{self._opened}", self._cache, []))
        self.declare_labels(labels)

    def close(self) -> None:
        """The latest brace closes."""
        scope = self._scopes.pop()
        self._cache = scope.cache
        for name in scope.names:
            self._meanings[name].pop()

    def declare_labels(self, labels: Iterable[str]) -> None:
        """Those of the innermost braces."""
        for name in labels:
            self._declare(name, Label(name + self._scopes[-1].suffix))

    def declare_variable(self, name: str) -> str:
        """The name that a variable or a parameter of the innermost braces has in the function."""
        unique = name + self._scopes[-1].suffix
        self._declare(name, Symbol(unique))
        return unique

    def declare_registers(self, text: str) -> None:
        """``.b32 %r<78>, t`` declares registers."""
        dotted, _, names = text.strip().partition(" ")
        type = dotted.removeprefix(".")
        if type not in WIDTHS or dotted == type:
            raise NotModeled(f"registers of type {dotted}")
        for each in names.split(","):
            match = _DECLARED.fullmatch(each)
            if match is None:
                raise Malformed(f"{excerpt(each)} is not the name of a register")
            if match[2]:
                self._declare(match[1] + "<", Register(match[1]), type, int(match[2]))
            else:
                self._declare(match[1], Register(match[1] + self._scopes[-1].suffix), type)

    def _declare(self, name: str, operand: Operand, type: str = "", count: int = 0) -> None:
        depth = len(self._scopes)
        meanings = self._meanings.setdefault(name, [])
        if meanings and meanings[-1].depth == depth:
            raise Malformed(f"{excerpt(name.rstrip('<'))} is declared twice")
        scope = self._scopes[-1]
        meanings.append(_Meaning(depth, operand, type, count, scope.suffix))
        scope.names.append(name)
        # What stands outside these braces goes on with its own.
        self._cache = {}

    def resolve(self, name: str) -> Operand:
        """What a name stands for here."""
        meanings = self._meanings.get(name)
        meaning = meanings[-1] if meanings else None
        digits = min(len(name) - len(name.rstrip("0123456789")), _MOST_DIGITS)
        for cut in range(len(name) - digits, len(name)):
            meaning = self._in_range(name[:cut], name[cut:], meaning) or meaning
        if meaning is not None:
            operand = Register(name + meaning.suffix) if meaning.count else meaning.operand
            if isinstance(operand, Register):
                self.registers[operand.name] = meaning.type
            return operand
        if name == "WARP_SZ":
            return Immediate(WARP_SIZE)
        if _SPECIAL.fullmatch(name):
            return Special(name)
        if name in self._known:
            return Symbol(name)
        raise Malformed(f"{excerpt(name)} is not declared")

    def _in_range(self, prefix: str, number: str, unless: _Meaning | None) -> _Meaning | None:
        """The meaning of ``%r12`` by ``%r<78>``, unless that of the name itself is from deeper in."""
        meanings = self._meanings.get(prefix + "<")
        if not meanings or (number[0] == "0" and number != "0"):
            return None
        # The range of that name in the innermost braces may be too short.
        found = next((each for each in meanings[: -_MOST_RANGES - 1 : -1] if int(number) < each.count), None)
        return None if found and unless and unless.depth >= found.depth else found

    def predicate(self, name: str) -> Register:
        """The register that an instruction is under."""
        operand = self.resolve(name)
        if not isinstance(operand, Register) or self.registers[operand.name] != "pred":
            raise Malformed(f"{excerpt(name)} is not a predicate")
        return operand

    def operands(self, text: str) -> tuple[Operand, ...]:
        """All operands of an instruction."""
        if not text:
            return ()
        return tuple(map(self.operand, split(text) if "{" in text else text.split(",")))

    def operand(self, text: str) -> Operand:
        """One operand, as it stands between commas."""
        text = text.strip()
        found = self._cache.get(text)
        if found is None:
            found = self._cache[text] = self._read(text)
        return found

    def _read(self, text: str) -> Operand:
        first = text[:1]
        if first == "{" and text.endswith("}"):
            return Vector(tuple(map(self.operand, text[1:-1].split(","))))
        if first == "[":
            return self._memory(text)
        if text == "_":
            return Sink()
        if text.count("|") == 1:
            return Pair(*map(self.operand, text.split("|")))
        if first == "!" and (match := _NEGATED.fullmatch(text)):
            return Negated(self.predicate(match[1]))
        if not text:
            raise Malformed("an operand is missing")
        match = _ADDRESS.fullmatch(text)
        if match is None:
            return immediate(text)
        operand = self.resolve(match[1])
        if not match[2]:
            return operand
        if not isinstance(operand, Symbol):
            raise Malformed(f"{excerpt(text)} adds to what is not an address")
        return Symbol(operand.name, _offset(match[2], match[3]))

    def _memory(self, text: str) -> Memory:
        match = _MEMORY.fullmatch(text)
        if match is None:
            if "," in text:
                raise NotModeled(f"the address {excerpt(text)}")
            raise Malformed(f"{excerpt(text)} is not an address")
        base = self.operand(match[1])
        if not isinstance(base, (Register, Symbol, Immediate)) or (isinstance(base, Immediate) and base.float_bits):
            raise Malformed(f"{excerpt(text)} is not an address")
        return Memory(base, _offset(match[2], match[3]) if match[2] else 0)


def split(text: str) -> list[str]:
    """``text`` at its commas, other than those in braces and brackets."""
    parts = _OPERANDS.findall(text)
    if sum(map(len, parts)) + len(parts) - 1 != len(text):
        raise Malformed(f"{excerpt(text)} are not operands")
    return parts


def _offset(sign: str, digits: str) -> int:
    return -integer(digits) if sign == "-" else integer(digits)
