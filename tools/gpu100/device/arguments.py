"""Arguments of a launch, held against the kernel's parameters.

CUDA itself checks nothing here: a Python int travels as eight bytes and a float
as a double, whatever the kernel declares, and the launch succeeds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu100.device.signature import Parameter
from gpu100.errors import ArgumentError, plural


@dataclass(frozen=True)
class Address:
    """A device address for a pointer parameter, passed as it is: wild on purpose."""

    value: int


def bind(kernel: str, parameters: Sequence[Parameter], args: Sequence[object]) -> list[Any]:
    """``args`` as the kernel takes them: NumPy scalars of the declared type, arrays as they are.

    An array's element type must be the pointer's. A NumPy scalar must have the parameter's
    type. A bare Python int or float is converted where it fits (an int in range for an integer
    parameter, a float for a floating one) and refused where it does not.

    Raises:
        ArgumentError: the number of arguments or the type of one does not fit.
    """
    if len(args) != len(parameters):
        takes = ", ".join(str(parameter) for parameter in parameters)
        raise ArgumentError(f"{kernel} takes {plural(len(parameters), 'argument')} ({takes}), got {len(args)}")
    return [_one(kernel, parameter, arg) for parameter, arg in zip(parameters, args, strict=True)]


def _one(kernel: str, parameter: Parameter, arg: object) -> Any:
    if parameter.pointer:
        return _pointer(kernel, parameter, arg)
    dtype = parameter.dtype
    if dtype is None:
        if isinstance(arg, np.generic):
            return arg
        raise _refused(kernel, parameter, arg, "pass a NumPy value of the struct's own dtype")
    if isinstance(arg, np.generic):
        if arg.dtype == dtype:
            return arg
        raise _refused(kernel, parameter, arg, f"pass np.{dtype}(...)")
    if isinstance(arg, bool) and dtype == np.bool_:
        return np.bool_(arg)
    if type(arg) is int and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if limits.min <= arg <= limits.max:
            return dtype.type(arg)
        raise _refused(kernel, parameter, arg, f"{dtype} holds {limits.min} to {limits.max}")
    if type(arg) is float and dtype.kind == "f":
        most = float(np.finfo(dtype).max)
        if math.isfinite(arg) and abs(arg) > most:
            raise _refused(kernel, parameter, arg, f"{dtype} holds up to {most:.4g}")
        return dtype.type(arg)
    raise _refused(kernel, parameter, arg, f"pass np.{dtype}(...)")


def _pointer(kernel: str, parameter: Parameter, arg: object) -> object:
    if isinstance(arg, Address):
        return arg
    dtype = getattr(arg, "dtype", None)
    if not isinstance(dtype, np.dtype) or isinstance(arg, np.generic | np.ndarray):
        raise _refused(kernel, parameter, arg, "pass an array of the device")
    if parameter.dtype is not None and dtype != parameter.dtype:
        raise _refused(kernel, parameter, arg, f"the array holds {dtype}, the kernel reads {parameter.dtype}")
    return arg


def _refused(kernel: str, parameter: Parameter, arg: object, hint: str) -> ArgumentError:
    kind = f"np.{arg.dtype}" if isinstance(arg, np.generic) else type(arg).__name__
    shown = f" {arg!r}" if type(arg) in (bool, int, float) else ""
    return ArgumentError(f"{kernel}: {kind}{shown} does not fit the parameter `{parameter}`", hint=hint)
