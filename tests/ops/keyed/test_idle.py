"""Idle keys expire after a number of rows or a time in the stream, also if the clock jumps."""

from datetime import timedelta

import numpy as np
import pytest

from driftlearn.ops.keyed import KeyedLearner, KeyedModels
from driftlearn.ops.keyed.reader import BLOCK, Clock, parse_idle
from tests.keyed_streams import content, run, stream


def models(**how):
    return KeyedModels(KeyedLearner("naive-bayes", kinds={"x": "number"}), **how)


def feed(one, keys, times=None):
    rng = np.random.default_rng(len(keys))
    x = rng.normal(size=len(keys))
    return one.learn(keys, {"x": x}, np.where(x > 0, "y", "n").tolist(), times=times)


def test_an_idle_key_begins_anew():
    one = models(idle=10)
    feed(one, ["a", "a", "b"] + ["b"] * 8 + ["a"])
    assert one.counts["expired"] == 0
    assert one.state("a").record.n_rows == 3
    feed(one, ["b"] * 10 + ["a"] + ["b"] * 3)  # eleven rows since its last one
    assert one.counts["expired"] == 1 and one.state("a").record.n_rows == 1
    feed(one, ["c"] * 11)
    assert one.sweep() == 2 and "a" not in one and "b" not in one and "c" in one
    one.commit()
    assert sum(one.store.expired().values()) == one.counts["expired"] == 3


def test_same_bytes_whatever_slices_where_keys_expire():
    rng = np.random.default_rng(3)
    keys, table, labels = stream(4_000)
    quiet = rng.random(4_000) < 0.98
    keys = [f"k{i // 500}" if q else key for i, (key, q) in enumerate(zip(keys, quiet))]
    data = keys, table, labels
    whole, predicted = run([4_000], idle=300, data=data)
    assert whole.counts["expired"] > 10
    for sizes, how in (([130], {"commit": 3}), ([7, 1, 900], {"memory": 1, "commit": 1})):
        other, again = run(sizes, idle=300, data=data, **how)
        assert again == predicted and content(other.store) == content(whole.store)


def days(first, n):
    return np.datetime64(first, "us") + np.arange(n) * np.timedelta64(1, "h")


def test_the_time_of_the_stream_is_that_of_most_rows():
    one = models(idle="30d")
    n = BLOCK
    feed(one, ["a"] * n, days("2024-01-01", n))
    ahead = days("2024-01-20", n)
    ahead[7] = np.datetime64("2199-01-01")
    ahead[8] = np.datetime64("NaT")
    feed(one, ["b"] * n, ahead)
    feed(one, ["b"] * 5, days("2024-03-01", 5))
    one.sweep()
    assert one.counts["expired"] == 0, "a single row with a time far ahead must not expire keys"
    feed(one, ["b"] * 995, days("2024-03-15", 995))
    assert one.sweep() == 1 and "a" not in one and "b" in one


def test_times_are_the_same_whatever_slices():
    times = days("2024-01-01", 3_500)
    times[::97] = np.datetime64("2150-01-01")
    idle = 10 * 24 * 3_600 * 10**6
    one, other = Clock(idle, True), Clock(idle, True)
    oldest = one.advance(3_500, times)
    done = []
    for begin in range(0, 3_500, 77):
        part = times[begin : begin + 77]
        done += other.advance(len(part), part).tolist()
        stored, other = other.state(), Clock(idle, True)
        other.resume(stored)
    assert oldest.tolist() == done and one.state() == other.state()
    assert {*done} == {0, 1_000, 2_000}


def test_no_key_is_idle_before_a_thousand_rows():
    one = models(idle="1h")
    feed(one, ["a"] * 500, days("2020-01-01", 500))
    feed(one, ["b"] * 499, days("2024-01-01", 499))
    assert one.sweep() == 0
    feed(one, ["b"] * 1001, days("2024-06-01", 1001))
    one.sweep()
    assert one.counts["expired"] == 1 and "a" not in one


def test_words_for_idle():
    assert parse_idle("1_000") == (1_000, False) and parse_idle(5) == (5, False)
    assert parse_idle("2w") == parse_idle(timedelta(weeks=2)) == (1_209_600_000_000, True)
    for wrong in ("", "soon", "0", "-1", "3 months", 0, True, 1.5, "1y"):
        with pytest.raises(ValueError, match="'idle' parameter must be a number of rows"):
            parse_idle(wrong)


def test_times_are_needed_where_keys_expire_by_time():
    with pytest.raises(ValueError, match="pass the time of each row"):
        feed(models(idle="3d"), ["a"])


def test_what_a_store_was_made_with_stays():
    one = models(idle=10, refresh_interval=500)
    feed(one, ["a"] * 4)
    one.commit()
    again = KeyedModels(store=one.store)
    assert (again.clock.idle, again.refresh_interval) == (10, 500)
    with pytest.raises(ValueError, match="idle cannot be changed"):
        KeyedModels(store=one.store, idle=11)
    with pytest.raises(ValueError, match=r"the store is naive-bayes\. Got hoeffding instead"):
        KeyedModels("hoeffding", one.store)
