"""Lanes that need no quiet GPU: several of them at once, each in a process of its own."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from gpu100.capture.lane import Gained, LaneWork, Turn, failed, gain
from gpu100.child import end_with_parent, processors
from gpu100.errors import CourseError
from gpu100.model.record import Record

MOST = 5
"""Eight at once took no less time on 16 processors: the driver makes their contexts one at a time."""


def at_once() -> int:
    """How many lanes this machine's processor has room for, two cores each."""
    return max(1, min(MOST, processors() // 2))


def beside(
    works: Sequence[LaneWork], records: Mapping[str, Record], scratch: Path, count: int | None = None
) -> Iterator[tuple[LaneWork, Gained]]:
    """Run ``works``, ``count`` at once, over the programs of ``records``, by their jobs' names; each as it ends.

    They are begun in their order, so the longest had better come first.

    Where the consumer stops or is interrupted, what still runs is ended, and what it started with it.
    """
    count = min(count or at_once(), len(works))
    if count < 2:
        for work in works:
            yield work, gain(work, records[work.job.name], scratch)
        return
    with _workers(count) as pool:
        futures = {pool.submit(_gain, work, records[work.job.name], scratch): work for work in works}
        for future in as_completed(futures):
            yield futures[future], _result(future, futures[future])


def _result(future: Future[Gained], work: LaneWork) -> Gained:
    try:
        return future.result()
    except BrokenProcessPool:
        return failed(work, CourseError("the process that ran it, or one beside it, was ended from outside"))


@contextlib.contextmanager
def _workers(count: int) -> Iterator[ProcessPoolExecutor]:
    # Spawned, since a process that has threads or a CUDA context must not be forked.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, context, _begin, (os.getpid(), context.Lock()))
    try:
        yield pool
    except BaseException:
        for worker in multiprocessing.active_children():
            worker.kill()  # and so all that it started, which is tied to it
        raise
    finally:
        pool.shutdown(cancel_futures=True)


_turn: Turn = contextlib.nullcontext()
"""Of this process, among those beside it."""


def _begin(parent: int, turn: Turn) -> None:
    global _turn
    _turn = turn
    end_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent too, which ends this process


def _gain(work: LaneWork, record: Record, scratch: Path) -> Gained:
    return gain(work, record, scratch, _turn)
