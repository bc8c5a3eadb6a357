"""The kernels of a source and their parameters, read from the source itself.

The driver tells a parameter's size but not its type, and a launch that passes a
Python float where the kernel takes an int is wrong without an error. So the
declared types are read from the text, which covers what a day's kernels use:
scalars and pointers to them, ``extern "C" __global__``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_KERNEL = re.compile(
    r'extern\s+"C"\s+__global__\s+(?:\w+\s*\([^)]*\)\s+)*void\s+(?:\w+\s*\([^)]*\)\s+)*'
    r"(?P<name>\w+)\s*\((?P<parameters>[^)]*)\)"
)
_NOT_TYPE = re.compile(r"\b(?:const|volatile|__restrict__|__grid_constant__|register)\b")

_SCALARS: dict[str, str] = {
    "bool": "bool",
    "char": "int8",
    "signed char": "int8",
    "unsigned char": "uint8",
    "short": "int16",
    "unsigned short": "uint16",
    "int": "int32",
    "unsigned": "uint32",
    "unsigned int": "uint32",
    "long long": "int64",
    "unsigned long long": "uint64",
    "size_t": "uint64",
    "float": "float32",
    "double": "float64",
    "__half": "float16",
    "half": "float16",
}


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel."""

    name: str
    ctype: str
    """As declared, without qualifiers: ``float``, ``unsigned long long``."""
    pointer: bool
    dtype: np.dtype[Any] | None
    """The scalar's or pointed-to type; None for a type of the source's own."""

    def __str__(self) -> str:
        return f"{self.ctype}{'*' if self.pointer else ''} {self.name}"


def kernels(text: str) -> dict[str, tuple[Parameter, ...]]:
    """Every kernel of a source, in order, with its parameters."""
    plain = _COMMENT.sub(" ", text)
    return {match["name"]: _parameters(match["parameters"]) for match in _KERNEL.finditer(plain)}


def _parameters(text: str) -> tuple[Parameter, ...]:
    return tuple(_parameter(part) for part in text.split(",") if part.strip() not in ("", "void"))


def _parameter(text: str) -> Parameter:
    words = _NOT_TYPE.sub(" ", text)
    stars = words.count("*")
    *ctype, name = words.replace("*", " ").split()
    joined = " ".join(ctype)
    # A pointer to pointers points to addresses.
    dtype = np.dtype("uint64") if stars > 1 else _dtype(joined)
    return Parameter(name=name, ctype=joined, pointer=stars > 0, dtype=dtype)


def _dtype(ctype: str) -> np.dtype[Any] | None:
    name = _SCALARS.get(ctype)
    return np.dtype(name) if name else None
