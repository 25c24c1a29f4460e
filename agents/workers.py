"""Work that several processes share: results as they come, workers that are replaced, and none that is left over.

Workers end with the process that started them, however it ends: each watches it. One that dies (memory ran out,
somebody killed it) takes nothing with it: what was not done is done by others.
"""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures.process import BrokenProcessPool
from typing import Any

DEATHS = 3
"""So often workers may die in a row without anything getting done; trying once more would not mend what is wrong."""


class WorkersDied(RuntimeError):
    """Workers die again and again."""


def results(
    work: Callable[[Any], Any], tasks: Iterable[Any], processes: int, begin: Callable[[], None]
) -> Generator[tuple[Any, Any], None, None]:
    """Each task with its result, in the order in which they are done.

    Args:
        work: task -> result; a function of a module, as is `begin`.
        tasks: different ones; they can be hashed and pickled.
        processes: how many share the work; 1: this one does it.
        begin: called first in each worker.

    Raises:
        WorkersDied: see DEATHS. What was done before has been handed out.
    """
    if processes == 1:
        yield from ((task, work(task)) for task in tasks)
        return
    waiting, deaths = dict.fromkeys(tasks), 0
    while waiting:
        pool = concurrent.futures.ProcessPoolExecutor(
            min(processes, len(waiting)), multiprocessing.get_context("spawn"), _begin, (begin,)
        )
        try:
            futures = {pool.submit(work, task): task for task in waiting}
            for future in concurrent.futures.as_completed(futures):
                result, task = future.result(), futures[future]
                del waiting[task]
                deaths = 0
                yield task, result
        except BrokenProcessPool:
            deaths += 1
            if deaths == DEATHS:
                raise WorkersDied(
                    f"workers died {DEATHS} times in a row, before any of {len(waiting):,} tasks was done; "
                    "is there memory enough for so many processes?"
                ) from None
        finally:  # also when whoever takes the results stops
            _end(pool)


def _end(pool: concurrent.futures.ProcessPoolExecutor) -> None:
    """Let a pool's workers go, without waiting for what they are at; the library itself would wait."""
    inside: Any = pool
    workers, manager = list((inside._processes or {}).values()), inside._executor_manager_thread
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.kill()
    for worker in workers:
        worker.join()
    if manager is not None:  # which would be in the way of Python's end; it waits for ever for half a result
        manager.join(5)


def _begin(begin: Callable[[], None]) -> None:
    """Before a worker's first task. Ctrl-C reaches all processes of a terminal; the parent alone answers it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    begin()


def _end_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)
