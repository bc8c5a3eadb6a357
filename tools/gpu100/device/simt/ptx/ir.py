"""PTX as data: what the parser gives and everything after it reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

WIDTHS = {"pred": 1} | {f"{kind}{bits}": bits for kind in "busf" for bits in (8, 16, 32, 64)}
"""Bits of a scalar type; packed types have those of their whole."""
WIDTHS |= {"b128": 128, "f16x2": 32, "bf16": 16, "bf16x2": 32, "u16x2": 32, "s16x2": 32, "tf32": 32}

SPACES = ("global", "shared", "local", "const", "param")


@dataclass(frozen=True, slots=True)
class Location:
    """A line of the CUDA C++ source that an instruction comes from."""

    file: str
    line: int
    """Counted from 1; 0 where the compiler ties an instruction to no line."""
    column: int = 0
    caller: Location | None = None
    """Where the function that the line is in was inlined."""

    @property
    def outermost(self) -> Location:
        """The line of the kernel's own text, whatever was inlined there."""
        return self.caller.outermost if self.caller else self

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Register:
    """A register, such as ``%r1``. In braces of its own it has a name of its own."""

    name: str


@dataclass(frozen=True, slots=True)
class Special:
    """A register the hardware fills, such as ``%tid.x`` or ``%laneid``."""

    name: str


@dataclass(frozen=True, slots=True)
class Immediate:
    """A constant in an instruction: an integer, or the bits of a floating-point number."""

    value: int
    """The integer as written (it may be negative), or the float's bits."""
    float_bits: int = 0
    """32 or 64 where ``value`` is the bits of a float of that width (``0f3F800000``), else 0."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """The address of a variable, a function or a parameter, plus an offset in bytes."""

    name: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Memory:
    """What brackets hold: ``[%rd1+8]``, ``[buffer+4]``, ``[param0]``."""

    base: Register | Symbol | Immediate
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Vector:
    """Several operands in braces, as those of ``ld.global.v4.f32``."""

    elements: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """A destination with a predicate beside it: ``%r1|%p1``. Either may be ``_``."""

    first: Operand
    second: Operand


@dataclass(frozen=True, slots=True)
class Negated:
    """A predicate as its opposite: ``!%p1``."""

    register: Register


@dataclass(frozen=True, slots=True)
class Label:
    """The target of a branch."""

    name: str


@dataclass(frozen=True, slots=True)
class Sink:
    """``_``: a result that nobody wants."""


Operand = Register | Special | Immediate | Symbol | Memory | Vector | Pair | Negated | Label | Sink


@dataclass(frozen=True, slots=True)
class Call:
    """The operands of a ``call``."""

    target: Symbol | Register
    """The function, or the register that holds its address."""
    returns: tuple[str, ...]
    """Names of the ``.param`` variables that take results."""
    arguments: tuple[str, ...]
    """Names of the ``.param`` variables that hold arguments."""
    candidates: tuple[str, ...] = ()
    """For an indirect call: what its prototype or target list names, if anything."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction. ``ld.global.v2.f32 {%f1, %f2}, [%rd1+8];`` under ``@%p1``."""

    opcode: str
    """The first word: ``ld``."""
    modifiers: tuple[str, ...]
    """The others, in order: ``("global", "v2", "f32")``; ``::`` stays inside (``shared::cta``)."""
    operands: tuple[Operand, ...]
    """Destination first. For ``call`` empty."""
    predicate: Register | None = None
    """Executed only by lanes in which it is true."""
    negated: bool = False
    """Only by those in which it is false, rather."""
    location: Location | None = None
    line: int = 0
    """In the PTX text, counted from 1."""
    call: Call | None = None

    @property
    def type(self) -> str:
        """The last modifier that is a type: what most instructions compute in."""
        return next((word for word in reversed(self.modifiers) if word in WIDTHS), "")

    @property
    def name(self) -> str:
        """As written: ``ld.global.v2.f32``."""
        return ".".join((self.opcode, *self.modifiers))

    def has(self, modifier: str) -> bool:
        """Whether ``modifier`` is among the words after the opcode."""
        return modifier in self.modifiers


@dataclass(frozen=True, slots=True)
class Variable:
    """Something with an address: a variable of a memory space, or a parameter."""

    name: str
    space: str
    """One of :data:`SPACES`."""
    nbytes: int
    """0 for dynamic shared memory (``extern``, without a size)."""
    align: int
    initial: bytes | None = None
    """Its first content; shorter than ``nbytes`` where the rest is zeros."""
    addresses: tuple[tuple[int, str, int], ...] = ()
    """Places in it that hold another symbol's address: (offset, symbol, addend)."""
    extern: bool = False
    type: str = "b8"
    """The declared element type."""


@dataclass(frozen=True)
class Function:
    """A kernel or a device function."""

    name: str
    entry: bool
    """Whether it is a kernel."""
    parameters: tuple[Variable, ...]
    returns: tuple[Variable, ...]
    registers: dict[str, str]
    """Type by register name. From ``compute_100`` on, floats too live in ``b32`` and ``b64``."""
    variables: dict[str, Variable]
    """Its own ``.local``, ``.shared`` and ``.param`` variables by name."""
    body: tuple[Instruction | Label, ...]
    """Instructions, with labels before those that are branched to."""
    tables: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """``.branchtargets`` and ``.calltargets`` lists by their label."""
    extern: bool = False
    """Declared but not defined here: ``vprintf``, ``__assertfail``."""
    directives: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Such as ``maxntid``, ``reqntid``, ``minnctapersm``, ``reqnctapercluster``, with their numbers."""


@dataclass(frozen=True)
class Module:
    """One translation unit."""

    version: tuple[int, int]
    target: str
    """``sm_90``"""
    functions: dict[str, Function]
    variables: dict[str, Variable]
    """Module-scope ``.global``, ``.const`` and ``.shared`` variables by name."""
    aliases: dict[str, str] = field(default_factory=dict)

    @cached_property
    def kernels(self) -> dict[str, Function]:
        return {name: function for name, function in self.functions.items() if function.entry}
