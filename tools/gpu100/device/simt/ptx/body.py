"""The body of a PTX function: instructions with their source lines, labels, variables, tables."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass

from gpu100.device.simt.faults import NotModeled
from gpu100.device.simt.ptx.declarations import variables
from gpu100.device.simt.ptx.ir import Call, Instruction, Label, Location, Register, Symbol, Variable
from gpu100.device.simt.ptx.lexical import NAME, Malformed, PtxError, excerpt
from gpu100.device.simt.ptx.operands import Names
from gpu100.device.simt.ptx.statements import Item, Source, items

_INSTRUCTION = re.compile(
    rf"(?:@\s*(!?)\s*({NAME})\s*)?([a-z]\w*+(?:\.\w++(?:::\w++)*+)*+)(?![.:\w])\s*+(.*)", re.A | re.S
)
_CALL = re.compile(rf"(?:\(([^()]*)\)\s*,\s*)?({NAME})\s*(?:,\s*\(([^()]*)\)\s*)?(?:,\s*({NAME})\s*)?", re.A)
_DIRECTIVE = re.compile(r"\.(\w+)\s*(.*)", re.A | re.S)
_SPACES = {"local", "shared", "param", "global", "const"}
_MOST_CALLERS = 32
"""Longer chains of inlined calls are cut: nothing but text that was made for it has them."""


@dataclass(frozen=True)
class Body:
    """A function's body, as :class:`ptx.Function` has it."""

    registers: dict[str, str]
    variables: dict[str, Variable]
    body: tuple[Instruction | Label, ...]
    tables: dict[str, tuple[str, ...]]


def decode(source: Source, parameters: tuple[Variable, ...]) -> Body:
    """The body of a function with these parameters, those that take its results among them.

    Raises:
        PtxError: an assembler would refuse it too.
        NotModeled: it has an operand or a variable of a kind that the model does not have.
    """
    decoder = _Decoder(source)
    found, labels = items(source)
    line = source.line
    try:
        for each in parameters:
            decoder.names.declare_variable(each.name)
        decoder.names.declare_labels(labels)
        for item in found:
            line = item.line
            decoder.take(item)
    except Malformed as problem:
        raise PtxError(str(problem), line, decoder.location) from None
    except NotModeled as problem:
        raise NotModeled(problem.what, decoder.location) from None
    return decoder.finish()


class _Decoder:
    """A body as far as it has been read."""

    def __init__(self, source: Source) -> None:
        self.names = Names(source.symbols)
        self.location: Location | None = None
        self._files = source.files
        self._places: dict[tuple[int, ...], tuple[Location, int]] = {}
        # The words of a name such as ld.global.f32, of which a body has few.
        self._words: dict[str, tuple[str, tuple[str, ...]]] = {}
        # A label waits here until what follows shows that it is none of a table.
        self._label: Label | None = None
        self._branches: list[tuple[Instruction, str]] = []
        self._variables: dict[str, Variable] = {}
        self._tables: dict[str, tuple[str, ...]] = {}
        self._body: list[Instruction | Label] = []

    def take(self, item: Item) -> None:
        """The next part of the body."""
        text = item.match[item.kind]
        if item.kind == "statement" and text[0] == ".":
            self._directive(text)
            return
        self._keep_label()
        if item.kind == "statement":
            self._instruction(text, item.line)
        elif item.kind == "loc":
            self._locate(item.match)
        elif item.kind == "label":
            label = self.names.resolve(text)
            assert isinstance(label, Label)
            self._label = label
        elif text == "{":
            self.names.open(item.labels)
        elif text == "}":
            self.names.close()

    def finish(self) -> Body:
        """The whole, once every branch is known to go somewhere."""
        self._keep_label()
        labels = {each.name for each in self._body if isinstance(each, Label)}
        for instruction, name in self._branches:
            if name not in (self._tables if instruction.opcode == "brx" else labels):
                raise PtxError(f"{excerpt(name)} is nothing to branch to", instruction.line, instruction.location)
        return Body(self.names.registers, self._variables, tuple(self._body), self._tables)

    def _keep_label(self) -> None:
        if self._label is not None:
            self._body.append(self._label)
            self._label = None

    def _locate(self, match: re.Match[str]) -> None:
        """A ``.loc``. That of an inlined function names the line of its call, whose own ``.loc`` came before.

        Where one call stands in a function that is itself inlined at several places, only the
        order in the text tells which of them is meant: the latest.
        """
        numbers = [int(each) for each in match.groups()[1:7] if each is not None]
        place, at = tuple(numbers[:3]), tuple(numbers[3:])
        caller, callers = None, 0
        if at:
            caller, callers = self._places.get(at) or (self._at(at, None), 0)
            caller, callers = (None, 0) if callers >= _MOST_CALLERS else (caller, callers + 1)
        self.location = self._at(place, caller)
        self._places[place] = self.location, callers

    def _at(self, place: tuple[int, ...], caller: Location | None) -> Location:
        file, line, column = place
        return Location(self._files.get(file, ""), line, column, caller)

    def _directive(self, text: str) -> None:
        match = _DIRECTIVE.fullmatch(text)
        word, rest = (match[1], match[2]) if match else ("", "")
        if word in ("branchtargets", "calltargets", "callprototype"):
            if self._label is None:
                raise Malformed(f"{excerpt(text)} has no label")
            if word != "callprototype":
                self._tables[self._label.name] = tuple(self._named(each) for each in rest.split(","))
            self._label = None
            return
        self._keep_label()
        if word == "reg":
            self.names.declare_registers(rest)
        elif word in _SPACES:
            declared, _, initial = rest.partition("=")
            for each in variables(word, declared, initial or None):
                name = self.names.declare_variable(each.name)
                self._variables[name] = each if name == each.name else dataclasses.replace(each, name=name)
        elif word != "pragma":
            raise Malformed(f"{excerpt(text)} is no directive")

    def _named(self, name: str) -> str:
        """The name that a label or a function of a table has."""
        operand = self.names.resolve(name.strip())
        if not isinstance(operand, (Label, Symbol)):
            raise Malformed(f"{excerpt(name)} is nothing to go to")
        return operand.name

    def _instruction(self, text: str, line: int) -> None:
        match = _INSTRUCTION.fullmatch(text)
        if match is None:
            raise Malformed(f"{excerpt(text)} is no instruction")
        negated, predicate, name, rest = match.groups()
        words = self._words.get(name)
        if words is None:
            opcode, *modifiers = name.split(".")
            words = self._words[name] = opcode, tuple(modifiers)
        opcode = words[0]
        try:
            operands = () if opcode == "call" else self.names.operands(rest)
        except NotModeled as problem:
            raise NotModeled(f"{name} with {problem.what}") from None
        instruction = Instruction(
            *words,
            operands,
            self.names.predicate(predicate) if predicate else None,
            bool(negated),
            self.location,
            line,
            self._call(rest) if opcode == "call" else None,
        )
        if opcode in ("bra", "brx"):
            self._branch(instruction)
        self._body.append(instruction)

    def _branch(self, instruction: Instruction) -> None:
        target = instruction.operands[-1] if instruction.operands else None
        if not isinstance(target, Label):
            raise Malformed(f"{instruction.name} goes to no label")
        self._branches.append((instruction, target.name))

    def _call(self, text: str) -> Call:
        match = _CALL.fullmatch(text)
        if match is None:
            raise Malformed(f"{excerpt(text)} is nothing to call")
        returns, name, arguments, prototype = match.groups()
        target = self.names.resolve(name)
        if not isinstance(target, (Symbol, Register)):
            raise Malformed(f"{excerpt(name)} is nothing to call")
        candidates = self._tables.get(self._named(prototype), ()) if prototype else ()
        return Call(target, self._passed(returns), self._passed(arguments), candidates)

    def _passed(self, text: str | None) -> tuple[str, ...]:
        """The names of ``.param`` variables in a call's parentheses."""
        if not text or text.isspace():
            return ()
        passed = tuple(self.names.operand(each) for each in text.split(","))
        names = tuple(each.name for each in passed if isinstance(each, Symbol) and not each.offset)
        if len(names) < len(passed) or not all(map(self._is_param, names)):
            raise NotModeled("a call that passes something else than .param variables")
        return names

    def _is_param(self, name: str) -> bool:
        return name in self._variables and self._variables[name].space == "param"
