"""What generated code sees of a launch: registers, parameters, and who each lane is."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from gpu100.device.simt.decode.emit import Code
from gpu100.device.simt.decode.layout import FRAME_ALIGN, STACK_BYTES
from gpu100.device.simt.execute.runtime import Runtime
from gpu100.device.simt.execute.warp import Active, Array, Warp
from gpu100.device.simt.faults import Fault
from gpu100.device.simt.memory.access import Access
from gpu100.device.simt.memory.lanes import Lanes
from gpu100.device.simt.ptx.ir import Location

Dim3 = tuple[int, int, int]


def _per_lane(values: Callable[[State], Array]) -> Callable[[State, Active], Array]:
    """A method that gives ``values`` of the lanes ``X``."""

    def method(self: State, X: Active) -> Array:  # noqa: N803
        array = values(self)
        return array if X is None else array.take(X)

    return method


class State:
    """One launch's state; :meth:`begin` moves it to the next chunk of blocks."""

    warp: Warp
    lanes: Lanes

    def __init__(
        self,
        code: Code,
        access: Access,
        runtime: Runtime,
        *,
        grid: Dim3,
        block: Dim3,
        parameters: bytes,
        parameter_address: int,
        dynamic_bytes: int,
        sms: int,
        grid_workspace: int = 0,
    ) -> None:
        self.code = code
        self.access = access
        self.runtime = runtime
        self.registers: list[Any] = [None] * len(code.dtypes)
        self._grid, self._block = grid, block
        self._parameters = np.frombuffer(parameters.ljust(8, b"\0"), np.uint8)
        self._parameter_address = parameter_address
        self._dynamic_bytes = dynamic_bytes
        self._sms = sms
        self._workspace = grid_workspace
        self._sizes: dict[int, _Threads] = {}
        for axis, name in enumerate("xyz"):
            setattr(self, f"ntid_{name}", _always(block[axis]))
            setattr(self, f"nctaid_{name}", _always(grid[axis]))
        # The workspace's address, high half first.
        self.envreg1, self.envreg2 = _always(grid_workspace >> 32), _always(grid_workspace & 0xFFFFFFFF)

    def begin(self, lanes: Lanes) -> None:
        """Go on with the blocks of ``lanes``."""
        self.lanes = lanes
        self.registers[:] = [None] * len(self.registers)
        for slot in self.code.zeroed:
            self.registers[slot] = np.zeros(lanes.count, self.code.dtypes[slot])
        if lanes.count not in self._sizes:
            self._sizes[lanes.count] = _Threads(lanes, self._block)
        self._threads: _Threads = self._sizes[lanes.count]
        self.warp = self._threads.warp
        self._blocks: tuple[Array, Array, Array] | None = None
        self._pointer: Array | None = None
        self.access.begin(lanes)

    # Registers

    def own(self, value: Array) -> Array:
        """``value`` as an array over all lanes that shares memory with none."""
        if value.shape == (self.lanes.count,):
            return value.copy()
        return np.full(self.lanes.count, value)

    def put(self, slot: int, X: npt.NDArray[np.int64], value: Array) -> None:  # noqa: N803
        """Write a register of the lanes ``X``."""
        kept = self.registers[slot]
        if kept is None:
            kept = self.registers[slot] = np.zeros(self.lanes.count, self.code.dtypes[slot])
        kept[X] = value

    # Parameters and the stack

    def parameter(self, offset: int, dtype: np.dtype[Any]) -> Array:
        """A word of the kernel's parameters."""
        return self._parameters[offset : offset + dtype.itemsize].copy().view(dtype)

    def parameter_address(self, offset: int, dtype: np.dtype[Any]) -> Array:
        """The address of one."""
        return np.array([self._parameter_address + offset], dtype)

    def frame(self, X: Active, offset: int, dtype: np.dtype[Any]) -> Array:  # noqa: N803
        """The local address of something in the current function's frame."""
        address: Array = self._of(self._stack_pointer, X).astype(dtype) + dtype.type(offset)
        return address

    def push_frame(self, X: Active, nbytes: int, location: Location | None) -> None:  # noqa: N803
        """Enter a function, called at ``location`` from one whose frame has ``nbytes``.

        Raises:
            Fault: the stack is full.
        """
        pointer = self._stack_pointer
        lanes = slice(None) if X is None else X
        pointer[lanes] += max(nbytes, FRAME_ALIGN)
        limit = self.code.layout.local_bytes
        if int(pointer.max()) + FRAME_ALIGN > limit:
            lane = int(np.argmax(pointer))
            raise Fault.at(
                self.lanes.place(lane, location),
                "stack-overflow",
                f"its calls need more than the {STACK_BYTES:,} bytes of a thread's stack",
                hint="end the recursion earlier, or turn it into a loop",
            )

    def pop_frame(self, X: Active, nbytes: int) -> None:  # noqa: N803
        """Leave it again."""
        self._stack_pointer[slice(None) if X is None else X] -= max(nbytes, FRAME_ALIGN)

    @property
    def _stack_pointer(self) -> Array:
        if self._pointer is None:
            self._pointer = np.zeros(self.lanes.count, np.int64)
        return self._pointer

    # Who a lane is

    tid_x = _per_lane(lambda self: self._threads.tid[0])
    tid_y = _per_lane(lambda self: self._threads.tid[1])
    tid_z = _per_lane(lambda self: self._threads.tid[2])
    ctaid_x = _per_lane(lambda self: self._ctaid[0])
    ctaid_y = _per_lane(lambda self: self._ctaid[1])
    ctaid_z = _per_lane(lambda self: self._ctaid[2])
    laneid = _per_lane(lambda self: self._threads.lane)
    warpid = _per_lane(lambda self: self._threads.warpid)
    smid = _per_lane(lambda self: self._smid)
    lanemask_eq = _per_lane(lambda self: np.uint32(1) << self._threads.lane)
    lanemask_lt = _per_lane(lambda self: (np.uint32(1) << self._threads.lane) - np.uint32(1))
    lanemask_le = _per_lane(lambda self: ~(np.uint32(0xFFFFFFFE) << self._threads.lane))
    lanemask_gt = _per_lane(lambda self: np.uint32(0xFFFFFFFE) << self._threads.lane)
    lanemask_ge = _per_lane(lambda self: np.uint32(0xFFFFFFFF) << self._threads.lane)

    def nsmid(self, X: Active) -> Array:  # noqa: N803
        """How many SMs there are."""
        return np.array([self._sms], np.uint32)

    def nwarpid(self, X: Active) -> Array:  # noqa: N803
        """How many warps an SM has room for, at most."""
        return np.array([64], np.uint32)

    def gridid(self, X: Active) -> Array:  # noqa: N803
        """The launch's number."""
        return np.array([self.runtime.launches], np.uint64)

    def dynamic_smem_size(self, X: Active) -> Array:  # noqa: N803
        """Shared memory that the launch asked for."""
        return np.array([self._dynamic_bytes], np.uint32)

    def total_smem_size(self, X: Active) -> Array:  # noqa: N803
        """Shared memory that a block has."""
        return np.array([self._dynamic_bytes + self.code.layout.static_bytes], np.uint32)

    @property
    def _ctaid(self) -> tuple[Array, Array, Array]:
        if self._blocks is None:
            number = self._block_numbers()
            x, y, _ = self._grid
            axes = (number % x, number // x % y, number // (x * y))
            self._blocks = tuple(self._each_thread(axis) for axis in axes)  # type: ignore[assignment]
        assert self._blocks is not None
        return self._blocks

    @property
    def _smid(self) -> Array:
        # Blocks are dealt out in turn; a GPU deals them as SMs become free.
        return self._each_thread(self._block_numbers() % self._sms)

    def _block_numbers(self) -> Array:
        return self.lanes.first_block + np.arange(self.lanes.blocks)

    def _each_thread(self, of_blocks: Array) -> Array:
        """What is said of blocks, for each lane: divisions are slow, so they are done once a block."""
        return np.repeat(of_blocks.astype(np.uint32), self.lanes.threads_per_block)

    @staticmethod
    def _of(values: Array, X: Active) -> Array:  # noqa: N803
        return values if X is None else values.take(X)

    # What the model provides in place of the device's runtime library

    def printf(self, X: Active, text: Array, arguments: Array) -> Array:  # noqa: N803
        """``printf``: how many arguments were printed, for each lane."""
        return self.runtime.printf(self.access, self._numbers(X), text, arguments)

    def assertion(self, X: Active, message: Array, file: Array, line: Array, function: Array, where: Any) -> None:  # noqa: N803
        """``assert`` did not hold."""
        self.runtime.assertion(self.lanes, int(self._numbers(X)[0]), message, line, where)

    def malloc(self, X: Active, nbytes: Array) -> Array:  # noqa: N803
        """``malloc``: an address for each lane."""
        return self.runtime.malloc(np.broadcast_to(nbytes, self._numbers(X).shape))

    def free(self, X: Active, address: Array) -> None:  # noqa: N803
        """``free``"""
        self.runtime.free(np.broadcast_to(address, self._numbers(X).shape))

    def _numbers(self, X: Active) -> npt.NDArray[np.int64]:  # noqa: N803
        return self._threads.numbers if X is None else X


class _Threads:
    """What does not depend on which blocks a chunk holds, only on how many."""

    tid: tuple[Array, ...]
    lane: Array
    warpid: Array

    def __init__(self, lanes: Lanes, block: Dim3) -> None:
        self.numbers = np.arange(lanes.count, dtype=np.int64)
        thread = self.numbers % lanes.threads_per_block
        x, y, _ = block
        self.tid = tuple(axis.astype(np.uint32) for axis in (thread % x, thread // x % y, thread // (x * y)))
        self.lane = lanes.lane.astype(np.uint32)
        self.warpid = (thread // 32).astype(np.uint32)
        self._lanes = lanes

    @cached_property
    def warp(self) -> Warp:
        return Warp(self._lanes)


def _always(value: int) -> Callable[[], Array]:
    array = np.array([value], np.uint32)
    return lambda: array
