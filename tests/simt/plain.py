"""PTX for the parser's tests: programs compiled, and a second, plain reading of the same text to compare with."""

from __future__ import annotations

import functools
import re
import struct
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path

from gpu100.device.interface import Source
from gpu100.device.nvrtc import compile_source
from gpu100.device.simt.ptx.ir import (
    Call,
    Function,
    Immediate,
    Instruction,
    Label,
    Location,
    Memory,
    Module,
    Negated,
    Operand,
    Pair,
    Register,
    Sink,
    Special,
    Symbol,
    Vector,
)
from gpu100.device.simt.ptx.parser import parse
from gpu100.model.behaviour import COMPILE_OPTIONS

FOLDER = Path(__file__).parent / "parser"
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"


@functools.cache
def compiled(name: str, arch: str) -> str:
    """The PTX of one of the programs of this folder."""
    source = Source.read(FOLDER / f"{name}.cu", None)
    return compile_source(source, arch, COMPILE_OPTIONS, target="ptx").decode()


def module(name: str, arch: str = "sm_90") -> Module:
    return parse(compiled(name, arch))


def kernel(text: str, head: str = "") -> Function:
    """A kernel of a few lines; the first is line 6."""
    registers = ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<4>; .reg .f32 %f<4>; .reg .f64 %fd<4>;"
    return parse(f"{HEAD}{head}.visible .entry k(.param .u64 k_param_0)\n{{ {registers}\n{text}\n}}\n").functions["k"]


def instructions(function: Function) -> list[Instruction]:
    return [each for each in function.body if isinstance(each, Instruction)]


def only(text: str) -> Instruction:
    """The one instruction that ``text`` is."""
    (instruction,) = instructions(kernel(text))
    return instruction


def number(value: Immediate) -> str:
    return (
        f"0{ {32: 'F', 64: 'D'}[value.float_bits] }{value.value:0{value.float_bits // 4}X}"
        if value.float_bits
        else str(value.value)
    )


def written(operand: Operand) -> str:
    match operand:
        case Register(name) | Label(name):
            return name
        case Special(name):
            return name
        case Immediate():
            return number(operand)
        case Symbol(name, offset):
            return name + (f"{offset:+d}" if offset else "")
        case Memory(base, offset):
            return f"[{written(base)}{f'{offset:+d}' if offset else ''}]"
        case Vector(elements):
            return "{" + ",".join(map(written, elements)) + "}"
        case Pair(first, second):
            return f"{written(first)}|{written(second)}"
        case Negated(register):
            return "!" + written(register)
        case Sink():
            return "_"
    raise AssertionError(operand)


def written_call(call: Call) -> str:
    returns = f"({','.join(call.returns)})," if call.returns else ""
    arguments = f",({','.join(call.arguments)})" if call.arguments else ""
    return returns + written(call.target) + arguments


def written_again(part: Instruction | Label) -> str:
    """A part of a function's body in one certain way."""
    if isinstance(part, Label):
        return f"{part.name}:"
    guard = f"@{'!' * part.negated}{part.predicate.name} " if part.predicate else ""
    operands = written_call(part.call) if part.call else ",".join(map(written, part.operands))
    return f"{guard}{part.name} {operands}".rstrip()


def canonical_number(match: re.Match[str]) -> str:
    text = match[0]
    if re.match(r"0[fdFD]", text):
        return text.upper()
    if re.search(r"\.|^\d+e", text):
        return f"0D{struct.unpack('<Q', struct.pack('<d', float(text)))[0]:016X}"
    text = text.removesuffix("U")
    return str(int(text, 8) if re.fullmatch(r"0\d+", text) else int(text, 0))


def canonical(statement: str, named: Callable[[re.Match[str]], str]) -> str:
    """An instruction as NVRTC or a person wrote it, in that way."""
    match = re.fullmatch(r"(?:(@!?)([%$\w]+)\s+)?([\w.:]+)\s*(.*)", statement, re.S)
    assert match, statement
    guard = f"{match[1]}{re.sub('.+', named, match[2])} " if match[1] else ""
    operands = re.sub(r"\s", "", match[4])
    if match[3].startswith("call"):
        operands = re.sub(r",prototype_\d+$", "", operands)
    operands = re.sub(
        r"-?(?<![\w$%.])(0[fFdD][0-9a-fA-F]+|0[xX]\w+|0b[01]+|\d+\.\d+(e\d+)?|\d+)(?!\w)U?", canonical_number, operands
    )
    operands = operands.replace("+-", "-").replace("+0]", "]").replace("WARP_SZ", "32")
    operands = re.sub(r"(?<!\w)[%$A-Za-z_][$\w]*", named, operands)
    return f"{guard}{match[3]} {operands}".rstrip()


def body_of(text: str, name: str) -> str:
    """What stands between the braces of a function that is defined in ``text``."""
    (start,) = (m.end() for m in re.finditer(rf"\.(?:entry|func)[^;{{}}]*?\b{re.escape(name)}\s*\([^;{{}}]*\{{", text))
    depth = 1
    for match in re.compile("[{}]").finditer(text, start):
        depth += {"{": 1, "}": -1}[match[0]]
        if not depth:
            return text[start : match.start()]
    raise AssertionError(name)


def declared(directive: str) -> set[str]:
    """The names that a directive in a body declares."""
    if match := re.fullmatch(r"\.reg\s+\.\w+\s+(.*)", directive, re.S):
        names = [re.fullmatch(r"\s*([%$\w]+)(?:<(\d+)>)?\s*", each) for each in match[1].split(",")]
        return {f"{each[1]}{i}" if each[2] else each[1] for each in names if each for i in range(int(each[2] or 1))}
    match = re.fullmatch(r"\.(?:local|shared|param)\s.*?([%$\w]+)(?:\[\d+\])*", directive, re.S)
    return {match[1]} if match else set()


def statements(ptx: str, name: str) -> list[str]:
    """The instructions and labels of a function, taken from its text by other means than the parser's.

    A name is followed by the number of the braces it is declared in, other than the body's own.
    """
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", ptx)
    text = re.sub(r"^\s*\.loc[^\n]*", " ", body_of(text, name), flags=re.M)
    names: list[set[str]] = [set()]
    path = [0]
    found: list[tuple[list[int], str]] = []
    for piece in text.split(";"):
        while match := re.match(r"\s*(?:([{}])|([$%\w]+)\s*:(?!:))", piece):
            piece = piece[match.end() :]
            if match[1] == "{":
                path = [*path, len(names)]
                names.append(set())
            elif match[1]:
                path = path[:-1]
            else:
                names[path[-1]].add(match[2])
                found.append((path, f"{match[2]}:"))
        piece = piece.strip()
        if re.match(r"\.(call|branch)\w+", piece):
            found.pop()
        elif piece.startswith("."):
            names[path[-1]] |= declared(piece)
        elif piece:
            found.append((path, piece))
    return [_unique(path, names, piece) for path, piece in found]


def _unique(path: list[int], names: list[set[str]], piece: str) -> str:
    def named(match: re.Match[str]) -> str:
        inner = next((each for each in reversed(path) if match[0] in names[each]), 0)
        return f"{match[0]}.{inner}" if inner else match[0]

    return re.sub(r"[^:]+", named, piece) if piece.endswith(":") else canonical(piece, named)


def differences(ptx: str, function: Function) -> list[tuple[str, str]]:
    """Where a function's instructions are not what stands in its text."""
    there, here = statements(ptx, function.name), list(map(written_again, function.body))
    return [(one, other) for one, other in zip_longest(there, here, fillvalue="") if one != other]


def callers(location: Location | None) -> list[Location]:
    """A place and those it is inlined at."""
    return [location, *callers(location.caller)] if location else []


def misplaced(ptx: str, function: Function) -> list[Instruction]:
    """Instructions that are not at the latest ``.loc`` before their line, or whose line is another's."""
    lines = ptx.splitlines()
    files = dict(re.findall(r'\.file\s+(\d+) "(.*)"', ptx))
    wrong = []
    for each in instructions(function):
        above = (re.match(r"\s*\.loc\s+(\d+) (\d+) (\d+)", line) for line in lines[: each.line][::-1])
        file, line, column = next(match for match in above if match).groups()
        assert each.location
        expected = Location(files[file], int(line), int(column), each.location.caller)
        if each.location != expected or each.name not in lines[each.line - 1]:
            wrong.append(each)
    return wrong
