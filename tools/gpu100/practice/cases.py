"""What an exercise's check.py says: the kernel, the cases, and what has to come out of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gpu100.device.interface import Dim
from gpu100.device.signature import Parameter, kernels
from gpu100.errors import CourseError
from gpu100.model.machine import Gpu
from gpu100.practice.buffers import Buffer


class Case:
    """One launch to be tried, named by its numbers: ``case.n``, ``case.threads``."""

    def __init__(self, numbers: dict[str, int]) -> None:
        self._numbers = dict(numbers)

    def __getattr__(self, name: str) -> int:
        try:
            return self.__dict__["_numbers"][name]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(f"this case has no {name!r}: {self}") from None

    def __str__(self) -> str:
        return ", ".join(f"{name} = {value:,}" for name, value in self._numbers.items())

    def __repr__(self) -> str:
        return f"case({self})"


def case(**numbers: int) -> Case:
    """A case by its numbers: ``case(n=1000, blocks=2)``."""
    return Case(numbers)


def awkward(block: int = 256) -> tuple[int, ...]:
    """Sizes that find what round ones hide, from 0 to one past 2^16, for blocks of ``block`` threads."""
    sizes = {0, 1, 31, 32, 33, block - 1, block, block + 1, 3 * block + 17, (1 << 16) + 1}
    return tuple(sorted(sizes))


def blocks(n: int, block: int = 256) -> int:
    """Blocks of ``block`` threads for ``n`` elements: rounded up, and one for none, as a grid has at least one."""
    return max(1, -(-n // block))


@dataclass(frozen=True)
class Trial:
    """One launch: its shape, and an argument for each of the kernel's parameters, in order."""

    grid: Dim
    block: Dim
    args: Sequence[Buffer | int | float | np.generic]
    shared_bytes: int = 0


Build = Callable[[Case, np.random.Generator], Trial]


@dataclass(frozen=True, kw_only=True)
class Speed:
    """How an answer's cost is judged, once its results are right.

    On a GPU its time is held against the solution's in the same run, and against what the memory's
    bus allows; on the model, the 32-byte sectors that it asks for against the solution's.
    """

    case: Case
    """What is timed. Made anew, it has to be ready in a fraction of a second."""
    nbytes: int
    """Bytes that have to pass between GPU and memory for it, at the least."""
    slowest: float = 2.0
    """Times the solution's own cost, above which an answer is too slow."""
    case_on_model: Case | None = None
    """A smaller one for the model; the same where there is none."""

    def floor(self, gpu: Gpu, bytes_per_second: float) -> float:
        """The shortest time in seconds that is believed: a data set that fits into the L2 may come from there."""
        from gpu100.model.ceilings import sm_ceiling

        cached = self.nbytes < 4 * gpu.l2_bytes
        return self.nbytes / (sm_ceiling(gpu) if cached else bytes_per_second)


@dataclass(frozen=True)
class Exercise:
    """What ``practice.exercise`` makes of check.py's function."""

    kernel: str
    parameters: tuple[Parameter, ...]
    declaration: str
    """As the task states it."""
    cases: tuple[Case, ...]
    build: Build
    speed: Speed | None = None
    options: tuple[str, ...] = ()
    """NVRTC's, besides the course's own."""

    def trial(self, case: Case, seed: int) -> Trial:
        """The launch of ``case`` with inputs that ``seed`` decides.

        Raises:
            CourseError: check.py fails, or gives another number of arguments than the kernel has parameters.
        """
        try:
            made = self.build(case, np.random.default_rng([seed, *str(case).encode()]))
        except Exception as error:
            raise CourseError(f"check.py fails for {case}: {type(error).__name__}: {error}") from error
        if len(made.args) != len(self.parameters):
            raise CourseError(f"{self.kernel} has {len(self.parameters)} parameters, check.py gives {len(made.args)}")
        return made


def exercise(
    declaration: str,
    *,
    cases: Iterable[Case],
    speed: Speed | None = None,
    options: tuple[str, ...] = (),
) -> Callable[[Build], Exercise]:
    """Make an exercise of a function from a case and its random generator to a :class:`Trial`.

    ``declaration`` is the kernel's, such as ``void saxpy(int n, float a, const float* x, float* y)``.
    Cases are tried in their order, and the first that fails is shown: the smallest come first.

    Raises:
        ValueError: the declaration is none, or there is no case.
    """
    found = kernels(f'extern "C" __global__ {declaration.strip()} {{}}')
    if len(found) != 1:
        raise ValueError(f"{declaration!r} does not declare one kernel, as in `void saxpy(int n, float* y)`")
    ((name, parameters),) = found.items()
    listed = tuple(cases)
    if not listed:
        raise ValueError(f"the exercise on {name} has no cases")

    def made(build: Build) -> Exercise:
        shown = " ".join(declaration.split())
        return Exercise(name, parameters, shown, listed, build, speed, options)

    return made


def given(array: npt.NDArray[Any], *, start: int = 0, pitch: int = 0) -> Buffer:
    """An input: afterwards it has to be as it was.

    ``start``: the number that the kernel knows the first element by. The kernel gets a pointer to
    element 0, which lies so far before, where there is no memory of its. ``pitch``: elements from
    one row of a 2-D array to the next, where that is more than a row has; between rows lies
    memory that must not be written, and on the model not be read.
    """
    return Buffer(dtype=array.dtype, shape=array.shape, before=array, start=start, pitch=pitch)


def result(
    expected: npt.NDArray[Any],
    dtype: npt.DTypeLike | None = None,
    *,
    relative: float = 0.0,
    absolute: float | npt.NDArray[Any] = 0.0,
    start: int = 0,
    pitch: int = 0,
) -> Buffer:
    """An output: poison before the launch, and ``expected`` after it.

    Equal in every bit, or within ``absolute + relative * |expected|``; then ``expected`` may be of
    higher precision than the kernel's ``dtype``.
    """
    kind = np.dtype(dtype) if dtype is not None else expected.dtype
    tolerance = _tolerance(expected, relative, absolute)
    return Buffer(kind, expected.shape, expected=expected, tolerance=tolerance, start=start, pitch=pitch)


def updated(
    before: npt.NDArray[Any],
    expected: npt.NDArray[Any],
    *,
    relative: float = 0.0,
    absolute: float | npt.NDArray[Any] = 0.0,
    start: int = 0,
    pitch: int = 0,
    counter: bool = False,
) -> Buffer:
    """An array that the kernel changes in place, from ``before`` to ``expected``; compared as :func:`result` is.

    ``counter``: it is only added to, so that what is less than expected tells of additions that were lost.
    """
    tolerance = _tolerance(expected, relative, absolute)
    return Buffer(before.dtype, before.shape, before, expected, tolerance, False, start, pitch, counter)


def scratch(shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Buffer:
    """Memory for the kernel's own use, which nobody has written and nobody compares."""
    return Buffer(np.dtype(dtype), shape if isinstance(shape, tuple) else (shape,), scratch=True)


def _tolerance(
    expected: npt.NDArray[Any], relative: float, absolute: float | npt.NDArray[Any]
) -> npt.NDArray[Any] | None:
    if relative == 0.0 and np.all(np.asarray(absolute) == 0.0):
        return None
    wide = np.abs(expected.astype(np.float64))
    return np.broadcast_to(np.asarray(absolute, np.float64) + relative * wide, expected.shape)
