"""The schema in words: every field of a file of evidence, from the dataclasses that decode it.

What refuses a file, what the reference page lists and what a contribution's text shows is one thing:
a field that is added to a dataclass is in all three.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import functools
import inspect
import itertools
import re
import sys
import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gpu100.model.machine import Machine
from gpu100.model.record import Record

ROOTS: tuple[type, ...] = (Machine, Record)
"""The two files of a machine's folder that every contribution has."""


@dataclass(frozen=True)
class Field:
    """One field of a type."""

    name: str
    kind: str
    """Its type in JSON's words: ``text``, ``list of text``, ``table of Kernel``."""
    required: bool
    meaning: str


@dataclass(frozen=True)
class Described:
    """One type: a JSON object."""

    name: str
    meaning: str
    fields: tuple[Field, ...]


def described(*roots: type) -> tuple[Described, ...]:
    """``roots`` and every type that they are made of, each once, in order of first mention."""
    found: dict[str, Described] = {}
    waiting = list(roots)
    while waiting:
        kind = waiting.pop(0)
        if kind.__name__ not in found:
            found[kind.__name__] = _described(kind)
            waiting += [part for part in _parts(kind) if part.__name__ not in found]
    return tuple(found.values())


def _described(kind: type) -> Described:
    hints = typing.get_type_hints(kind)
    meanings = _meanings(kind)
    fields = tuple(
        Field(field.name, _words(hints[field.name]), _is_required(field), meanings.get(field.name, ""))
        for field in dataclasses.fields(kind)
    )
    return Described(kind.__name__, _summary(kind), fields)


def _is_required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _summary(kind: type) -> str:
    """The first paragraph of its docstring."""
    return _plain((inspect.getdoc(kind) or "").split("\n\n")[0])


def _plain(docstring: str) -> str:
    """In one line, its code in single backticks."""
    return re.sub(r":\w+:`|``", "`", " ".join(docstring.split()))


@functools.cache
def _meanings(kind: type) -> dict[str, str]:
    """The docstrings below its fields, and below those of its bases."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if dataclasses.is_dataclass(base):
            found |= _of_class(base)
    return found


def _of_class(kind: type) -> dict[str, str]:
    found: dict[str, str] = {}
    body = next(
        node.body
        for node in ast.walk(_module(sys.modules[kind.__module__]))
        if isinstance(node, ast.ClassDef) and node.name == kind.__name__
    )
    for before, node in itertools.pairwise(body):
        named = isinstance(before, ast.AnnAssign) and isinstance(before.target, ast.Name)
        if named and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            assert isinstance(before, ast.AnnAssign)
            assert isinstance(before.target, ast.Name)
            found[before.target.id] = _plain(str(node.value.value))
    return found


@functools.cache
def _module(module: types.ModuleType) -> ast.Module:
    return ast.parse(inspect.getsource(module))


def _parts(kind: type) -> Iterator[type]:
    """The dataclasses that its fields hold."""
    for hint in typing.get_type_hints(kind).values():
        yield from _dataclasses_in(hint)


def _dataclasses_in(hint: Any) -> Iterator[type]:
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        yield hint
    for part in typing.get_args(hint):
        yield from _dataclasses_in(part)


_SCALAR = (bool, int, float, str)
"""Together they are called scalar."""

_SCALARS: dict[Any, str] = {str: "text", int: "integer", float: "number", bool: "true or false", type(None): "nothing"}


def _words(hint: Any) -> str:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return ", ".join(str(arg) for arg in args)
    if origin in (typing.Union, types.UnionType):
        rest = [arg for arg in args if arg not in (*_SCALAR, type(None))] if set(_SCALAR) <= set(args) else args
        words = [_words(arg) for arg in rest if arg is not type(None)]
        return " or ".join(words if rest is args else ["scalar", *words])
    if origin is dict:
        return f"table of {_words(args[1])}"
    if origin is tuple and args[-1] is Ellipsis:
        return f"list of {_words(args[0])}"
    if origin is tuple:
        return f"[{', '.join(_words(arg) for arg in args)}]"
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return ", ".join(str(member.value) for member in hint)
    return _SCALARS.get(hint) or str(getattr(hint, "__name__", hint))
