"""Turns of members: nobody is beyond a row at which another one may end the block."""

import numpy as np
import pytest

from driftlearn.ensemble._turns import Turns

CLOCK = 7


def play(rng, m, first, last, n_threads, calls):
    """Take a block in an order by chance; return how far members came.

    A member looks at every `CLOCK` rows from one of its own on, and calls for the end at the looks
    in `calls`.
    """
    turns, at = Turns(m, n_threads), [first] * m
    look = [first + int(k) for k in rng.integers(0, CLOCK, m)]
    turns.begin(first, last, n_threads, 5)
    for j in range(m):
        turns.expect(j, look[j] - at[j] + 1)
    under_way = {}
    while turns.n_left:
        who = int(rng.integers(n_threads))
        if who not in under_way:
            j = turns.take(who, bool(rng.random() < 0.3))
            if j >= 0:
                assert j not in [taken for taken, _ in under_way.values()]
                assert at[j] < turns.end <= min([last, *(k + 1 for k in look)])
                under_way[who] = j, turns.end
        elif rng.random() < 0.5:
            j, end = under_way.pop(who)
            at[j] = end
            looked = end - 1 == look[j]
            turns.give(j, end, looked and (j, look[j]) in calls)
            look[j] += CLOCK if looked else 0
            turns.expect(j, look[j] - end + 1)
    assert not under_way and not turns.any_busy()
    return at, turns.last


@pytest.mark.parametrize("seed", range(20))
def test_all_members_end_at_the_same_row(seed):
    rng = np.random.default_rng(seed)
    m, n_threads = int(rng.integers(1, 12)), int(rng.integers(1, 5))
    assert play(rng, m, 10, 60, n_threads, set()) == ([60] * m, 60)


@pytest.mark.parametrize("seed", range(20))
def test_all_members_end_where_the_first_calls_for_it(seed):
    rng = np.random.default_rng(seed)
    calls = {(j, int(row)) for j in range(8) for row in rng.integers(12, 60, 3)}
    at, last = play(rng, 8, 10, 60, 3, calls)
    assert at == [last] * 8
    assert last == 60 or (any(row == last - 1 for _, row in calls) and last > 10)


def test_alone_a_member_goes_from_look_to_look():
    """And whoever has the nearest look is served first."""
    turns, at, took = Turns(3, 1), [0, 0, 0], []
    turns.begin(0, 64, 1, 64)
    for j, rows in enumerate([20, 5, 12]):
        turns.expect(j, rows)
    while turns.n_left:
        j = turns.take(0, False)
        took.append((j, at[j], turns.end))
        at[j] = turns.end
        turns.give(j, turns.end, False)
        turns.expect(j, 32)
    assert took[:6] == [(1, 0, 5), (2, 0, 12), (0, 0, 20), (1, 5, 37), (2, 12, 44), (0, 20, 52)]
    assert sorted(took[6:]) == [(0, 52, 64), (1, 37, 64), (2, 44, 64)]


def test_a_block_ends_where_a_member_calls_for_it():
    turns = Turns(2, 1)
    turns.begin(0, 100, 1, 64)
    turns.expect(0, 10)
    turns.expect(1, 30)
    assert turns.take(0, False) == 0
    turns.give(0, 10, True)
    turns.expect(0, 32)
    assert (turns.last, turns.n_left) == (10, 1)
    assert turns.take(0, False) == 1
    turns.give(1, 10, False)
    turns.expect(1, 20)
    assert turns.n_left == 0


def test_nobody_goes_beyond_a_look_that_is_under_way():
    turns = Turns(2, 2)
    turns.begin(0, 100, 2, 64)
    turns.expect(0, 10)
    turns.expect(1, 30)
    assert turns.take(0, False) == 0
    assert turns.take(1, False) == 1
    turns.give(1, 10, False)  # as far as the look of the other one, which is not over
    turns.expect(1, 20)
    assert turns.take(1, True) == -1
    turns.give(0, 10, False)
    turns.expect(0, 32)
    assert turns.take(1, False) == 1


def test_members_of_a_thread_that_is_here_are_left_to_it():
    turns = Turns(2, 2)
    turns.begin(0, 10, 2, 64)
    turns.expect(0, 100)
    turns.expect(1, 100)
    assert turns.take(1, False) == 1
    turns.give(1, 10, False)
    turns.expect(1, 100)
    assert turns.take(1, False) == 0  # whose thread has not come
    turns.begin(0, 10, 2, 64)
    turns.expect(0, 100)
    turns.expect(1, 100)
    assert [turns.take(0, False), turns.take(0, False)] == [0, 1]
    turns.begin(0, 10, 2, 64)
    turns.expect(0, 100)
    turns.expect(1, 100)
    assert [turns.take(1, False), turns.take(0, False), turns.take(0, False)] == [1, 0, -1]
