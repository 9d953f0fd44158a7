"""Tasks of a batch: no member passes the row at which another one may end the batch."""

import numpy as np
import pytest

from driftlearn.ensemble._task_queue import TaskQueue

CLOCK = 7


def run(rng, m, first, last, n_threads, calls):
    """Run a batch in random order; return the row that each member reached, and where it ended.

    The checkpoints of a member are `CLOCK` rows apart; at those in `calls` it ends the batch.
    """
    queue, at = TaskQueue(m), [first] * m
    checkpoint = [first + int(k) for k in rng.integers(0, CLOCK, m)]
    queue.start(first, last, n_threads, 5)
    for j in range(m):
        queue.set_checkpoint(j, checkpoint[j] - at[j] + 1)
    running = {}
    while queue.n_unfinished:
        thread = int(rng.integers(n_threads))
        if thread not in running:
            j = queue.get(thread, bool(rng.random() < 0.3))
            if j >= 0:
                assert j not in [taken for taken, _ in running.values()]
                assert at[j] < queue.task_stop <= min([last, *(k + 1 for k in checkpoint)])
                running[thread] = j, queue.task_stop
        elif rng.random() < 0.5:
            j, end = running.pop(thread)
            at[j] = end
            at_checkpoint = end - 1 == checkpoint[j]
            queue.finish(j, end, at_checkpoint and (j, checkpoint[j]) in calls)
            checkpoint[j] += CLOCK if at_checkpoint else 0
            queue.set_checkpoint(j, checkpoint[j] - end + 1)
    assert not running and not queue.any_busy()
    return at, queue.stop


@pytest.mark.parametrize("seed", range(20))
def test_all_members_end_at_the_same_row(seed):
    rng = np.random.default_rng(seed)
    m, n_threads = int(rng.integers(1, 12)), int(rng.integers(1, 5))
    assert run(rng, m, 10, 60, n_threads, set()) == ([60] * m, 60)


@pytest.mark.parametrize("seed", range(20))
def test_all_members_end_at_the_first_request(seed):
    rng = np.random.default_rng(seed)
    calls = {(j, int(row)) for j in range(8) for row in rng.integers(12, 60, 3)}
    at, last = run(rng, 8, 10, 60, 3, calls)
    assert at == [last] * 8
    assert last == 60 or (any(row == last - 1 for _, row in calls) and last > 10)


def test_one_thread_goes_from_checkpoint_to_checkpoint():
    """The member with the nearest checkpoint comes first."""
    queue, at, took = TaskQueue(3), [0, 0, 0], []
    queue.start(0, 64, 1, 64)
    for j, rows in enumerate([20, 5, 12]):
        queue.set_checkpoint(j, rows)
    while queue.n_unfinished:
        j = queue.get(0, False)
        took.append((j, at[j], queue.task_stop))
        at[j] = queue.task_stop
        queue.finish(j, queue.task_stop, False)
        queue.set_checkpoint(j, 32)
    assert took[:6] == [(1, 0, 5), (2, 0, 12), (0, 0, 20), (1, 5, 37), (2, 12, 44), (0, 20, 52)]
    assert sorted(took[6:]) == [(0, 52, 64), (1, 37, 64), (2, 44, 64)]


def test_a_member_can_end_the_batch():
    queue = TaskQueue(2)
    queue.start(0, 100, 1, 64)
    queue.set_checkpoint(0, 10)
    queue.set_checkpoint(1, 30)
    assert queue.get(0, False) == 0
    queue.finish(0, 10, True)
    queue.set_checkpoint(0, 32)
    assert (queue.stop, queue.n_unfinished) == (10, 1)
    assert queue.get(0, False) == 1
    queue.finish(1, 10, False)
    queue.set_checkpoint(1, 20)
    assert queue.n_unfinished == 0


def test_no_member_passes_a_pending_checkpoint():
    queue = TaskQueue(2)
    queue.start(0, 100, 2, 64)
    queue.set_checkpoint(0, 10)
    queue.set_checkpoint(1, 30)
    assert queue.get(0, False) == 0
    assert queue.get(1, False) == 1
    queue.finish(1, 10, False)  # up to the checkpoint of the other member, which is still running
    queue.set_checkpoint(1, 20)
    assert queue.get(1, True) == -1
    queue.finish(0, 10, False)
    queue.set_checkpoint(0, 32)
    assert queue.get(1, False) == 1


def test_only_members_of_absent_threads_are_taken_over():
    queue = TaskQueue(2)
    queue.start(0, 10, 2, 64)
    queue.set_checkpoint(0, 100)
    queue.set_checkpoint(1, 100)
    assert queue.get(1, False) == 1
    queue.finish(1, 10, False)
    queue.set_checkpoint(1, 100)
    assert queue.get(1, False) == 0  # its thread is absent
    queue.start(0, 10, 2, 64)
    queue.set_checkpoint(0, 100)
    queue.set_checkpoint(1, 100)
    assert [queue.get(0, False), queue.get(0, False)] == [0, 1]
    queue.start(0, 10, 2, 64)
    queue.set_checkpoint(0, 100)
    queue.set_checkpoint(1, 100)
    assert [queue.get(1, False), queue.get(0, False), queue.get(0, False)] == [1, 0, -1]
