"""A case on a device, be it the GPU or the model."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from gpu100.device.interface import Array, Device, Kernel, Source
from gpu100.fidelity.case import KERNELS, Case, Out, Values
from gpu100.model.behaviour import COMPILE_OPTIONS
from gpu100.model.fidelity import StoredResult


def run_cases(device: Device, cases: Sequence[Case]) -> Iterator[tuple[Case, tuple[Values, ...]]]:
    """Every case with what its kernel wrote, in order; each launched once."""
    compiled: dict[str, Mapping[str, Kernel]] = {}
    for case in cases:
        if case.source not in compiled:
            compiled[case.source] = compile_kernels(device, case)
        yield case, run_case(device, compiled[case.source][case.kernel], case)


def compile_kernels(device: Device, case: Case) -> Mapping[str, Kernel]:
    """The kernels of the case's file, by name."""
    kernels, _ = device.compile(Source.read(case.path, KERNELS), COMPILE_OPTIONS)
    return kernels


def run_case(device: Device, kernel: Kernel, case: Case) -> tuple[Values, ...]:
    """What one launch of the case's kernel writes, in the order of its arguments."""
    arguments: list[object] = []
    written: list[Array] = []
    for argument in case.arguments():
        if isinstance(argument, Out):
            array = _output(device, argument)
            written.append(array)
            arguments.append(array)
        else:
            arguments.append(device.array(argument) if isinstance(argument, np.ndarray) else argument)
    kernel.launch(case.grid, case.block, *arguments, shared_bytes=case.shared_bytes)
    device.synchronize()
    return tuple(array.to_numpy() for array in written)


def _output(device: Device, out: Out) -> Array:
    if out.initial is not None:
        return device.array(out.initial)
    return device.empty(out.expected.shape, out.expected.dtype)


def is_right(case: Case, results: Sequence[Values]) -> bool:
    """Whether every result is what NumPy says, as far as the case promises it."""
    expected = [argument.expected for argument in case.arguments() if isinstance(argument, Out)]
    return len(expected) == len(results) and all(map(case.agree, results, expected))


def stored(case: Case, values: Values) -> StoredResult:
    """A result as it is kept: its digest, and the bytes where a tolerance needs them."""
    little = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"), copy=False)
    data = little.tobytes()
    return StoredResult(
        dtype=little.dtype.str,
        shape=values.shape,
        sha256=hashlib.sha256(data).hexdigest(),
        data=None if case.tolerance is None else base64.b64encode(data).decode(),
    )


def restored(result: StoredResult) -> Values | None:
    """The array of a result whose bytes were kept."""
    if result.data is None:
        return None
    flat = np.frombuffer(base64.b64decode(result.data), np.dtype(result.dtype))
    return flat.reshape(result.shape)
