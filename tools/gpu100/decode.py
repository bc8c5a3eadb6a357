"""Plain data (TOML, JSON) into frozen dataclasses, strictly, and back.

The dataclass is the schema: a key it does not have is an error that names the
nearest one it has, and so is a missing key or a value of another type.  One
decoder serves course files and evidence, so both refuse the same things.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import math
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

from gpu100.errors import CourseError, nearest

T = TypeVar("T")
KeyPath = tuple[str | int, ...]


class DecodeError(CourseError):
    """Data that does not fit its type; ``at`` is the key path to the spot."""

    def __init__(self, message: str, at: KeyPath, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.at = at


def dotted(at: KeyPath) -> str:
    """``day[3].minutes``."""
    return "".join(f"[{k}]" if isinstance(k, int) else f".{k}" for k in at).lstrip(".") or "the file"


def decode(kind: type[T], data: object, at: KeyPath = ()) -> T:
    """``data`` as a ``kind``.

    Raises:
        DecodeError: at the first spot that does not fit.
    """
    return typing.cast(T, _decode(kind, data, at))


def encode(value: object) -> Any:
    """The plain data that :func:`decode` reads back; fields at their default are left out."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        # By repr: -0.0 is not the default 0.0, nor True the default 1.
        said = (f for f in dataclasses.fields(value) if repr(getattr(value, f.name)) != repr(_default(f)))
        return {field.name: encode(getattr(value, field.name)) for field in said}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    return value


def _decode(kind: Any, data: object, at: KeyPath) -> object:
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return _union(typing.get_args(kind), data, at)
    if origin is typing.Literal:
        return _one_of(typing.get_args(kind), data, at)
    if origin is tuple:
        return _tuple(typing.get_args(kind), data, at)
    if origin is dict:
        _expect(isinstance(data, dict), "a table", data, at)
        item = typing.get_args(kind)[1]
        return {key: _decode(item, value, (*at, key)) for key, value in typing.cast(dict[str, object], data).items()}
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(_one_of(tuple(member.value for member in kind), data, at))
    if dataclasses.is_dataclass(kind):
        return _dataclass(kind, data, at)
    return _scalar(kind, data, at)


def _dataclass(kind: Any, data: object, at: KeyPath) -> object:
    _expect(isinstance(data, dict), "a table", data, at)
    table = typing.cast(dict[str, object], data)
    fields = _fields(kind)
    for key in table:
        if key not in fields:
            raise DecodeError(f"unknown key {key!r}", (*at, key), hint=nearest(key, fields))
    values = {name: _decode(hint, table[name], (*at, name)) for name, (hint, _) in fields.items() if name in table}
    for name, (_, required) in fields.items():
        if required and name not in values:
            raise DecodeError(f"missing key {name!r}", at)
    try:
        return kind(**values)
    except ValueError as error:  # a __post_init__ that knows more than types can say
        raise DecodeError(str(error), at) from None


@functools.cache
def _fields(kind: Any) -> dict[str, tuple[Any, bool]]:
    """A dataclass's fields: type, and whether data must have it. To find out costs more than to decode."""
    hints = typing.get_type_hints(kind)
    return {f.name: (hints[f.name], _default(f) is dataclasses.MISSING) for f in dataclasses.fields(kind) if f.init}


def _default(field: dataclasses.Field[Any]) -> object:
    """The field's default, or MISSING where it has none."""
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


def _union(options: tuple[Any, ...], data: object, at: KeyPath) -> object:
    if data is None and type(None) in options:
        return None
    options = tuple(option for option in options if option is not type(None))
    if len(options) == 1:
        return _decode(options[0], data, at)
    if tagged := [option for option in options if dataclasses.is_dataclass(option)]:
        return _tagged(tagged, data, at)
    for option in options:
        try:
            return _decode(option, data, at)
        except DecodeError:
            continue
    raise DecodeError(f"{_shown(data)} is none of {', '.join(_name(option) for option in options)}", at)


def _tagged(options: list[Any], data: object, at: KeyPath) -> object:
    """One of several dataclasses, told apart by the Literal of their ``kind``."""
    _expect(isinstance(data, dict), "a table", data, at)
    tags = {typing.get_args(_fields(option)["kind"][0])[0]: option for option in options}
    tag = typing.cast(dict[str, object], data).get("kind")
    return _dataclass(tags[_one_of(tuple(tags), tag, (*at, "kind"))], data, at)


def _tuple(args: tuple[Any, ...], data: object, at: KeyPath) -> tuple[object, ...]:
    _expect(isinstance(data, list | tuple), "a list", data, at)
    items = typing.cast(list[object], data)
    if args[-1] is Ellipsis:
        return tuple(_decode(args[0], item, (*at, i)) for i, item in enumerate(items))
    if len(items) != len(args):
        raise DecodeError(f"{len(items)} items where {len(args)} belong", at)
    return tuple(_decode(kind, item, (*at, i)) for i, (kind, item) in enumerate(zip(args, items, strict=True)))


def _one_of(allowed: tuple[Any, ...], data: object, at: KeyPath) -> Any:
    # Compared with the type: True is not 1.
    if any(type(data) is type(option) and data == option for option in allowed):
        return data
    words = ", ".join(repr(option) for option in allowed)
    hint = nearest(data, [str(option) for option in allowed]) if isinstance(data, str) else None
    raise DecodeError(f"{_shown(data)} is none of {words}", at, hint=hint)


def _scalar(kind: Any, data: object, at: KeyPath) -> object:
    if kind is float:
        _expect(isinstance(data, int | float) and not isinstance(data, bool), "a number", data, at)
        try:
            number = float(typing.cast(float, data))
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise DecodeError(f"{_shown(data)} is not a finite number", at)
        return number
    if kind in (str, int, bool):
        _expect(type(data) is kind, {str: "text", int: "an integer", bool: "true or false"}[kind], data, at)
        return data
    raise TypeError(f"no rule decodes {kind!r}")


def _expect(fits: bool, wanted: str, data: object, at: KeyPath) -> None:
    if not fits:
        raise DecodeError(f"{_shown(data)} where {wanted} belongs", at)


def _shown(data: object) -> str:
    if data is None:
        return "nothing"
    text = repr(data)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _name(kind: Any) -> str:
    return getattr(kind, "__name__", str(kind))
