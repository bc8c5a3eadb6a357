"""NVRTC's PTX as :mod:`gpu100.device.simt.ptx.ir` has it.

A module is read at once, but the body of a function only when something asks for it: a kernel that
is never launched may hold what the model does not have. What an instruction means is not asked at all.
"""

from __future__ import annotations

import re
from typing import Any

from gpu100.device.simt.faults import NotModeled
from gpu100.device.simt.ptx.body import decode
from gpu100.device.simt.ptx.declarations import parameters, variables
from gpu100.device.simt.ptx.ir import Function, Module, Variable
from gpu100.device.simt.ptx.lexical import NAME, Malformed, PtxError, excerpt, integer, without_comments
from gpu100.device.simt.ptx.statements import Source

__all__ = ["NEWEST_VERSION", "PtxError", "parse"]

NEWEST_VERSION = (9, 5)
"""Of the PTX language, as NVRTC 13.5 writes it."""

_ITEM = re.compile(
    rf"""\s*+(?:
    (?P<variable>(?P<linkage>(?:\.(?:visible|extern|weak|common)\s++)*+)\.(?P<space>global|const|shared)\b
        (?P<declared>[^;={{}}]*+)(?:=(?P<initial>[^;]*+))?;)
    |(?P<function>(?:\.(?:visible|extern|weak|common)\s++)*+\.(?P<kind>entry|func)\b(?P<head>[^;{{}}]*+)(?P<opened>[;{{]))
    |(?P<version>\.version\s+(?P<major>\d{{1,4}})\.(?P<minor>\d{{1,4}})\b)
    |(?P<target>\.target\s+(?P<arch>\w+)(?:\s*,\s*\w+)*)
    |(?P<address_size>\.address_size\s+(?P<bits>\d{{1,4}})\b)
    |(?P<file>\.file\s+(?P<index>\d{{1,9}})\s+"(?P<path>\d{{1,9}})"(?:\s*,\s*\d+\s*,\s*\d+)?)
    |(?P<section>\.section\s+[.\w$]+\s*\{{[^{{}}]*+\}})
    |(?P<alias>\.alias\s+(?P<alias_name>{NAME})\s*,\s*(?P<aliasee>{NAME})\s*;)
    |(?P<pragma>\.pragma\b[^;{{}}]*+;)
    |(?P<empty>;[;\s]*+))""",
    re.A | re.X,
)
_HEAD = re.compile(rf"\s*(?:\(([^()]*)\)\s*)?({NAME})\s*(?:\(([^()]*)\)\s*)?(.*)", re.A | re.S)
_PERFORMANCE = re.compile(r"\.(\w+)\s*([\d\s,\"]*+)", re.A)
_BRACE = re.compile("[{}]")
_DECODED = ("registers", "variables", "body", "tables")


def parse(text: str) -> Module:
    """One translation unit.

    Raises:
        PtxError: it is not PTX. A mistake in a function's body is one only when the body is asked for.
        NotModeled: it is PTX of a newer version, or declares what the model does not have.
    """
    clean, strings = without_comments(text)
    return _Parser(clean, strings).module()


class _Lazy(Function):
    """A function whose body is decoded when something asks for it."""

    @classmethod
    def of(cls, head: Function, source: Source) -> _Lazy:
        """The function that ``head`` is without a body."""
        lazy = cls.__new__(cls)
        lazy.__dict__.update({name: each for name, each in head.__dict__.items() if name not in _DECODED})
        lazy.__dict__["_source"] = source
        return lazy

    def __getattr__(self, name: str) -> Any:
        # Only called for what is not there yet.
        if name not in _DECODED:
            raise AttributeError(name)
        decoded = decode(self.__dict__["_source"], (*self.parameters, *self.returns))
        self.__dict__.update({each: getattr(decoded, each) for each in _DECODED})
        return self.__dict__[name]


class _Parser:
    """A module as far as it has been read."""

    def __init__(self, text: str, strings: tuple[str, ...]) -> None:
        self._text = text
        self._strings = strings
        self._line = 1
        self._counted = 0
        self._version: tuple[int, int] | None = None
        self._target = ""
        self._files: dict[int, str] = {}
        self._functions: dict[str, Function] = {}
        self._variables: dict[str, Variable] = {}
        self._aliases: dict[str, str] = {}
        self._symbols: set[str] = set()

    def module(self) -> Module:
        """Reads everything."""
        position = 0
        try:
            while (match := _ITEM.match(self._text, position)) is not None:
                kind = match.lastgroup or ""
                self._count(match.start(kind))
                position = self._take(kind, match)
        except Malformed as problem:
            raise PtxError(str(problem), self._line) from None
        rest = self._text[position:].lstrip()
        self._count(len(self._text) - len(rest))
        if rest:
            raise PtxError(f"{excerpt(rest)} is no declaration", self._line)
        if self._version is None or not self._target:
            raise PtxError("there is no .version, or no .target", self._line)
        return Module(self._version, self._target, self._functions, self._variables, self._aliases)

    def _count(self, position: int) -> None:
        """Counts lines up to ``position``, from where that was last done."""
        self._line += self._text.count("\n", self._counted, position)
        self._counted = position

    def _take(self, kind: str, match: re.Match[str]) -> int:
        """The next item; where the one after it may begin."""
        if kind == "variable":
            self._variable(match)
        elif kind == "function":
            return self._function(match)
        elif kind == "version":
            self._known(int(match["major"]), int(match["minor"]))
        elif kind == "target":
            self._target = match["arch"]
        elif kind == "address_size" and match["bits"] != "64":
            raise NotModeled(f"addresses of {match['bits']} bits")
        elif kind == "file":
            self._files[int(match["index"])] = self._strings[int(match["path"])]
        elif kind == "alias":
            self._aliases[match["alias_name"]] = match["aliasee"]
            self._symbols.add(match["alias_name"])
        return match.end()

    def _known(self, *version: int) -> None:
        self._version = version[0], version[1]
        if self._version > NEWEST_VERSION:
            newest = ".".join(map(str, NEWEST_VERSION))
            raise NotModeled(
                f"PTX {'.'.join(map(str, version))}",
                hint=f"The compiler is newer than the model, which knows PTX up to {newest}: NVRTC 13.5 writes that.",
            )

    def _variable(self, match: re.Match[str]) -> None:
        extern = ".extern" in match["linkage"]
        for each in variables(match["space"], match["declared"], match["initial"], extern=extern):
            known = self._variables.get(each.name)
            if each.name in self._functions or (known and not known.extern and not extern):
                raise Malformed(f"{excerpt(each.name)} is defined twice")
            if known is None or not extern:
                self._variables[each.name] = each
                self._symbols.add(each.name)

    def _function(self, match: re.Match[str]) -> int:
        head = _HEAD.fullmatch(match["head"])
        if head is None:
            raise Malformed(f"{excerpt(match['head'])} is not the head of a function")
        returns, name, given, rest = head.groups()
        known = self._functions.get(name)
        defined = match["opened"] == "{"
        if name in self._variables or (defined and known and not known.extern):
            raise Malformed(f"{excerpt(name)} is defined twice")
        function = Function(
            name=name,
            entry=match["kind"] == "entry",
            parameters=parameters(given or ""),
            returns=parameters(returns or ""),
            registers={},
            variables={},
            body=(),
            extern=not defined,
            directives=_directives(rest),
        )
        self._symbols.add(name)
        if not defined:
            self._functions.setdefault(name, function)
            return match.end()
        self._count(match.end())
        end = self._closing(match.end(), name)
        source = Source(self._text, match.end(), end, self._line, self._files, self._symbols)
        self._functions[name] = _Lazy.of(function, source)
        return end + 1

    def _closing(self, start: int, name: str) -> int:
        """Where the brace is that closes the one before ``start``."""
        depth = 1
        for match in _BRACE.finditer(self._text, start):
            depth += 1 if match[0] == "{" else -1
            if not depth:
                return match.start()
        raise PtxError(f"the body of {name} does not end", self._line)


def _directives(text: str) -> dict[str, tuple[int, ...]]:
    """``.maxntid 256, 1, 1`` and others between a function's head and its body."""
    found: dict[str, tuple[int, ...]] = {}
    position = 0
    while (match := _PERFORMANCE.match(text, position)) is not None:
        position = match.end()
        # Of a pragma the text is a string, which is nothing to a launch.
        if match[1] != "pragma":
            found[match[1]] = tuple(map(integer, match[2].replace(",", " ").split()))
    if position != len(text):
        raise Malformed(f"{excerpt(text[position:])} is no directive of a function")
    return found
